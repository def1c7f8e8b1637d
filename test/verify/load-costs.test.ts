// What a warm load of the built library allocates, which a busy machine does not change. load-calls.test.ts counts its calls of node:fs.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { loadCosts, loadedFolder } from '../../scripts/bench/load-costs.ts'
import { temporary } from '../support/folder.ts'
import { ROOT } from '../support/lint-fixtures.ts'

const folderFor = temporary('load-costs')

describe('a warm load allocates', () => {
  // As much as now, and a twentieth. The bench has a lower reach for the small one, which is missed.
  for (const [what, tools, most] of [
    ['a small bundle', 2, 280_000],
    ['200 tools', 200, 1_250_000],
  ] as const)
    test(`at most ${most} bytes for ${what}`, () => {
      const folder = loadedFolder(join(folderFor(what), 'agents'), tools)
      const { bytes } = loadCosts(join(ROOT, 'dist'), folder, tools)
      assert.ok(bytes > 100_000 && bytes <= most, `${bytes} bytes`)
    })
})
