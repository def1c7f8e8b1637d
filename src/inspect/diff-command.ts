// rlp agent diff: what changed between two bundles, permissions first.
import { defineCommand } from '../cli/command.ts'
import { rootsFor } from '../io/root/roots.ts'
import { EXIT } from '../model/exit-code.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { compared, comparison } from './compared.ts'
import { mayOf } from './diff.ts'
import { printPage } from './formats/index.ts'
import { inspect, overridesOf } from './inspected.ts'
import { oneTargetOrSource } from './look-into.ts'
import { PAGE_OPTIONS, pageFormat } from './options.ts'
import { makePage } from './page/make-page.ts'
import { powersIn } from './page/powers.ts'

const SIDE =
  'a bundle, an unpacked bundle, an agent’s folder, or a name: of an installed agent, or of a folder in agents'

export const command = defineCommand({
  name: 'agent diff',
  summary: 'what changed between two bundles, permissions first',
  positionals: [
    { name: 'old', required: true, names: 'installed or source', describe: SIDE },
    {
      name: 'new',
      required: true,
      names: 'installed or source',
      describe: 'the same, to be compared with it',
    },
  ],
  options: { ...PAGE_OPTIONS, ...TRUST_OPTIONS, root: LOOK_UP_OPTION },
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
  async run(args, io) {
    pageFormat(args)
    const roots = await rootsFor(args.root, io.cwd)
    const options = { signal: io.signal, ...trustOf(args, io) }
    const before = await compared(await oneTargetOrSource('compare', args.old, io, roots), options, io)
    const after = await compared(await oneTargetOrSource('compare', args.new, io, roots), options, io)
    const result = comparison(before, after)
    const { agent, seen } = after
    const inspected = seen && inspect(seen)
    await printPage(args, io, {
      tool: 'agent.diff',
      result,
      page: () =>
        makePage({
          target: after.side.target,
          report: seen?.report,
          now: seen?.trust.now ?? new Date(),
          agent,
          may: mayOf(agent),
          powers: powersIn(agent, seen && overridesOf(seen)),
          inspected,
          findings: [],
          isBrief: true,
          against: { side: before.side, agent: before.agent, diff: result },
        }),
    })
    return result.passed ? EXIT.ok : EXIT.denied
  },
})
