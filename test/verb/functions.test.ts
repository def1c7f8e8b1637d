// The functions of the library are those that the verbs declare, with the types that their inputs imply.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { ROOT } from '../support/lint-fixtures.ts'

test('src/library/generated/ is what the verbs imply', () => {
  const args = ['--import', 'tsx', 'scripts/list-functions.ts', '--check']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  assert.equal(stderr, '')
  assert.equal(status, 0)
})
