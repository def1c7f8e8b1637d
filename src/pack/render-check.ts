// rlp agent pack --check: whether a bundle matches its sources, and the first difference.
import { relative, resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { note, report } from '../cli/render/report.ts'
import { printable } from '../format/text/printable.ts'
import type { Target } from '../io/find-agents.ts'
import { readBundle } from '../io/read-bundle.ts'
import { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { firstDifference } from './compare.ts'
import { readSource } from './source.ts'

export async function checkPacked(
  target: Target,
  bundlePath: string,
  args: GlobalArgs,
  io: Io,
): Promise<ExitCode> {
  const path = resolve(io.cwd, bundlePath)
  const bundle = await readBundle(path, { keep: 'parsed', signal: io.signal })
  if (bundle.refusal?.why === 'io') {
    throw new RlpError(
      'NOT_FOUND',
      `Cannot compare with "${relative(io.cwd, path)}": ${bundle.refusal.message}`,
    )
  }
  const { agent: sources } = await readSource(target, 'all', io)
  const difference = firstDifference(sources.files, bundle)
  report(io, args, {
    tool: 'agent.pack',
    result: {
      agent: target.label,
      bundle: bundlePath,
      same: difference === undefined,
      difference: difference ?? null,
    },
    text: () =>
      difference === undefined
        ? `${printable(bundlePath)} is what ${printable(target.label)} gives\n`
        : `${printable(bundlePath)} is not what ${printable(target.label)} gives\n  ${printable(difference.detail)}\n`,
  })
  if (difference !== undefined)
    note(io, args, 'This is the first difference in the order of the archive; there may be more')
  return difference === undefined ? EXIT.ok : EXIT.bundle
}
