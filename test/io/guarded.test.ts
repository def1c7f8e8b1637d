// What a service opens below a folder that it serves is what is there, and not what a link leads to that was put in its place meanwhile.
import assert from 'node:assert/strict'
import { mkdirSync, openSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import { OpenFolders } from '../../src/io/read/open-folders.ts'
import { guardOpens, openFile, readWhole, refuseElsewhere, withFile } from '../../src/io/read/read-file.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('guarded')
afterEach(() => guardOpens([]))

/** A folder that is served, and one that is not, with a file of the same name in each. */
function places(name: string) {
  const top = folder(name)
  const [served, outside] = [join(top, 'served'), join(top, 'outside')]
  mkdirSync(join(served, 'deep/er'), { recursive: true })
  mkdirSync(join(outside, 'er'), { recursive: true })
  writeFileSync(join(served, 'deep/er/a'), 'inside')
  writeFileSync(join(outside, 'er/a'), 'outside')
  return { served, outside, path: join(served, 'deep/er/a') }
}

async function read(path: string, follow = true): Promise<string> {
  return Buffer.from(await withFile(openFile(path, { follow }), readWhole)).toString()
}

const changed = { code: 'CHANGED_WHILE_READING', message: /: a link took the place of a folder$/ }

test('a file below a guarded folder is read, and the same file through a link is not', async () => {
  const { served, outside, path } = places('exchanged')
  const link = () => {
    renameSync(join(served, 'deep'), join(served, 'kept'))
    symlinkSync(outside, join(served, 'deep'))
  }
  guardOpens([served])
  assert.equal(await read(path), 'inside')
  link()
  for (const follow of [true, false]) await assert.rejects(read(path, follow), changed)
  assert.throws(() => new OpenFolders(join(served, 'deep/er'), 'it'), changed)
  // What is not guarded may be a link: a lock or a policy that the operator names.
  assert.equal(await read(join(outside, 'er/a')), 'outside')
  rmSync(join(served, 'deep'))
  renameSync(join(served, 'kept'), join(served, 'deep'))
  assert.equal(await read(path), 'inside')
  new OpenFolders(join(served, 'deep/er'), 'it').close()
})

test('a link at the end is refused, also one to a file of the same folder', async () => {
  const { served, path } = places('last')
  symlinkSync('a', join(served, 'deep/er/b'))
  guardOpens([served])
  assert.equal(await read(path), 'inside')
  await assert.rejects(read(join(served, 'deep/er/b')), changed)
})

test('a link that is gone again after the open is noticed by what was opened', () => {
  const { served, outside, path } = places('back')
  guardOpens([served])
  renameSync(join(served, 'deep'), join(served, 'kept'))
  symlinkSync(outside, join(served, 'deep'))
  const fd = openSync(path, 'r')
  rmSync(join(served, 'deep'))
  renameSync(join(served, 'kept'), join(served, 'deep'))
  assert.equal(readFileSync(path, 'utf8'), 'inside')
  assert.throws(() => refuseElsewhere(fd, path, 'it'), changed)
})

test('a folder with a name that begins alike is not guarded', async () => {
  const { served, outside } = places('alike')
  symlinkSync(outside, `${served}-too`)
  guardOpens([served])
  assert.equal(await read(`${served}-too/er/a`), 'outside')
})
