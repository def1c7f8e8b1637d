// rlp trust reset: the recorded recovery from a wrong high-water mark.

import { defineCommand } from '../cli/command.ts'
import { AUDIT_OPTION, auditIn } from '../cli/options.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { namedPath, runloopHome } from '../io/home.ts'
import { EXIT } from '../model/exit-code.ts'
import { ROOT_OPTION } from '../verify/judging-options.ts'
import { resetMarks, type TrustReset } from './reset-marks.ts'

export const command = defineCommand({
  name: 'trust reset',
  summary: 'lower how new an agent was here, and record that it was lowered',
  positionals: [
    { name: 'agent', required: true, describe: 'name or name@variant', complete: 'none', lists: ['locked'] },
  ],
  options: {
    to: {
      type: 'string',
      placeholder: 'VERSION',
      describe: 'the oldest version that is accepted from now on; without it, any version is',
    },
    reason: { type: 'string', placeholder: 'TEXT', describe: 'why, for the record' },
    root: {
      ...ROOT_OPTION,
      describe: 'forget what is installed in this root, instead of ~/.runloop/agents and the system’s',
    },
    'dry-run': { type: 'boolean', describe: 'write nothing; show what would be forgotten' },
    ...AUDIT_OPTION,
  },
  examples: [
    ['rlp trust reset mailer --to 0.9.0 --reason "9.0.0 was a typing error"', 'let 0.9.0 in again'],
    ['rlp trust reset mailer --dry-run', 'which mark there is'],
  ],
  notes:
    'A trusted install raises the mark of the agent. An older version, or the same version with other content, is rolled_back from then on, for every signer. With --to, the version you name becomes the mark, and its content may differ. Without --to, any version can be installed next, even one with a known hole.\n\nAn agent that was installed signed stays one: --allow-unsigned is refused for it, also after a reset.\n\nWhat is installed counts as a mark if the state is older, after a back-up was put back (docs/back-up.md). A reset forgets that too.',
  async run(args, io) {
    const { agent, to, reason, dryRun } = args
    const audit = await auditIn(args, io)
    const done = await resetMarks(
      agent,
      { to, reason },
      {
        home: runloopHome(),
        root: namedPath(args.root, io.cwd),
        dryRun,
        signal: io.signal,
        record: audit && (decision => audit.record(decision)),
      },
    )
    report(io, args, {
      tool: 'trust.reset',
      result: done,
      quiet: dryRun ? undefined : [agent],
      text: () => render(done, dryRun, createStyle(io.color)),
    })
    return EXIT.ok
  },
})

function render({ agent, forgotten, to }: TrustReset, dryRun: boolean, style: Style): string {
  const done = dryRun ? 'would forget' : `${style.green(SYMBOLS.ok)} forgot`
  const lines = forgotten.map(({ version, identity, at }) => {
    const how = identity === null ? 'set by a reset' : 'installed'
    return `${done} ${agent} ${version}, ${how} ${at}`
  })
  lines.push(`  accepted ${dryRun ? 'then' : 'now'}: ${to === undefined ? 'any version' : `${to} and newer`}`)
  return `${lines.join('\n')}\n`
}
