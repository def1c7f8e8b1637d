import { refusalOf, suppressEntries } from '../../../agent/lint-table.ts'
import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const manifestSuppressionRefused: Rule = {
  id: 'manifest/suppression-refused',
  severity: 'error',
  scope: 'source',
  summary: 'a suppression of something that no manifest may suppress',
  why: 'What a bundle grants, covers and can be read as is for others to judge: a bundle that could silence these errors would be its own reviewer.',
  fix: 'Remove the entry and correct what the rule finds. Only who runs lint can turn such a rule off.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check() {},
  review(agent, { rules }, report) {
    for (const entry of suppressEntries(agent.documents.get(MANIFEST_FILE)?.value)) {
      const rule = rules.find(({ id }) => id === entry.rule)
      const refusal = rule && refusalOf(rule)
      if (rule === undefined || refusal === undefined) continue
      report({
        file: MANIFEST_FILE,
        place: { pointer: [...entry.at, 'rule'] },
        message: `${rule.id} cannot be suppressed here: ${refusal}`,
        fix: 'Remove the entry, and correct what the rule finds',
      })
    }
  },
}
