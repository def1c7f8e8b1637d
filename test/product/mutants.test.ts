// `npm run mutants` takes too long for every run of the tests. That it can start is asked here: what it names is there.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { staleAmong } from '../../scripts/mutants/left-out.ts'
import { mutantsOf } from '../../scripts/mutants/operators.ts'
import { ROOMS, ROOT, sourceOf } from '../../scripts/mutants/rooms.ts'

describe('what is measured by changes', () => {
  const { verifier, 'first-parts': _, ...rooms } = ROOMS
  const all = Object.values(ROOMS)

  test('is there, and so are the tests that are asked', () => {
    const named = all.flatMap(({ files, tests = [] }) => [
      ...files.map(file => `src/${file}`),
      ...tests.map(name => `test/${name}`),
    ])
    assert.deepEqual(
      named.filter(path => !existsSync(join(ROOT, path))),
      [],
    )
    assert.ok(verifier !== undefined && verifier.tests === undefined)
    for (const [name, { files, tests = [] }] of Object.entries(rooms))
      assert.ok(files.length > 8 && tests.length > 3, name)
  })

  test('leaves out no line that is gone', () => {
    const mutants = all.flatMap(({ files }) => files.flatMap(file => mutantsOf(file, sourceOf(file))))
    assert.deepEqual(staleAmong(mutants), [])
  })
})
