// The programs of the system that a sandbox is made with, by absolute path. Who can change one of them decides what is held, so only root may.
import { writePath } from '../../text/shell-words.ts'
import { targetAt } from '../read/entry.ts'

const FOLDERS = ['/usr/bin', '/bin']

export const SYSTEM_TOOLS = ['bwrap', 'prlimit', 'setpriv', 'sh', 'stat'] as const

export type SystemTool = (typeof SYSTEM_TOOLS)[number]

export type SystemTools = { readonly [T in SystemTool]: string }

/** What each is a part of, for what an administrator can do. */
const PACKAGES: { readonly [T in SystemTool]: string } = {
  bwrap: 'bubblewrap',
  prlimit: 'util-linux',
  setpriv: 'util-linux',
  sh: 'the shell of the system',
  stat: 'coreutils',
}

export interface SandboxProblem {
  /** Continues a sentence. */
  readonly problem: string
  readonly hint: string
}

/** @param folders for tests */
export function systemTools(folders: readonly string[] = FOLDERS): SystemTools | SandboxProblem {
  const found: Partial<Record<SystemTool, string>> = {}
  for (const name of SYSTEM_TOOLS) {
    const path = folders.map(folder => `${folder}/${name}`).find(one => targetAt(one) !== undefined)
    if (path === undefined)
      return { problem: `${name} is not installed`, hint: `Install ${PACKAGES[name]}, for example with apt` }
    const problem = foreignProblem(path)
    if (problem !== undefined)
      return { problem: `${path} ${problem}`, hint: `Install ${PACKAGES[name]} of the system anew` }
    if (name === 'bwrap' && ((targetAt(path)?.mode ?? 0) & 0o6000) !== 0)
      return {
        problem: `${path} runs as another user (setuid), and such a one has led to root (CVE-2026-41163)`,
        hint: `Run chmod u-s ${writePath(path)} where user namespaces are allowed`,
      }
    found[name] = path
  }
  return found as SystemTools
}

function foreignProblem(path: string): string | undefined {
  const stats = targetAt(path)
  if (stats === undefined || !stats.isFile()) return 'is no file'
  if (stats.uid !== 0) return 'does not belong to root'
  return (stats.mode & 0o022) === 0 ? undefined : 'may be written by others'
}
