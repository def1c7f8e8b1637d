// Bundles → what is stated of each: printed for one, or signed beside each of them.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { each, failuresOf, printFailures, worstExit } from '../cli/each.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { PREDICATES, type PredicateName } from '../format/evidence/predicates/index.ts'
import type { AttestedBundle } from '../format/evidence/statement.ts'
import { printable } from '../format/text/printable.ts'
import type { Target } from '../io/find/find-agents.ts'
import { expandHome } from '../io/home.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { UsageError } from '../model/usage-error.ts'
import { attestingIn } from './ask-attesting.ts'
import type { Attested, Attesting } from './attest.ts'
import { toAttest } from './attest.ts'
import { attestationFile } from './attesting-given.ts'
import { type AttestArgs, isSigned, type SignerArgs } from './options.ts'

/** What is stated of one bundle. */
export interface OneStated {
  readonly about: AttestedBundle
  readonly document: Readonly<Record<string, unknown>>
  /** Where it was judged. */
  readonly verdict?: string
}

interface Stating {
  readonly tool: string
  readonly name: PredicateName
  /** For messages: `list the contents of`. */
  readonly doing: string
  readonly make: (target: Target) => Promise<OneStated>
  readonly text: (document: Readonly<Record<string, unknown>>) => string
}

type Args = SignerArgs & Pick<AttestArgs, 'attest'> & GlobalArgs

/** @throws UsageError for several bundles without a key; RlpError as making, signing and writing do, if there is only one bundle */
export async function stateEach(
  targets: readonly Target[],
  { tool, name, doing, make, text }: Stating,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const isMany = targets.length > 1
  if (isMany && !isSigned(args))
    throw new UsageError(
      `Cannot ${doing} ${targets.length} bundles: without --key or --keyless one is printed, and no more`,
      {
        ...{ field: 'key', hint: 'Sign each beside its bundle with --key or --keyless, or name one of them' },
      },
    )
  // Asked for once, and only for a bundle that may be stated of.
  let attesting: Attesting | undefined
  const { done, failed } = await each(targets, async target => {
    const { about, document, verdict } = await make(target)
    attesting ??= await attestingIn(args, io)
    const attested = await attestWith(attesting, name, about, document, target, args, io)
    return { bundle: target.label, verdict, [name]: document, attested }
  })
  const [first] = done
  const isDocument = first !== undefined && first.attested === undefined
  const { bundle: _, ...alone } = first ?? { bundle: '' }
  report(io, args, {
    tool,
    result: isMany ? { bundles: done, ...(failed.length > 0 && { failed: failuresOf(failed) }) } : alone,
    isDocument,
    quiet: isDocument ? undefined : done.flatMap(({ attested }) => attested?.file ?? []),
    text: () =>
      isDocument
        ? text(first[name] as OneStated['document'])
        : done.map(({ attested }) => signedLine(PREDICATES[name].word, attested, io)).join(''),
  })
  printFailures(io, args, failed)
  return worstExit([EXIT.ok], failed)
}

/** Signs a statement into its file, if anybody signs. */
export async function attestAs(
  name: PredicateName,
  about: AttestedBundle,
  predicate: object,
  target: Target,
  args: Args,
  io: Io,
): Promise<Attested | undefined> {
  return attestWith(await attestingIn(args, io), name, about, predicate, target, args, io)
}

async function attestWith(
  attesting: Attesting | undefined,
  name: PredicateName,
  about: AttestedBundle,
  predicate: object,
  target: Target,
  { attest: named }: Args,
  io: Io,
): Promise<Attested | undefined> {
  if (attesting === undefined) return undefined
  const file = attestationFile(target, named === undefined ? undefined : expandHome(named), io)
  return attesting.attest(toAttest(name, about, predicate, target.label), file, io)
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
