// A lock that a command uses → whether it is the consent to what it pins: one that was named, or that the operator names in config.toml. Not one that
// is only found in the current folder: a stranger's checkout has one, too.
import { operatorConfig } from '../io/config.ts'
import { namedPath } from '../io/home.ts'
import { realPath } from '../io/read/real-path.ts'

/**
 * @param path absolute, of the only lock that is not named; undefined where no lock is used
 * @param isNamed whether `--lock` names it
 * @throws RlpError as {@link operatorConfig}
 */
export async function isConsent(path: string | undefined, isNamed: boolean): Promise<boolean> {
  if (path === undefined || isNamed) return isNamed
  const { lockConsent } = await operatorConfig()
  const real = await realPath(path)
  for (const one of lockConsent?.value ?? [])
    if ((await realPath(namedPath(one, process.cwd()))) === real) return true
  return false
}
