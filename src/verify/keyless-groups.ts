// A bundle with nothing under SIGNATURES/, and the keyless signatures that came with it → what they sign, each statement alone (docs/spec/keyless.md, Y-15):
// signatures of two statements never count together.

import { type Agent, SIGNATURE_FILE } from '../model/agent.ts'
import type { KeylessFindings } from '../model/keyless.ts'
import { readStatement, type Statement } from '../signature/envelope.ts'
import { hasProof } from '../trust/keyless/keyless-of.ts'
import { otherSubject } from './other-subject.ts'

export interface KeylessGroup {
  readonly payload: Uint8Array
  readonly statement: Statement
  /** For the step "signature". */
  readonly detail: string
}

/** Empty: it is signed inside, or not signed. */
export function keylessGroups(agent: Agent, keyless: KeylessFindings | undefined): KeylessGroup[] {
  if (keyless === undefined || agent.files.get(SIGNATURE_FILE) !== undefined) return []
  const signing = keyless.list.filter(({ signs, payload }) => signs !== undefined && isOf(agent, payload))
  const proven = signing.filter(hasProof)
  // Without a proof none counts. One of them is enough to say that it is signed, and by no signer who counts.
  const payloads = proven.length > 0 ? proven : signing.slice(0, 1)
  const texts = new Map(payloads.map(({ payload }) => [Buffer.from(payload).toString('latin1'), payload]))
  return [...texts.values()].flatMap(payload => {
    const read = readStatement(payload)
    if (!read.ok) return []
    const same = signing.filter(one => Buffer.compare(one.payload, payload) === 0)
    const count = same.length === 1 ? 'one keyless signature' : `${same.length} keyless signatures`
    const detail = `nothing under SIGNATURES/; ${count} beside it, ${same.filter(hasProof).length} proven`
    return [{ payload, statement: read.value, detail }]
  })
}

function isOf(agent: Agent, payload: Uint8Array): boolean {
  const read = readStatement(payload)
  return read.ok && otherSubject(read.value, agent) === undefined
}
