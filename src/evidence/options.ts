// The options of every command that states something about a bundle: how it is judged, and who signs the statement.
import type { CommandArgs, GlobalArgs, Io } from '../cli/command.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { PREDICATES, type PredicateName } from '../format/evidence/predicates/index.ts'
import { type AttestedBundle, writeAttested } from '../format/evidence/statement.ts'
import { printable } from '../format/text/printable.ts'
import { oneTarget } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import { expandHome } from '../io/home.ts'
import { rootsFor } from '../io/root/roots.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { UsageError } from '../model/usage-error.ts'
import { KEY_OPTION, signerCalled } from '../sign/signing-options.ts'
import { judgingOf, LOCK_OPTIONS, LOOK_UP_OPTION, lockOf, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { attest } from './attest.ts'
import { attestationFile, refuseTime } from './given.ts'
import { type Examined, examineFor } from './verified.ts'

export const STATED_BUNDLE = {
  name: 'bundle',
  names: 'installed',
  required: true,
  describe: 'a bundle, an unpacked bundle, the name of an installed agent, or a reference to a stored bundle',
} as const satisfies Positional

/** Who signs a statement, and where it goes. */
export const ATTEST_OPTIONS = {
  key: { ...KEY_OPTION, describe: `sign the statement: ${KEY_OPTION.describe}` },
  attest: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'where the signed statement goes; with --key, <bundle>.intoto.jsonl if left out',
  },
  time: {
    type: 'string',
    placeholder: 'TIME',
    describe: 'when it was made, as 2026-11-20T00:00:00Z; left out, it says no time',
  },
} as const satisfies OptionTable

/** Who builds a bundle, and from what. */
export const BUILD_OPTIONS = {
  builder: { type: 'string', placeholder: 'URI', describe: 'who builds it; a pipeline says it itself' },
  source: { type: 'string', placeholder: 'URI', describe: 'the repository; a pipeline says it itself' },
  revision: { type: 'string', placeholder: 'COMMIT', describe: 'the commit; a pipeline says it itself' },
} as const satisfies OptionTable

export const JUDGING_OPTIONS = {
  expect: {
    type: 'string',
    placeholder: 'NAME[@VARIANT][@RANGE]',
    describe: 'which agent it has to be; a file called <name>-<version>.agent.bundle implies it',
  },
  ...TRUST_OPTIONS,
  ...REGISTRY_OPTIONS,
  ...LOCK_OPTIONS,
  'allow-unsigned': { type: 'boolean', describe: 'accept a sound bundle without signature' },
  root: LOOK_UP_OPTION,
} as const satisfies OptionTable

type AttestArgs = CommandArgs<typeof ATTEST_OPTIONS, readonly []>
export type JudgingArgs = CommandArgs<typeof JUDGING_OPTIONS, readonly [typeof STATED_BUNDLE]>

/** @throws UsageError for options that need each other */
export function refuseHalf({ key, attest, time }: Pick<AttestArgs, 'key' | 'attest' | 'time'>): void {
  if (attest !== undefined && key === undefined) throw keyMissing()
  refuseTime(time)
}

export function keyMissing(): UsageError {
  return new UsageError('Cannot attest: --key is missing', {
    field: 'key',
    hint: 'Name a key, or make one with rlp key generate NAME',
  })
}

export async function judged(doing: string, args: JudgingArgs, io: Io): Promise<[Target, Examined]> {
  const target = await oneTarget(doing, args.bundle, io, await rootsFor(args.root, io.cwd))
  const lock = lockOf(args, io)
  const options = { expect: args.expect, lock, ...judgingOf(args, io) }
  return [target, await examineFor(target, options)]
}

/** Signs a statement into its file, if a key is named. */
export async function attestAs(
  name: PredicateName,
  about: AttestedBundle,
  predicate: object,
  target: Target,
  { key, attest: named }: Pick<AttestArgs, 'key' | 'attest'>,
  io: Io,
) {
  if (key === undefined) return undefined
  const file = attestationFile(target, named === undefined ? undefined : expandHome(named), io)
  return attest(writeAttested(about, PREDICATES[name].type, predicate), await signerCalled(key, io), file, io)
}

/** Prints a document, or where its statement was put. */
export function printStated(
  args: GlobalArgs,
  io: Io,
  stated: {
    readonly tool: string
    readonly verdict?: string
    readonly name: PredicateName
    readonly document: object
    readonly attested: Awaited<ReturnType<typeof attestAs>>
    readonly text: () => string
  },
): ExitCode {
  const { tool, verdict, name, document, attested, text } = stated
  report(io, args, {
    tool,
    result: { verdict, [name]: document, attested },
    isDocument: attested === undefined,
    text: () => {
      if (attested === undefined) return text()
      const { file, signer } = attested
      return `${createStyle(io.color).green(SYMBOLS.ok)} ${printable(`${file}: ${PREDICATES[name].word} signed by ${signer}`)}\n`
    },
  })
  return EXIT.ok
}
