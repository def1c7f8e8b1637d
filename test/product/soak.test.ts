// A slice of `npm run soak`: calls of every kind in a row leave nothing behind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { held, SOAK_TOOLS, soak } from '../support/soak.ts'

// Other tests make private folders too.
const folder = temporary('soak')
const POSIX = process.platform === 'win32' ? 'programs are run on POSIX systems only' : false

test('two hundred calls leave neither files nor processes nor folders', { skip: POSIX }, async () => {
  process.env['TMPDIR'] = folder('tmp')
  const kinds = Object.keys(SOAK_TOOLS).length
  await soak(kinds)
  const before = held()
  const counted = await soak(20 * kinds)
  assert.deepEqual(counted, { ok: 100, execution_error: 40, unavailable: 20, invalid_args: 20, timeout: 20 })
  const { files, children, resources, folders } = held()
  assert.deepEqual(
    { files, children, resources, folders },
    { files: before.files, children: before.children, resources: before.resources, folders: 0 },
  )
})
