// Folders that another user swaps for links while a tree is read: the files of the tree, or a refusal; never what a link leads to.
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type FolderReach, OpenFolders } from '../../src/io/read/open-folders.ts'
import { type ReadTreeOptions, readTree } from '../../src/io/read/read-tree.ts'
import { writeTree } from '../../src/io/write/new-files.ts'
import { RlpError } from '../../src/library/generated/index.ts'
import { temporary } from '../support/folder.ts'

const folderFor = temporary('swapped')
const POSIX = { skip: process.platform === 'win32' && 'needs links that any user may make' }
const PRIVATE = 'PRIVATE'
const LARGE = Buffer.alloc(200_000, 'x')

/** Files two folders deep; and a folder of the same shape, whose content must never be read. */
function start(name: string): { tree: string; theirs: string } {
  const here = folderFor(name)
  const [tree, theirs] = [join(here, 'tree'), join(here, 'private')]
  for (const [root, content] of [
    [tree, 'public!'],
    [theirs, PRIVATE],
  ] as const) {
    mkdirSync(join(root, 'outer/inner'), { recursive: true })
    for (const path of ['a.md', 'outer/b.md', 'outer/inner/c.md']) writeFileSync(join(root, path), content)
    writeFileSync(
      join(root, 'outer/inner/large'),
      root === tree ? LARGE : Buffer.alloc(LARGE.length, PRIVATE),
    )
  }
  return { tree, theirs }
}

/** Looked at between any two steps of reading: the moment to swap. `at` counts them. */
function signalThat(swap: () => void, at: number): { signal: AbortSignal; looks: () => number } {
  let looks = 0
  const signal = new AbortController().signal
  Object.defineProperty(signal, 'aborted', {
    get() {
      if (looks++ === at) swap()
      return false
    },
  })
  return { signal, looks: () => looks }
}

function swapFor(link: string, target: string): void {
  renameSync(link, `${link}.away`)
  symlinkSync(target, link)
}

/** Everything that was handed out: kept content, and what is read later. */
async function contentsOf(tree: string, options: Partial<ReadTreeOptions>): Promise<string> {
  const files = await readTree(tree, 'tree', { as: 'source', digest: 'all', ...options })
  let all = ''
  for (const { path, digest } of files.list) {
    all += `${path} ${digest ?? ''} `
    for await (const chunk of files.open(path)) all += Buffer.from(chunk).toString('latin1')
  }
  return all
}

const REACHES: readonly FolderReach[] = process.platform === 'linux' ? ['handles', 'names'] : ['names']

for (const reach of REACHES) {
  describe(`a folder that becomes a link, reached by ${reach}`, POSIX, () => {
    test('as it is, it is read; a link that was there before is not followed', async () => {
      const { tree, theirs } = start('control')
      assert.match(await contentsOf(tree, { reach }), /public!/)
      symlinkSync(theirs, join(tree, 'link'))
      const files = await readTree(tree, 'tree', { as: 'source', digest: 'all', reach })
      assert.deepEqual(
        files.oddities.map(({ path, what }) => `${path} ${what}`),
        ['link link'],
      )
      assert.equal(files.list.length, 4)
    })

    for (const [level, below] of [
      ['the folder itself', ''],
      ['an outer folder', 'outer'],
      ['an inner folder', 'outer/inner'],
    ] as const) {
      for (const digest of ['all', 'held'] as const) {
        test(`${level}, at every moment (${digest})`, async () => {
          const outcomes = new Set<string>()
          for (let at = 0; ; at++) {
            const { tree, theirs } = start(`${level} ${at}`)
            const { signal, looks } = signalThat(() => swapFor(join(tree, below), join(theirs, below)), at)
            try {
              const all = await contentsOf(tree, { reach, digest, signal })
              assert.ok(!all.includes(PRIVATE), `${all.slice(0, 60)} at look ${at}`)
              outcomes.add('read')
            } catch (error) {
              if (!(error instanceof RlpError)) throw error
              assert.equal(error.code, 'CHANGED_WHILE_READING', error.message)
              outcomes.add('refused')
            }
            if (looks() <= at) break
          }
          // The last look was never reached: nothing was swapped.
          assert.ok(outcomes.has('read'))
          // What is read later has to be in the same folder.
          assert.ok(outcomes.has('refused'))
        })
      }
    }

    test('a file that is swapped for a link, after its folder was listed', async () => {
      const { tree, theirs } = start('file')
      const way = new OpenFolders(tree, 'tree', reach)
      const file = await way.open('outer/b.md', 'b')
      file.handle.close()
      swapFor(join(tree, 'outer/b.md'), join(theirs, 'outer/b.md'))
      await assert.rejects(way.open('outer/b.md', 'b'), /Cannot read "b": it is a symbolic link/)
      unlinkSync(join(tree, 'outer/b.md'))
      await assert.rejects(way.open('outer/b.md', 'b'), /no such file/)
      way.close()
    })
  })
}

test('files that are written into a folder that is there: no link leads them out of it', POSIX, async () => {
  const files = new Map(
    ['new.md', 'outer/b.md', 'outer/inner/c.md', 'more/d.md'].map(path => [path, 'written']),
  )
  const outcomes = new Set<string>()
  for (let at = 0; ; at++) {
    const { tree, theirs } = start(`write ${at}`)
    const { signal, looks } = signalThat(() => swapFor(join(tree, 'outer'), join(theirs, 'outer')), at)
    try {
      assert.deepEqual(await writeTree(tree, files, { force: true, signal }), [
        'outer/b.md',
        'outer/inner/c.md',
      ])
      outcomes.add('written')
    } catch (error) {
      if (!(error instanceof RlpError)) throw error
      assert.match(error.message, /outer": a link, a file or another folder took its place/)
      outcomes.add('refused')
    }
    for (const path of ['outer/b.md', 'outer/inner/c.md'])
      assert.equal(readFileSync(join(theirs, path), 'utf8'), PRIVATE, `${path} at look ${at}`)
    if (looks() <= at) break
  }
  assert.deepEqual([...outcomes], ['refused', 'written'])
})

test('a way through an open folder holds when its name leads elsewhere', POSIX, () => {
  if (!existsSync('/proc/self/fd')) return
  const { tree, theirs } = start('held')
  const way = new OpenFolders(tree, 'tree')
  const inner = way.at('outer/inner')
  swapFor(join(tree, 'outer'), join(theirs, 'outer'))
  assert.equal(readFileSync(`${inner}c.md`, 'utf8'), 'public!')
  assert.equal(readFileSync(join(tree, 'outer/inner/c.md'), 'utf8'), PRIVATE)
  // What was not opened yet is refused, in words that say which folder.
  assert.throws(() => {
    way.at('')
    way.at('outer')
  }, /Cannot read "tree\/outer": a link, a file or another folder took its place/)
  way.close()
})
