// The form in which rlp agent list and rlp tool list print: a table, with a terminal and without one, and JSON with --json.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { good, made, RELEASE, world } from '../support/install-world.ts'

describe('a list', () => {
  const here = world(temporary('tool-list-form')('here'))
  here.put('mini.bundle', made({}, RELEASE))
  const said = (isTTY: boolean, ...args: string[]) => {
    process.env['RUNLOOP_HOME'] = here.home
    return run(args, undefined, {
      cwd: here.cwd,
      env: {},
      isTTY: { stdin: isTTY, stdout: isTTY, stderr: isTTY },
    })
  }
  const lists = [
    ['tool.list', 'tool', 'list', 'mini.bundle', '--expect', 'mini'],
    ['agent.list', 'agent', 'list'],
  ] as const

  test('is a table with a terminal and without one, and JSON with --json', async () => {
    await good(here, 'agent', 'install', 'mini.bundle', '--expect', 'mini', '--yes')
    for (const [tool, ...words] of lists)
      for (const isTTY of [true, false]) {
        const [table, named, json] = [
          await said(isTTY, ...words),
          await said(isTTY, ...words, '--table'),
          await said(isTTY, ...words, '--json'),
        ]
        assert.deepEqual([table.exit, json.exit], [0, 0], table.stderr + json.stderr)
        assert.throws(() => JSON.parse(table.stdout), table.stdout)
        assert.match(table.stdout, /mini/)
        assert.equal(named.stdout, table.stdout)
        assert.equal(JSON.parse(json.stdout).tool, tool)
        const both = await said(isTTY, ...words, '--table', '--json')
        assert.deepEqual([both.exit, JSON.parse(both.stdout).field], [2, 'table'])
      }
  })
})
