// An install that fails between its steps: until the file is swapped all is as it was, and after that the next run does the rest.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Placement, placeBundle } from '../../src/install/place-bundle.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { inRoot } from '../../src/io/root/install-root.ts'
import { readStamp, writeStamp } from '../../src/io/root/own-folder.ts'
import { digestOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE } from '../support/install-world.ts'

const folder = temporary('place-bundle')
const NEW = made({ version: '1.1.0' }, RELEASE)
const NEW_FILES = (await readBundle(NEW, { keep: 'parsed' })).files.list
const STAMP = { fileDigest: '1'.repeat(64), unpacked: false }

/** A root with an installed file and a folder that rlp did not unpack. */
async function rootWith(put: (place: string) => void): Promise<string> {
  const path = folder('root')
  put(join(path, 'mini.agent.bundle'))
  mkdirSync(join(path, 'mini'))
  writeFileSync(join(path, 'mini/precious'), 'x')
  await writeStamp(path, 'mini', STAMP)
  return path
}

/** Places the new file, and says what was recorded on the way and how it ended. */
async function placed(path: string, given: Partial<Placement> = {}) {
  const told: string[] = []
  const tell = (word: string) => async () => void told.push(word)
  const root = { path, label: 'root' }
  const placement: Placement = {
    agent: 'mini',
    archive: {
      label: 'b',
      digest: digestOf(NEW),
      files: NEW_FILES,
      putAt: async place => writeFileSync(place, NEW),
    },
    unpack: false,
    hasFolder: false,
    announce: tell('announce'),
    withdraw: tell('withdraw'),
    settle: tell('settle'),
    ...given,
  }
  const { signal } = new AbortController()
  const failure = await inRoot(root, 'install mini', () => placeBundle(root, placement), signal).then(
    () => undefined,
    (error: unknown) => error,
  )
  return { told, failure, stamp: await readStamp(path, 'mini'), own: readdirSync(join(path, '.rlp')) }
}

const fail = async () => {
  throw new Error('full')
}
const old = (place: string) => writeFileSync(place, 'old')
const fileIn = (path: string) => readFileSync(join(path, 'mini.agent.bundle'))

test('the control: the file is swapped, and a folder of another origin stays', async () => {
  const path = await rootWith(old)
  assert.deepEqual(await placed(path), {
    told: ['announce', 'settle'],
    failure: undefined,
    own: ['stamps'],
    stamp: { fileDigest: digestOf(NEW), unpacked: false },
  })
  assert.deepEqual(fileIn(path), NEW)
  assert.ok(existsSync(join(path, 'mini/precious')))
  const { failure } = await placed(path, { hasFolder: true })
  assert.deepEqual([failure, existsSync(join(path, 'mini'))], [undefined, false])
})

test('a failure before it is announced takes nothing back, and puts the stamp back', async () => {
  const path = await rootWith(old)
  const { told, failure, stamp, own } = await placed(path, { announce: fail })
  assert.deepEqual([told, String(failure), stamp, own], [[], 'Error: full', STAMP, ['stamps']])
  assert.equal(String(fileIn(path)), 'old')
})

test('a file that cannot be swapped takes the announcement back, and puts the stamp back', async () => {
  const path = await rootWith(place => mkdirSync(join(place, 'full'), { recursive: true }))
  const { told, failure, stamp, own } = await placed(path)
  assert.deepEqual([told, stamp, own], [['announce', 'withdraw'], STAMP, ['stamps']])
  assert.match(String(failure), /Cannot put "root\/mini\.agent\.bundle" in place/)
  assert.ok(existsSync(join(path, 'mini.agent.bundle/full')))
})

test('a failure after the swap leaves the new file and its announcement to the next run', async () => {
  const path = await rootWith(old)
  const { told, failure, stamp } = await placed(path, { settle: fail })
  assert.deepEqual([told, String(failure), stamp], [['announce'], 'Error: full', undefined])
  assert.deepEqual(fileIn(path), NEW)
})
