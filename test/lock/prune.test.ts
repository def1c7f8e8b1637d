// What install --prune removes, and when it removes nothing.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from '../../src/cli/parse.ts'
import { command } from '../../src/lock/verbs/install.ts'
import { fakeTerminal } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { contents, good, made, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { scripted } from '../support/scripted-prompter.ts'

const folder = temporary('prune')
const file = (agent: string) => `${agent}-1.0.0.agent.bundle`

/** Bundles, and a lock that names all of them. */
async function locked(name: string, agents: readonly string[], lock = 'mail'): Promise<World> {
  const here = world(folder(name))
  await add(here, agents, lock)
  return here
}

async function add(here: World, agents: readonly string[], lock = 'mail'): Promise<void> {
  for (const agent of agents) here.put(file(agent), made({ name: agent }, RELEASE))
  await good(here, 'lock', 'add', ...agents.map(file), '--lock', `${lock}.lock`, '--name', lock)
}

const drop = (here: World, agents: readonly string[], lock = 'mail') =>
  good(here, 'lock', 'remove', ...agents, '--lock', `${lock}.lock`)

interface Pruned {
  readonly removed: readonly { readonly agent: string; readonly lock: string }[]
  readonly kept: readonly { readonly agent: string }[]
  readonly failed: readonly { readonly code: string; readonly message: string }[]
}

async function prune(here: World, ...words: string[]) {
  const locks = words.includes('--lock') ? [] : ['--lock', 'mail.lock']
  const { exit, envelope } = await here.rlp('agent', 'install', ...locks, '--prune', '--yes', ...words)
  const gone = envelope.result?.['prune'] as Pruned | undefined
  return {
    exit,
    envelope,
    message: gone?.failed[0]?.message ?? envelope.message,
    removed: gone?.removed.map(({ agent }) => agent),
    kept: gone?.kept.map(({ agent }) => agent),
  }
}

const isThere = (here: World, agent: string) => existsSync(join(here.root, `${agent}.agent.bundle`))

describe('an agent that the lock names no more', () => {
  test('is removed with its folder, at last, and its mark stays', async () => {
    const here = await locked('removed', ['alpha', 'beta', 'gamma'])
    assert.deepEqual((await prune(here)).removed, [])
    assert.ok(isThere(here, 'gamma'))
    await drop(here, ['gamma'])
    const shown = await prune(here, '--dry-run')
    assert.deepEqual([shown.exit, shown.removed, shown.envelope.result?.['changed']], [0, ['gamma'], true])
    assert.ok(isThere(here, 'gamma'))
    assert.deepEqual((await good(here, 'agent', 'install', '--lock', 'mail.lock'))['changed'], false)
    assert.ok(isThere(here, 'gamma'))
    const { exit, removed } = await prune(here)
    assert.deepEqual([exit, removed], [0, ['gamma']])
    assert.deepEqual([isThere(here, 'gamma'), existsSync(join(here.root, 'gamma'))], [false, false])
    assert.ok(isThere(here, 'alpha') && isThere(here, 'beta'))
    assert.equal(here.state('gamma').marks[0]?.version, '1.0.0')
    const again = await prune(here)
    assert.deepEqual([again.exit, again.removed, again.envelope.result?.['changed']], [0, [], false])
  })

  test('stays if a person has installed it, also over what the lock had put there', async () => {
    const here = await locked('by-hand', ['alpha', 'beta', 'gamma', 'delta', 'epsilon'])
    // Before the lock: it only finds it there.
    await good(here, 'agent', 'install', file('alpha'), '--yes')
    await prune(here)
    // The very file that the lock has put there.
    await good(here, 'agent', 'install', file('beta'))
    const rows = (await good(here, 'agent', 'list'))['agents'] as { name: string; lock: string | null }[]
    const by = { alpha: null, beta: null, delta: 'mail', epsilon: 'mail', gamma: 'mail' }
    assert.deepEqual(Object.fromEntries(rows.map(({ name, lock }) => [name, lock])), by)
    await drop(here, ['alpha', 'beta', 'gamma'])
    assert.deepEqual((await prune(here, '--allow-prune-all')).removed, ['gamma'])
    assert.ok(isThere(here, 'alpha') && isThere(here, 'beta'))
  })

  test('stays, and is named, if its file is not the one that the lock has put there', async () => {
    const here = await locked('copied', ['alpha', 'beta', 'gamma'])
    await prune(here)
    copyFileSync(join(here.cwd, file('alpha')), join(here.root, 'gamma.agent.bundle'))
    await drop(here, ['gamma'])
    const { exit, removed, kept } = await prune(here)
    assert.deepEqual([exit, removed, kept], [0, [], ['gamma']])
    assert.match(
      (await here.say('agent', 'install', '--lock', 'mail.lock', '--prune', '--yes')).stderr,
      /gamma stays: its file/,
    )
  })

  test('of another lock stays, and so does one that another given lock names', async () => {
    const here = await locked('two', ['alpha', 'beta', 'gamma'])
    await add(here, ['one', 'two', 'three'], 'sales')
    const both = ['--lock', 'mail.lock', '--lock', 'sales.lock'] as const
    await prune(here, ...both)
    await drop(here, ['gamma'])
    await drop(here, ['three'], 'sales')
    assert.deepEqual((await prune(here)).removed, ['gamma'])
    assert.ok(isThere(here, 'three'))
    // It moved from one lock to the other.
    await drop(here, ['one'], 'sales')
    await add(here, ['one'], 'mail')
    assert.deepEqual((await prune(here, ...both)).removed, ['three'])
    assert.ok(isThere(here, 'one'))
  })

  test('of another root stays', async () => {
    const here = await locked('roots', ['alpha', 'beta', 'gamma'])
    await prune(here)
    await prune(here, '--root', 'other')
    await drop(here, ['gamma'])
    assert.deepEqual((await prune(here, '--root', 'other')).removed, ['gamma'])
    assert.ok(isThere(here, 'gamma'))
  })
})

describe('nothing is removed', () => {
  test('unless every agent of every lock is there and trusted', async () => {
    const here = await locked('refused', ['alpha', 'beta', 'gamma', 'delta'])
    await prune(here)
    await drop(here, ['gamma'])
    here.put(file('beta'), made({ name: 'beta', version: '1.0.0' }, STRANGER))
    rmSync(join(here.root, 'beta.agent.bundle'))
    const { exit, removed } = await prune(here)
    assert.deepEqual([exit, removed], [1, []])
    const told = await here.say('agent', 'install', '--lock', 'mail.lock', '--prune', '--yes')
    assert.match(told.stderr, /nothing is removed: not every agent of the locks is there and trusted/)
    rmSync(join(here.cwd, file('beta')))
    const unread = await prune(here)
    assert.deepEqual([unread.exit, unread.removed], [3, []])
    assert.ok(isThere(here, 'gamma'))
    here.put(file('beta'), made({ name: 'beta' }, RELEASE))
    assert.deepEqual((await prune(here)).removed, ['gamma'])
  })

  test('without a name, without --lock, or with one bundle', async () => {
    const here = await locked('usage', ['alpha', 'beta'])
    await good(here, 'lock', 'add', file('alpha'))
    for (const words of [
      ['--lock', 'rlp.lock', '--prune'],
      ['--lock', 'mail.lock', '--lock', 'rlp.lock', '--prune'],
      ['--locked', '--prune'],
      [file('alpha'), '--lock', 'mail.lock', '--prune'],
      ['--lock', 'mail.lock', '--allow-prune-all'],
    ]) {
      const { exit, envelope } = await here.rlp('agent', 'install', ...words, '--yes')
      assert.deepEqual([exit, envelope.code], [2, 'USAGE'], words.join(' '))
    }
    assert.equal(isThere(here, 'alpha'), false)
  })

  test('without a yes where no person can be asked', async () => {
    const here = await locked('yes', ['alpha', 'beta', 'gamma'])
    await prune(here)
    await drop(here, ['gamma'])
    const { exit, envelope } = await here.rlp('agent', 'install', '--lock', 'mail.lock', '--prune')
    assert.equal(exit, 2, JSON.stringify(envelope))
    assert.match(
      (envelope.result?.['prune'] as Pruned | undefined)?.failed[0]?.message ?? '',
      /no person can be asked$/,
    )
    assert.ok(isThere(here, 'gamma'))
  })
})

describe('all, or more than half, of what a lock had put there', () => {
  const AGENTS = ['alpha', 'beta', 'gamma', 'delta']

  test('is removed with --allow-prune-all alone; a half is not more than half', async () => {
    const here = await locked('half', AGENTS)
    await prune(here)
    await drop(here, ['alpha', 'beta', 'gamma'])
    const { exit, message } = await prune(here)
    assert.equal(exit, 2)
    assert.match(message ?? '', /the lock mail does not name 3 of the 4 agents that it has installed there$/)
    assert.ok(isThere(here, 'gamma'))
    await add(here, ['gamma'])
    assert.deepEqual((await prune(here)).removed, ['alpha', 'beta'])
    await drop(here, ['gamma', 'delta'])
    assert.equal((await prune(here)).exit, 2)
    assert.deepEqual((await prune(here, '--allow-prune-all')).removed, ['delta', 'gamma'])
  })

  test('one of one and one of two count as all', async () => {
    const here = await locked('few', ['alpha', 'beta'])
    await prune(here)
    await drop(here, ['beta'])
    assert.equal((await prune(here)).exit, 2)
    assert.deepEqual((await prune(here, '--allow-prune-all')).removed, ['beta'])
    await drop(here, ['alpha'])
    assert.equal((await prune(here)).exit, 2)
    assert.deepEqual((await prune(here, '--allow-prune-all')).removed, ['alpha'])
  })

  test('is counted from the change of the lock: what the wrong lock installs is none of it, in the next run either', async () => {
    const here = await locked('wrong', ['alpha', 'beta', 'gamma'])
    await prune(here)
    const right = readFileSync(join(here.cwd, 'mail.lock'))
    rmSync(join(here.cwd, 'mail.lock'))
    await add(here, ['one', 'two', 'three', 'four', 'five', 'six', 'seven'])
    for (const run of [1, 2]) {
      const { exit, message } = await prune(here)
      assert.equal(exit, 2, `run ${run}`)
      assert.match(message ?? '', /does not name 3 of the 3 agents/)
    }
    assert.ok(isThere(here, 'one') && isThere(here, 'alpha'))
    // Back again: of ten that are there by now, seven would go.
    writeFileSync(join(here.cwd, 'mail.lock'), right)
    assert.match((await prune(here)).message ?? '', /does not name 7 of the 10 agents/)
    assert.equal((await prune(here, '--allow-prune-all')).removed?.length, 7)
    assert.deepEqual((await prune(here)).removed, [])
  })

  test('what is remembered of it and cannot be relied upon stops the install before it begins', async () => {
    const here = await locked('state', AGENTS)
    await prune(here)
    const path = join(here.home, 'locks/mail.json')
    const good = readFileSync(path, 'utf8')
    const before = contents(here.root)
    for (const wrong of [
      '{',
      good.replace('"mail"', '"sales"'),
      good.replace('"version": 1', '"version": 2'),
      good.replace('"roots"', '"places"'),
    ]) {
      writeFileSync(path, wrong)
      const { exit, envelope } = await prune(here)
      assert.deepEqual([exit, envelope.code], [3, 'IO'], wrong)
    }
    assert.deepEqual(contents(here.root), before)
    writeFileSync(path, good)
    assert.equal((await prune(here)).exit, 0)
  })
})

test('a person sees what goes, and is asked; whatever is not yes is no', async () => {
  const here = await locked('asked', ['alpha', 'beta', 'gamma'])
  await prune(here)
  await drop(here, ['gamma'])
  process.env['RUNLOOP_HOME'] = here.home
  const isTTY = { stdin: true, stdout: true, stderr: true }
  const answered = async (answer: string) => {
    const { terminal } = fakeTerminal({ cwd: here.cwd, isTTY })
    const { prompter, log } = scripted([['Remove 1 agent from ', answer]])
    const words = parse(command, ['--lock', 'mail.lock', '--prune']) as never
    const exit = await command.run(words, { ...terminal, color: false }, async () => prompter)
    return { exit, log, isThere: isThere(here, 'gamma') }
  }
  assert.deepEqual((await answered('later')).isThere, true)
  assert.equal((await answered('no')).exit, 130)
  const yes = await answered('yes')
  assert.deepEqual([yes.exit, yes.isThere], [0, false])
  assert.match(yes.log.join('\n'), /gamma 1\.0\.0, which the lock mail has installed/)
})
