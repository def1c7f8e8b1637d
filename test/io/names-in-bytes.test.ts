// Names that are no text: Linux allows any bytes, and Node reads U+FFFD in their place.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTree } from '../../src/io/read/read-tree.ts'
import { RlpError } from '../../src/model/error.ts'
import { temporary } from '../support/folder.ts'

const folderFor = temporary('names-in-bytes')
const skip = process.platform !== 'linux' && 'names are text there'

function folderWith(patterns: string, as: 'file' | 'folder'): string {
  const root = folderFor('agent')
  writeFileSync(join(root, 'plain'), 'x')
  writeFileSync(join(root, '.bundleignore'), patterns)
  const path = Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xff])])
  if (as === 'folder') mkdirSync(path)
  else writeFileSync(path, 'x')
  return root
}

for (const kind of ['file', 'folder'] as const) {
  for (const as of ['source', 'as-it-stands'] as const)
    test(`a ${kind} whose name is not UTF-8 is refused by name, read ${as}`, { skip }, async () => {
      await assert.rejects(readTree(folderWith('b*\n', kind), 'agent', { as, digest: 'all' }), error => {
        assert.ok(error instanceof RlpError)
        assert.equal(error.message, 'Cannot read "agent/a\ufffd": its name is not UTF-8, or has U+FFFD')
        return true
      })
    })
  test(`and not a ${kind} that .bundleignore leaves out`, { skip }, async () => {
    const files = await readTree(folderWith('a*\n', kind), 'agent', { as: 'source', digest: 'all' })
    assert.deepEqual(
      files.list.map(({ path }) => path),
      ['plain'],
    )
  })
}
