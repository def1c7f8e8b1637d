import { INTERFACES_FILE } from '../../../agent-tool/records.ts'
import type { Rule } from '../rule.ts'

/** The facts that each partition should state at least; one of several keys is enough (docs/interfaces.md, "How much must be stated"). */
const CORE: readonly (readonly string[])[] = [
  ['name'],
  ['namespace'],
  ['description'],
  ['model_input_schema'],
  ['strict'],
  ['is_enabled'],
  ['schema_validation'],
  ['is_read_only'],
  ['is_destructive'],
  ['is_open_world'],
  ['requires_user_interaction'],
  ['permission_profile_ref', 'permission_matcher'],
  ['execution_profile_ref', 'timeout_ms'],
  ['max_inline_chars'],
  ['empty_result_policy'],
  ['ui_summary'],
]

export const toolsInterfaceComplete: Rule = {
  id: 'tools/interface-complete',
  severity: 'info',
  isOptIn: true,
  scope: 'source',
  summary: 'a tool interface leaves a partition of Agent Tool unstated',
  why: 'What is not stated is taken as the safe default: not read-only, open world, nothing known of its results. Stating it spares a runtime the guess.',
  fix: 'Add the keys that are named, where there is something to say.',
  looks: 'record',
  check({ record: { at, name, value } }, report) {
    if (name !== 'tool-interface') return
    const missing = CORE.filter(keys => !keys.some(key => Object.hasOwn(value, key)))
    if (missing.length === 0) return
    report({
      file: INTERFACES_FILE,
      place: { pointer: [...at, 'interface_id'] },
      message: `Not stated: ${missing.map(keys => keys.join(' or ')).join(', ')}`,
      fix: 'Add what there is to say; the rest counts as the safe default',
    })
  },
}
