// Shows what became of each bundle that was sent to a registry or a layout folder.
import { changedEach, type Outcome, printFailures } from '../cli/each.ts'
import { report } from '../cli/render/report.ts'
import { nearReference } from '../io/layout-folder.ts'
import type { Showing } from '../verb/index.ts'
import type { Pushed } from './push.ts'

export interface ShowingSent extends Pick<Showing, 'args' | 'style' | 'io'> {
  readonly asked: { readonly dryRun: boolean }
}

interface SentReport<T> {
  /** The tool contract's name: `agent.push`. */
  readonly tool: string
  readonly warnings: readonly string[]
  textOf(one: T, showing: ShowingSent): string
}

export function printSent<T extends Pick<Pushed, 'reference' | 'manifest' | 'changed'>>(
  outcome: Outcome<T>,
  showing: ShowingSent,
  { tool, warnings, textOf }: SentReport<T>,
): void {
  const { asked, args, io } = showing
  const { done, failed } = outcome
  report(io, args, {
    tool,
    warnings,
    result: changedEach('bundles', outcome),
    quiet: asked.dryRun
      ? undefined
      : done.map(({ reference, manifest }) => `${nearReference(reference, io.cwd)}@${manifest}`),
    text: () => done.map(one => textOf(one, showing)).join(''),
  })
  printFailures(io, args, failed)
}
