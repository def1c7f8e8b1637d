import { isAgentName } from '../../../agent/agent-name.ts'
import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const manifestNameMismatch: Rule = {
  id: 'manifest/name-mismatch',
  severity: 'warning',
  scope: 'source',
  summary: 'the folder is not called like the agent',
  why: 'Runtimes look an agent up by its folder and refuse it when the manifest declares another name.',
  fix: 'Rename the folder or correct [agent].name.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent }, report) {
    const { manifest } = agent
    // The schema says what an impossible name should be.
    if (agent.form !== 'source' || manifest?.name === undefined || !isAgentName(manifest.name)) return
    const segments = agent.label.split(/[\\/]/).filter(segment => segment !== '' && segment !== '.')
    const folder = segments.at(-1)
    if (folder === undefined || folder === '..') return
    const { name, variant } = manifest
    // The four places of a reference name[@variant].
    const fits =
      folder === name ||
      folder === `${name}@${variant}` ||
      (folder === variant &&
        (segments.at(-2) === name || segments.at(-2) === 'variants' || segments.length === 1))
    if (fits) return
    report({
      file: MANIFEST_FILE,
      place: { pointer: ['agent', 'name'] },
      message: `The agent is called ${name.slice(0, 60)}, its folder ${folder.slice(0, 60)}`,
      fix: `Rename the folder to ${variant === undefined ? name : `${name}@${variant}`}, or correct the name`,
    })
  },
}
