// rlp agent digest: updates every digest in manifest.toml.
import { changedEach, each, type Outcome, printFailures, worstExit } from '../../cli/each.ts'
import { report } from '../../cli/render/report.ts'
import type { Style } from '../../cli/render/style.ts'
import { EXIT } from '../../model/exit-code.ts'
import { printable } from '../../text/printable.ts'
import { plural } from '../../text/words.ts'
import { commandOf, defineVerb, needed, whether } from '../../verb/index.ts'
import { agentFolders, agentsDir } from '../../verb/kinds/agents.ts'
import { type DigestResult, digestAgent } from '../digest-agent.ts'
import { digestLines } from '../render-digests.ts'

/**
 * Writes the BLAKE3 digest of each file into manifest.toml, and touches nothing else in it.
 *
 * @example
 * const { changes } = await digest('agents/mailer', { check: true })
 * if (changes.length > 0) console.log(`stale: ${changes.map(({ path }) => path).join(', ')}`)
 *
 * @throws {@link RlpError} `LINT_FAILED` when the manifest cannot be read, `NOT_EDITABLE` when it leaves no place for a digest, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent digest',
  summary: 'write BLAKE3 digests into manifest.toml',
  called: 'digest',
  arguments: ['path'],
  inputs: {
    path: needed(agentFolders('digest')),
    agentsDir,
    /** Write nothing: say what would change. */
    check: whether('write nothing; exit 1 if a digest is stale'),
  },
  isLong: true,
  async run({ path, agentsDir, check }, world): Promise<Outcome<DigestResult>> {
    return each(await path(agentsDir), target => digestAgent(target, check, world))
  },
  answer: ({ done: [only] }): DigestResult => only as DigestResult,
})

export const command = commandOf(verb, {
  examples: [
    ['rlp agent digest agents/mailer', 'fill in and correct every digest'],
    ['rlp agent digest --check', 'all agents, in a pipeline'],
  ],
  notes:
    'Comments, order, quoting, line endings and blank lines of the manifest survive; only digests, and the tables that must be there for them, change.',
  print({ done, failed }, { asked: { check }, args, style, io }) {
    report(io, args, {
      tool: 'agent.digest',
      result: changedEach('agents', { done, failed }),
      quiet: check ? undefined : [],
      text: () => done.map(one => render(one, check, style)).join(''),
    })
    printFailures(io, args, failed)
  },
  note: ({ done }, { asked: { check } }) =>
    isStale(done, check)
      ? 'Run rlp agent digest to correct them, if the changes to the files are meant'
      : undefined,
  exit: ({ done, failed }, { asked: { check } }) =>
    worstExit([isStale(done, check) ? EXIT.bundle : EXIT.ok], failed),
})

function isStale(done: readonly DigestResult[], isCheck: boolean): boolean {
  return isCheck && done.some(({ changed }) => changed)
}

function render({ agent, changes }: DigestResult, isCheck: boolean, style: Style): string {
  const name = style.bold(printable(agent))
  if (changes.length === 0) return `${name}  all digests are right\n`
  const what = isCheck
    ? `${plural(changes.length, 'stale digest')}`
    : `${plural(changes.length, 'digest')} written`
  return `${name}  ${what}\n${digestLines(changes, style)}`
}
