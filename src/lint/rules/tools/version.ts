import { TOOLS_FILE } from '../../../model/agent.ts'
import type { ToolsKind } from '../../../tools/detect-tools.ts'
import { TOOLS_VERSIONS, toolsVersionOf } from '../../../tools/index.ts'
import { systemOf } from '../agent-parts.ts'
import type { BundleRule } from '../rule.ts'

/** Systems whose list of tools people put in its place. */
const ELSEWHERE: Readonly<Partial<Record<ToolsKind, string>>> = {
  mcp: 'MCP',
  openai: 'OpenAI',
  anthropic: 'the Messages API',
  gemini: 'Gemini',
}

export const toolsVersion: BundleRule = {
  id: 'tools/version',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'tools.json has a version that this build does not read',
  why: 'Readers must refuse versions they do not know, so that authors learn to downgrade the document or to update the tool (tool-attachments document, §4).',
  fix: 'Write "version": 1, or use a newer rlp.',
  looks: 'agent',
  needs: { [TOOLS_FILE]: 'readable' },
  check({ agent }, report) {
    const document = agent.documents.get(TOOLS_FILE)
    if (document === undefined) return
    // A document of another system has no version to correct: tools/agentcli reports it.
    const { kind } = systemOf(document)
    if (kind === 'agentcli') return
    const elsewhere = ELSEWHERE[kind]
    const fact = toolsVersionOf(document)
    const newest = TOOLS_VERSIONS.at(-1)?.version
    if (fact.is === 'newer') {
      report({
        file: TOOLS_FILE,
        place: { pointer: ['version'] },
        message: `Version ${fact.stated} is newer than this rlp reads (${newest})`,
        fix: `Install a newer rlp, or write the document as version ${newest}`,
        advice: `Install a newer rlp, or ask for the bundle with tools.json in version ${newest}`,
        undecidable: true,
      })
    } else if (fact.is === 'malformed' && elsewhere !== undefined) {
      report({
        file: TOOLS_FILE,
        place: { pointer: [] },
        message: `This is a list of tools of ${elsewhere}`,
        fix: `Keep it outside the agent, and run rlp tool import AGENT FILE --from ${kind} on it`,
      })
    } else if (fact.is === 'malformed') {
      const found =
        fact.stated === undefined
          ? 'is missing'
          : `must be a whole number from 1, found ${fact.stated.slice(0, 40)}`
      report({
        file: TOOLS_FILE,
        place: { pointer: ['version'] },
        message: `"version" ${found}`,
        fix: `Write "version": ${newest}`,
        advice: `Ask for the bundle with tools.json in version ${newest}`,
      })
    }
  },
}
