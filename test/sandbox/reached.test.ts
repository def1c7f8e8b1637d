// A program that was held and failed: the call says what it could reach, with a command that grants one folder more.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { reachedBy } from '../../src/sandbox/reach.ts'
import { readWords } from '../../src/text/shell-words.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { callHeld } from '../support/held-call.ts'
import { execTool } from '../support/host.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const folder = temporary('reached')
const granted = grantable('reached')

describe('a failed call of a held program', { skip: NO_SANDBOX_HERE }, () => {
  test('says what it could reach; a call that answers does not', async () => {
    const place = granted('notes')
    writeFileSync(join(place, 'today'), 'buy bread\n')
    const program = { command: '/bin/cat', args: [join(place, 'today')] }
    const good = await callHeld(program, { reads: [place] })
    assert.equal(good.envelope.ok, true, JSON.stringify(good.envelope))
    assert.doesNotMatch(good.notes.join('\n'), /held to its grants/)
    const failed = await callHeld(program, { hosts: ['a.example:443'] })
    assert.equal(failed.envelope.ok, false)
    const [reached = '', way = ''] = failed.notes
    assert.match(
      reached,
      /^The program was held to its grants\. Folders that it reads: none; that it writes: none; hosts: a\.example:443\./,
    )
    assert.match(way, new RegExp(`^An argument of the tool names ${place}/today, which is not among them`))
    const grant = `fs_ro:${place}/today --grant`
    assert.ok(way.endsWith(`rlp tool edit AGENT held --capability net:a.example:443,${grant}`), way)
    const mended = await callHeld(program, { reads: [join(place, 'today')] })
    assert.equal(mended.envelope.ok, true, JSON.stringify(mended.envelope))
    const other = await callHeld({ command: '/bin/cat', args: ['/usr/none'] }, { reads: [] })
    assert.match(other.notes.join('\n'), /rlp tool edit AGENT held --capability fs_ro:\/FOLDER --grant$/m)
  })
})

test('without a sandbox nothing was held, and nothing is said', () => {
  const profile = () => {
    throw new Error('no question is expected')
  }
  assert.deepEqual(reachedBy(execTool('/bin/cat', []), [], { by: 'none' }, { profile }), [])
})

test('the command that is named grants one folder more, and keeps what the tool had', async () => {
  const cwd = folder('command')
  mkdirSync(join(cwd, 'agents'), { recursive: true })
  const rlp = async (...args: string[]) => {
    const ran = await run(args, undefined, { cwd })
    assert.equal(ran.exit, 0, ran.stderr)
  }
  await rlp('agent', 'scaffold', 'mini', '--non-interactive')
  const facts = ['--description', 'Shows a note', '--input-schema', 'nothing', '--result-schema', 'anything']
  await rlp(
    'tool',
    'add',
    'mini',
    '--id',
    'a.b',
    '--command',
    '/bin/cat',
    '--capability',
    'time',
    ...facts,
    '--grant',
  )
  const toolsAt = () => JSON.parse(readFileSync(join(cwd, 'agents/mini/tools.json'), 'utf8')).tools[0]
  const { limits } = { limits: { memoryMb: 1, processes: 1, fileMb: 1, openFiles: 1 } }
  const tool = { ...execTool('/bin/cat', [], { id: 'a.b' }), capabilities: toolsAt().capabilities }
  const [, way = ''] = reachedBy(
    tool,
    ['/srv/{{input.x}}'],
    { by: 'bubblewrap' },
    { profile: () => ({ reads: [], writes: [], hosts: [], limits }) },
  )
  const words = readWords(
    way
      .replace(/^.*: rlp /, '')
      .replace('AGENT', 'mini')
      .replace('/FOLDER', '/srv/mail'),
  )
  assert.ok('value' in words)
  await rlp(...words.value)
  assert.deepEqual(toolsAt().capabilities, ['exec:/bin/cat', 'fs_ro:/srv/mail', 'time'])
  assert.match(readFileSync(join(cwd, 'agents/mini/policy.caps'), 'utf8'), /fs_ro = \["\/srv\/mail"\]/)
})

test('a folder that is called says that it was not verified', async () => {
  const cwd = folder('unverified')
  await run(['agent', 'scaffold', 'mini', '--non-interactive'], undefined, { cwd })
  const facts = ['--description', 'Says it', '--input-schema', 'nothing', '--result-schema', 'anything']
  const added = ['tool', 'add', 'mini', '--id', 'a.b', '--command', '/bin/true', ...facts, '--grant']
  assert.equal((await run(added, undefined, { cwd })).exit, 0)
  const call = ['tool', 'call', 'a.b', 'agents/mini', '--unverified', '--dry-run']
  const { stderr, exit } = await run(call, undefined, { cwd })
  assert.equal(exit, 0, stderr)
  assert.match(stderr, /^warning: agents\/mini was not verified$/m)
  assert.doesNotMatch((await run([...call, '--quiet'], undefined, { cwd })).stderr, /verified/)
})
