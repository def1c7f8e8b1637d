// rlp agent inspect: the verdict on one bundle, then everything that is in it.

import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS, trustOf } from '../install/options.ts'
import { rootsFor } from '../io/roots.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { VERDICTS } from '../model/verdict.ts'
import { inspect } from './inspected.ts'
import { oneTarget, seeBundle, wrongContents } from './look-into.ts'
import { renderInspected } from './render-inspect.ts'

export const command = defineCommand({
  name: 'agent inspect',
  summary: 'signers and contents of a bundle, and what each tool needs',
  positionals: [
    {
      name: 'bundle',
      required: true,
      describe: 'a bundle, an unpacked bundle, or the name of an installed agent',
    },
  ],
  options: {
    ...TRUST_OPTIONS,
    root: LOOK_UP_OPTION,
  },
  examples: [
    ['rlp agent inspect dist/mailer-0.1.0.agent.bundle', 'before it is installed'],
    ['rlp agent inspect mailer', 'the agent that is installed under this name'],
    ['rlp agent inspect mailer --json', 'for a program'],
  ],
  notes:
    'The verdict of rlp agent verify comes first. The exit code is 0 for every bundle that is sound, whether or not its signers are trusted: rlp agent verify is the gate. It is 1 if the bundle is invalid or its contents cannot be read, and 3 if the file cannot be read.\n\npolicy.caps and the overrides on this host decide whether a need is granted.',
  async run(args, io) {
    const roots = await rootsFor(args.root, io.cwd)
    const target = await oneTarget('inspect', args.bundle, io, roots)
    const seen = await seeBundle(target, { signal: io.signal, ...trustOf(args, io) })
    const inspected = inspect(seen)
    const { target: label, verdict, reasons, form, agent, manifestDigest } = seen.report
    const { overrides, policies, files, skipped } = seen.report
    report(io, args, {
      tool: 'agent.inspect',
      result: {
        ...{ target: label, verdict, reasons, form, agent, manifestDigest },
        ...inspected,
        ...{ files, policies, overrides, skipped },
      },
      text: () => renderInspected(seen.report, inspected, createStyle(io.color), io.columns),
    })
    const isUnread = verdict === 'indeterminate' && reasons[0]?.code === 'unreadable'
    if (verdict === 'invalid' || isUnread) return VERDICTS[verdict].exit as ExitCode
    return wrongContents(seen.report) === undefined ? EXIT.ok : EXIT.bundle
  },
})
