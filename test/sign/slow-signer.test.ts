// A signer that takes its time: the bundle is not locked while it is asked, and what others did meanwhile is neither lost nor signed over.
import assert from 'node:assert/strict'
import { sign as signWith } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Signer, sign } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { judge, KEYS, signed, type TestKey } from '../support/trust-world.ts'

const folder = temporary('slow-signer')
const NAME = 'mini-1.0.0.agent.bundle'
const TREE = agentTree()

/** A signer that waits inside its answer, until `answer` is called. */
function slow(key: TestKey) {
  let answer = () => {}
  let asked = () => {}
  const released = new Promise<void>(resolve => {
    answer = resolve
  })
  const isAsked = new Promise<void>(resolve => {
    asked = resolve
  })
  let times = 0
  const signer: Signer = {
    key: { kind: 'ed25519', bytes: key.raw },
    async sign(message) {
      times++
      asked()
      await released
      return new Uint8Array(signWith(null, message, key.private))
    },
  }
  return { signer, isAsked, answer, times: () => times }
}

const quick = (key: TestKey): Signer => ({
  key: { kind: 'ed25519', bytes: key.raw },
  sign: async message => new Uint8Array(signWith(null, message, key.private)),
})

async function keysOf(path: string): Promise<string[]> {
  const { report } = await judge(path, { policies: [] })
  return report.signatures.map(({ keyid, result }) => `${keyid} ${result}`).sort()
}

const valid = (...keys: TestKey[]) => keys.map(({ anchor }) => `${anchor} valid`).sort()

for (const form of ['a file', 'an unpacked bundle'] as const) {
  const place = () => {
    const cwd = folder('cwd')
    const path = join(cwd, form === 'a file' ? NAME : 'agent.bundle')
    if (form === 'a file') writeFileSync(path, bundleOf(TREE))
    else writeTree(path, TREE)
    return path
  }

  describe(`while a signer of ${form} is asked`, () => {
    test('another one signs at once, and both signatures are there', async () => {
      const path = place()
      const { signer, isAsked, answer, times } = slow(KEYS.release)
      const waiting = sign(path, { key: signer })
      await isAsked
      assert.equal(existsSync(`${path}.rlp-lock`), false)
      await sign(path, { key: quick(KEYS.security) })
      assert.deepEqual(await keysOf(path), valid(KEYS.security))
      answer()
      assert.equal((await waiting).signer, KEYS.release.anchor)
      assert.deepEqual(await keysOf(path), valid(KEYS.release, KEYS.security))
      assert.equal(times(), 1)
    })

    test('an end is set by another: nothing is signed that was not asked, and nothing is lost', async () => {
      const path = place()
      const { signer, isAsked, answer, times } = slow(KEYS.release)
      const waiting = sign(path, { key: signer })
      await isAsked
      await sign(path, { key: quick(KEYS.security), notAfter: '2036-11-20T00:00:00Z' })
      answer()
      await assert.rejects(waiting, {
        code: 'CHANGED_WHILE_READING',
        message: /Cannot sign ".*": it changed while the signer was asked$/,
      })
      assert.deepEqual([await keysOf(path), times()], [valid(KEYS.security), 1])
      await sign(path, { key: quick(KEYS.release) })
      assert.deepEqual(await keysOf(path), valid(KEYS.release, KEYS.security))
    })

    test('it is no longer sound, or gone: it stays as it is', async () => {
      const path = place()
      const { signer, isAsked, answer } = slow(KEYS.release)
      const waiting = sign(path, { key: signer })
      await isAsked
      const file = form === 'a file' ? path : join(path, 'tools.json')
      writeFileSync(file, 'broken')
      answer()
      await assert.rejects(waiting, { code: 'NOT_VERIFIED' })
      assert.equal(readFileSync(file, 'utf8'), 'broken')
      const gone = place()
      const other = slow(KEYS.release)
      const second = sign(gone, { key: other.signer })
      await other.isAsked
      renameSync(gone, `${gone}.away`)
      other.answer()
      await assert.rejects(second, { code: 'NOT_FOUND' })
      assert.equal(existsSync(gone), false)
    })

    test('it becomes another sound bundle: that one is not signed', async () => {
      const path = place()
      const { signer, isAsked, answer } = slow(KEYS.release)
      const waiting = sign(path, { key: signer })
      await isAsked
      const tree = signed(agentTree({ version: '2.0.0' }), 'stranger')
      if (form === 'a file') {
        writeFileSync(`${path}.new`, bundleOf(tree))
        renameSync(`${path}.new`, path)
      } else writeTree(path, tree)
      answer()
      await assert.rejects(waiting, { code: 'CHANGED_WHILE_READING' })
      assert.deepEqual(await keysOf(path), valid(KEYS.stranger))
    })
  })
}
