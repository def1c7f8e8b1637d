// allow_http: hosts that a signer may let an agent reach without encryption (docs/spec/trust-policy.md, K-29; docs/spec/judging.md, J-26).
// A rule without it answers by its allow_net, so that a policy from before this field decides as it did.
import type { Ceiling } from '../../model/trust.ts'
import { crossesTheNetwork } from '../../policy/address.ts'
import { readHostPort } from '../../policy/host.ts'
import { anyOrTexts, type GrantField } from './field.ts'

const ANY = 'plain http to any host, unencrypted over the network'

const list = anyOrTexts(text => {
  const host = readHostPort(text)
  if ('problem' in host) return host.problem
  return host.port === undefined ? `write its port: ${text}:80` : undefined
})

export const allowHttp = {
  ...list,
  decides: 'what',
  key: 'allow_http',
  none: undefined,
  read: (reader, value, at) => (value === undefined ? undefined : list.read(reader, value, at)),
  literal: value => value && list.literal(value),
  grown(old, more, there) {
    if (more === undefined || (old === undefined && there?.allowNet === 'any')) return old
    return old === undefined ? more : list.grown(old, more)
  },
  flag: 'allow-http',
  option: {
    type: 'strings',
    placeholder: 'HOST:PORT',
    describe: 'hosts for plain http, as 127.0.0.1:9911; or any',
  },
  shown: value => (value === 'any' ? ANY : (value ?? []).map(httpWords).join(', ')),
  allows(_, { net }, rule) {
    const allowed = allowedBy(rule)
    if (allowed === 'any') return () => true
    const known = new Set(allowed.map(comparable))
    const areAll = net.hosts.every(host => hasPort(host) && known.has(comparable(host)))
    return ({ isPlainHttp }) => isPlainHttp !== true || areAll
  },
  more(_, __, { rule, than }) {
    const [allowed, before] = [allowedBy(rule), allowedBy(than)]
    if (before === 'any') return []
    // "any host" says it already.
    if (allowed === 'any') return rule.allowHttp === undefined && than.allowNet !== 'any' ? [] : [ANY]
    const known = new Set(before.map(comparable))
    return allowed.filter(host => !known.has(comparable(host))).map(httpWords)
  },
  askedBy(grants) {
    if (!grants.some(({ isPlainHttp }) => isPlainHttp)) return undefined
    const hosts = grants.flatMap(({ family, scope = '', isPlainHttp }) =>
      family === 'net' && !isPlainHttp ? scope : [],
    )
    return hosts.every(hasPort) ? hosts : undefined
  },
  unsaid({ net }, there) {
    const bare = net.hosts.filter(host => !hasPort(host))
    if (!net.allowHttp || bare.length === 0 || (there && allowedBy(there) === 'any')) return []
    return [
      {
        text: `Not in the rule: plain http (allow_http). It names hosts with their ports, and policy.caps has ${bare.slice(0, 3).join(', ')} without one: write the port that is used there, ${bare[0]}:443 for https or ${bare[0]}:80 for http`,
      },
    ]
  },
} as const satisfies GrantField<'any' | readonly string[] | undefined>

/** What a rule allows in clear, with what it means by leaving it out. */
function allowedBy({ allowHttp, allowNet }: Ceiling): 'any' | readonly string[] {
  return allowHttp ?? (allowNet === 'any' ? 'any' : [])
}

function hasPort(text: string): boolean {
  const host = readHostPort(text)
  return !('problem' in host) && host.port !== undefined
}

function comparable(text: string): string {
  const host = readHostPort(text)
  return 'problem' in host ? text : `${host.host}:${host.port}`
}

function httpWords(text: string): string {
  const host = readHostPort(text)
  const isSeen = !('problem' in host) && crossesTheNetwork(host.host)
  return `plain http to ${text}${isSeen ? ', unencrypted over the network' : ''}`
}
