// Checks who may change a program that a person names, before it is started with that person's rights.
import { isAbsolute } from 'node:path'
import { interpreterOf } from '../process/interpreter.ts'
import { entryOrNothing, targetAt } from '../read/entry.ts'
import { refuseForeignFile } from './own-file.ts'
import { refuseForeignLinks } from './own-way.ts'

/**
 * Refuses a program that others may write or replace: its file, the interpreter that its first line names, and each file among its
 * arguments, because `/usr/bin/python3 /opt/signer.py` does what that file says. What is not there is left to the start.
 *
 * @param command absolute
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeignProgram(command: string, args: readonly string[]): void {
  for (const path of [command, ...args].filter(isAbsolute)) {
    refuseForeignAt(path)
    const interpreter = path === command ? interpreterOf(path) : undefined
    if (interpreter !== undefined && isAbsolute(interpreter)) refuseForeignAt(interpreter)
  }
}

function refuseForeignAt(path: string): void {
  refuseForeignLinks(path)
  const [link, stats] = [entryOrNothing(path), targetAt(path)]
  if (link !== undefined && stats?.isFile()) refuseForeignFile(path, link, stats)
}
