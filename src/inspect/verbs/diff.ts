// rlp agent diff: what changed between two bundles, permissions first.
import { EXIT } from '../../model/exit-code.ts'
import { commandOf, defineVerb, needed, typedOnly } from '../../verb/index.ts'
import { JUDGING, judgingBy, lookUpRoot } from '../../verify/judging-inputs.ts'
import { type Compared, comparedAt, comparison, type DiffResult } from '../compared.ts'
import { mayOf } from '../diff.ts'
import { printPage } from '../formats/index.ts'
import { seenBundle } from '../inputs.ts'
import { inspectSeen, overridesOf } from '../inspected.ts'
import { oneTargetOrSource } from '../look-into.ts'
import { PAGE_OPTIONS, pageFormat } from '../options.ts'
import { makePage } from '../page/make-page.ts'
import { powersIn } from '../page/powers.ts'

const SIDE = { doing: 'compare', find: oneTargetOrSource, names: 'installed or source' } as const

interface TwoCompared {
  readonly before: Compared
  readonly after: Compared
  readonly result: DiffResult
}

/**
 * Compares two bundles, unpacked bundles or agents' folders: first what the second may do that the first may not, then tools, schemas and
 * files.
 *
 * @example
 * const { passed, widened } = await diff('dist/mailer-0.1.0.agent.bundle', 'agents/mailer', { home: false })
 * if (!passed) console.log('it may do more than before', widened)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for an invalid bundle, which is not compared; `IO` for one that cannot be read; `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent diff',
  summary: 'what changed between two bundles, permissions first',
  called: 'diff',
  arguments: ['before', 'after'],
  inputs: {
    before: needed(
      seenBundle(
        'a bundle, an unpacked bundle, an agent’s folder, or a name: of an installed agent, or of a folder in agents',
        { ...SIDE, flag: 'old' },
      ),
    ),
    after: needed(seenBundle('the same, to be compared with it', { ...SIDE, flag: 'new' })),
    ...JUDGING,
    root: typedOnly(lookUpRoot),
  },
  isLong: true,
  async run({ root, ...asked }, world): Promise<TwoCompared> {
    const judging = { ...judgingBy(asked, world), root }
    const before = await comparedAt(await asked.before(root), judging, world)
    const after = await comparedAt(await asked.after(root), judging, world)
    return { before, after, result: comparison(before, after) }
  },
  answer: ({ result }: TwoCompared): DiffResult => result,
})

export const command = commandOf(verb, {
  flags: PAGE_OPTIONS,
  first: ['format', 'out', 'force'],
  ready: pageFormat,
  examples: [
    ['rlp agent diff mailer dist/mailer-0.2.0.agent.bundle', 'what installing it would change'],
    ['rlp agent diff dist/mailer-0.1.0.agent.bundle agents/mailer', 'what changed since the last pack'],
    [
      'rlp agent diff mailer dist/mailer-0.2.0.agent.bundle --format markdown',
      'for the summary of a pipeline',
    ],
    ['rlp agent diff old.agent.bundle new.agent.bundle --json', 'for a program'],
  ],
  notes:
    'Exit code 4 if the second may do anything that the first may not, else 0. An invalid bundle is not compared, because its content is not what was signed: exit code 1.\n\nWith --json, "ok" says that the two could be compared; "result.passed" says that the second may do no more.\n\nA tool whose id is gone or changed is breaking. An input schema may only accept more, a result schema may only promise more: certain changes are called breaking or compatible, all others are not decided. Signatures are not compared as files: the signers of both are shown.',
  print({ before, after: { agent, side, seen }, result }, { args, io }) {
    const page = () =>
      makePage({
        target: side.target,
        report: seen?.report,
        now: seen?.trust.now ?? new Date(),
        agent,
        may: mayOf(agent),
        powers: powersIn(agent, seen && overridesOf(seen)),
        inspected: seen && inspectSeen(seen),
        findings: [],
        isBrief: true,
        against: { side: before.side, agent: before.agent, diff: result },
      })
    return printPage(args, io, { tool: 'agent.diff', result, page })
  },
  exit: ({ result }) => (result.passed ? EXIT.ok : EXIT.denied),
})
