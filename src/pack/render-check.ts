// rlp agent pack --check: whether a bundle matches its sources, and the first difference.
import { relative, resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { note, report } from '../cli/render/report.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { printable } from '../format/text/printable.ts'
import type { Target } from '../io/find/find-agents.ts'
import { absolute } from '../io/layout-folder.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { comparePacked } from './check-packed.ts'

export async function checkPacked(
  target: Target,
  bundlePath: string,
  args: GlobalArgs,
  io: Io,
): Promise<ExitCode> {
  const path = isOciReference(bundlePath) ? absolute(bundlePath, io.cwd) : resolve(io.cwd, bundlePath)
  const label = isOciReference(bundlePath) ? bundlePath : relative(io.cwd, path)
  const difference = await comparePacked(target, { path, label }, io)
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
