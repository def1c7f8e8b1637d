// rlp caps lint: policy.caps and the operator's overrides of it, as findings.
import { defineCommand } from '../cli/command.ts'
import { each, failuresOf, printFailures, worstExit } from '../cli/each.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import { plural } from '../format/text/counts.ts'
import { countedText, renderFindings } from '../lint/render.ts'
import { lintExit, type Tally, tally } from '../lint/tally.ts'
import type { Finding } from '../model/finding.ts'
import { lintCaps } from './lint-caps.ts'

export const command = defineCommand({
  name: 'caps lint',
  summary: 'check policy.caps, and the overrides of it on this host',
  positionals: [
    {
      name: 'path',
      many: true,
      names: 'source',
      describe:
        'an agent’s folder, a folder of agents, a name, or an override file; all of --agents-dir when absent',
    },
  ],
  options: { ...AGENT_OPTIONS, strict: { type: 'boolean', describe: 'exit 1 on warnings too' } },
  examples: [
    ['rlp caps lint mailer', 'policy.caps, what the tools need of it, and its overrides'],
    ['rlp caps lint /etc/runloop/policy-overrides/mailer.caps', 'an override before it goes live'],
  ],
  notes:
    'For an agent: what rlp agent lint says about policy.caps and about tools that need more than it grants, and then every override of it that is on this host. In an override an unknown key is an error: the grant that it should revoke would stay.',
  async run(args, io) {
    const named = args.path.length === 0 ? [[]] : args.path.map(path => [path])
    const { done, failed } = await each(
      named.map(paths => ({ label: paths.join(), paths })),
      ({ paths }) => lintCaps(paths, args.agentsDir, io),
    )
    const checked = done.flat()
    const findings = checked.flatMap(one => one.parts.flatMap(part => part.findings))
    const counts = tally(findings)
    report(io, args, {
      tool: 'caps.lint',
      result: {
        targets: checked.map(({ told }) => told),
        summary: counts,
        ...(failed.length > 0 && { failed: failuresOf(failed) }),
      },
      text: () => {
        const isShown = (finding: Finding) =>
          finding.suppressed === undefined && (!args.quiet || finding.severity === 'error')
        const style = createStyle(io.color)
        return checked
          .flatMap(one => one.parts)
          .map(part =>
            renderFindings(
              { ...part, findings: part.findings.filter(isShown) },
              style,
              io.columns,
              io.isTTY.stdout ? io.columns : undefined,
            ),
          )
          .join('')
      },
    })
    printFailures(io, args, failed)
    note(io, args, summary(counts, checked.flatMap(one => one.parts).length))
    return worstExit([lintExit(counts, { strict: args.strict, maxWarnings: undefined })], failed)
  },
})

function summary(counts: Tally, files: number): string {
  return `${countedText(counts) ?? 'no findings'} in ${plural(files, 'file')}`
}
