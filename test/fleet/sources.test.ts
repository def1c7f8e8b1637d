// A list of bundles: giving up ends all of it, and is no problem of a line.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listedIn } from '../../src/fleet/sources.ts'
import type { FleetTask } from '../../src/fleet/task.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('sources')

test('a list that is given up ends there', async () => {
  const cwd = folder('list')
  writeFileSync(join(cwd, 'list'), 'none/a\nnone/b\nd\nnone/c\n')
  mkdirSync(join(cwd, 'd'))
  for (const name of ['a', 'b']) writeFileSync(join(cwd, 'd', `${name}-1.0.0.agent.bundle`), '')
  const stop = new AbortController()
  const setting = { cwd, env: {}, signal: stop.signal, stdin: () => [] as never }
  const options = { root: undefined, expect: 'any', nul: false } as unknown as Parameters<typeof listedIn>[1]
  const tasks: FleetTask[] = []
  const reading = async () => {
    for await (const task of listedIn(join(cwd, 'list'), options, [] as never, setting)) {
      tasks.push(task)
      if (tasks.length === 2) stop.abort()
    }
  }
  await assert.rejects(reading(), { code: 'CANCELLED' })
  assert.deepEqual(
    tasks.map(({ label }) => label),
    ['none/a', 'none/b'],
  )
})
