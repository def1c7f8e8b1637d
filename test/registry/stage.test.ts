// A pulled file before it has its name: what is written of it, and when it takes the place of what is there.
import assert from 'node:assert/strict'
import fs, { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Stage } from '../../src/registry/pull.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('stage')

async function* inOneBuffer(...texts: string[]): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(1024)
  for (const text of texts) yield buffer.subarray(0, buffer.write(text))
}

/** A stage that has kept these texts, given the name `it`. */
async function placed(path: string, ...texts: string[]): Promise<boolean> {
  const stage = await Stage.in(path, 'out')
  try {
    let seen = ''
    for await (const chunk of stage.keep(inOneBuffer(...texts))) seen += Buffer.from(chunk).toString()
    assert.equal(seen, texts.join(''))
    return await stage.place('it', false)
  } finally {
    await stage.close()
  }
}

test('chunks that come in one buffer are written as they came', async () => {
  const path = folder('one-buffer')
  assert.equal(await placed(path, 'first ', 'second ', 'third'), true)
  assert.equal(readFileSync(join(path, 'it'), 'utf8'), 'first second third')
})

test('only the same content is left as it is: an empty file is other content', async () => {
  const path = folder('same')
  const file = join(path, 'it')
  writeFileSync(file, 'the same')
  assert.equal(await placed(path, 'the ', 'same'), false)
  for (const other of ['', 'the', 'the same and more', 'the sane']) {
    writeFileSync(file, other)
    await assert.rejects(placed(path, 'the ', 'same'), {
      code: 'EXISTS',
      message: 'Cannot write "out/it": something else is there',
    })
    assert.equal(readFileSync(file, 'utf8'), other)
  }
})

/** Links fail with this code from here on, until the test ends. */
function withoutLinks(t: TestContext, code: string): void {
  t.mock.method(fs, 'linkSync', () => {
    throw Object.assign(new Error('no links here'), { code, errno: -1, syscall: 'link' })
  })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
}

test('where the file system has no links, it is renamed', async t => {
  const path = folder('no-links')
  withoutLinks(t, 'EPERM')
  assert.equal(await placed(path, 'all of it'), true)
  assert.deepEqual(readdirSync(path), ['it'])
  assert.equal(readFileSync(join(path, 'it'), 'utf8'), 'all of it')
})

test('where a link fails for another reason, that is said, and nothing gets the name', async t => {
  const path = folder('failing')
  withoutLinks(t, 'EIO')
  await assert.rejects(placed(path, 'all of it'), { code: 'IO' })
  assert.equal(existsSync(join(path, 'it')), false)
})
