import { MANIFEST_FILE, POLICY_FILE, TOOLS_FILE } from '../../../model/agent.ts'
import { REQUIRED_FILES, renameTo } from '../meant-names.ts'
import type { BundleRule } from '../rule.ts'

const EMPTY_TOOLS = '{\n  "version": 1,\n  "tools": []\n}'

const FIXES = {
  [MANIFEST_FILE]: 'Write a manifest; rlp agent scaffold shows what one looks like',
  [POLICY_FILE]: 'Write what the agent may do, at least an empty [capabilities] table',
  [TOOLS_FILE]: 'Run rlp agent lint --fix, which writes an empty tools.json, then rlp agent digest',
}

export const filesRequired: BundleRule = {
  id: 'files/required',
  severity: 'error',
  scope: 'bundle',
  step: 'manifest',
  summary: 'manifest.toml, policy.caps or tools.json is missing',
  why: 'A runtime that finds no policy or no tool list has to guess what the agent may do.',
  fix: 'Write the file. For tools.json, rlp agent lint --fix writes an empty one.',
  looks: 'agent',
  needs: {},
  check({ agent }, report) {
    for (const path of REQUIRED_FILES) {
      if (agent.files.get(path)) continue
      const odd = agent.files.oddities.find(oddity => oddity.path === path)
      if (odd !== undefined && odd.what !== 'ignored') continue
      report({
        file: path,
        message: `${path} is missing`,
        fix: renameTo(path, agent) ?? FIXES[path],
      })
    }
  },
  autofix(agent) {
    const isThere =
      agent.files.get(TOOLS_FILE) ?? agent.files.oddities.some(({ path }) => path === TOOLS_FILE)
    if (isThere) return []
    // An empty list grants nothing and calls nothing, so it is safe to write unasked.
    return [{ path: TOOLS_FILE, text: EMPTY_TOOLS, what: 'create an empty tools.json' }]
  },
}
