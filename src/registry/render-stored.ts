// rlp agent list oci://…: the versions that are stored somewhere, the newest first.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { reachIn } from '../cli/options.ts'
import { report } from '../cli/render/report.ts'
import { noReference } from '../io/reference.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable } from '../text/printable.ts'
import { versionsAt } from './stored-versions.ts'

export async function listStored(from: string, args: GlobalArgs, io: Io): Promise<ExitCode> {
  if (!isOciReference(from))
    throw noReference(from, {
      message: `Cannot list "${from}": it is no reference`,
      field: 'stored',
      hint: 'Write oci://HOST/REPOSITORY or oci-layout:FOLDER. --root names another folder of installed agents',
    })
  const result = await versionsAt(from, io.cwd, reachIn(io, args))
  const { versions, others } = result
  report(io, args, {
    tool: 'agent.list',
    result,
    text: () => [...versions.map(({ tag }) => tag), ...others].map(tag => `${printable(tag)}\n`).join(''),
  })
  return EXIT.ok
}
