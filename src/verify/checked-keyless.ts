// What is known of keyless signatures → what the report says of each.
import type { CheckedKeyless, KeylessFinding, KeylessFindings } from '../model/keyless.ts'

/** More do not help a reader; strangers may add as many as they like. */
const MOST = 100

/** Said of a bundle that came with some where no policy names an identity. */
export const NOT_EXAMINED = 'Keyless signatures were not examined: no trust policy names an identity'

/** Undefined where none came, or none was looked at. */
export function checkedKeyless(keyless: KeylessFindings | undefined): readonly CheckedKeyless[] | undefined {
  if (keyless === undefined || keyless.list.length === 0) return undefined
  return keyless.list.slice(0, MOST).map(checked)
}

/** For the list of what was not checked. */
export function notListed(keyless: KeylessFindings | undefined): readonly string[] {
  const more = (keyless?.list.length ?? 0) - MOST
  return more > 0 ? [`${more} more keyless signatures are not listed`] : []
}

function checked({ where, facts, proven, problem, signs, states }: KeylessFinding): CheckedKeyless {
  const is = signs !== undefined ? 'signature' : states !== undefined ? 'statement' : 'other'
  const about = { where, is, certificate: facts } as const
  const nowhere = { logIndex: null, time: null }
  if (problem !== undefined) return { ...about, result: 'unreadable', ...nowhere, detail: problem }
  const results = [...proven.values()]
  const found = results.find(one => 'proof' in one)
  if (found !== undefined) {
    const { logIndex, time } = found.proof
    return { ...about, result: 'proven', logIndex: logIndex ?? null, time, detail: `proven at ${time}` }
  }
  const [why] = results
  if (why !== undefined && 'problem' in why)
    return { ...about, result: 'unproven', ...nowhere, detail: why.problem }
  return { ...about, result: 'unclaimed', ...nowhere, detail: 'no trust policy names its identity' }
}
