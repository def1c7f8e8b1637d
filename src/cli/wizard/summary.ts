// What is about to be written, for the person who decides about it.
import { policyLine } from '../../format/policy-write.ts'
import type { Policy } from '../../model/policy.ts'
import type { Tool } from '../../model/tools.ts'
import { writeWords } from './shell-words.ts'

/** One line: id and what it reaches. */
export function toolLine({ id, transport, requiresConfirmation }: Tool): string {
  const reach =
    transport.kind === 'exec'
      ? writeWords([transport.command, ...transport.args])
      : `${transport.method} ${transport.url}`
  return `${id}  ${reach}${requiresConfirmation ? '  (asks first)' : ''}`
}

/** The grants of a policy, without what it does not grant. */
export function grantLines(policy: Policy): string[] {
  const keys = [
    'fs',
    'fs_ro',
    'fs_rw',
    'net',
    'time',
    'kb_read',
    'kb_write',
    'secrets',
    'model',
    'exec',
  ] as const
  return keys.map(key => policyLine(policy, key)).filter(line => !/ = (?:\[\]|false)$/.test(line))
}

/** A heading and its lines, indented; nothing without lines. */
export function block(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map(line => `  ${line}`)]
}
