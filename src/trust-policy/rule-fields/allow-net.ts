// allow_net: hosts that a signer may grant (docs/spec/trust-policy.md, K-28).
import { portsByHost, readHostPort } from '../../policy/host.ts'
import { anyOrTexts, type GrantField } from './field.ts'

const ANY = 'any host'

export const allowNet = {
  ...anyOrTexts(text => {
    const host = readHostPort(text)
    return 'problem' in host ? host.problem : undefined
  }),
  decides: 'what',
  key: 'allow_net',
  flag: 'allow-net',
  option: { type: 'strings', placeholder: 'HOST', describe: 'hosts, as api.mail.example:443; or any' },
  shown: value => (value === 'any' ? ANY : value.map(host => `net:${host}`).join(', ')),
  allows(value) {
    const hosts = value === 'any' ? 'any' : portsByHost(value)
    return ({ family, scope, isPlainHttp }) =>
      family !== 'net' || isPlainHttp === true || hosts === 'any' || allowsHost(hosts, scope)
  },
  more(value, than) {
    if (than === 'any') return []
    if (value === 'any') return [ANY]
    const hosts = portsByHost(than)
    return value.filter(text => !allowsHost(hosts, text)).map(host => `net:${host}`)
  },
  askedBy: grants =>
    grants.flatMap(({ family, scope = '', isPlainHttp }) => (family === 'net' && !isPlainHttp ? scope : [])),
  unsaid: () => [],
} as const satisfies GrantField<'any' | readonly string[]>

/** A grant without port means every port to some readers, so only an entry without port allows it. */
function allowsHost(allowed: ReturnType<typeof portsByHost>, text: string | undefined): boolean {
  const grant = readHostPort(text ?? '')
  if ('problem' in grant) return false
  const ports = allowed.get(grant.host)
  return ports !== undefined && (ports.has(undefined) || ports.has(grant.port))
}
