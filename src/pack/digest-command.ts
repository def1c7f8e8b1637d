// rlp agent digest: updates every digest in manifest.toml.
import { defineCommand, type Io } from '../cli/command.ts'
import { changedEach, each, printFailures, worstExit } from '../cli/each.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { AGENT_OPTIONS, AGENT_PATHS, resolveAgents } from '../cli/targets.ts'
import { EXIT } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { type DigestResult, digestAgent } from './digest-agent.ts'
import { digestLines } from './render-packed.ts'

export const command = defineCommand({
  name: 'agent digest',
  summary: 'write BLAKE3 digests into manifest.toml',
  positionals: [AGENT_PATHS],
  options: {
    ...AGENT_OPTIONS,
    check: { type: 'boolean', describe: 'write nothing; exit 1 if a digest is stale' },
  },
  examples: [
    ['rlp agent digest agents/mailer', 'fill in and correct every digest'],
    ['rlp agent digest --check', 'all agents, in a pipeline'],
  ],
  notes:
    'Comments, order, quoting, line endings and blank lines of the manifest survive; only digests, and the tables that must be there for them, change.',
  async run(args, io) {
    const targets = await resolveAgents(args.path, { agentsDir: args.agentsDir, cwd: io.cwd })
    const { done, failed } = await each(targets, target => digestAgent(target, args.check, io))
    const changed = done.some(one => one.changed)
    report(io, args, {
      tool: 'agent.digest',
      result: changedEach('agents', { done, failed }),
      text: () => (args.quiet && !args.check ? '' : done.map(one => render(one, args.check, io)).join('')),
    })
    printFailures(io, args, failed)
    if (args.check && changed)
      note(io, args, 'Run rlp agent digest to correct them, if the changes to the files are meant')
    return worstExit([args.check && changed ? EXIT.bundle : EXIT.ok], failed)
  },
})

function render({ agent, changes }: DigestResult, isCheck: boolean, io: Io): string {
  const style = createStyle(io.color)
  const name = style.bold(printable(agent))
  if (changes.length === 0) return `${name}  all digests are right\n`
  const what = isCheck
    ? `${plural(changes.length, 'stale digest')}`
    : `${plural(changes.length, 'digest')} written`
  return `${name}  ${what}\n${digestLines(changes, style)}`
}
