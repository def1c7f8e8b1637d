// What is said of each agent of a lock after `rlp agent install --lock`, to people and with which exit code.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { lockedSummary } from '../../src/lock/render-installed.ts'
import { temporary } from '../support/folder.ts'
import { good, made, OTHER, RELEASE, type World, world } from '../support/install-world.ts'

const folder = temporary('render-locked')
const NET = 'net = ["api.example:443"]\n'

/** Two agents in files, locked. */
async function locked(name: string): Promise<World> {
  const here = world(folder(name))
  for (const agent of ['alpha', 'beta']) {
    here.put(`${agent}.bundle`, made({ name: agent }, RELEASE))
    await good(here, 'lock', 'add', `${agent}.bundle`, '--expect', agent)
  }
  return here
}

async function install(here: World, ...words: string[]) {
  const { exit, stdout, stderr } = await here.say('agent', 'install', ...words)
  return { exit, stdout, stderr, said: stdout.split('\n') }
}

/** A newer alpha in the lock. */
async function upgraded(here: World, caps: string, ...flags: string[]): Promise<void> {
  here.put('alpha.bundle', made({ name: 'alpha', version: '1.1.0', caps }, RELEASE))
  await good(here, 'lock', 'update', 'alpha', ...flags)
}

describe('what is in place', () => {
  test('is installed, then there, and only --json or nothing where it is asked for', async () => {
    const here = await locked('placed')
    assert.deepEqual(await install(here, '--lock', 'rlp.lock', '--dry-run').then(({ said }) => said), [
      '✓ alpha 1.0.0 would be installed, trusted',
      '✓ beta 1.0.0 would be installed, trusted',
      '',
    ])
    const first = await install(here, '--lock', 'rlp.lock')
    assert.deepEqual(
      [first.exit, first.stdout, first.stderr],
      [
        0,
        '✓ alpha 1.0.0 installed, trusted\n✓ beta 1.0.0 installed, trusted\n',
        '2 agents of rlp.lock: 2 installed\n',
      ],
    )
    const again = await install(here, '--lock', 'rlp.lock')
    assert.deepEqual(
      [again.exit, again.stdout, again.stderr],
      [
        0,
        '✓ alpha 1.0.0 is there, trusted\n✓ beta 1.0.0 is there, trusted\n',
        '2 agents of rlp.lock: 2 there\n',
      ],
    )
  })

  test('says which version it replaces, and what changes', async () => {
    const here = await locked('replaced')
    await install(here, '--lock', 'rlp.lock')
    await upgraded(here, NET, '--allow-caps-change')
    const dry = await install(here, '--lock', 'rlp.lock', '--dry-run')
    assert.deepEqual(
      [dry.exit, dry.said, dry.stderr],
      [
        0,
        [
          '✓ alpha 1.1.0 would be installed in the place of 1.0.0, trusted',
          '  + may reach api.example:443',
          '✓ beta 1.0.0 is there, trusted',
          '',
        ],
        '2 agents of rlp.lock: 1 would be installed, 1 there\n',
      ],
    )
    const { said } = await install(here, '--lock', 'rlp.lock')
    assert.deepEqual(said.slice(0, 2), [
      '✓ alpha 1.1.0 installed in the place of 1.0.0, trusted',
      '  + may reach api.example:443',
    ])
  })

  test('names to a script what was installed, unless one of them was not, or nothing was', async () => {
    const here = await locked('quiet')
    const quiet = async (...words: string[]) => {
      const { exit, stdout } = await install(here, '--lock', 'rlp.lock', '--quiet', ...words)
      return [exit, stdout]
    }
    assert.deepEqual(await quiet('--dry-run'), [
      0,
      '✓ alpha 1.0.0 would be installed, trusted\n✓ beta 1.0.0 would be installed, trusted\n',
    ])
    assert.deepEqual(await quiet(), [0, 'alpha\nbeta\n'])
    rmSync(join(here.root, 'beta.agent.bundle'))
    rmSync(join(here.cwd, 'beta.bundle'))
    const [exit, stdout] = await quiet()
    assert.equal(exit, 3)
    assert.match(`${stdout}`, /^✓ alpha 1\.0\.0 is there, trusted\n✗ beta 1\.0\.0: indeterminate: .*\n/)
  })
})

describe('what is not', () => {
  test('is told by its verdict, with the reason, and the summary counts it', async () => {
    const here = await locked('verdict')
    rmSync(join(here.cwd, 'beta.bundle'))
    const { exit, said, stderr } = await install(here, '--lock', 'rlp.lock')
    assert.equal(exit, 3)
    assert.equal(said[0], '✓ alpha 1.0.0 installed, trusted')
    assert.match(said[1] ?? '', /^✗ beta 1\.0\.0: indeterminate: .*no such file/)
    assert.equal(stderr, '2 agents of rlp.lock: 1 installed, 1 refused\n')
  })

  test('is refused without a yes, though it is trusted, with a hint that is a flag', async () => {
    const here = await locked('yes')
    const { exit, said, stderr } = await install(here, '--locked')
    assert.deepEqual(
      [exit, said.slice(0, 2), stderr],
      [
        2,
        [
          '✗ alpha 1.0.0: refused: its first install needs a yes',
          '  hint: Read what it may do with rlp agent inspect, and add --yes; or name the lock with --lock',
        ],
        '2 agents of rlp.lock: 2 refused\n',
      ],
    )
  })

  test('may do more: exit code 4; another signer, or more than that: 1', async () => {
    const here = await locked('wider')
    await install(here, '--lock', 'rlp.lock')
    await upgraded(here, NET, '--allow-caps-change')
    const wider = await install(here, '--locked', '--yes')
    assert.equal(wider.exit, 4)
    assert.match(wider.said[0] ?? '', /^✗ alpha 1\.1\.0: refused: .*api\.example/)
    assert.match(wider.said[1] ?? '', /^ {2}hint: .*--allow-caps-change/)
    here.put('alpha.bundle', made({ name: 'alpha', version: '1.2.0', caps: NET }, OTHER))
    await good(here, 'lock', 'update', 'alpha', '--allow-signer-change')
    const other = await here.rlp('agent', 'install', '--locked', '--yes')
    const [row] = (other.envelope.result?.['agents'] ?? []) as {
      is: string
      reason: { code: string }
      widened: { message: string }[]
    }[]
    assert.deepEqual([other.exit, row?.is, row?.reason.code], [1, 'refused', 'signer_changed'])
    assert.match(row?.widened[0]?.message ?? '', /api\.example/)
  })

  test('failed because something else is in its place is told with a hint, and hides no other', async () => {
    const here = await locked('failed')
    mkdirSync(join(here.root, 'alpha.agent.bundle'), { recursive: true })
    const { exit, said, stderr } = await install(here, '--lock', 'rlp.lock')
    assert.match(said[0] ?? '', /^✗ alpha 1\.0\.0: failed: Cannot \S/)
    assert.match(said[1] ?? '', /^ {2}hint: /)
    assert.equal(said[2], '✓ beta 1.0.0 installed, trusted')
    assert.equal(stderr, '2 agents of rlp.lock: 1 installed, 1 failed\n')
    assert.equal(exit, 2)
  })
})

test('the summary of an empty lock says that nothing is to be installed', () => {
  assert.equal(lockedSummary([], ['rlp.lock']), '0 agents of rlp.lock: nothing to install')
})
