// An accepted bundle and the policies → the keys that vouch for it, for comparing marks and signers (docs/upgrades.md#another-signer). Pure.

import { hash } from 'node:crypto'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { Offer } from '../model/install.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import { readStatement } from '../signature/envelope.ts'
import { manifestDigestOf, referenceText } from '../version/reference.ts'
import { keylessSigners } from './believed.ts'
import { judge, withCeiling } from './judge.ts'
import { validKeys } from './report-signers.ts'

type Vouchers = Pick<Offer, 'signers' | 'anchors' | 'isDev'>

/**
 * Signers are compared by key: two policies may name one key differently, and a policy may rename its anchors.
 *
 * @param payload the statement that was judged
 */
export function vouchers(
  { policy: caps, files }: Agent,
  { agent, identity, signatures, verdict }: Report,
  { policies, allowDev, attestations, keyless, now }: TrustContext,
  payload: Uint8Array | undefined,
): Vouchers {
  if (verdict === 'unsigned' || agent === null || identity === null || caps === undefined)
    return { signers: [], anchors: [], isDev: false }
  const manifestDigest = manifestDigestOf(identity)
  const keys = validKeys({ signatures })
  const facts = { manifestDigest, agent: referenceText(agent), notAfter: endOf(payload), now }
  const manifest = manifestOf(files, manifestDigest)
  const request = { agent, caps }
  const judgeAll = (allowDev: boolean) =>
    policies.flatMap(source => {
      const { policy, root } = ownMembers(source)
      if (policy === undefined) return []
      const signers = [...keys, ...keylessSigners(source, keyless, payload ?? new Uint8Array())]
      const evidence = { attestations, manifest, keyless, root }
      return [withCeiling(policy, judge(policy, { ...facts, signers, evidence, allowDev }), request)]
    })
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

function endOf(payload: Uint8Array | undefined): string | undefined {
  const statement = payload && readStatement(payload)
  return statement?.ok ? statement.value.notAfter : undefined
}

function manifestOf(files: Agent['files'], blake3: string) {
  const bytes = files.get(MANIFEST_FILE)?.bytes ?? new Uint8Array()
  return { blake3, sha256: hash('sha256', bytes, 'hex') }
}
