// An accepted bundle and the policies → the keys that vouch for it, for comparing marks and signers (docs/upgrades.md#another-signer). Pure.
import { hash } from 'node:crypto'
import { readEnvelope, readStatement } from '../format/signature/envelope.ts'
import { referenceText } from '../format/version/reference.ts'
import { type Agent, MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import type { Offer } from '../model/install.ts'
import type { Report } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import { judge, withCeiling } from './judge.ts'

export type Vouchers = Pick<Offer, 'signers' | 'anchors' | 'isDev'>

/** Signers are compared by key: two policies may name one key differently, and a policy may rename its anchors. */
export function vouchers(
  { policy: caps, files }: Agent,
  { agent, manifestDigest, signatures, verdict }: Report,
  { policies, allowDev, attestations, now }: TrustContext,
): Vouchers {
  if (verdict === 'unsigned' || agent === null || manifestDigest === null || caps === undefined)
    return { signers: [], anchors: [], isDev: false }
  const facts = {
    signers: signatures.flatMap(({ keyid, result }) => (result === 'valid' ? keyid : [])),
    manifestDigest,
    agent: referenceText(agent),
    notAfter: endOf(files),
    now,
    evidence: { attestations, manifest: manifestOf(files, manifestDigest) },
  }
  const asked = { agent, caps }
  const judgeAll = (allowDev: boolean) =>
    policies.flatMap(({ policy }) =>
      policy === undefined ? [] : [withCeiling(policy, judge(policy, { ...facts, allowDev }), asked)],
    )
  const withoutDev = judgeAll(false)
  const isDev = allowDev && withoutDev.some(({ verdict }) => verdict !== 'passed')
  const counted = (isDev ? judgeAll(true) : withoutDev).map(({ signers }) =>
    signers.filter(({ is }) => is === 'counted'),
  )
  const all = new Set(counted.flat().map(({ signer }) => signer))
  const common = [...all].filter(key => counted.every(facts => facts.some(({ signer }) => signer === key)))
  const signers = common.length > 0 ? common : [...all]
  const names = counted
    .flat()
    .flatMap(({ signer, anchor }) => (signers.includes(signer) ? (anchor ?? []) : []))
  return { signers, anchors: [...new Set(names)], isDev }
}

function endOf(files: Agent['files']): string | undefined {
  const envelope = readEnvelope(files.get(SIGNATURE_FILE)?.bytes ?? new Uint8Array())
  const statement = envelope.ok ? readStatement(envelope.value.payload) : undefined
  return statement?.ok ? statement.value.notAfter : undefined
}

function manifestOf(files: Agent['files'], blake3: string) {
  const bytes = files.get(MANIFEST_FILE)?.bytes ?? new Uint8Array()
  return { blake3, sha256: hash('sha256', bytes, 'hex') }
}
