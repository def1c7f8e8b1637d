// One digest for the files of a folder: the same wherever it is, another for any other name or content, and never a failure.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { contentDigest, folderDigest } from '../../../src/io/read/folder-digest.ts'
import { MAX_TEXT_BYTES } from '../../../src/text/decode.ts'
import { temporary } from '../../support/folder.ts'
import { IS_ROOT } from '../../support/run.ts'

const folder = temporary('folder-digest')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function filled(name: string): string {
  const at = folder(name)
  mkdirSync(join(at, 'below'))
  writeFileSync(join(at, 'a.json'), 'one')
  writeFileSync(join(at, 'below/b.json'), 'two')
  return at
}

describe('a folder', () => {
  test('has one digest, wherever it is, and the one that its names and contents give', () => {
    const digest = folderDigest(filled('here'))
    assert.equal(digest, folderDigest(filled('elsewhere')))
    const text = [
      ['a.json', sha256('one')],
      ['below/b.json', sha256('two')],
    ].map(pair => JSON.stringify(pair))
    assert.equal(digest, sha256(text.join('')))
  })
  const changes: Readonly<Record<string, (at: string) => void>> = {
    'another content': at => writeFileSync(join(at, 'a.json'), 'One'),
    'a file more': at => writeFileSync(join(at, 'c'), ''),
    'a file less': at => rmSync(join(at, 'a.json')),
    'another name': at => renameSync(join(at, 'a.json'), join(at, 'A.json')),
    'another folder': at => renameSync(join(at, 'below'), join(at, 'above')),
    'contents that changed places': at => {
      writeFileSync(join(at, 'a.json'), 'two')
      writeFileSync(join(at, 'below/b.json'), 'one')
    },
    'a link that leads nowhere': at => symlinkSync('nowhere', join(at, 'link')),
    'a link to a folder': at => symlinkSync('below', join(at, 'link')),
  }
  const seen = new Set([folderDigest(filled('plain'))])
  for (const [name, change] of Object.entries(changes))
    test(`with ${name} has another`, () => {
      const at = filled(name.replaceAll(' ', '-'))
      change(at)
      const digest = folderDigest(at)
      assert.ok(!seen.has(digest))
      seen.add(digest)
    })
  test('counts the files that fit, by their path in it', () => {
    const at = filled('fits')
    const paths: string[] = []
    const digest = folderDigest(at, path => paths.push(path) > 0 && path === 'a.json')
    assert.deepEqual(paths.sort(), ['a.json', 'below/b.json'])
    assert.notEqual(digest, folderDigest(at))
    rmSync(join(at, 'below'), { recursive: true })
    assert.equal(digest, folderDigest(at))
  })
  test('without a file that counts is as good as none', () => {
    assert.equal(folderDigest(join(folder('none'), 'nothing')), null)
    const at = filled('empty')
    assert.equal(
      folderDigest(at, () => false),
      null,
    )
    rmSync(join(at, 'a.json'))
    rmSync(join(at, 'below/b.json'))
    assert.equal(folderDigest(at), null)
  })
  test('that is a file, or may not be read, has a digest of that', {
    skip: IS_ROOT && 'root reads all',
  }, () => {
    const at = filled('closed')
    const open = folderDigest(at)
    const isFile = folderDigest(join(at, 'a.json'))
    chmodSync(join(at, 'below'), 0)
    const closed = folderDigest(at)
    chmodSync(join(at, 'below'), 0o700)
    assert.equal(new Set([open, isFile, closed, null]).size, 4)
    assert.equal(folderDigest(at), open)
  })
  test('that is a file is not one that is missing', () => {
    const at = filled('file')
    assert.match(folderDigest(join(at, 'a.json')) ?? '', /^[0-9a-f]{64}$/)
  })
})

describe('a file', () => {
  test('has the digest of its bytes', () => {
    const at = filled('bytes')
    assert.equal(contentDigest(join(at, 'a.json')), sha256('one'))
  })
  test('is known by its size from where nothing reads it any more', () => {
    const path = join(folder('large'), 'f')
    writeFileSync(path, '')
    truncateSync(path, MAX_TEXT_BYTES)
    assert.match(String(contentDigest(path)), /^[0-9a-f]{64}$/)
    truncateSync(path, MAX_TEXT_BYTES + 1)
    assert.equal(contentDigest(path), MAX_TEXT_BYTES + 1)
  })
  test('of another kind is not opened', () => {
    const at = folder('special')
    assert.equal(spawnSync('mkfifo', [join(at, 'pipe')]).status, 0)
    assert.equal(contentDigest(join(at, 'pipe')), 'special')
    assert.equal(contentDigest(at), 'special')
    assert.equal(contentDigest(join(at, 'nothing')), 'ENOENT')
    symlinkSync('loop', join(at, 'loop'))
    assert.equal(contentDigest(join(at, 'loop')), 'ELOOP')
  })
})
