// `--quiet` of every command: one that succeeds is silent on standard error. On standard output is what the call asks to see, as it is without --quiet;
// or, of what it made or changed, paths, names and digests, a line each; and nothing of a check that passed.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { CALLS, prepareCall, prepareCalls } from '../support/every-command.ts'
import { temporary } from '../support/folder.ts'
import { rlp } from '../support/run.ts'

const cwd = temporary('quiet')('world')
const HOME = join(cwd, 'home')

/** A path, the name of an agent, a signer or a tool, a version, a reference, a key or a digest. No blank, and no mark. */
const VALUE = /^[A-Za-z0-9./_~-][A-Za-z0-9./_~:@+=-]*$/

/** Commands whose call asks to see something: it is shown whole. */
const SHOWS = [
  ...[
    'agent inspect',
    'agent diff',
    'agent sbom',
    'agent list',
    'key list',
    'key show',
    'caps show',
    'lock list',
  ],
  ...[
    'lock outdated',
    'tool list',
    'tool call',
    'tool replay',
    'trust list',
    'trust explain',
    'trust status',
    'channel status',
  ],
]

/** Commands that print values of what they made or changed. */
const MAKES = [
  ...[
    'agent scaffold',
    'agent version',
    'agent pack',
    'agent sign',
    'agent attest',
    'agent provenance',
    'agent push',
    'agent copy',
  ],
  ...[
    'agent pull',
    'agent install',
    'agent uninstall',
    'key generate',
    'key import',
    'lock add',
    'lock update',
    'lock remove',
  ],
  ...['tool add', 'tool edit', 'tool import', 'tool export', 'tool remove'],
  ...[
    'trust add',
    'trust remove',
    'trust revoke',
    'trust group',
    'trust require',
    'trust floor',
    'trust reset',
  ],
]

/** Commands that print nothing: a check that passes, or a call that has named all that it changes. */
const SILENT = [
  ...[
    'agent init',
    'agent lint',
    'agent digest',
    'agent test',
    'agent verify',
    'lock check',
    'caps lint',
    'doctor',
  ],
  ...['trust test', 'trust diff', 'trust update', 'tool check-result', 'channel init'],
]

/** Not run here: test/product/json-members.test.ts has the reasons. */
const ELSEWHERE = [
  ...[
    'agent dev',
    'agent run',
    'tool serve',
    'gate',
    'login',
    'logout',
    'completion',
    'trust follow',
    'trust unfollow',
  ],
  ...[
    'channel release',
    'channel rotate',
    'channel sign',
    'channel heartbeat',
    'channel push',
    'channel pull',
  ],
]

/** What ends with another exit code here, and is no success. */
const FAILS: Readonly<Record<string, number>> = { 'lock outdated': 3 }

describe('--quiet', () => {
  const ran: {
    readonly call: string
    readonly command: string
    readonly exit: number
    readonly stdout: string
    readonly stderr: string
  }[] = []
  before(async () => {
    prepareCalls(cwd)
    for (const [command, ...args] of CALLS) {
      prepareCall(cwd, command)
      const given = [...command.split(' '), ...args, '--quiet']
      const { exit, stdout, stderr } = await rlp(given, { cwd, env: { RUNLOOP_HOME: HOME } })
      ran.push({ call: given.join(' '), command, exit: exit ?? -1, stdout, stderr })
    }
  })

  test('is held by every command in one of three ways', () => {
    const all = [...SHOWS, ...MAKES, ...SILENT, ...ELSEWHERE].sort()
    assert.deepEqual(all, REGISTRY.commands.map(({ name }) => name).sort())
  })

  test('prints nothing on standard error when all is well', () => {
    assert.deepEqual(
      ran.filter(({ command, exit }) => exit !== (FAILS[command] ?? 0)),
      [],
    )
    assert.deepEqual(
      ran.filter(({ exit, stderr }) => exit === 0 && stderr !== ''),
      [],
    )
  })

  test('leaves values, a line each, of what was made or changed', () => {
    // A dry run asks to see what would be.
    const made = ran.filter(({ command, call }) => MAKES.includes(command) && !call.includes('--dry-run'))
    const others = made.flatMap(({ call, stdout }) =>
      stdout.split('\n').flatMap(line => (line === '' || VALUE.test(line) ? [] : [`${call}: ${line}`])),
    )
    assert.deepEqual(others, [])
    assert.ok(made.filter(({ stdout }) => stdout !== '').length > 18)
  })

  test('says nothing of a check that passed', () => {
    assert.deepEqual(
      ran.filter(({ command, stdout }) => SILENT.includes(command) && stdout !== ''),
      [],
    )
  })

  test('shows what is asked for, without a next step', () => {
    const shown = ran.filter(({ command }) => SHOWS.includes(command) && command !== 'trust status')
    assert.deepEqual(
      shown.filter(({ stdout }) => stdout === '' || /^next:/m.test(stdout)).map(({ call }) => call),
      [],
    )
  })
})
