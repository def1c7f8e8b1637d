// What a warm load of the built library allocates, which a busy machine does not change. load-calls.test.ts counts its calls of node:fs.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { loadCosts, loadedFolder, MOST_LARGE, MOST_SMALL } from '../../scripts/bench/load-costs.ts'
import { temporary } from '../support/folder.ts'
import { ROOT } from '../support/lint-fixtures.ts'

const folderFor = temporary('load-costs')

describe('a warm load allocates', () => {
  for (const [what, tools, { bytes: most }] of [
    ['a small bundle', 2, MOST_SMALL],
    ['200 tools', 200, MOST_LARGE],
  ] as const)
    test(`at most ${most} bytes for ${what}`, () => {
      const folder = loadedFolder(join(folderFor(what), 'agents'), tools)
      const { bytes } = loadCosts(join(ROOT, 'dist'), folder, tools)
      assert.ok(bytes > 100_000 && bytes <= most, `${bytes} bytes`)
    })
})
