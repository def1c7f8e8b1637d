import { TOOLS_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

export const toolsCommand: BundleRule = {
  id: 'tools/command',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'an exec command is not a plain absolute path',
  why: 'A relative command runs whatever the working directory or PATH offers, not what was reviewed (tool-attachments document, §2).',
  fix: 'Write the absolute path of the program, for example /usr/bin/jq.',
  looks: 'exec',
  check({ at, tool: { transport } }, report) {
    const problem = commandProblem(transport.command)
    if (problem === undefined) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', 'command'] },
      message: `The command ${problem}`,
      fix: 'Write the absolute path of the program, for example /usr/bin/jq',
    })
  },
}

const CONTROL = /[\x01-\x1f\x7f-\x9f]/
const BRACE = /[{}]/
const ODD_SEGMENT = /\/\.{0,2}(?:\/|$)/

function commandProblem(command: string): string | undefined {
  // A Windows path cannot be compared as text with a capability string.
  if (!command.startsWith('/')) return 'is not an absolute path'
  if (command.includes('\0')) return 'has a NUL character'
  if (CONTROL.test(command)) return 'has a control character'
  if (command.includes('{{')) return 'has a template; the program is fixed, only arguments may be templates'
  if (BRACE.test(command)) return 'has a brace; the program is fixed, and no policy can name this one'
  if (ODD_SEGMENT.test(command)) return 'has an empty, "." or ".." segment'
  return undefined
}
