// A tool → everything it needs (DESIGN §3.4): what it lists, and what its transport, secrets and environment imply, listed or not.
import type { Pointer } from '../../model/document.ts'
import type { Tool } from '../../model/tools.ts'
import { readUrl } from './host.ts'

/** One thing a tool needs, and the place in its entry that says so. */
export interface Need {
  /** In the words of a capability string. */
  readonly capability: string
  /** From the tool's entry in tools.json. */
  readonly at: Pointer
  readonly from: 'declared' | 'implied'
  /** For a host that a url names: its scheme decides what a grant without port means. */
  readonly scheme?: 'http' | 'https'
}

/** Environment names that carry no secret and need no grant (DESIGN §3.4). */
const FREE_ENV = /^(?:LANG|LC_[A-Z_]+|TZ|TERM)$/

/** What a tool lists first, in its order; then what its transport, its secrets and its environment imply. */
export function needsOf(tool: Tool): Need[] {
  const { capabilities, secrets, rlp } = tool
  return [
    ...capabilities.map(
      (capability, index): Need => ({ capability, at: ['capabilities', index], from: 'declared' }),
    ),
    transportNeed(tool),
    ...secrets.map((id, index) => implied(`secrets:${id}`, ['secrets', index])),
    ...rlp.env.flatMap((name, index) =>
      FREE_ENV.test(name) ? [] : [implied(`secrets:env/${name}`, ['x-rlp', 'env', index])],
    ),
  ]
}

/** The program that an exec tool starts, or the host and port that an http tool reaches. */
export function transportNeed({ transport }: Tool): Need {
  if (transport.kind === 'exec') return implied(`exec:${transport.command}`, ['transport', 'command'])
  const reach = readUrl(transport.url)
  const at = ['transport', 'url']
  // A url that cannot be read reaches nothing that could be granted; the empty scope never is.
  if ('problem' in reach) return { ...implied('net:', at), scheme: 'https' }
  return { ...implied(`net:${reach.host}:${reach.port}`, at), scheme: reach.scheme }
}

function implied(capability: string, at: Pointer): Need {
  return { capability, at, from: 'implied' }
}
