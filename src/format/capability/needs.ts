// A tool → everything it needs (DESIGN §3.4): what it lists, and what its transport, secrets and environment imply, listed or not.
import type { Tool } from '../../model/tools.ts'
import { kindOf } from '../transports/index.ts'
import { implied, type Need } from './need.ts'

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

/** What the transport itself takes: the program that is started, or the host and port that are reached. */
export function transportNeed({ transport }: Pick<Tool, 'transport'>): Need {
  return kindOf(transport).need.of(transport)
}
