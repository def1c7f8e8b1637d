// The rules of one anchor before and after → the text of the policy with the changes inside of a list of rules, and with the rules that
// were added. `lines.ts` changes a rule that is alone.
import { isDeepStrictEqual } from 'node:util'
import { appendTable, changeInTable } from '../format/toml/table-list.ts'
import type { Ceiling, Rules } from '../model/trust.ts'
import { RULE_KEYS, ruleEntries } from './lines.ts'
import { isList } from './rule.ts'

/** Undefined if the list is written in a way that cannot be extended. */
export function editRuleList(
  text: string,
  anchor: string,
  before: Rules | undefined,
  after: Rules | undefined,
): string | undefined {
  if (before === undefined || after === undefined || !isList(after)) return text
  const old = isList(before) ? before : [before]
  let edited: string | undefined = text
  for (const [index, rule] of after.entries()) {
    const was = old[index]
    if (edited === undefined) return undefined
    if (was === undefined) edited = appendTable(edited, ['rules', anchor], ruleEntries(rule))
    // A rule that is alone has been changed where it is.
    else if (isList(before)) edited = editRule(edited, ['rules', anchor, index], was, rule)
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
  for (const key of ['allowCaps', 'allowNet', 'allowExec'] as const) {
    const [old, now] = [was[key], is[key]]
    if (isDeepStrictEqual(old, now) || edited === undefined) continue
    const literal = ruleEntries(is)[RULE_KEYS[key]] ?? ''
    const change =
      Array.isArray(old) && Array.isArray(now) ? { append: now.slice(old.length) as string[] } : { literal }
    edited = changeInTable(edited, at, RULE_KEYS[key], change)
  }
  return edited
}
