import { TOOLS_FILE } from '../../../model/agent.ts'
import { toolsVersionOf } from '../../../tools/index.ts'
import { systemOf } from '../agent-parts.ts'
import type { BundleRule } from '../rule.ts'

export const toolsAgentcli: BundleRule = {
  id: 'tools/agentcli',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'tools.json is in agentcli’s format, or in two formats at once',
  why: 'The file of agentcli has the same name and another meaning: no result schema, programs beside the file, arguments on stdin. Which of the two a runtime would take it for must not be a guess.',
  fix: 'Write the tools in version 1 of the bundle’s format; rlp tool import AGENT FILE makes them from a file of agentcli.',
  looks: 'agent',
  needs: { [TOOLS_FILE]: 'readable' },
  check({ agent }, report) {
    const document = agent.documents.get(TOOLS_FILE)
    if (document === undefined) return
    const { kind } = systemOf(document)
    if (kind === 'agentcli')
      report({
        file: TOOLS_FILE,
        place: { pointer: [] },
        message: 'This is an agentcli tools.json, not version 1 of the bundle’s format',
        fix: 'Keep it outside the agent, run rlp tool import on it, and check what the import had to infer',
      })
    // This build cannot judge a later version.
    const index =
      kind === 'mixture' && toolsVersionOf(document).is !== 'newer' ? firstCommand(document.value) : -1
    if (index === -1) return
    report({
      file: TOOLS_FILE,
      place: { pointer: ['tools', index, 'command'], part: 'key' },
      message: '"command" belongs to agentcli’s format, and the rest of the file to another',
      fix: 'Write the program as "transport": { "kind": "exec", "command": "/…" }',
    })
  },
}

/** The first tool with a `command` of its own; -1 if there is none. */
function firstCommand(value: unknown): number {
  const { tools } = value as { readonly tools?: unknown }
  if (!Array.isArray(tools)) return -1
  return tools.findIndex(tool => typeof tool === 'object' && tool !== null && Object.hasOwn(tool, 'command'))
}
