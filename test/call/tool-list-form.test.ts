// In which form rlp tool list prints: a table on a terminal, JSON in a pipe, and the one that is asked for.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'

describe('tool list', () => {
  const here = world(temporary('tool-list-form')('here'))
  here.put('mini.bundle', made({}, RELEASE))
  const list = (isTTY: boolean, ...args: string[]) => {
    process.env['RUNLOOP_HOME'] = here.home
    return run(['tool', 'list', 'mini.bundle', '--expect', 'mini', ...args], undefined, {
      cwd: here.cwd,
      env: {},
      isTTY: { stdin: isTTY, stdout: isTTY, stderr: isTTY },
    })
  }

  test('is a table on a terminal, and JSON in a pipe', async () => {
    const [terminal, pipe] = [await list(true), await list(false)]
    assert.deepEqual([terminal.exit, pipe.exit], [0, 0], terminal.stderr + pipe.stderr)
    assert.equal(JSON.parse(pipe.stdout).tool, 'tool.list')
    assert.throws(() => JSON.parse(terminal.stdout), terminal.stdout)
    assert.notEqual(terminal.stdout, '')
  })

  test('is in a pipe a table with --table, on a terminal JSON with --json, and both are refused', async () => {
    const [table, json] = [await list(false, '--table'), await list(true, '--json')]
    assert.throws(() => JSON.parse(table.stdout), table.stdout)
    assert.match(table.stdout, /mini/)
    assert.equal(JSON.parse(json.stdout).tool, 'tool.list')
    for (const isTTY of [true, false]) {
      const both = await list(isTTY, '--table', '--json')
      assert.deepEqual([both.exit, JSON.parse(both.stdout).field], [2, 'table'])
    }
  })
})
