// rlp agent install as a person runs it: what is asked and shown, and how each answer ends.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from '../../src/cli/parse.ts'
import { command } from '../../src/lock/verbs/install.ts'
import { fakeTerminal } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { good, made, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { type Line, scripted } from '../support/scripted-prompter.ts'

const folder = temporary('install-command')
const NAME = 'mini-1.0.0.agent.bundle'
const CAPS = 'net = ["api.example:443"]\n'
const PERMISSION = '  + may reach api.example:443'

function withBundle(name: string): World {
  const here = world(folder(name))
  here.put(NAME, made({ caps: CAPS }, RELEASE))
  return here
}

/** At a terminal, with a person who has these answers; without any, no question may come. */
async function atTerminal(here: World, words: readonly string[], answers: readonly Line[] = []) {
  process.env['RUNLOOP_HOME'] = here.home
  const { terminal, written } = fakeTerminal({
    cwd: here.cwd,
    isTTY: { stdin: true, stdout: true, stderr: true },
  })
  const { prompter, log, left } = scripted(answers)
  const args = parse(command, [...words]) as Parameters<typeof command.run>[0]
  const exit = await command
    .run(args, { ...terminal, color: false }, async () => prompter)
    .catch(({ code }) => code)
  assert.deepEqual(left, [])
  return { exit, log, ...written }
}

const isThere = (here: World, agent = 'mini') => existsSync(join(here.root, `${agent}.agent.bundle`))
const YES: Line = ['Install it?', 'yes']
const NO: Line = ['Install it?', 'no']

describe('a first install at a terminal', () => {
  test('shows what the agent may do with the question, and not again after a yes', async () => {
    const here = withBundle('yes')
    const { exit, stdout, log } = await atTerminal(here, [NAME], [YES])
    assert.equal(exit, 0)
    assert.match(log[0] ?? '', /^# mini 1\.0\.0, trusted: it\n.*may reach api\.example:443$/)
    assert.match(stdout, /^✓ mini 1\.0\.0 installed in\s/)
    assert.ok(!stdout.includes(PERMISSION), stdout)
    assert.ok(isThere(here))
    // An upgrade that may do nothing more asks nothing.
    here.put('c', made({ version: '1.1.0' }, RELEASE))
    assert.equal((await atTerminal(here, ['c'])).exit, 0)
  })

  test('ends with a no as cancelled, and puts nothing in place', async () => {
    const here = withBundle('no')
    const { exit, stdout } = await atTerminal(here, [NAME], [NO])
    assert.deepEqual([exit, stdout, isThere(here)], ['CANCELLED', '', false])
  })

  test('asks nothing with --yes, with --json, or when it is only looked at; then it shows the permissions', async () => {
    const here = withBundle('unasked')
    const dry = await atTerminal(here, [NAME, '--dry-run'])
    assert.deepEqual([dry.exit, isThere(here)], [0, false])
    assert.ok(dry.stdout.includes(PERMISSION), dry.stdout)
    const json = await atTerminal(here, [NAME, '--json'])
    assert.deepEqual([json.exit, JSON.parse(json.stdout).code, isThere(here)], [2, 'NEEDS_ANSWER', false])
    const yes = await atTerminal(here, [NAME, '--yes'])
    assert.deepEqual([yes.exit, isThere(here)], [0, true])
    assert.ok(yes.stdout.includes(PERMISSION), yes.stdout)
  })
})

test('a word to a script: the agent that was installed, and nothing of one that was only looked at', async () => {
  const here = withBundle('quiet')
  const quiet = async (...words: string[]) =>
    (await here.say('agent', 'install', NAME, '--yes', '--quiet', ...words)).stdout
  assert.match(await quiet('--dry-run'), /^✓ mini 1\.0\.0 would be installed/)
  assert.equal(await quiet(), 'mini\n')
})

describe('all that a lock names, at a terminal', () => {
  async function locked(name: string): Promise<World> {
    const here = withBundle(name)
    here.put('other.bundle', made({ name: 'other' }, RELEASE))
    await good(here, 'lock', 'add', NAME)
    await good(here, 'lock', 'add', 'other.bundle', '--expect', 'other')
    return here
  }

  test('each agent has its own question, one after the other, and a no refuses that one', async () => {
    const here = await locked('each')
    const { exit, log, stdout } = await atTerminal(here, ['--locked'], [YES, NO])
    assert.deepEqual([exit, isThere(here), isThere(here, 'other')], [2, true, false])
    assert.deepEqual(
      log.filter(line => line.startsWith('#')).map(line => line.split('\n')[0]),
      ['# mini 1.0.0, trusted: it', '# other 1.0.0, trusted: it'],
    )
    assert.match(stdout, /^✓ mini 1\.0\.0 installed, trusted\n✗ other 1\.0\.0: refused: .*needs a yes\n/)
  })

  test('none is asked about where the lock is named, with --yes, or in a dry run', async () => {
    const here = await locked('unasked')
    for (const words of [
      ['--locked', '--dry-run'],
      ['--lock', 'rlp.lock', '--dry-run'],
    ])
      assert.equal((await atTerminal(here, words)).exit, 0)
    assert.equal(isThere(here), false)
    assert.equal((await atTerminal(here, ['--locked', '--yes'])).exit, 0)
    assert.deepEqual([isThere(here), isThere(here, 'other')], [true, true])
    const again = await locked('named')
    assert.equal((await atTerminal(again, ['--lock', 'rlp.lock'])).exit, 0)
    assert.deepEqual([isThere(again), isThere(again, 'other')], [true, true])
  })

  test('a dry run records nothing, and an install one line for each agent', async () => {
    const here = await locked('recorded')
    const log = join(here.cwd, 'audit.log')
    assert.equal((await atTerminal(here, ['--locked', '--dry-run', '--audit', log])).exit, 0)
    // Nor what is refused.
    here.policy(`[revoked]\n"${RELEASE.anchor}" = { reason = "lost" }\n`)
    for (const words of [['--locked'], [NAME]])
      assert.equal((await atTerminal(here, [...words, '--dry-run', '--audit', log])).exit, 1)
    here.policy()
    assert.equal(existsSync(log), false)
    assert.equal((await atTerminal(here, ['--locked', '--audit', log], [YES, NO])).exit, 2)
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      lines.map(line => JSON.parse(line)).map(({ agent, accepted, codes }) => [agent.name, accepted, codes]),
      [
        ['mini', true, []],
        ['other', false, ['not_confirmed']],
      ],
    )
  })
})

describe('a decision that the audit log does not take', () => {
  test('to refuse is told with the refusal: to people one after the other, to programs as one answer', async () => {
    const here = withBundle('lost-refusal')
    mkdirSync(join(here.cwd, 'log'))
    here.put('stranger.bundle', made({}, STRANGER))
    const words = ['stranger.bundle', '--expect', 'mini', '--audit', 'log']
    const told = await here.say('agent', 'install', ...words)
    assert.equal(told.exit, 3)
    assert.match(told.stderr, /untrusted[\s\S]*Cannot record the decision/)
    const { exit, envelope } = await here.install(...words)
    assert.deepEqual([exit, envelope.code, envelope['verdict']], [3, 'UNRECORDED', 'untrusted'])
    const [reason] = envelope['reasons'] as { code: string }[]
    assert.equal(reason?.code, 'no_counted_signature')
  })

  test('that a bundle may do too much is told with what is wider', async () => {
    const here = withBundle('lost-wider')
    mkdirSync(join(here.cwd, 'log'))
    await good(here, 'agent', 'install', NAME, '--yes')
    here.put('new.bundle', made({ version: '1.1.0', caps: `${CAPS}time = true\n` }, RELEASE))
    const words = ['new.bundle', '--expect', 'mini']
    assert.equal((await here.say('agent', 'install', ...words)).exit, 4)
    const told = await here.say('agent', 'install', ...words, '--audit', 'log')
    assert.equal(told.exit, 3)
    assert.match(told.stderr, /may read the clock[\s\S]*Cannot record the decision/)
  })

  test('that the same bundle is there already is an error too', async () => {
    const here = withBundle('lost-same')
    mkdirSync(join(here.cwd, 'log'))
    await good(here, 'agent', 'install', NAME, '--yes')
    const { exit, envelope } = await here.install(NAME, '--audit', 'log')
    assert.deepEqual([exit, envelope.code, envelope.ok], [3, 'UNRECORDED', false])
  })
})
