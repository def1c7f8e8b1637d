import { POLICY_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

export const capsNoHosts: BundleRule = {
  id: 'caps/no-hosts',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'net is a table without hosts',
  why: 'Existing runtimes refuse the whole policy: a table needs its hosts. An override may say allow_http alone.',
  fix: 'Write net = { hosts = ["api.mail.example"], allow_http = true }, or remove net.',
  looks: 'agent',
  needs: { [POLICY_FILE]: 'readable' },
  check({ agent }, report) {
    const root = agent.documents.get(POLICY_FILE)?.value as { capabilities?: { net?: unknown } } | undefined
    const net = root?.capabilities?.net
    if (typeof net !== 'object' || net === null || Array.isArray(net) || Object.hasOwn(net, 'hosts')) return
    report({
      file: POLICY_FILE,
      place: { pointer: ['capabilities', 'net'], part: 'key' },
      message: 'net is a table without hosts, which existing runtimes refuse',
      fix: 'Write hosts = ["api.mail.example"] in it, or remove net',
    })
  },
}
