// A first install → what the agent may do, for a person who says yes or no.
import type { Io } from '../cli/command.ts'
import { type OpenPrompter, saysYes } from '../cli/interactive.ts'
import { permissionLines } from '../inspect/permission-lines.ts'
import type { Offer } from '../model/install.ts'

export async function askToInstall(
  { agent, version, verdict, permissions }: Offer,
  io: Io,
  open: OpenPrompter,
): Promise<boolean> {
  const prompter = await open(`install ${agent}`, io)
  prompter.note(permissionLines(permissions).join('\n'), `${agent} ${version}, ${verdict}: it`)
  return saysYes(prompter, 'Install it?')
}
