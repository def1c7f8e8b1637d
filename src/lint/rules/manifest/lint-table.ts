import { lintTableProblems } from '../../../agent/lint-table.ts'
import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const manifestLintTable: Rule = {
  id: 'manifest/lint-table',
  severity: 'error',
  scope: 'source',
  summary: 'the [lint] table is malformed',
  why: 'A suppression without a reason tells a reviewer nothing, and one that cannot be read does not count. Of a malformed table no entry does.',
  fix: 'Write suppress = [{ rule = "<id>", reason = "<why>" }], with until = "YYYY-MM-DD" and file = "<path>" where needed.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent }, report) {
    const manifest = agent.documents.get(MANIFEST_FILE)
    if (manifest === undefined) return
    for (const { pointer, part, message, fix } of lintTableProblems(manifest.value))
      report({ file: MANIFEST_FILE, place: { pointer, part }, message, fix })
  },
}
