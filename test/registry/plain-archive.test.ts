// A bundle on disk on its way to a registry: what is said where it cannot be read, and what is left behind.
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { plainArchive } from '../../src/registry/plain-archive.ts'
import { pushBundle } from '../../src/registry/push.ts'
import { pushTarget } from '../../src/registry/push-target.ts'
import { writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { made, madeTree, RELEASE } from '../support/install-world.ts'
import { sha256 } from '../support/oci-registry.ts'
import { signedTree } from '../support/signed.ts'

const folder = temporary('plain-archive')
/** Read in several pieces. */
const DATA = Buffer.alloc(4_000_000)
const BUNDLE = made({ files: { 'bin/data': DATA } }, RELEASE)

/** Its reader is asked again and again whether it goes on. */
function asking(asked: () => void): AbortSignal {
  const { signal } = new AbortController()
  return Object.defineProperty(signal, 'aborted', {
    get() {
      asked()
      return false
    },
  })
}

test('a wrapped bundle that grows while it is read is not taken for one that is wrong', async () => {
  const path = join(folder('grows'), 'b')
  writeFileSync(path, gzipSync(BUNDLE, { level: 0 }))
  const target = { path, label: 'b' }
  const archive = await plainArchive(
    target,
    asking(() => {}),
  )
  assert.deepEqual([archive.digest, archive.size], [sha256(BUNDLE), BUNDLE.length])
  await archive.close()
  const growing = asking(() => appendFileSync(path, 'x'))
  await assert.rejects(plainArchive(target, growing), { code: 'CHANGED_WHILE_READING' })
})

test('a bundle that grows while it is read is not pushed, and not taken for one that is wrong', async () => {
  const cwd = folder('pushed')
  const path = join(cwd, 'b')
  writeFileSync(path, BUNDLE)
  const push = (signal: AbortSignal) =>
    pushBundle(
      { path, label: 'b' },
      {
        to: pushTarget(`oci-layout:${cwd}/store`, 1),
        force: false,
        allowUnsigned: false,
        dryRun: false,
        access: { env: {} },
        signal,
      },
    )
  const growing = asking(() => appendFileSync(path, 'x'))
  await assert.rejects(push(growing), { code: 'CHANGED_WHILE_READING' })
  assert.equal(existsSync(join(cwd, 'store')), false)
  writeFileSync(path, BUNDLE)
  assert.equal((await push(asking(() => {}))).digest, sha256(BUNDLE))
})

test('a bundle that becomes shorter while it is sent ends there', async () => {
  const path = join(folder('shorter'), 'b')
  writeFileSync(path, BUNDLE)
  const { signal } = new AbortController()
  const archive = await plainArchive({ path, label: 'b' }, signal)
  let sent = 0
  for await (const chunk of archive.open(0)) {
    if (sent === 0) truncateSync(path, chunk.length)
    sent += chunk.length
  }
  assert.ok(sent > 0 && sent < BUNDLE.length)
  await archive.close()
})

test('a folder of which a file grows while it is read is not taken for one that is wrong', async () => {
  const cwd = folder('folder')
  const path = writeTree(
    join(cwd, 'agent.bundle'),
    signedTree(madeTree({ files: { 'bin/data': DATA } }), [RELEASE]),
  )
  const target = { path, label: 'b' }
  const archive = await plainArchive(
    target,
    asking(() => {}),
  )
  assert.equal(archive.digest, sha256(BUNDLE))
  await archive.close()
  const growing = asking(() => appendFileSync(join(path, 'bin/data'), 'x'))
  await assert.rejects(plainArchive(target, growing), { code: 'CHANGED_WHILE_READING' })
})
