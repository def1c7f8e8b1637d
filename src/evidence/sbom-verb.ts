// What the library offers of bills of materials.
import { type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { judgedHow, type StateOptions, signingGiven } from './given.ts'
import { LISTING, type StatedBom, stateBom } from './state-bom.ts'

/**
 * Lists what is in a sound bundle: files, wasm imports, programs, hosts, secrets by name, capabilities. Whether its signers are trusted is
 * not asked: the bill says which verdict it has.
 *
 * @example
 * const { bom } = await sbom('dist/mailer-0.1.0.agent.bundle')
 * console.log(JSON.stringify(bom))
 *
 * @throws {@link NotVerifiedError} when it is not sound, not the agent that is expected, or not as `lock` pins it; then there is no bill
 * @throws {@link RlpError} `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; `LIMIT_EXCEEDED` where the file of attestations would be too
 * large; as `sign` for the key; `USAGE`; `CANCELLED`
 */
export async function sbomPath(bundle: PathGiven, options: StateOptions = {}): Promise<StatedBom> {
  return runVerb('sbom', options, async (given, io) => {
    const target = targetGiven(bundle, io, LISTING)
    return stateBom(target, judgedHow(given, io), { time: given.time }, signingGiven(given, io))
  })
}
