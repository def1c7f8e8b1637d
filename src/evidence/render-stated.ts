// Bundles → what is stated of each: printed for one, or signed beside each of them.
import type { ExitCode, GlobalArgs, Io } from '../cli/command.ts'
import { changedEach, each, type Outcome, printFailures, worstExit } from '../cli/each.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import type { Target } from '../io/find/search-folders.ts'
import { UsageError } from '../model/error.ts'
import { printable } from '../text/printable.ts'
import type { Attested, StatedAbout } from './attest.ts'

/**
 * @param doing for messages: `list the contents of`
 * @throws UsageError for several bundles that no one signs; RlpError as making, signing and writing do, if there is only one bundle
 */
export async function stateEach<T>(
  targets: readonly Target[],
  doing: string,
  isSigned: boolean,
  state: (target: Target) => Promise<T>,
): Promise<Outcome<T>> {
  if (targets.length > 1 && !isSigned)
    throw new UsageError(
      `Cannot ${doing} ${targets.length} bundles: without --key or --keyless one is printed, and no more`,
      {
        field: 'key',
        hint: 'Sign each beside its bundle with --key or --keyless, or name one of them',
      },
    )
  return each(targets, state)
}

/** @param word what is stated: `provenance` @param text the document of one, where it is printed and not signed */
export function shownStated<T extends StatedAbout>(tool: string, word: string, text: (one: T) => string) {
  return {
    print(outcome: Outcome<T>, { args, io }: { readonly args: GlobalArgs; readonly io: Io }): void {
      const { done, failed } = outcome
      const [first] = done
      const isDocument = first !== undefined && first.attested === undefined
      report(io, args, {
        tool,
        result: changedEach('bundles', outcome),
        isDocument,
        quiet: isDocument ? undefined : done.flatMap(({ attested }) => attested?.file ?? []),
        text: () =>
          isDocument ? text(first) : done.map(({ attested }) => signedLine(word, attested, io)).join(''),
      })
      printFailures(io, args, failed)
    },
    exit: ({ failed }: Outcome<T>): ExitCode => worstExit([], failed),
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
