// A summary of what is about to be written, for the person who decides.

import type { Policy } from '../../model/policy.ts'
import type { Tool } from '../../model/tools.ts'
import { writePolicy } from '../../policy/write.ts'
import { transportKind } from '../../tools/transports/index.ts'

/** One line: id and what it reaches. */
export function toolLine({ id, transport, requiresConfirmation }: Tool): string {
  return `${id}  ${transportKind(transport).shown.line(transport)}${requiresConfirmation ? '  (asks first)' : ''}`
}

/** The lines of a policy that grant something. */
export function grantLines(policy: Policy): string[] {
  return writePolicy(policy)
    .split('\n')
    .slice(1)
    .filter(line => line !== '' && !/ = (?:\[\]|false)$/.test(line))
}

/** A heading and its lines, indented; nothing without lines. */
export function block(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map(line => `  ${line}`)]
}
