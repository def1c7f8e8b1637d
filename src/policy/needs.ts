// A tool → everything it needs: the capabilities that it lists, and those that its transport, secrets and environment imply.
import { added } from '../model/added.ts'
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
  let needs: Need[] | undefined
  someNeed(tool, need => {
    needs = added(needs, need)
    return false
  })
  return needs ?? []
}

/** Whether a test is true of a need. They are asked in the same order, and no list is made. */
export function someNeed(tool: Tool, test: (need: Need) => boolean): boolean {
  const { capabilities, secrets, rlp } = tool
  for (let index = 0; index < capabilities.length; index++)
    if (test({ capability: capabilities[index] ?? '', at: ['capabilities', index], from: 'declared' }))
      return true
  if (test(transportNeed(tool))) return true
  for (let index = 0; index < secrets.length; index++)
    if (test(implied(`secrets:${secrets[index]}`, ['secrets', index]))) return true
  for (let index = 0; index < rlp.env.length; index++) {
    const name = rlp.env[index] ?? ''
    if (isFreeVariable(name)) continue
    if (test(implied(`secrets:env/${name}`, ['x-rlp', 'env', index]))) return true
  }
  return false
}

/** What the transport itself takes: the program that is started, or the host and port that are reached. */
export function transportNeed({ transport }: Pick<Tool, 'transport'>): Need {
  return transportKind(transport).need.of(transport)
}
