// The options of `rlp agent install`, what they mean in combination, and whether a lock counts as consent to what it pins. A lock that is
// only found in the current folder does not: a stranger's checkout has one, too.
import type { CommandArgs } from '../cli/command.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { AUDIT_OPTION } from '../cli/options.ts'
import { operatorConfig } from '../io/config.ts'
import { namedPath } from '../io/home.ts'
import { realPath } from '../io/read/real-path.ts'
import type { InstallFlags } from '../model/install.ts'
import { LOCK_OPTIONS, ROOT_OPTION, TRUST_OPTIONS } from '../verify/judging-options.ts'

export const INSTALL_SOURCE = {
  name: 'bundle',
  names: 'bundle',
  describe:
    'a bundle (.agent.bundle, .tar, .tar.gz, .tgz), an unpacked bundle, or file://; without it all that the lock names',
} as const satisfies Positional

export const INSTALL_OPTIONS = {
  root: ROOT_OPTION,
  yes: {
    type: 'boolean',
    alias: 'y',
    describe: 'install for the first time, and prune, without being asked',
  },
  force: { type: 'boolean', describe: 'install again, or replace a file that rlp did not install' },
  'dry-run': {
    type: 'boolean',
    describe: 'install nothing: show what would be installed, and what is new in it',
  },
  expect: {
    type: 'string',
    placeholder: 'NAME[@VARIANT][@RANGE]',
    describe:
      'which agent it has to be, or blake3:HEX for one bundle; a file called <name>-<version>.agent.bundle implies it',
  },
  ...TRUST_OPTIONS,
  ...LOCK_OPTIONS,
  prune: {
    type: 'boolean',
    describe:
      'with --lock: at last remove what locks of these names have put here and none of them names any more',
  },
  'allow-prune-all': {
    type: 'boolean',
    describe: 'with --prune: also remove all, or more than half, of what a lock has put here',
  },
  'allow-unsigned': { type: 'boolean', describe: 'accept a sound bundle without signature' },
  'allow-downgrade': {
    type: 'boolean',
    describe: 'accept an older version than was installed, never other content of the same',
  },
  'allow-signer-change': { type: 'boolean', describe: 'accept another signer than before' },
  'allow-caps-change': { type: 'boolean', describe: 'accept that it may do more than before' },
  unpack: {
    type: 'boolean',
    negatable: true,
    default: true,
    describe: 'leave out the folder for other runtimes beside the file',
  },
  ...AUDIT_OPTION,
  'skip-verify': {
    type: 'refused',
    describe: 'install without verification',
    instead: 'every bundle is verified; --allow-unsigned accepts one without signature',
  },
} as const satisfies OptionTable

export type InstallArgs = CommandArgs<typeof INSTALL_OPTIONS, readonly [typeof INSTALL_SOURCE]>

/** @param lockConsents whether the lock is the consent to what it pins */
export function flagsOf(args: InstallArgs, lockConsents: boolean): InstallFlags {
  const { force, unpack, allowDowngrade, allowSignerChange, allowCapsChange } = args
  return { force, unpack, allowDowngrade, allowSignerChange, allowCapsChange, lockConsents }
}

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
