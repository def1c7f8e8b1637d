// Every command that reads a list of strangers takes time in proportion to it: what is attached to a stored bundle, tags, locks, audit logs,
// reports, and the layers of a channel. The measure is that of growth.test.ts.
import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { preferNative } from '../../src/bundle/blake3.ts'
import { REGISTRY } from '../../src/cli/commands.ts'
import type { Line } from '../support/bundle-commands.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { growthFrom, MOST } from '../support/growth.ts'
import { LIST_SHAPES, type ListShape, prepareHome } from '../support/list-shapes.ts'
import { IN_CI, slice } from '../support/runs.ts'

await preferNative()
const folderFor = temporary('growth-lists')

async function call(folder: string, line: Pick<Line, 'args' | 'exits' | 'input'>): Promise<string> {
  const { exits = [0], input } = line
  const pin = join(folder, 'pin')
  const args = line.args.map(word => (word === '{pin}' && existsSync(pin) ? readFileSync(pin, 'utf8') : word))
  process.env['RUNLOOP_HOME'] = join(folder, 'home')
  const io = { ...(input !== undefined && { input }), cwd: folder, env: { NO_COLOR: '1' } }
  const { exit, stdout, stderr } = await run(args, undefined, io)
  assert.ok(exits.includes(exit), `rlp ${args.join(' ')}: ${exit}\n${stderr}`)
  return stdout
}

const folders = new Map<string, string>()

/** A folder with a list, which no command has changed. */
async function folderOf(name: string, shape: ListShape, size: number): Promise<string> {
  const key = `${name} ${size}`
  const known = folders.get(key) ?? folderFor(key)
  if (!folders.has(key)) {
    prepareHome(known)
    await shape.prepare(known, size, (...args) => call(known, { args, exits: [0, 1] }))
    folders.set(key, known)
  }
  const copy = folderFor(key)
  cpSync(known, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

async function preparedFor(line: Line, name: string, shape: ListShape, size: number) {
  const folder = await folderOf(name, shape, size)
  for (const args of line.before ?? []) await call(folder, { args })
  return () => call(folder, line)
}

const CASES = Object.entries(LIST_SHAPES).flatMap(([name, shape]) =>
  shape.lines.map(line => ({ name, shape, line, command: commandOf(line) })),
)

function commandOf({ args }: Line): string {
  const [found] = REGISTRY.commands.filter(({ name }) => `${args.join(' ')} `.startsWith(`${name} `))
  return found?.name ?? assert.fail(args.join(' '))
}

/** Why the other commands read no such list. */
const READ_NONE: Readonly<Record<string, readonly string[]>> = {
  'a bundle or an agent on disk alone': [
    ...[
      'agent scaffold',
      'agent init',
      'agent version',
      'agent dev',
      'agent test',
      'agent lint',
      'agent digest',
    ],
    ...['agent pack', 'agent attest', 'agent provenance', 'agent uninstall', 'caps show'],
    ...['tool add', 'tool edit', 'tool remove', 'tool import', 'tool check-result'],
  ],
  'a stored bundle as agent verify does, then its tools': [
    'agent run',
    'tool call',
    'tool serve',
    'tool replay',
  ],
  'lines of reports, each by itself': ['report merge'],
  'files of this user': [
    ...['key generate', 'key import', 'key list', 'key show', 'login', 'logout', 'doctor', 'completion'],
    ...[
      'trust list',
      'trust remove',
      'trust group',
      'trust require',
      'trust floor',
      'trust reset',
      'trust diff',
    ],
    ...['trust test', 'trust status', 'trust unfollow'],
  ],
  'a channel in the folder of the people who publish it': [
    ...['channel init', 'channel release', 'channel rotate', 'channel sign', 'channel heartbeat'],
    ...['channel status', 'channel push'],
  ],
}

test('every command has lines that are measured, or reads no such list', () => {
  const named = [...new Set(CASES.map(({ command }) => command)), ...Object.values(READ_NONE).flat()]
  assert.deepEqual(named.sort(), REGISTRY.commands.map(({ name }) => name).sort())
})

/** What grew with the square once. */
const ONCE = [
  'agent verify oci-layout:store:1.0.0',
  'agent copy oci-layout:store:1.0.0 oci-layout:copied',
  'agent verify copies --since report.ndjson --format ndjson',
]

describe('a list twice as long', () => {
  const isOnce = ({ line }: (typeof CASES)[number]) => ONCE.includes(line.args.join(' '))
  const chosen = new Set([...CASES.filter(isOnce), ...slice(CASES, IN_CI ? 1 : 20, ({ name }) => name)])
  const warm = new Set<Line>()
  for (const { name, shape, line } of chosen)
    test(`${line.args.join(' ')}: ${name}`, async () => {
      // Once for what is made once: modules, tables, compiled expressions.
      if (!warm.has(line)) await (await preparedFor(line, name, shape, shape.size))()
      warm.add(line)
      const found = await growthFrom(size => preparedFor(line, name, shape, size), shape)
      assert.ok(found <= MOST, `a list twice as long takes ${found.toFixed(2)} times the steps`)
    })
})
