// What an interrupted run left in a root: a file without a stamp. Only files that the state knows are finished.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { memoryOf, type Recalled, recover } from '../../src/install/recover.ts'
import { inRoot } from '../../src/io/root/install-root.ts'
import { readStamp } from '../../src/io/root/own-folder.ts'
import type { Root } from '../../src/io/root/root-places.ts'
import { digestOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, type World, world } from '../support/install-world.ts'

const folderFor = temporary('recover')
const ONE = made({}, RELEASE)
const DIGEST = digestOf(ONE)

/** A root that holds a bundle, and a folder beside it that no bundle holds. */
function interrupted(bytes: Uint8Array = ONE): Root {
  const path = folderFor('root')
  writeFileSync(join(path, 'mini.agent.bundle'), bytes)
  mkdirSync(join(path, 'mini'))
  writeFileSync(join(path, 'mini/left'), 'x')
  return { path, label: 'root' }
}

/** Recovers, and says what was asked of the memory and what is there afterwards. */
async function recovered(root: Root, recalled: Recalled | undefined, isKnown = true) {
  const asked: string[] = []
  const memory = {
    knows: async (agent: string) => isKnown && agent === 'mini',
    recall: async (agent: string, digest: string) => {
      asked.push(`recall ${agent} ${digest === DIGEST}`)
      return recalled
    },
    settle: async (agent: string, digest: string) => {
      asked.push(`settle ${agent} ${digest === DIGEST}`)
    },
  }
  await inRoot(root, 'install mini', () => recover(root, memory), new AbortController().signal)
  const holds = ['mini/left', 'mini/manifest.toml'].filter(path => existsSync(join(root.path, path)))
  return { asked, holds, stamp: (await readStamp(root.path, 'mini'))?.unpacked }
}

const asked = ['recall mini true', 'settle mini true']

test('a file that was announced with a folder gets it, and its stamp', async () => {
  assert.deepEqual(await recovered(interrupted(), { unpacked: true, hadFolder: false }), {
    asked,
    holds: ['mini/manifest.toml'],
    stamp: true,
  })
})

test('announced without a folder: that of its predecessor goes, and no other does', async () => {
  const both = { asked, stamp: false }
  assert.deepEqual(await recovered(interrupted(), { unpacked: false, hadFolder: true }), {
    ...both,
    holds: [],
  })
  assert.deepEqual(await recovered(interrupted(), { unpacked: false, hadFolder: false }), {
    ...both,
    holds: ['mini/left'],
  })
})

const untouched = { asked: [], holds: ['mini/left'], stamp: undefined }
const known = { unpacked: true, hadFolder: true }

test('a file that the state does not know, or that is no archive, is left as it is', async () => {
  assert.deepEqual(await recovered(interrupted(), undefined), { ...untouched, asked: ['recall mini true'] })
  assert.deepEqual(await recovered(interrupted(), known, false), untouched)
  for (const bytes of [Buffer.from('hello'), gzipSync(ONE)])
    assert.deepEqual(await recovered(interrupted(bytes), known), untouched)
})

test('with its stamp, an install is complete', async () => {
  const root = interrupted()
  await recovered(root, known)
  writeFileSync(join(root.path, 'mini/left'), 'x')
  assert.deepEqual(await recovered(root, known), {
    asked: [],
    holds: ['mini/left', 'mini/manifest.toml'],
    stamp: true,
  })
})

async function installed(here: World, ...flags: string[]): Promise<Root> {
  const { exit } = await here.install(here.put('b', ONE), '--yes', ...flags)
  assert.equal(exit, 0)
  return { path: here.root, label: 'root' }
}

test('what is remembered of an install: its file, and whether it has a folder', async () => {
  for (const flags of [[], ['--no-unpack']]) {
    const here = world(folderFor('memory'))
    const root = await installed(here, ...flags)
    const memory = memoryOf(root, 'mini', here.home)
    const isUnpacked = flags.length === 0
    assert.deepEqual(await memory.recall('mini', DIGEST), { unpacked: isUnpacked, hadFolder: isUnpacked })
    assert.equal(await memory.recall('mini', '0'.repeat(64)), undefined)
    assert.deepEqual([await memory.knows('mini'), await memory.knows('other')], [true, false])
  }
})

test('state that is damaged ends the work on its own agent, and on no other', async () => {
  const here = world(folderFor('damaged'))
  const root = await installed(here)
  rmSync(join(root.path, '.rlp/stamps/mini'))
  const path = join(here.home, 'state/mini.json')
  const state = readFileSync(path)
  writeFileSync(path, '{')
  await assert.rejects(memoryOf(root, 'mini', here.home).knows('mini'), { name: 'RlpError' })
  const other = here.put('other', made({ name: 'other' }, RELEASE))
  assert.equal((await here.install(other, '--yes')).exit, 0)
  assert.equal(await readStamp(root.path, 'mini'), undefined)
  writeFileSync(path, state)
  assert.equal((await here.install(other, '--yes', '--force')).exit, 0)
  assert.deepEqual(await readStamp(root.path, 'mini'), { fileDigest: DIGEST, unpacked: true })
})
