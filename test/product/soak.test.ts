// A slice of `npm run soak`: calls of every kind in a row leave nothing behind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { upTo } from '../support/runs.ts'
import { held, SOAK_TOOLS, soak } from '../support/soak.ts'

// Other tests make private folders too.
const folder = temporary('soak')
const POSIX = process.platform === 'win32' ? 'programs are run on POSIX systems only' : false

test('many calls leave neither files nor processes nor folders', { skip: POSIX }, async () => {
  process.env['TMPDIR'] = folder('tmp')
  const kinds = Object.keys(SOAK_TOOLS).length
  await soak(kinds)
  const before = held()
  const times = upTo(3, 20)
  const counted = await soak(times * kinds)
  assert.deepEqual(counted, {
    ok: 5 * times,
    execution_error: 2 * times,
    unavailable: times,
    invalid_args: times,
    timeout: times,
  })
  const { files, children, resources, folders } = held()
  assert.deepEqual(
    { files, children, resources, folders },
    { files: before.files, children: before.children, resources: before.resources, folders: 0 },
  )
})
