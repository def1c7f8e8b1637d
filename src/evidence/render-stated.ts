// Bundles → what is stated of each: printed for one, or signed beside each of them.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { changedEach, each, printFailures, worstExit } from '../cli/each.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import type { Target } from '../io/find/search-folders.ts'
import { expandHome } from '../io/home.ts'
import { UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { PREDICATES, type PredicateName } from '../statement/predicates/index.ts'
import { printable } from '../text/printable.ts'
import { type Attested, type Attesting, type SignStated, type StatedAbout, stateSigned } from './attest.ts'
import { type AttestArgs, attestingIn, isSigned, type SignerArgs } from './options.ts'

interface Stating<T extends StatedAbout> {
  readonly tool: string
  readonly name: PredicateName
  /** For messages: `list the contents of`. */
  readonly doing: string
  readonly state: (target: Target, sign: SignStated) => Promise<T>
  /** The document of one, where it is printed and not signed. */
  readonly text: (one: T) => string
}

type Args = SignerArgs & Pick<AttestArgs, 'attest'> & GlobalArgs

/** @throws UsageError for several bundles without a key; RlpError as making, signing and writing do, if there is only one bundle */
export async function stateEach<T extends StatedAbout>(
  targets: readonly Target[],
  { tool, name, doing, state, text }: Stating<T>,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  if (targets.length > 1 && !isSigned(args))
    throw new UsageError(
      `Cannot ${doing} ${targets.length} bundles: without --key or --keyless one is printed, and no more`,
      {
        field: 'key',
        hint: 'Sign each beside its bundle with --key or --keyless, or name one of them',
      },
    )
  const sign = signingAsked(args, io)
  const { done, failed } = await each(targets, target => state(target, sign))
  const [first] = done
  const isDocument = first !== undefined && first.attested === undefined
  report(io, args, {
    tool,
    result: changedEach('bundles', { done, failed }),
    isDocument,
    quiet: isDocument ? undefined : done.flatMap(({ attested }) => attested?.file ?? []),
    text: () =>
      isDocument
        ? text(first)
        : done.map(({ attested }) => signedLine(PREDICATES[name].word, attested, io)).join(''),
  })
  printFailures(io, args, failed)
  return worstExit([EXIT.ok], failed)
}

/** Signs as the command line says, if it names a signer. The key is asked for once, and only for a bundle that may be stated of. */
export function signingAsked(args: Args, io: Io): SignStated {
  const { attest: named } = args
  const file = named === undefined ? undefined : expandHome(named)
  let attesting: Attesting | undefined
  return async stated => {
    attesting ??= await attestingIn(args, io)
    return stateSigned(stated, attesting, file, io)
  }
}

/** @param word what is stated: `provenance`. For people; nothing of what was not signed. */
export function signedLine(
  word: string,
  attested: Attested | undefined,
  { color }: Pick<Io, 'color'>,
): string {
  if (attested === undefined) return ''
  const { file, signer } = attested
  const { green } = createStyle(color)
  return `${green(SYMBOLS.ok)} ${printable(`${file}: ${word} signed by ${signer}`)}\n`
}
