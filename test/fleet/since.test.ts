// Earlier reports are read strictly: only what rlp itself may have written is used again, and nothing of a report that was not read to its end.
import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { keepLines } from '../../src/fleet/kept-lines.ts'
import { earlierVerdicts } from '../../src/fleet/report-file.ts'
import { readReport, reportsNamed } from '../../src/fleet/report-lines.ts'
import { REPORT_LINE_BYTES } from '../../src/model/limits.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('since')
const { signal } = new AbortController()
const SHA = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)
const BASIS = '1'.repeat(64)
const AGENT = { name: 'mini', version: '1.0.0', kind: 'tool' }
const RECORD = {
  type: 'bundle',
  sha256: SHA,
  target: 'mini.agent.bundle',
  verdict: 'trusted',
  accepted: true,
  exit: 0,
  reused: false,
  agent: AGENT,
  form: 'archive',
  reasons: [],
  notAfter: null,
  judged: '2026-11-20T12:00:00Z',
  basis: BASIS,
}
const line = (more: object = {}) => `${JSON.stringify({ ...RECORD, ...more })}\n`

function reportOf(text: string | Uint8Array, name = 'report') {
  const path = join(folder('report'), name)
  writeFileSync(path, text, { mode: 0o600 })
  return { path, label: name }
}

/** The lines about some digests that are kept of reports. */
async function kept(texts: readonly string[], digests: readonly string[] = [SHA], most = 1e6 * 16) {
  const reports = texts.map(text => reportOf(text))
  return keepLines(reports, new Set(digests), { keys: [], signal }, most)
}

async function found(text: string, sha256 = SHA) {
  const lines = (await kept([text], [sha256])).about(sha256)
  return [...(earlierVerdicts({ sha256, lines })?.byBasis.values() ?? [])]
}

test('the records of a bundle are those of its digest, in their order', async () => {
  const text = `${line()}${line({ sha256: OTHER })}${line({ basis: '2'.repeat(64) })}${line({ sha256: null })}{"type":"summary",}\n{"type":"signature",}\n`
  assert.deepEqual(
    (await found(text)).map(({ basis }) => basis),
    [BASIS, '2'.repeat(64)],
  )
  assert.equal((await found(text, OTHER)).length, 1)
  assert.equal((await found(text, 'c'.repeat(64))).length, 0)
  assert.equal((await found('')).length, 0)
})

test('a digest that begins as a wanted one is not taken for it, nor is anything else in its place', async () => {
  const alike = `aaaa${'b'.repeat(60)}`
  for (const sha256 of [alike, SHA.toUpperCase(), SHA.slice(1), `${SHA}a`, 7])
    assert.deepEqual((await kept([line({ sha256 })])).about(SHA), [], String(sha256))
  assert.equal((await kept([line({ sha256: alike })], [SHA, alike])).about(alike).length, 1)
})

test('bytes that two agents are said to be in are judged anew', async () => {
  for (const other of [
    { ...AGENT, name: 'other' },
    { ...AGENT, variant: 'pro' },
  ])
    assert.deepEqual(await found(line() + line({ agent: other, basis: '2'.repeat(64) })), [])
})

test('of two lines with one basis that differ neither counts; where they stood, and when, may differ', async () => {
  const same = [
    { target: 'two' },
    { reused: true },
    { judged: '2026-11-21T12:00:00Z' },
    { warnings: [{ code: 'c', message: 'm' }] },
  ]
  for (const more of same) {
    const [record, ...more2] = await found(line() + line(more))
    assert.deepEqual([record?.target, more2], ['mini.agent.bundle', []], JSON.stringify(more))
  }
  for (const more of [
    { verdict: 'unsigned' },
    { verdict: 'invalid', accepted: false, exit: 1, reasons: [{ code: 'c', message: 'm' }] },
    { agent: { ...AGENT, version: '2.0.0' } },
    { identity: 'blake3:1' },
    { form: 'gzip' },
    { signers: ['ed25519:x'] },
    { anchors: ['x'] },
    { caps: ['model'] },
    { tools: ['x'] },
    { notAfter: '2030-01-01T00:00:00Z' },
    { unknown: 1 },
  ]) {
    assert.deepEqual(await found(line() + line(more)), [], JSON.stringify(more))
    // Whatever follows, also the first one again.
    assert.deepEqual(await found(line() + line(more) + line()), [])
    const third = line({ basis: '2'.repeat(64) })
    assert.equal((await found(line() + third + line(more))).length, 1)
  }
})

describe('of lines that say the same', () => {
  test('one is kept, whichever place and time they name', async () => {
    const places = Array.from({ length: 500 }, (_, at) => line({ target: `${at}` }))
    const times = Array.from({ length: 60 }, (_, at) =>
      line({ judged: `2026-11-20T12:00:${String(at).padStart(2, '0')}Z` }),
    )
    const { length } = (await kept([places.join(''), times.join('')])).about(SHA)
    assert.equal(length, 1)
  })

  test('a text that looks like a member decides nothing', async () => {
    const quoted = line({ target: 'a","verdict":"x' })
    assert.equal((await kept([line() + quoted])).about(SHA).length, 2)
    const message = ',"judged":"2026-11-20T12:00:00Z","basis":"'
    const said = (code: string) => line({ reasons: [{ code, message }] })
    assert.equal((await kept([said('a') + said('b')])).about(SHA).length, 2)
  })

  test('of more than 64 different ones nothing is used: the bundle is judged anew', async () => {
    const lines = Array.from({ length: 65 }, (_, at) => line({ verdict: `v${at}` }))
    assert.equal((await kept([lines.slice(0, 64).join('')])).about(SHA).length, 64)
    const { about, left } = await kept([lines.join('')]).then(one => ({
      about: one.about(SHA),
      left: one.left,
    }))
    assert.deepEqual([about, left.size], [[], 0])
  })

  test('a bundle whose lines do not fit is left for another pass, and its memory is free for others', async () => {
    const long = line({ basis: '2'.repeat(64) })
    const room = long.length * 2
    const one = await kept([line() + line({ sha256: OTHER }) + long], [SHA, OTHER], room - 1)
    assert.deepEqual([[...one.left], one.about(SHA), one.about(OTHER).length], [[SHA], [], 1])
    const both = await kept([line() + line({ sha256: OTHER })], [SHA, OTHER], room)
    assert.equal(both.left.size, 0)
  })
})

describe('a report', () => {
  test('may end in half a line, which is left out; any other line is refused by its number', async () => {
    assert.equal((await found(line() + line().slice(0, -1))).length, 1)
    for (const bad of ['x\n', '\n', '{"type":"other"}\n', '{"type":"bundle"}\n', ' {"type":"summary",}\n'])
      await assert.rejects(found(line() + line() + bad), { message: /: line 3 is not one of a report/ }, bad)
    await assert.rejects(found('x\n'), { message: /: line 1 is not/ })
    // The number goes on counting where the buffer is filled anew.
    const many = line().repeat(1000)
    await assert.rejects(found(`${many}x\n`), { message: /: line 1001 is not/ })
  })

  test('may have long lines, up to a limit', async () => {
    const long = line({ sha256: OTHER, target: 'x'.repeat(1_000_000) })
    assert.equal((await kept([line() + long + line({ basis: '2'.repeat(64) })])).about(SHA).length, 2)
    assert.equal((await kept([line() + long], [OTHER])).about(OTHER)[0]?.length, long.length - 1)
    const endless = reportOf('{"type":"bundle","sha256":')
    truncateSync(endless.path, REPORT_LINE_BYTES + 1)
    await assert.rejects(keepLines([endless], new Set(), { keys: [], signal }, 1), {
      code: 'LIMIT_EXCEEDED',
      message: /line 1 is longer than 64 MiB/,
    })
  })

  test('that changes while it is read is not used', async () => {
    for (const change of [
      (path: string) => appendFileSync(path, 'x'),
      (path: string) => truncateSync(path, 10),
    ]) {
      const report = reportOf(line().repeat(2000))
      let isFirst = true
      const onBundle = () => {
        if (isFirst) change(report.path)
        isFirst = false
      }
      await assert.rejects(readReport(report, { keys: [], signal, onBundle }), {
        code: 'CHANGED_WHILE_READING',
      })
    }
  })

  test('is read no further when the caller gives up', async () => {
    const stop = new AbortController()
    const report = reportOf(line().repeat(2000))
    const onBundle = () => stop.abort()
    await assert.rejects(readReport(report, { keys: [], signal: stop.signal, onBundle }), {
      code: 'CANCELLED',
    })
  })
})

describe('a folder of reports', () => {
  const named = (...names: string[]) => reportsNamed(names, '/').map(({ label }) => label)

  test('means its files called *.ndjson; reports can be named several times', () => {
    const place = folder('reports')
    for (const name of ['b.ndjson', 'a.ndjson', '.hidden.ndjson', 'notes.txt', 'c.ndjson.gz'])
      writeFileSync(join(place, name), '', { mode: 0o600 })
    const all = [join(place, 'a.ndjson'), join(place, 'b.ndjson')]
    assert.deepEqual(named(place), all)
    assert.deepEqual(named(join(place, 'notes.txt'), place), [join(place, 'notes.txt'), ...all])
  })

  test('without a report, or one that is not there', () => {
    const place = folder('empty')
    assert.throws(() => named(place), { code: 'NOT_FOUND', message: /the folder has no report/ })
    assert.throws(() => named(join(place, 'x')), { code: 'NOT_FOUND', hint: /leave --since out/ })
  })

  test('is refused if others may write it, and so is each of its files', async () => {
    const place = folder('loose')
    writeFileSync(join(place, 'a.ndjson'), line(), { mode: 0o600 })
    const read = async () => keepLines(reportsNamed([place], '/'), new Set([SHA]), { keys: [], signal }, 1e6)
    assert.equal((await read()).about(SHA).length, 1)
    chmodSync(join(place, 'a.ndjson'), 0o666)
    await assert.rejects(read(), { code: 'NO_PERMISSION', message: /others may write it/ })
    chmodSync(join(place, 'a.ndjson'), 0o600)
    // With the sticky bit others cannot replace a report, but they can add one.
    for (const mode of [0o777, 0o1777, 0o775]) {
      chmodSync(place, mode)
      await assert.rejects(read(), { code: 'NO_PERMISSION', message: /others may write it/ })
    }
    chmodSync(place, 0o755)
    mkdirSync(join(place, 'b.ndjson'))
    await assert.rejects(read(), { code: 'WRONG_FILE_TYPE' })
  })
})

test('each record may be used again only if all of it may have been written by rlp', async () => {
  const isUsed = async (more: object) => (await found(line(more))).length === 1
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
    assert.ok(await isUsed(good), JSON.stringify(good))
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
    assert.ok(!(await isUsed(bad)), JSON.stringify(bad))
  const twice = line().replace('"exit":0', '"exit":1,"exit":0')
  assert.equal((await found(twice)).length, 0)
  assert.equal((await found(line().replace(/\}\n$/, '\n'))).length, 0)
})
