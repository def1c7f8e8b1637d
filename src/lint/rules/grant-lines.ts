// Missing grants → the line of policy.caps that adds each of them, together with all that were asked for before.

import { type Agent, POLICY_FILE } from '../../model/agent.ts'
import type { Document } from '../../model/document.ts'
import { isTable } from '../../model/own.ts'
import type { Policy } from '../../model/policy.ts'
import { isGranted } from '../../policy/containment.ts'
import type { Grant } from '../../policy/families/family.ts'
import { withGrants } from '../../policy/grant-need.ts'
import type { Need } from '../../policy/need.ts'
import { type PolicyKey, policyEntries, policyLine } from '../../policy/write.ts'
import { lineColumn } from '../../text/decode.ts'
import { doubleQuoted } from '../../text/escape.ts'
import { listLiteral } from '../../toml/write.ts'

/** A longer list is not written out: the line would be unreadable. */
const MOST_ENTRIES = 20

/** The edit for one grant, with all that were asked for so far. */
export type AskedGrant = () => string

export class GrantLines {
  readonly #document: Document | undefined
  readonly #withHttp: Policy
  #policy: Policy

  constructor({ documents }: Agent, policy: Policy) {
    this.#document = documents.get(POLICY_FILE)
    this.#withHttp = { ...policy, net: { ...policy.net, allowHttp: true } }
    this.#policy = policy
  }

  /** Asks for a grant. All needs of one tool are asked for before the first edit is written, so that all edits agree. */
  ask(need: Need, grant: Grant): AskedGrant {
    const { key, entry } = grant
    const isHttpOnly = grant.allowHttp && isGranted(need, this.#withHttp)
    const entries = policyEntries(this.#policy, key)
    if (entries.length >= MOST_ENTRIES && entry !== true) {
      const http = grant.allowHttp ? ', with allow_http = true' : ''
      if (isHttpOnly) return () => `Write allow_http = true at net in ${POLICY_FILE}`
      return () => `Add ${doubleQuoted(entry)} to ${key} in ${POLICY_FILE}${http}`
    }
    // Another tool may have asked for the same entry.
    const hasIt = isHttpOnly || (entry !== true && entries.includes(entry))
    const { net } = this.#policy
    this.#policy = hasIt
      ? { ...this.#policy, net: { ...net, allowHttp: net.allowHttp || grant.allowHttp } }
      : withGrants(this.#policy, [grant])
    return () => this.#edit(key)
  }

  #edit(key: PolicyKey): string {
    const found = this.#standing(key)
    if (found === undefined)
      return `Add below [capabilities] in ${POLICY_FILE}: ${policyLine(this.#policy, key)}`
    const place = `${POLICY_FILE} line ${found.line}`
    if (!found.isTable) return `Write in ${place}: ${policyLine(this.#policy, key)}`
    const { hosts, allowHttp } = this.#policy.net
    const list = `hosts = ${listLiteral(hosts)}`
    return `Write at net in ${place}: ${list}${allowHttp ? ' and allow_http = true' : ''}`
  }

  #standing(key: PolicyKey): { line: number; isTable: boolean } | undefined {
    const document = this.#document
    const { capabilities } = (document?.value ?? { capabilities: {} }) as {
      capabilities: Readonly<Record<string, unknown>>
    }
    const value = Object.hasOwn(capabilities, key) ? capabilities[key] : undefined
    if (document === undefined || value === undefined) return undefined
    const { start } = document.locate(['capabilities', key], 'key')
    const isGroup = isTable(value)
    return { line: lineColumn(document.text, start).line, isTable: isGroup }
  }
}
