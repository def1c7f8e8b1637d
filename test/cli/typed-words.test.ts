// Words that people type at a question on a real terminal: only yes is yes, and a line that came too early is no answer.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { good, made, RELEASE, world } from '../support/install-world.ts'
import { missing } from '../support/needs.ts'
import { IN_CI } from '../support/runs.ts'
import { typing } from '../support/typing.ts'

const folder = temporary('typed-words')

interface Typed {
  readonly ahead?: string
  readonly line: string
}

/** Installs an agent for each person, who then removes it and answers the question. */
async function uninstalling(people: Readonly<Record<string, Typed>>) {
  const worlds = []
  for (const [at, [name, typed]] of Object.entries(people).entries()) {
    // By day one kind of terminal for each person.
    for (const TERM of IN_CI ? ['xterm', 'dumb'] : [at % 2 === 0 ? 'xterm' : 'dumb']) {
      const here = world(folder(`${TERM}-${name}`))
      here.policy()
      await good(here, 'agent', 'install', here.put('b', made({}, RELEASE)), '--yes')
      worlds.push({ here, TERM, typed })
    }
  }
  return Promise.all(
    worlds.map(async ({ here, TERM, typed: { ahead = '', line } }) => {
      const { shown, exit } = await typing(['agent', 'uninstall', 'mini'], {
        cwd: here.cwd,
        env: { RUNLOOP_HOME: here.home, TERM },
        ahead,
        lines: [['Remove mini', line]],
      })
      return { isThere: existsSync(join(here.root, 'mini.agent.bundle')), shown, exit, line }
    }),
  )
}

describe('a question on a terminal, also on a dumb one', { skip: missing('python3') }, () => {
  test('yes is yes', async () => {
    for (const { isThere, shown, exit } of await uninstalling({
      yes: { line: ' Yes ' },
      late: { ahead: 'no\r', line: 'y' },
    }))
      assert.deepEqual([isThere, exit], [false, 0], shown)
  })

  test('a word that only begins like yes or moves a cursor elsewhere is no, and this is said', async () => {
    const people = { nah: { line: 'nah' }, later: { line: 'later' }, command: { line: 'ls -lh' } }
    for (const { isThere, shown, exit, line } of await uninstalling(people)) {
      assert.deepEqual([isThere, exit], [true, 130], shown)
      assert.match(shown, new RegExp(`"${line}" is not yes`))
    }
  })

  test('what was typed before the question was shown is no answer, nor the beginning of one', async () => {
    const people = {
      line: { ahead: 'y\r', line: '' },
      lines: { ahead: 'y\ryes\r', line: '' },
      beginning: { ahead: 'ye', line: 's' },
    }
    for (const { isThere, shown, exit } of await uninstalling(people))
      assert.deepEqual([isThere, exit], [true, 130], shown)
  })
})
