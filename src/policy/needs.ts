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
  const needs: Need[] = []
  firstOfNeeds(tool, need => {
    needs.push(need)
    return undefined
  })
  return needs
}

/** The first answer about a need of a tool, in the order of {@link needsOf}, whose list it does not make. */
export function firstOfNeeds<T>(tool: Tool, ask: (need: Need) => T | undefined): T | undefined {
  const { capabilities, secrets, rlp } = tool
  let index = 0
  for (const capability of capabilities) {
    const answer = ask({ capability, at: ['capabilities', index++], from: 'declared' })
    if (answer !== undefined) return answer
  }
  const ofTransport = ask(transportNeed(tool))
  if (ofTransport !== undefined) return ofTransport
  index = 0
  for (const id of secrets) {
    const answer = ask(implied(`secrets:${id}`, ['secrets', index++]))
    if (answer !== undefined) return answer
  }
  index = 0
  for (const name of rlp.env) {
    const at = ['x-rlp', 'env', index++]
    const answer = isFreeVariable(name) ? undefined : ask(implied(`secrets:env/${name}`, at))
    if (answer !== undefined) return answer
  }
  return undefined
}

/** What the transport itself takes: the program that is started, or the host and port that are reached. */
export function transportNeed({ transport }: Pick<Tool, 'transport'>): Need {
  return transportKind(transport).need.of(transport)
}
