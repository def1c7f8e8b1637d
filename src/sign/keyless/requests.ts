// An envelope and its certificate → what a log is asked to record. The one file that uses @sigstore/sign: it builds the requests; what speaks to the
// services is ours (docs/architecture.md).
import { toCreateEntryRequest, toProposedEntry } from '@sigstore/sign/dist/witness/tlog/entry.js'
import { isTable, own } from '../../model/own.ts'
import { PAYLOAD_TYPE } from '../../signature/envelope.ts'

export interface ToRecord {
  readonly payload: Uint8Array
  readonly signature: Uint8Array
  /** PEM of the certificate. */
  readonly pem: string
}

/** The body of a request for a new entry of the kind `dsse`. The log keeps digests, and not the payload. */
export function entryRequest({ payload, signature, pem }: ToRecord, version: 1 | 2): string {
  const dsseEnvelope = {
    payload: Buffer.from(payload),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ sig: Buffer.from(signature), keyid: '' }],
  }
  const content = { $case: 'dsseEnvelope', dsseEnvelope } as const
  const request =
    version === 1 ? toProposedEntry(content, pem, 'dsse') : inJson(toCreateEntryRequest(content, pem))
  return JSON.stringify(request)
}

/** As the protocol writes it: bytes in base64, and of several forms the one that it is, by its name. */
function inJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(inJson)
  if (!isTable(value)) return value
  const members = Object.entries(value).flatMap(([name, member]) => {
    const form = isTable(member) ? own(member, '$case') : undefined
    if (typeof form !== 'string' || !isTable(member)) return [[name, inJson(member)]]
    return [[form, inJson(own(member, form))]]
  })
  return Object.fromEntries(members)
}
