// What the caller expects of a stored bundle → whether it may be signed. A registry must not be able to get a signature for another bundle.

import type { Agent } from '../model/agent.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import { expectationText, manifestDigestOf, meets } from '../version/reference.ts'
import { expectationIn } from './expectation.ts'

/** A stored bundle that was read whole and held against its digest, before it is signed. */
export interface ToSign {
  readonly label: string
  readonly report: Report
  /** With its contents. */
  readonly agent: Agent | undefined
  /** Of the bytes as they are stored; undefined for an unpacked bundle. */
  readonly sha256: string | undefined
}

/** @throws UsageError for an expectation that many bundles would meet */
export function refuseVague(expect: string, label: string): void {
  const meant = expectationIn(expect)
  const expected = meant === 'any' ? meant : ownMembers(meant)
  if (expected !== 'any' && (expected.identity !== undefined || expected.versions !== undefined)) return
  throw new UsageError(
    `Cannot sign "${label}": the expectation ${expect} says neither a version nor an identity`,
    {
      field: 'expect',
      hint: 'Write a name with a version or range, or blake3: and the identity that rlp agent inspect shows',
    },
  )
}

/** @throws RlpError NOT_VERIFIED */
export function refuseUnexpected(expect: string, { label, report }: Omit<ToSign, 'sha256'>): void {
  const expected = expectationIn(expect)
  const { agent, identity } = report
  if (
    expected === 'any' ||
    (agent !== null &&
      meets(
        { ...agent, manifestDigest: identity === null ? undefined : manifestDigestOf(identity) },
        expected,
      ))
  )
    return
  const found = agent === null ? 'another' : `${agent.name} ${agent.version}, ${identity}`
  throw new RlpError(
    'NOT_VERIFIED',
    `Cannot sign "${label}": expected ${expectationText(expected)}, found ${found}`,
    { hint: 'Look into it with rlp agent inspect' },
  )
}
