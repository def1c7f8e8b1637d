// The public loader of agentcli's tools.json: paths and texts, its own errors, and both kinds of path rules on every machine.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { AgentcliLoadError, loadAgentcliTools, RlpError } from '../../src/library/generated/convert.ts'
import { temporary } from '../support/folder.ts'

const folderFor = temporary('load-agentcli')
const TEXT = JSON.stringify({
  tools: [
    {
      name: 'clock',
      description: 'Tells the time <now>.',
      schema: { type: 'object', minimum: 1.0 },
      command: ['./tools/bin/clock', '--utc'],
      timeoutSec: 5,
      envPassthrough: ['tz', 'TZ'],
    },
  ],
})
const on = (platform: 'posix' | 'win32', directory: string, text = TEXT) =>
  loadAgentcliTools({ text, directory, platform })

/** The exact text with which agentcli would stop. */
async function reasonOf(text: string, platform: 'posix' | 'win32' = 'posix'): Promise<string> {
  try {
    await on(platform, platform === 'posix' ? '/srv' : 'C:\\srv', text)
  } catch (error) {
    assert.ok(error instanceof AgentcliLoadError && error instanceof RlpError)
    assert.equal(error.message, `Cannot load "tools.json": ${error.reason}`)
    return error.reason
  }
  return 'loads'
}

test('a path, relative or not: programs are below its folder, wherever the process is', async () => {
  const folder = folderFor('path')
  const path = join(folder, 'tools.json')
  writeFileSync(path, TEXT)
  for (const source of [path, relative(process.cwd(), path)]) {
    const { tools } = await loadAgentcliTools(source)
    assert.deepEqual(tools[0]?.command, [join(folder, 'tools/bin/clock'), '--utc'])
  }
})

test('a text with its folder, by the path rules of both kinds of host', async () => {
  const [posix] = (await on('posix', '/srv')).tools
  const [windows] = (await on('win32', 'C:\\srv')).tools
  assert.deepEqual(posix?.command, ['/srv/tools/bin/clock', '--utc'])
  assert.deepEqual(windows?.command, ['C:\\srv\\tools\\bin\\clock', '--utc'])
  assert.deepEqual(posix?.envPassthrough, ['TZ'])
  const program = (command: string) => JSON.stringify({ tools: [{ name: 'a', command: [command] }] })
  const relativeOnly = 'tool[0] "a": relative command[0] must start with ./tools/bin/'
  assert.equal(await reasonOf(program('/usr/bin/env')), 'loads')
  assert.equal(await reasonOf(program('/usr/bin/env'), 'win32'), relativeOnly)
  assert.equal(await reasonOf(program('C:\\x.exe'), 'win32'), 'loads')
  assert.equal(await reasonOf(program('C:\\x.exe')), relativeOnly)
})

test('the list for OpenAI, as values and in agentcli’s own bytes', async () => {
  const text = TEXT.replace('"minimum":1', '"minimum":1.0')
  const { openAi, openAiJson } = await on('posix', '/srv', text)
  assert.deepEqual(openAi, [
    {
      type: 'function',
      function: {
        name: 'clock',
        description: 'Tells the time <now>.',
        parameters: { type: 'object', minimum: 1 },
      },
    },
  ])
  assert.equal(
    openAiJson,
    '[{"type":"function","function":{"name":"clock","description":"Tells the time \\u003cnow\\u003e.","parameters":{"type":"object","minimum":1.0}}}]',
  )
})

test('bytes, and documents without tools', async () => {
  const bytes = await loadAgentcliTools({
    text: new TextEncoder().encode(TEXT),
    directory: '/srv',
    platform: 'posix',
  })
  assert.equal(bytes.tools.length, 1)
  for (const text of ['{}', '{"tools":null}', '{"TOOLS":[]}']) {
    assert.deepEqual((await on('posix', '/srv', text)).tools, [])
  }
})

test('errors are agentcli’s own, with the place', async () => {
  const entry = (entry: object) => JSON.stringify({ tools: [entry] })
  for (const [text, reason] of [
    [entry({ name: '' }), 'tool[0]: name is required'],
    [entry({ name: 'a', command: [] }), 'tool[0] "a": command must have at least program name'],
    [
      entry({ name: 'a', command: ['/x'], envPassthrough: [' '] }),
      'tool[0] "a": envPassthrough[0]: empty name',
    ],
    [
      entry({ name: 'a', command: ['/x'], envPassthrough: ['ß'] }),
      'tool[0] "a": envPassthrough[0]: invalid name "ß" (must match [A-Z_][A-Z0-9_]*)',
    ],
    [
      entry({ name: 'a', command: ['../x'] }),
      `tool[0] "a": command[0] must not start with '..' or escape tools/bin (got "../x")`,
    ],
    [
      entry({ name: 'a', command: ['./tools/bin/../../x'] }),
      'tool[0] "a": command[0] escapes ./tools/bin after normalization (got "./tools/bin/../../x" -> "x")',
    ],
  ] as const) {
    assert.equal(await reasonOf(text), reason)
  }
  assert.match(await reasonOf('['), /^parse manifest: ./)
  await assert.rejects(on('posix', '/srv', entry({ name: 'a', command: [1] })), {
    at: ['tools', 0, 'command', 0],
  })
})

test('what cannot be read, is no file, or is too large', async () => {
  const folder = folderFor('unreadable')
  mkdirSync(join(folder, 'tools.json'))
  const reject = (path: string, code: string, reason: RegExp) =>
    assert.rejects(loadAgentcliTools(path), (error: AgentcliLoadError) => {
      assert.ok(error instanceof AgentcliLoadError)
      assert.equal(error.code, code)
      assert.match(error.reason, reason)
      return true
    })
  await reject(join(folder, 'nothing.json'), 'NOT_FOUND', /^read manifest: ./)
  await reject(join(folder, 'tools.json'), 'WRONG_FILE_TYPE', /^read manifest: ./)
  const large = join(folder, 'large.json')
  writeFileSync(large, `{"tools":[]}${' '.repeat(16 * 1024 * 1024)}`)
  await reject(large, 'LINT_FAILED', /^parse manifest: the file is larger than/)
  assert.match(await reasonOf(' '.repeat(16 * 1024 * 1024 + 1)), /^parse manifest: the file is larger than/)
})

test('a folder that is not absolute is a mistake of the caller', async () => {
  for (const [platform, directory] of [
    ['posix', 'srv'],
    ['posix', 'C:\\srv'],
    ['win32', 'srv'],
  ] as const) {
    await assert.rejects(on(platform, directory), { code: 'USAGE' })
  }
})

test('how long a call may take: the tool says it, then the flags, then 30 seconds', async () => {
  const { tools, secondsOf } = await loadAgentcliTools({
    text: '{"tools":[{"name":"a","command":["/a"],"timeoutSec":7},{"name":"b","command":["/b"]}]}',
    directory: '/opt',
    platform: 'posix',
  })
  const [a, b] = tools
  assert.ok(a !== undefined && b !== undefined)
  const flags = [undefined, { timeoutSec: 5 }, { timeoutSec: 5, toolTimeoutSec: 9 }, { toolTimeoutSec: 0 }]
  assert.deepEqual(
    flags.map(given => secondsOf(a, given)),
    [7, 7, 7, 7],
  )
  assert.deepEqual(
    flags.map(given => secondsOf(b, given)),
    [30, 5, 9, 30],
  )
})
