// A tool → everything it needs: the capabilities that it lists, and those that its transport, secrets and environment imply.
import type { Tool } from '../model/tools.ts'
import { transportKind } from '../tools/transports/index.ts'
import { implied, type Need } from './need.ts'

/** Variables that carry no secret and need no grant (docs/running.md, "Programs"). */
const FREE_ENV = /^(?:LANG|LC_[A-Z_]+|TZ|TERM)$/

/** Whether a variable may be handed on without a grant. */
export function isFreeVariable(name: string): boolean {
  return FREE_ENV.test(name)
}

/** Listed needs first, in their order; then those implied by transport, secrets and environment. */
export function needsOf(tool: Tool): Need[] {
  const { capabilities, secrets, rlp } = tool
  return [
    ...capabilities.map(
      (capability, index): Need => ({ capability, at: ['capabilities', index], from: 'declared' }),
    ),
    transportNeed(tool),
    ...secrets.map((id, index) => implied(`secrets:${id}`, ['secrets', index])),
    ...rlp.env.flatMap((name, index) =>
      isFreeVariable(name) ? [] : [implied(`secrets:env/${name}`, ['x-rlp', 'env', index])],
    ),
  ]
}

/** What the transport itself takes: the program that is started, or the host and port that are reached. */
export function transportNeed({ transport }: Pick<Tool, 'transport'>): Need {
  return transportKind(transport).need.of(transport)
}
