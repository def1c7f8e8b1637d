// What the audit log keeps of a bundle that is signed or refused: the verdict only where one came first, and a refusal only where it is about the bundle.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Audit } from '../../src/io/audit.ts'
import type { AuditDecision } from '../../src/model/audit.ts'
import { RlpError } from '../../src/model/error.ts'
import type { Report } from '../../src/model/report.ts'
import { recordRefused, recordToSign } from '../../src/sign/ask-to-sign.ts'
import type { ToSign } from '../../src/verify/before-signing.ts'
import { NotVerifiedError } from '../../src/verify/make-report.ts'

const REPORT = {
  target: 'b',
  verdict: 'untrusted',
  reasons: [{ code: 'no_anchor', message: 'm' }],
  identity: 'blake3:1',
  agent: { name: 'mini', version: '1.0.0' },
  policies: [{ path: 'p' }],
  signatures: [],
  judgements: [],
} as unknown as Report

function log() {
  const lines: AuditDecision[] = []
  return { lines, audit: { record: (line: AuditDecision) => void lines.push(line) } as unknown as Audit }
}

describe('a bundle that is signed', () => {
  const recorded = (isJudged: boolean, signedBy: string | undefined) => {
    const { lines, audit } = log()
    recordToSign({ report: REPORT, sha256: 'ab' } as unknown as ToSign, { audit, signedBy, isJudged })
    return lines[0]
  }

  test('has its verdict in the log where one came first, and else none', () => {
    const [judged, unjudged] = [recorded(true, 'k'), recorded(false, 'k')]
    assert.deepEqual(
      [judged?.verdict, judged?.codes, judged?.policies.length],
      ['untrusted', ['no_anchor'], 1],
    )
    assert.deepEqual([unjudged?.verdict, unjudged?.codes, unjudged?.policies], [null, [], []])
    for (const line of [judged, unjudged])
      assert.deepEqual(
        [line?.command, line?.accepted, line?.sha256, line?.signedBy],
        ['agent.sign', true, 'ab', 'k'],
      )
  })

  test('has no signer in the log where the bytes go to one outside', () => {
    assert.equal('signedBy' in (recorded(true, undefined) ?? {}), false)
  })

  test('is not written anywhere where no log is kept', () => {
    recordToSign({ report: REPORT, sha256: 'ab' } as unknown as ToSign, {
      audit: undefined,
      signedBy: 'k',
      isJudged: true,
    })
  })
})

describe('a bundle that is refused', () => {
  const refused = async (error: Error) => {
    const { lines, audit } = log()
    await assert.rejects(
      recordRefused('named', audit, () => Promise.reject(error)),
      one => one === error,
    )
    await assert.rejects(
      recordRefused('named', undefined, () => Promise.reject(error)),
      one => one === error,
    )
    return lines
  }

  test('is in the log with its report, if there is one', async () => {
    const [judged] = await refused(new NotVerifiedError(REPORT, 'sign'))
    assert.deepEqual([judged?.target, judged?.verdict, judged?.codes], ['b', 'untrusted', ['no_anchor']])
    const [unread] = await refused(new RlpError('NOT_VERIFIED', 'no'))
    assert.deepEqual([unread?.target, unread?.verdict, unread?.codes], ['named', null, []])
    for (const line of [judged, unread])
      assert.deepEqual([line?.command, line?.accepted], ['agent.sign', false])
  })

  test('is not in the log, if what was wrong is not the bundle', async () => {
    const other = Object.assign(new Error('no'), { code: 'NOT_VERIFIED' })
    for (const error of [new RlpError('EXISTS', 'no'), new RlpError('CANCELLED', 'no'), other])
      assert.deepEqual(await refused(error), [])
  })

  test('and one that is not: what the work gives is given', async () => {
    const { lines, audit } = log()
    assert.equal(await recordRefused('named', audit, async () => 7), 7)
    assert.deepEqual(lines, [])
  })
})
