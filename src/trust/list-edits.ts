// The rules of one anchor before and after → the text of the policy with the changes inside of a list of rules, and with the rules that
// were added. `lines.ts` changes a rule that is alone.
import { appendTable, changeInTable } from '../format/toml/table-list.ts'
import { ruleChanges, ruleEntries } from '../format/trust/rule-fields/index.ts'
import type { Ceiling, Rules } from '../model/trust.ts'
import { isList } from './rule.ts'

/** Undefined if the list is written in a way that cannot be extended. */
export function editRuleList(
  text: string,
  anchor: string,
  before: Rules | undefined,
  after: Rules | undefined,
): string | undefined {
  if (after === undefined || !isList(after)) return text
  // Where there was no rule, `lines.ts` has written the first one.
  const old = before === undefined ? after.slice(0, 1) : isList(before) ? before : [before]
  let edited: string | undefined = text
  for (const [index, rule] of after.entries()) {
    const was = old[index]
    if (edited === undefined) return undefined
    if (was === undefined) edited = appendTable(edited, ['rules', anchor], ruleEntries(rule))
    // A rule that is alone has been changed where it is.
    else if (before !== undefined && isList(before))
      edited = editRule(edited, ['rules', anchor, index], was, rule)
  }
  return edited
}

function editRule(
  text: string,
  at: readonly [...string[], number],
  was: Ceiling,
  is: Ceiling,
): string | undefined {
  let edited: string | undefined = text
  for (const { key, ...change } of ruleChanges(was, is)) {
    if (edited !== undefined) edited = changeInTable(edited, at, key, change)
  }
  return edited
}
