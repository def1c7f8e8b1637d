// Lint's report as the tool contract's envelope, the same that --json prints.
import { failuresOf } from '../../cli/each.ts'
import { describe } from '../../cli/failure.ts'
import { unifiedDiff } from '../../cli/render/diff.ts'
import { createStyle } from '../../cli/render/style.ts'
import { success } from '../../contract/envelope.ts'
import { serialize } from '../../contract/serialize.ts'
import { printableJson } from '../../format/text/printable.ts'
import { EXIT } from '../../model/exit-code.ts'
import type { LintedTarget } from '../lint-target.ts'
import { tally } from '../tally.ts'
import type { Format } from './format.ts'

export const TOOL = 'agent.lint'

export const json = {
  name: 'json',
  render({ linted, failed, exit }) {
    const result = {
      agents: linted.map(({ agent, findings, ...fixed }) => ({
        agent: agent.label,
        name: agent.manifest?.name ?? null,
        version: agent.manifest?.version ?? null,
        findings,
        ...(fixed.fixes.length > 0 && {
          fixes: fixed.fixes.map(file => fixOf(file, agent.label, { ...fixed, findings })),
        }),
      })),
      passed: exit === EXIT.ok,
      summary: { agents: linted.length, ...tally(linted.flatMap(({ findings }) => findings)) },
      ...(failed.length > 0 && { failed: failuresOf(failed) }),
    }
    return `${printableJson(serialize(success(TOOL, result)))}\n`
  },
  renderFailure({ error }) {
    return `${printableJson(serialize(describe(error, TOOL).envelope))}\n`
  },
} as const satisfies Format

function fixOf(
  file: LintedTarget['fixes'][number],
  label: string,
  { isWritten, findings }: Pick<LintedTarget, 'isWritten' | 'findings'>,
) {
  const diff = unifiedDiff(label, file, createStyle(false), findings).join('\n')
  return { file: file.path, what: file.what, written: isWritten, diff }
}
