// rlp agent digest: every digest in manifest.toml right, in place.
import { join } from 'node:path'
import { defineCommand, type Io } from '../cli/command.ts'
import { each, failuresOf, printFailures, worstExit } from '../cli/each.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { AGENT_OPTIONS, AGENT_PATHS, resolveAgents } from '../cli/targets.ts'
import { read } from '../format/read-agent.ts'
import { printable } from '../format/text/printable.ts'
import type { Target } from '../io/find-agents.ts'
import { readTree } from '../io/read-tree.ts'
import { replaceFile } from '../io/replace-file.ts'
import { plural } from '../lint/render.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { EXIT } from '../model/exit-code.ts'
import { type Digested, digest } from './digest.ts'
import { digestJson, digestLines } from './render-packed.ts'

export const command = defineCommand({
  name: 'agent digest',
  summary: 'write BLAKE3 digests into manifest.toml',
  positionals: [AGENT_PATHS],
  options: {
    ...AGENT_OPTIONS,
    check: { type: 'boolean', describe: 'write nothing; exit 1 when a digest is stale' },
  },
  examples: [
    ['rlp agent digest agents/mailer', 'fill in and correct every digest'],
    ['rlp agent digest --check', 'all agents, in a pipeline'],
  ],
  notes:
    'Comments, order, quoting, line endings and blank lines of the manifest survive; only digests, and the tables that must be there for them, change.',
  async run(args, io) {
    const targets = await resolveAgents(args.path, { agentsDir: args.agentsDir, cwd: io.cwd })
    const { done, failed } = await each(targets, target => digestOne(target, args.check, io))
    report(io, args, {
      tool: 'agent.digest',
      result: {
        written: !args.check,
        agents: done.map(({ target, changes }) => ({
          agent: target.label,
          changes: changes.map(digestJson),
        })),
        ...(failed.length > 0 && { failed: failuresOf(failed) }),
      },
      text: () => (args.quiet && !args.check ? '' : done.map(one => render(one, args.check, io)).join('')),
    })
    printFailures(io, args, failed)
    const changed = done.reduce((sum, { changes }) => sum + changes.length, 0)
    if (args.check && changed > 0)
      note(io, args, 'Run rlp agent digest to correct them, if the changes to the files are meant')
    return worstExit([args.check && changed > 0 ? EXIT.bundle : EXIT.ok], failed)
  },
})

interface Done {
  readonly target: Target
  readonly changes: Digested['changes']
}

async function digestOne(target: Target, isCheck: boolean, io: Io): Promise<Done> {
  const files = await readTree(target.path, target.label, { as: 'source', digest: 'all', signal: io.signal })
  const agent = read(files, target.label)
  const { text, changes } = digest(agent)
  if (!isCheck && changes.length > 0) {
    // A manifest that somebody edited since it was read is left to them.
    await replaceFile(join(target.path, MANIFEST_FILE), text, {
      label: `${target.label}/${MANIFEST_FILE}`,
      before: files.get(MANIFEST_FILE)?.bytes,
      hint: 'Run rlp agent digest again',
      signal: io.signal,
    })
  }
  return { target, changes }
}

function render({ target, changes }: Done, isCheck: boolean, io: Io): string {
  const style = createStyle(io.color)
  const name = style.bold(printable(target.label))
  if (changes.length === 0) return `${name}  all digests are right\n`
  const what = isCheck
    ? `${plural(changes.length, 'stale digest')}`
    : `${plural(changes.length, 'digest')} written`
  return `${name}  ${what}\n${digestLines(changes.map(digestJson), style)}`
}
