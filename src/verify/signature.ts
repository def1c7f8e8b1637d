// Step "signature": the keys that vouch for the manifest's bytes. A bundle is unsigned only if SIGNATURES/ is empty; anything in it that
// is not a valid envelope over these bytes makes it invalid.

import { type Agent, MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import { ASK_FOR_LESS, byteLimit, MAX_ENVELOPE_BYTES } from '../model/limits.ts'
import type { CodeOf } from '../model/reason-codes.ts'
import {
  preAuthEncoding,
  readEnvelope,
  readStatement,
  type SignatureEnvelope,
  type Statement,
} from '../signature/envelope.ts'
import { anchorString, isSignature, readAnchor } from '../signature/kinds/index.ts'
import { diagnoseText } from '../text/diagnose.ts'
import type { KeylessGroup } from './keyless-groups.ts'
import { otherSubject } from './other-subject.ts'
import type { Protocol } from './protocol.ts'

/** A bundle's valid signatures. All of them are valid, because a single invalid one makes the bundle invalid. */
export interface Signed {
  /** Anchor strings, sorted. */
  readonly signers: readonly string[]
  readonly statement: Statement
  /** The bytes of the statement. Keyless signatures count that sign exactly them. */
  readonly payload: Uint8Array
}

/** @returns undefined if the bundle is unsigned or its signature invalid; the protocol says which */
export function checkSignature(agent: Agent, protocol: Protocol, beside?: KeylessGroup): Signed | undefined {
  const entry = agent.files.get(SIGNATURE_FILE)
  if (entry === undefined && beside !== undefined) {
    protocol.pass('signature', beside.detail)
    return { signers: [], ...beside }
  }
  if (entry === undefined) {
    protocol.fail('signature', 'unsigned', [{ code: 'no_signature', message: 'Nothing under SIGNATURES/' }])
    return undefined
  }
  const result = readSigned(entry.bytes, agent, protocol)
  if ('problem' in result) {
    const message = `${SIGNATURE_FILE}: ${result.problem}`
    // A file that is too large is not one that was damaged: getting it again would not help.
    const hint = entry.size > MAX_ENVELOPE_BYTES ? { hint: ASK_FOR_LESS } : {}
    protocol.fail('signature', 'invalid', [{ code: result.code, message, ...hint }])
    const guess = result.stated && diagnoseManifest(agent, result.stated)
    if (guess !== undefined) protocol.diagnoses.push({ path: MANIFEST_FILE, message: guess })
    return undefined
  }
  protocol.pass(
    'signature',
    `valid for ${result.signers.length === 1 ? 'one key' : `${result.signers.length} keys`}`,
  )
  return result
}

interface Refused {
  readonly code: CodeOf<'invalid'>
  readonly problem: string
  /** BLAKE3 of the manifest that was signed, if it is another one. */
  readonly stated?: string
}

function diagnoseManifest(agent: Agent, stated: string): string | undefined {
  const bytes = agent.files.get(MANIFEST_FILE)?.bytes
  const guess = bytes && diagnoseText(bytes, stated)
  return guess && `It looks like ${guess}`.replace('stated', 'signed')
}

/** All rules for signatures, in order: envelope, signatures, statement, subject of the statement. */
function readSigned(bytes: Uint8Array | undefined, agent: Agent, protocol: Protocol): Signed | Refused {
  if (bytes === undefined)
    return {
      code: 'signature_malformed',
      problem: `an envelope has at most ${byteLimit(MAX_ENVELOPE_BYTES)}`,
    }
  const envelope = readEnvelope(bytes)
  if (!envelope.ok) return { code: 'signature_malformed', problem: envelope.problem }
  const problems = envelope.value.signatures.map((_, index) => signatureProblem(envelope.value, index))
  protocol.signatures.push(
    ...envelope.value.signatures.map(({ keyid }, index) => {
      return { keyid, result: problems[index] === undefined ? ('valid' as const) : ('invalid' as const) }
    }),
  )
  const wrong = problems.find(problem => problem !== undefined)
  if (wrong !== undefined) return wrong
  const statement = readStatement(envelope.value.payload)
  if (!statement.ok) return { code: 'statement_malformed', problem: `the statement: ${statement.problem}` }
  const other = otherSubject(statement.value, agent)
  if (other !== undefined)
    return { code: 'statement_mismatch', problem: other, stated: statement.value.blake3 }
  const signers = envelope.value.signatures.map(({ keyid }) => keyid)
  return { signers, statement: statement.value, payload: envelope.value.payload }
}

/** The key comes from the key id. Whether it is trusted is decided elsewhere. */
function signatureProblem({ payload, signatures }: SignatureEnvelope, index: number): Refused | undefined {
  const { keyid = '', sig = new Uint8Array() } = signatures[index] ?? {}
  const anchor = readAnchor(keyid)
  const which = `signature ${index + 1}`
  if ('problem' in anchor)
    return { code: 'signature_malformed', problem: `the key id of ${which} ${anchor.problem}` }
  if (anchorString(anchor.key) !== keyid) {
    const problem = `the key id of ${which} is not in its canonical spelling`
    return { code: 'signature_malformed', problem }
  }
  if (isSignature(anchor.key, preAuthEncoding(payload), sig)) return undefined
  return { code: 'signature_invalid', problem: `${which} is not one of the key that it names` }
}
