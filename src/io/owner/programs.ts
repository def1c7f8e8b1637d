// Checks who may change a program before it is started: one that a person names runs with that person's rights, and a system program that
// makes a sandbox decides what the sandbox holds back. The interpreter of a script is checked as well.

import { closeSync, constants, openSync, readSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { isSystemError } from '../../model/system-error.ts'
import { writePath } from '../../text/shell-words.ts'
import { targetAt } from '../read/entry.ts'
import { refuseForeignFile, refuseForeignLinks } from './owner.ts'
import { Ways } from './ways.ts'

/**
 * Refuses a program that others may write or replace: its file, the interpreter that its first line names, and each file among its
 * arguments, because `/usr/bin/python3 /opt/signer.py` does what that file says. What is not there is left to the start.
 *
 * @param command absolute
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeignProgram(command: string, args: readonly string[]): void {
  const ways = new Ways()
  for (const path of [command, ...args].filter(isAbsolute)) {
    refuseForeignAt(path, ways)
    const interpreter = path === command ? interpreterOf(path) : undefined
    if (interpreter !== undefined && isAbsolute(interpreter)) refuseForeignAt(interpreter, ways)
  }
}

function refuseForeignAt(path: string, ways: Ways): void {
  const { there } = refuseForeignLinks(path, ways)
  const stats = targetAt(path)
  if (there !== undefined && stats?.isFile()) refuseForeignFile(path, there, stats)
}

/** As much of a first line as Linux reads (fs/binfmt_script.c). */
const HEAD_BYTES = 256

/** Undefined for what is no script, and for a file that cannot be read. */
export function interpreterOf(path: string): string | undefined {
  const head = Buffer.alloc(HEAD_BYTES)
  try {
    // A pipe in place of the program must not block.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      readSync(fd, head, 0, HEAD_BYTES, 0)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
  return /^#![ \t]*([^ \t\r\n\0]+)/.exec(head.toString('latin1'))?.[1]
}

const FOLDERS = ['/usr/bin', '/bin']

export const SYSTEM_TOOLS = ['bwrap', 'prlimit', 'setpriv', 'sh', 'stat'] as const

type SystemTool = (typeof SYSTEM_TOOLS)[number]

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
