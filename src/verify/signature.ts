// Step "signature": the keys that vouch for the manifest's bytes. A bundle is unsigned only if SIGNATURES/ is empty; anything in it that is
// not a valid envelope over these bytes makes it invalid. Beside an empty one, keyless signatures are grouped by the statement that they
// sign (docs/spec/keyless.md, Y-15): signatures of two statements never count together.

import { hash } from 'node:crypto'
import { type Agent, MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import type { KeylessFindings } from '../model/keyless.ts'
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
import { hasProof } from '../trust/keyless/keyless-findings.ts'
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
  const { payload, signatures } = envelope.value
  const problems = signatures.map((_, index) => signatureProblem(envelope.value, index))
  protocol.signatures.push(
    ...signatures.map(({ keyid }, index) => {
      return { keyid, result: problems[index] === undefined ? ('valid' as const) : ('invalid' as const) }
    }),
  )
  const wrong = problems.find(problem => problem !== undefined)
  if (wrong !== undefined) return wrong
  const statement = readStatement(payload)
  if (!statement.ok) return { code: 'statement_malformed', problem: `the statement: ${statement.problem}` }
  const other = otherSubject(statement.value, agent)
  if (other !== undefined)
    return { code: 'statement_mismatch', problem: other, stated: statement.value.blake3 }
  return { signers: signatures.map(({ keyid }) => keyid), statement: statement.value, payload }
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

/** Why a statement is not about this bundle; undefined if it is. */
export function otherSubject(statement: Statement, agent: Agent): string | undefined {
  const manifest = agent.files.get(MANIFEST_FILE)
  if (manifest?.bytes === undefined) return 'there is no manifest.toml for it'
  if (statement.blake3 !== manifest.digest) return 'it is about another manifest.toml (BLAKE3)'
  const sha256 = hash('sha256', manifest.bytes, 'hex')
  if (statement.sha256 !== sha256) return 'it is about another manifest.toml (SHA-256)'
  const { name, version, variant } = statement.agent
  const is = agent.manifest
  if (is === undefined) return undefined // The manifest step has reported it.
  const isSame = is.name === name && is.version === version && is.variant === variant
  return isSame ? undefined : 'it names another agent than the manifest'
}
