// A bundle that is looked at by ranges: what is fetched of it, and when it is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK, encodeHeader } from '../../src/format/archive/header.ts'
import { blake3Hex as digestOf } from '../../src/format/blake3.ts'
import { PARSE_LIMITS } from '../../src/model/limits.ts'
import { readPartly } from '../../src/registry/read-partly.ts'
import { agentTree, bundleOf } from '../support/agent.ts'

async function looked(bytes: Uint8Array) {
  const asked: (readonly [from: number, count: number])[] = []
  const part = async (from: number, count: number) => {
    asked.push([from, count])
    return bytes.subarray(from, from + count)
  }
  const isDocument = (path: string) => /\.(?:toml|json|caps|md)$/.test(path)
  const candidate = await readPartly(bytes.length, part, 'it', { isDocument, digestOf })
  return { candidate, asked }
}

/** With so many programs that none of them is fetched along with what is before it. */
const withPrograms = (count: number) => {
  const names = Array.from({ length: count }, (_, at) => `bin/tool-${String(at).padStart(3, '0')}`)
  return bundleOf({
    ...agentTree(),
    ...Object.fromEntries(names.map(name => [name, Buffer.alloc(20_000, 'x')])),
  })
}

test('a bundle whose parts are in few places is listed without its programs', async () => {
  const { candidate, asked } = await looked(withPrograms(10))
  assert.equal(candidate.refusal, undefined)
  assert.equal(candidate.files.list.filter(({ isNotFetched }) => isNotFetched).length, 10)
  assert.ok(asked.length < 15, `${asked.length} requests`)
  assert.ok(candidate.files.get('manifest.toml')?.bytes !== undefined)
})

test('what a program begins with is fetched with its header', async () => {
  const whole = bundleOf({
    ...agentTree(),
    'bin/a': Buffer.alloc(20_000, 'a'),
    'bin/b': Buffer.alloc(20_000, 'b'),
  })
  const { candidate, asked } = await looked(whole)
  const programs = candidate.files.list.filter(({ isNotFetched }) => isNotFetched)
  assert.deepEqual(
    programs.map(({ path, head }) => [path, String(Buffer.from(head ?? []))]),
    [
      ['bin/a', 'aaaaaaaa'],
      ['bin/b', 'bbbbbbbb'],
    ],
  )
  // Each question is for a header, which begins a block.
  assert.deepEqual([...new Set(asked.map(([from]) => from % BLOCK))], [0])
  assert.equal(asked[0]?.[1], 8000)
  assert.ok(asked.slice(1, -1).every(([, count]) => count === 12_000))
})

test('one that is no longer than what is fetched first is fetched at once', async () => {
  const { length: without } = bundleOf(agentTree({ files: { 'z.md': '' } }))
  for (const [bytes, requests] of [
    [Math.floor((8000 - without) / BLOCK) * BLOCK, 1],
    [8000, 2],
  ] as const) {
    const whole = bundleOf(agentTree({ files: { 'z.md': '#'.repeat(bytes) } }))
    const { candidate, asked } = await looked(whole)
    assert.equal(candidate.refusal, undefined)
    assert.equal(candidate.files.get('z.md')?.bytes?.length, bytes)
    assert.equal(asked.length, requests)
  }
})

test('one whose parts are in more places is asked for no more than 64 times, and not judged by what was seen', async () => {
  const { candidate, asked } = await looked(withPrograms(100))
  assert.deepEqual(candidate.refusal, {
    why: 'io',
    message: 'Cannot look into "it": its texts are in more than 64 places',
  })
  assert.equal(asked.length, 64)
})

test('one with more bytes of texts than are read is refused before they are fetched', async () => {
  const { textBytes, allTextBytes } = PARSE_LIMITS
  const place = BLOCK + textBytes
  const count = allTextBytes / textBytes + 1
  // The same text again and again: none of it is made before it is asked for.
  const part = async (from: number, length: number) => {
    const bytes = new Uint8Array(length)
    const header = encodeHeader(
      `schemas/${String(Math.floor(from / place)).padStart(4, '0')}.json`,
      textBytes,
    )
    if (from % place === 0) bytes.set(header.subarray(0, length))
    return bytes
  }
  const digestOf = () => ''
  const candidate = await readPartly(count * place + 2 * BLOCK, part, 'it', {
    isDocument: () => true,
    digestOf,
  })
  assert.equal(candidate.refusal?.why, 'form')
  assert.match(candidate.refusal?.message ?? '', /^its texts have more than .* together \(byte \d+\)$/)
  assert.equal(candidate.files.list.length, count - 1)
})

test('one that is damaged is refused where it is, and what was before it is there', async () => {
  const whole = bundleOf(agentTree())
  assert.equal((await looked(whole)).candidate.refusal, undefined)
  const { length: first = 0 } = agentTree()['manifest.toml'] ?? ''
  const at = BLOCK + Math.ceil(first / BLOCK) * BLOCK
  const damaged = Buffer.from(whole)
  damaged.write('5', at + 156)
  const { refusal, files } = (await looked(damaged)).candidate
  assert.deepEqual(refusal, {
    why: 'form',
    message: `the entry is a directory, not a regular file (byte ${at})`,
  })
  assert.deepEqual(
    files.list.map(({ path }) => path),
    ['manifest.toml'],
  )
})

test('an entry that comes twice, or before the one that it follows, is refused', async () => {
  const entry = (path: string) => Buffer.concat([encodeHeader(path, 0)])
  const archive = (...paths: string[]) => Buffer.concat([...paths.map(entry), Buffer.alloc(2 * BLOCK)])
  const why = async (...paths: string[]) => (await looked(archive(...paths))).candidate.refusal?.message
  assert.equal(await why('manifest.toml', 'a.md', 'b.md'), undefined)
  assert.match(
    (await why('manifest.toml', 'a.md', 'a.md')) ?? '',
    /^a\.md comes after a\.md; the order is fixed/,
  )
  assert.match(
    (await why('manifest.toml', 'b.md', 'a.md')) ?? '',
    /^a\.md comes after b\.md; the order is fixed/,
  )
})

test('one that ends behind its first zero block, or before it, is refused for that', async () => {
  const whole = Buffer.concat([encodeHeader('manifest.toml', 0), Buffer.alloc(2 * BLOCK)])
  const why = async (end: number) => (await looked(whole.subarray(0, end))).candidate.refusal?.message
  assert.equal(await why(3 * BLOCK), undefined)
  assert.equal(await why(2 * BLOCK), 'the archive does not end in two zero blocks (byte 512)')
  assert.equal(await why(2 * BLOCK - 1), 'the archive is cut off (byte 1023)')
  const [manifest] = (await looked(bundleOf(agentTree()))).candidate.files.list
  const end = BLOCK + Math.ceil((manifest?.size ?? 0) / BLOCK) * BLOCK
  const first = await looked(bundleOf(agentTree()).subarray(0, end))
  assert.deepEqual(
    first.candidate.files.list.map(({ path }) => path),
    ['manifest.toml'],
  )
  // Of a text that is cut off nothing is shown.
  const cut = await looked(bundleOf(agentTree()).subarray(0, BLOCK + 100))
  assert.equal(cut.candidate.refusal?.message, 'the archive is cut off (byte 612)')
  assert.deepEqual(cut.candidate.files.list, [])
})
