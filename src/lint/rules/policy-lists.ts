// The lists of policy.caps, each with the key and the place where its entries stand.
import type { PolicyKey } from '../../format/policy/write.ts'
import { type Agent, POLICY_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'

export interface PolicyList {
  readonly key: PolicyKey
  /** Empty where `true` stands. */
  readonly entries: readonly string[]
  readonly at: Pointer
}

/** Empty when policy.caps could not be read. */
export function policyLists({ policy, documents }: Agent): PolicyList[] {
  const document = documents.get(POLICY_FILE)
  if (policy === undefined || document === undefined) return []
  const list = (key: PolicyKey, entries: true | readonly string[]): PolicyList => ({
    key,
    entries: entries === true ? [] : entries,
    at: ['capabilities', key],
  })
  const { net } = (document.value as { capabilities: { net?: unknown } }).capabilities
  return [
    list('fs', policy.fs),
    list('fs_ro', policy.fsRo),
    list('fs_rw', policy.fsRw),
    {
      ...list('net', policy.net.hosts),
      at: Array.isArray(net) ? ['capabilities', 'net'] : ['capabilities', 'net', 'hosts'],
    },
    list('kb_read', policy.kbRead),
    list('kb_write', policy.kbWrite),
    list('secrets', policy.secrets),
    list('exec', policy.exec),
  ]
}
