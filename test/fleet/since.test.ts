// An earlier report is read strictly: only what rlp itself may have written is used again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EarlierReport } from '../../src/fleet/report-file.ts'

const SHA = 'a'.repeat(64)
const AGENT = { name: 'mini', version: '1.0.0', kind: 'tool' }
const RECORD = {
  type: 'bundle',
  sha256: SHA,
  verdict: 'trusted',
  accepted: true,
  exit: 0,
  agent: AGENT,
  form: 'archive',
  reasons: [],
  notAfter: null,
  judged: '2026-11-20T12:00:00Z',
  basis: 'b',
}
const line = (more: object = {}) => `${JSON.stringify({ ...RECORD, ...more })}\n`
const read = (text: string) => new EarlierReport(Buffer.from(text), 'report')
const found = (text: string, sha256 = SHA) => [...(read(text).about(sha256)?.byBasis.values() ?? [])]

test('the records of a bundle are those of its digest, in their order', () => {
  const text = `${line()}${line({ sha256: 'b'.repeat(64) })}${line({ basis: 'c' })}${line({ sha256: null })}{"type":"summary",}\n{"type":"signature",}\n`
  assert.deepEqual(
    found(text).map(({ basis }) => basis),
    ['b', 'c'],
  )
  assert.equal(found(text, 'b'.repeat(64)).length, 1)
  assert.equal(found(text, 'c'.repeat(64)).length, 0)
  assert.equal(found('').length, 0)
})

test('of records with one basis the first counts, and bytes that two agents are said to be in are judged anew', () => {
  const one = line({ target: 'one' })
  assert.deepEqual(
    found(one + line({ target: 'two' })).map(({ target }) => target),
    ['one'],
  )
  for (const other of [
    { ...AGENT, name: 'other' },
    { ...AGENT, variant: 'pro' },
  ])
    assert.deepEqual(found(one + line({ agent: other, basis: 'c' })), [])
})

test('a last line without its end is left out, and any other line is refused by its number', () => {
  assert.equal(found(line() + line().slice(0, -1)).length, 1)
  for (const bad of ['x\n', '\n', '{"type":"other"}\n', '{"type":"bundle"}\n', ' {"type":"summary",}\n'])
    assert.throws(() => read(line() + line() + bad), { message: /: line 3 is not one of a report/ }, bad)
  assert.throws(() => read('x\n'), { message: /: line 1 is not/ })
})

test('each record may be used again only if all of it may have been written by rlp', () => {
  const isUsed = (more: object) => found(line(more)).length === 1
  const texts = [
    { code: 'c', message: 'm' },
    { code: 'c', message: 'm', hint: 'h' },
  ]
  for (const good of [
    {},
    { form: 'gzip' },
    { verdict: 'unsigned' },
    { verdict: 'unsigned', exit: 1, accepted: false },
    { verdict: 'invalid', exit: 1, accepted: false, reasons: texts },
    { notAfter: '2030-01-01T00:00:00Z' },
    { agent: { ...AGENT, variant: 'pro' } },
  ])
    assert.ok(isUsed(good), JSON.stringify(good))
  for (const bad of [
    { verdict: 'other' },
    { verdict: 1 },
    { verdict: 'toString' },
    { verdict: 'invalid' },
    { verdict: 'invalid', exit: 1 },
    { verdict: 'invalid', exit: 2, accepted: false },
    { verdict: 'indeterminate', exit: 3, accepted: false },
    { accepted: false },
    { exit: 1, accepted: false },
    { form: 'directory' },
    { form: 'other' },
    { basis: null },
    { notAfter: 'soon' },
    { notAfter: 1 },
    { judged: undefined },
    { judged: 'soon' },
    { agent: null },
    { agent: { ...AGENT, name: 1 } },
    { agent: { ...AGENT, version: undefined } },
    { agent: { ...AGENT, kind: 1 } },
    { agent: { ...AGENT, variant: 1 } },
    { reasons: null },
    { reasons: [...texts, 'x'] },
    { reasons: [...texts, { code: 1, message: 'm' }] },
    { reasons: [...texts, { code: 'c' }] },
    { reasons: [...texts, { code: 'c', message: 'm', hint: 1 }] },
  ])
    assert.ok(!isUsed(bad), JSON.stringify(bad))
  const twice = line().replace('"exit":0', '"exit":1,"exit":0')
  assert.equal(found(twice).length, 0)
  assert.equal(found(line().replace(/\}\n$/, '\n')).length, 0)
})
