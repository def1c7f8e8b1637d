// An archive that was verified is unpacked byte for byte, and one that is another by now is not.
import assert from 'node:assert/strict'
import { existsSync, promises, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { preferNative } from '../../src/bundle/blake3.ts'
import { unpack } from '../../src/install/place-bundle.ts'
import { agentTree, bundleOf, digestOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('unpack')
await preferNative()
// More than one chunk, and a file without bytes.
const TREE = agentTree({
  files: { 'bin/data': Buffer.alloc(1_100_000, 'abcdefg'), empty: '', 'docs/more/a.md': 'a' },
})
const BYTES = bundleOf(TREE)
const FILES = Object.entries(TREE).map(([path, content]) => ({
  path,
  size: Buffer.from(content as Buffer).length,
}))

/** Verified as `BYTES`; `bytes` are there now. */
async function unpacked(bytes: Uint8Array, into = true): Promise<string> {
  const cwd = folder('world')
  const path = join(cwd, 'bundle')
  writeFileSync(path, bytes)
  const out = join(cwd, 'out')
  const archive = { path, label: 'bundle', digest: digestOf(BYTES), files: FILES }
  await unpack(archive, into ? out : undefined, 'out')
  return out
}

test('what was verified is unpacked, or only compared', async () => {
  const out = await unpacked(BYTES)
  for (const [path, content] of Object.entries(TREE))
    assert.deepEqual(readFileSync(join(out, path)), Buffer.from(content as Buffer), path)
  assert.deepEqual(
    ['bin/mini.wasm', 'manifest.toml'].map(path => statSync(join(out, path)).mode & 0o111),
    [0o111, 0].map(bits => bits & ~process.umask()),
  )
  assert.equal(existsSync(await unpacked(BYTES, false)), false)
})

test('every folder that was made is synced: a power cut takes no file out of it', async t => {
  const opened = t.mock.method(promises, 'open')
  const out = await unpacked(BYTES)
  const synced = opened.mock.calls.map(({ arguments: [path] }) => relative(out, String(path)))
  assert.deepEqual(synced.sort(), ['', 'bin', 'docs', 'docs/more'])
})

for (const [what, bytes] of [
  ['a byte behind it', Buffer.concat([BYTES, Buffer.from([0])])],
  ['two blocks behind it', Buffer.concat([BYTES, Buffer.alloc(1024)])],
  ['its last byte gone', BYTES.subarray(0, -1)],
  ['nothing left of it', Buffer.alloc(0)],
  ['another first byte', changedAt(0)],
  ['another byte in a file', changedAt(BYTES.length >> 1)],
  ['another last byte', changedAt(BYTES.length - 1)],
] as const) {
  test(`an archive that is another by now is refused: ${what}`, async () => {
    for (const into of [true, false])
      await assert.rejects(unpacked(bytes, into), { code: 'CHANGED_WHILE_READING' })
  })
}

function changedAt(at: number): Buffer {
  const bytes = Buffer.from(BYTES)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes
}
