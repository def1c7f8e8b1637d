import { isExpired, refusalOf, speaksOf, suppressEntries } from '../../../agent/lint-table.ts'
import { MANIFEST_FILE } from '../../../model/agent.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import type { Rule } from '../rule.ts'

export const manifestSuppression: Rule = {
  id: 'manifest/suppression',
  severity: 'warning',
  scope: 'source',
  summary: 'a suppression that suppresses nothing',
  why: 'What it was written for is corrected, misspelt or past its date. Left in place, it could later hide another finding.',
  fix: 'Remove the entry, correct the id, or decide anew and write a later date.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check() {},
  review(agent, { findings, rules, seesAll, today }, report) {
    const pending = new Set(findings)
    for (const entry of suppressEntries(agent.documents.get(MANIFEST_FILE)?.value)) {
      const found = (key: string, message: string, fix: string) =>
        report({ file: MANIFEST_FILE, place: { pointer: [...entry.at, key] }, message, fix })
      const rule = rules.find(({ id }) => id === entry.rule)
      if (rule === undefined) {
        found(
          'rule',
          `There is no rule ${JSON.stringify(entry.rule.slice(0, 60))}`,
          adviceFor(
            entry.rule,
            rules.map(({ id }) => id),
          ),
        )
        continue
      }
      // Entries that are not allowed to suppress are reported by another rule.
      if (refusalOf(rule) !== undefined) continue
      if (isExpired(entry, today)) {
        found(
          'until',
          `The suppression of ${rule.id} expired on ${entry.until}`,
          'Correct what it was written for, or write a later date',
        )
        continue
      }
      const spoken = [...pending].filter(finding => speaksOf(entry, finding))
      // What a rule finds that was not asked is not known.
      if (spoken.length === 0 && seesAll(rule.id)) {
        const where = entry.file === undefined ? '' : ` in ${entry.file.slice(0, 100)}`
        found('rule', `Nothing is suppressed here: ${rule.id} finds nothing${where}`, 'Remove the entry')
      }
      for (const finding of spoken) pending.delete(finding)
    }
  },
}

function adviceFor(written: string, ids: readonly string[]): string {
  if (written.endsWith('/*')) return 'Name one rule; only who runs lint can turn a family off'
  const meant = probablyMeant(written, ids)
  return meant === undefined ? 'Use an id that rlp agent lint --rules lists' : `Did you mean "${meant}"?`
}
