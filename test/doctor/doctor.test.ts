// rlp doctor: a host where all is well, then one fault at a time, and exactly the line about it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { heldAgainst, type Override, readOverrideFile } from '../../src/caps/overrides.ts'
import { followedChannels } from '../../src/doctor/channels.ts'
import type { HealthCheck, HealthLine, LookedHost } from '../../src/doctor/check.ts'
import { HEALTH_CHECKS } from '../../src/doctor/index.ts'
import { lookAt, thisHost } from '../../src/doctor/look.ts'
import { SYSTEM, userPlaces } from '../../src/io/channel-places.ts'
import { OVERRIDE_RULES } from '../../src/lint/rules/override.ts'
import type { ChannelState } from '../../src/model/channel.ts'
import { readPolicy } from '../../src/policy/read.ts'
import { secondAfter } from '../../src/text/time.ts'
import { bundleOf } from '../support/agent.ts'
import {
  channelWith,
  DAY,
  NOTHING,
  rootOne,
  takenFrom,
  withHeartbeat,
  withRelease,
  writeFollowed,
} from '../support/channel-world.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import {
  contents,
  made,
  madeTree,
  OTHER,
  policyText,
  RELEASE,
  STRANGER,
  type World,
  world,
} from '../support/install-world.ts'
import { missing } from '../support/needs.ts'
import { slice } from '../support/runs.ts'
import { signedTree } from '../support/signed.ts'
import { KEYS, keyFile } from '../support/trust-world.ts'

const folder = temporary('doctor')
const NOW = new Date()
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)
const CHANNEL = channelWith(policyText(), NOW)
const isRoot = process.getuid?.() === 0

interface Host extends World {
  /** In place of /etc/runloop. */
  readonly etc: string
  /** A program that the installed tool starts. */
  readonly program: string
  /** The files of the channels that are followed. */
  readonly channel: { readonly user: string; readonly system: string }
  /** Another state of the user’s channel, or of the system’s. */
  know(state: ChannelState, of?: 'user' | 'system'): void
  look(now?: Date): Promise<LookedHost>
  lines(): Promise<string[]>
}

async function wellHost(name: string): Promise<Host> {
  const cwd = folder(name)
  chmodSync(cwd, 0o755)
  const at = world(cwd)
  const etc = join(cwd, 'etc')
  mkdirSync(join(etc, 'policy-overrides'), { recursive: true })
  writeFileSync(join(etc, 'trust-policy.toml'), policyText())
  writeFileSync(join(etc, 'config.toml'), '[security]\nconfirm_external_actions = true\nsandbox = "off"\n')
  mkdirSync(join(at.home, 'keys'), { mode: 0o700 })
  for (const half of ['pem', 'pub'] as const) {
    const path = join(at.home, 'keys', `mine.${half}`)
    copyFileSync(keyFile('second', half), path)
    chmodSync(path, half === 'pem' ? 0o600 : 0o644)
  }
  mkdirSync(join(cwd, 'bin'))
  const program = join(cwd, 'bin/filter')
  writeFileSync(program, '#!/bin/sh\n')
  chmodSync(program, 0o755)
  const tool = {
    id: 'text.filter',
    description: 'x',
    input_schema: {},
    result_schema: true,
    transport: { kind: 'exec', command: program, args: [] },
  }
  const files = { 'tools.json': JSON.stringify({ version: 1, tools: [tool] }) }
  const caps = `exec = [${JSON.stringify(program)}]\n`
  const bundle = at.put('mini.bundle', made({ caps, files }, RELEASE))
  const { exit, envelope } = await at.install(bundle, '--yes', '--expect', 'mini')
  assert.equal(exit, 0, JSON.stringify(envelope))
  mkdirSync(join(at.home, 'caps/overrides'), { recursive: true })
  writeFileSync(join(at.home, 'caps/overrides/mini.toml'), '[capabilities]\nnet = []\n')
  const places = {
    user: userPlaces(at.home),
    system: { ...SYSTEM, list: join(etc, 'channels.toml'), states: join(cwd, 'lib/channels') },
  }
  mkdirSync(places.user.states, { mode: 0o700 })
  const known = await takenFrom(CHANNEL, NOW)
  const channel = {
    user: writeFollowed(places.user, known),
    system: writeFollowed(places.system, known),
  }
  const look = async (now = new Date()) => {
    process.env['RUNLOOP_HOME'] = at.home
    const setting = { cwd, signal: new AbortController().signal }
    return {
      ...(await thisHost(setting, etc, [places.system, places.user])),
      systemFolders: [join(cwd, 'bin')],
      now,
    }
  }
  const lines = async () => {
    const found = await lookAt(await look(), HEALTH_CHECKS)
    for (const { level, fix } of found) assert.equal(fix === undefined, level === 'ok')
    return found.map(({ level, what, state, fix }) =>
      [level, what, state, ...(fix === undefined ? [] : [fix])].join('  ').replaceAll(cwd, ''),
    )
  }
  const know = (state: ChannelState, of: 'user' | 'system' = 'user') => {
    writeFollowed(places[of], state)
  }
  return { ...at, etc, program, channel, know, look, lines }
}

test('where all is well every line is ok, and nothing is written', async () => {
  const host = await wellHost('well')
  const before = contents(host.cwd)
  const lines = await host.lines()
  assert.deepEqual(
    lines.filter(line => !line.startsWith('ok  ')),
    [],
  )
  for (const what of [
    'folder /home',
    'policy /etc/trust-policy.toml',
    'policy /home/trust-policy.toml',
    'channel house',
    'channel house of the system',
    'config /etc/config.toml',
    'override /home/caps/overrides/mini.toml',
    'key mine',
    'state /home/state',
    'agent mini 1.0.0',
    'program /bin/filter',
    'sandbox',
  ])
    assert.ok(
      lines.some(line => line.startsWith(`ok  ${what}  `)),
      `${what}\n${lines.join('\n')}`,
    )
  assert.deepEqual(contents(host.cwd), before)
})

const inDays = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`

/** `also`: what follows from it. */
type Fault = readonly [what: string, make: (host: Host) => unknown, line: RegExp, also?: RegExp]

const UNDECIDED = /^wrong {2}agent mini 1.0.0 {2}indeterminate: /

/** By the check that says it. */
const FAULTS: Readonly<Record<(typeof HEALTH_CHECKS)[number]['name'], readonly Fault[]>> = {
  folders: [
    [
      'keys that others may look into',
      ({ home }) => chmodSync(join(home, 'keys'), 0o755),
      /^warning {2}folder \/home\/keys {2}others may look into it {2}Run chmod 700 /,
    ],
    [
      'a file in the place of a folder',
      ({ home }) => writeFileSync(join(home, 'policy-overrides'), ''),
      /^wrong {2}folder \/home\/policy-overrides {2}it is not a folder {2}/,
      /^wrong {2}overrides {2}/,
    ],
    [
      'overrides that others may write',
      ({ etc }) =>
        chmodSync(etc, 0o755) ??
        chmodSync(join(etc, '..'), 0o755) ??
        mkdirSync(join(etc, '../home/policy-overrides')) ??
        chmodSync(join(etc, '../home/policy-overrides'), 0o777),
      /^wrong {2}folder \/home\/policy-overrides {2}others may write it {2}Run chmod go-w /,
    ],
  ],
  policies: [
    [
      'malformed',
      ({ home }) => writeFileSync(join(home, 'trust-policy.toml'), 'anchors = 1\n'),
      /^wrong {2}policy \/home\/trust-policy.toml {2}.*trust-policy\.toml:1/,
      UNDECIDED,
    ],
    [
      'writable by others',
      ({ etc }) => chmodSync(join(etc, 'trust-policy.toml'), 0o666),
      /^wrong {2}policy \/etc\/trust-policy.toml {2}.*others may write it {2}Run chmod go-w/,
    ],
    [
      'over',
      ({ home }) =>
        writeFileSync(join(home, 'trust-policy.toml'), `valid_until = "${inDays(-1)}"\n${policyText()}`),
      /^wrong {2}policy \/home\/.* {2}.*the policy was valid until/,
      UNDECIDED,
    ],
    [
      'over soon',
      ({ home }) =>
        writeFileSync(join(home, 'trust-policy.toml'), `valid_until = "${inDays(29.5)}"\n${policyText()}`),
      /^warning {2}policy \/home\/.* {2}The trust policy .* ends at .*, in 29 days/,
    ],
    [
      'a signer who ends soon',
      ({ home }) =>
        edit(
          home,
          `other = "${OTHER.anchor}"`,
          `other = { key = "${OTHER.anchor}", until = "${inDays(29.5)}" }`,
        ),
      /^warning {2}policy \/home\/.* {2}The signer other of .* ends at .*, in 29 days/,
    ],
    [
      'a signer who has ended',
      ({ home }) =>
        edit(
          home,
          `other = "${OTHER.anchor}"`,
          `other = { key = "${OTHER.anchor}", until = "${inDays(-2)}" }`,
        ),
      /^warning {2}policy \/home\/.* {2}the signer other ended at .* {2}rlp trust remove other$/,
    ],
    [
      'a test key',
      ({ home }) => edit(home, OTHER.anchor, 'ed25519:6IOVamFqliwbS9eN9T4UVMINDgTZF+sDhwUOu2nE+p4='),
      /^warning {2}policy \/home\/.* {2}the key of other is a test key/,
    ],
  ],
  channels: [
    [
      'a list that is malformed',
      ({ home }) => writeFileSync(join(home, 'channels.toml'), '[channel.house]\n'),
      /^wrong {2}channels \/home\/channels.toml {2}.*channels\.toml:1:2: .* {2}Correct the line/,
      UNDECIDED,
    ],
    [
      'a list that others may write',
      ({ home }) => chmodSync(join(home, 'channels.toml'), 0o666),
      /^wrong {2}channels \/home\/channels.toml {2}others may write it {2}Run chmod go-w \/home\/channels.toml$/,
      UNDECIDED,
    ],
    [
      'a list of the system that others may write',
      ({ etc }) => chmodSync(join(etc, 'channels.toml'), 0o666),
      /^wrong {2}channels \/etc\/channels.toml {2}others may write it {2}Run chmod go-w \/etc\/channels.toml$/,
    ],
    [
      'a file that others may write',
      ({ channel }) => chmodSync(channel.user, 0o666),
      /^wrong {2}channel house {2}others may write it {2}Run chmod go-w \/home\/channels\/[0-9a-f]{64}.channel$/,
      UNDECIDED,
    ],
    [
      'a file of the system that others may write',
      ({ channel }) => chmodSync(channel.system, 0o666),
      /^wrong {2}channel house of the system {2}others may write it {2}Run chmod go-w \/lib\/channels\//,
    ],
    [
      'no update yet',
      ({ channel }) => rmSync(channel.user),
      /^wrong {2}channel house {2}no update has brought anything of it yet {2}Run rlp trust update$/,
      UNDECIDED,
    ],
    [
      'damaged',
      ({ channel }) => writeFileSync(channel.user, '{'),
      /^wrong {2}channel house {2}Cannot read [^:]*: it is no JSON {2}Run rlp trust unfollow/,
      UNDECIDED,
    ],
    [
      'ended',
      async ({ know }) => know(await takenFrom(withHeartbeat(CHANNEL, ago(120), 60), ago(120))),
      /^wrong {2}channel house {2}its newest heartbeat ended at .* {2}Run rlp trust update\. If nothing newer comes/,
      UNDECIDED,
    ],
    [
      'a clock that is behind',
      async ({ know }) => know({ ...(await takenFrom(CHANNEL, NOW)), updated: inDays(1) }),
      /^wrong {2}channel house {2}the clock of this host is at .* {2}Set the clock/,
      UNDECIDED,
    ],
    [
      'a heartbeat that ends soon',
      async ({ know }) => {
        const then = ago(0.8 * DAY)
        know(await takenFrom(withHeartbeat(CHANNEL, then), then), 'system')
      },
      /^warning {2}channel house of the system {2}its newest heartbeat ends at .*, 4h from now {2}Run rlp trust update, and let a timer do it/,
    ],
    [
      'a release that ends soon',
      async ({ know }) => know(await takenFrom(lasting({ release: 2.5 }), NOW)),
      /^warning {2}channel house {2}its release ends at .*, 2d from now {2}Run rlp trust update\. If .* for a new release$/,
    ],
    [
      'a root that ends soon',
      async ({ know }) => know(await takenFrom(lasting({ root: 29.5 }), NOW)),
      /^warning {2}channel house {2}its root ends at .*, 29d from now {2}.* to rotate the root$/,
    ],
    [
      'a policy that is over',
      async ({ know }) =>
        know(await takenFrom(lasting({ policy: `valid_until = "${inDays(-1)}"\n${policyText()}` }), NOW)),
      /^wrong {2}channel house {2}.*the policy was valid until/,
      UNDECIDED,
    ],
    [
      'a policy that is over soon',
      async ({ know }) =>
        know(await takenFrom(lasting({ policy: `valid_until = "${inDays(3.5)}"\n${policyText()}` }), NOW)),
      /^warning {2}channel house {2}The trust policy channel house ends at .*, in 3 days/,
    ],
  ],
  config: [
    [
      'an unknown key',
      ({ home }) => writeFileSync(join(home, 'config.toml'), '[security]\nconfirm = true\n'),
      /^wrong {2}config \/home\/config.toml {2}.*config\.toml:2:1/,
      /^wrong {2}sandbox {2}/,
    ],
    [
      'writable by others',
      ({ etc }) => chmodSync(join(etc, 'config.toml'), 0o622),
      /^wrong {2}config \/etc\/config.toml {2}others may write it {2}Run chmod go-w/,
      /^wrong {2}sandbox {2}/,
    ],
  ],
  overrides: [
    [
      'for no agent',
      ({ home }) => writeFileSync(join(home, 'caps/overrides/mni.toml'), '[capabilities]\n'),
      /^warning {2}override \/home\/caps\/overrides\/mni.toml {2}no installed agent is held to it/,
    ],
    [
      'for no agent, and malformed',
      ({ home }) => writeFileSync(join(home, 'caps/overrides/mni.toml'), '[capabilities]\nexce = false\n'),
      /^warning {2}override \/home\/caps\/overrides\/mni.toml {2}no installed agent is held to it/,
      /^wrong {2}override \/home\/caps\/overrides\/mni.toml {2}line 2: No runtime knows the capability "exce" {2}/,
    ],
    [
      'that takes nothing away',
      ({ home }) => writeFileSync(join(home, 'caps/overrides/mini.toml'), '[capabilities]\ntime = true\n'),
      /^warning {2}override \/home\/caps\/overrides\/mini.toml {2}line 2: time = true has no effect: /,
    ],
    [
      'no file that any agent is held to',
      ({ etc }) => writeFileSync(join(etc, 'policy-overrides/README'), 'who wrote these'),
      /^warning {2}override \/etc\/policy-overrides\/README {2}no installed agent is held to it/,
    ],
  ],
  keys: [
    [
      'readable by others',
      ({ home }) => chmodSync(join(home, 'keys/mine.pem'), 0o644),
      /^wrong {2}key mine {2}others may read or write it {2}Run chmod 600 /,
    ],
    [
      'no key',
      ({ home }) => writeFileSync(join(home, 'keys/other.pem'), 'none', { mode: 0o600 }),
      /^wrong {2}key other {2}.* {2}rlp key show other says/,
    ],
    [
      'revoked',
      ({ home }) => edit(home, '[rules]', `[revoked]\n"${KEYS.second.anchor}" = {}\n[rules]`),
      /^warning {2}key mine {2}\/home\/trust-policy.toml has revoked it/,
    ],
  ],
  state: [
    [
      'damaged',
      ({ home }) => writeFileSync(join(home, 'state/other.json'), '{', { mode: 0o600 }),
      /^wrong {2}state \/home\/state\/other.json {2}.* {2}It tells what was installed before/,
    ],
    [
      'newer than this program',
      ({ home }) => writeFileSync(join(home, 'state/other.json'), '{"version":99}', { mode: 0o600 }),
      /^wrong {2}state \/home\/state\/other.json {2}/,
    ],
    [
      'from a back-up, older than what is installed',
      ({ home }) => rmSync(join(home, 'state/mini.json')),
      /^warning {2}state \/home\/state\/mini.json {2}it is older than what is installed: 1\.0\.0 is in .*agents, and it remembers no version {2}Put a newer back-up .* rlp agent install \/.*mini\.agent\.bundle, which/,
    ],
  ],
  agents: [
    [
      'of a stranger',
      ({ home }) => edit(home, `release = "${RELEASE.anchor}"`, `release = "${STRANGER.anchor}"`),
      /^wrong {2}agent mini 1.0.0 {2}untrusted: .* {2}rlp agent verify mini says all/,
    ],
    [
      'a folder that was changed',
      ({ root }) => writeFileSync(join(root, 'mini/policy.caps'), 'x'),
      /^wrong {2}agent mini 1.0.0 {2}the folder .*mini is not what its bundle holds {2}Install mini again/,
    ],
  ],
  programs: [
    [
      'gone',
      ({ program }) => rmSync(program),
      /^wrong {2}program \/bin\/filter {2}it is not there: text\.filter of mini cannot be called {2}/,
    ],
    [
      'writable by others',
      ({ program }) => chmodSync(program, 0o777),
      /^wrong {2}program \/bin\/filter {2}others may write it {2}Run chmod go-w/,
    ],
    [
      'in a folder that others may write',
      ({ cwd }) => chmodSync(join(cwd, 'bin'), 0o777),
      /^wrong {2}program \/bin\/filter {2}others may write .*\/bin" on the way/,
    ],
    [
      'not to be run',
      ({ program }) => chmodSync(program, 0o644),
      /^wrong {2}program \/bin\/filter {2}it may not be run/,
    ],
    [
      'a folder',
      ({ program }) => rmSync(program) ?? mkdirSync(program),
      /^wrong {2}program \/bin\/filter {2}it is not a file/,
    ],
  ],
  sandbox: [
    [
      'none that works',
      ({ etc }) => writeFileSync(join(etc, 'config.toml'), '[security]\n'),
      process.platform === 'linux'
        ? /^warning {2}sandbox {2}programs of tools reach what you reach: bubblewrap: bwrap is not installed {2}Install bubblewrap/
        : /^warning {2}sandbox {2}programs of tools reach what you reach: bubblewrap: it needs Linux {2}/,
    ],
    [
      'none that works, where one is required',
      ({ etc }) => writeFileSync(join(etc, 'config.toml'), '[security]\nsandbox = "require"\n'),
      /^wrong {2}sandbox {2}no program is started, as .*config\.toml requires one: bubblewrap: /,
    ],
  ],
}

/** A channel of which something ends earlier, in days. */
function lasting({ root = 365, release = 30, policy = policyText() }) {
  const roots = [rootOne(NOW, { expires: secondAfter(NOW, root * DAY) })]
  return withHeartbeat(withRelease({ ...NOTHING, roots }, policy, NOW, undefined, release), NOW)
}

function edit(home: string, from: string, to: string): void {
  const path = join(home, 'trust-policy.toml')
  const text = readFileSync(path, 'utf8')
  assert.ok(text.includes(from))
  writeFileSync(path, text.replace(from, to))
}

for (const [check, faults] of Object.entries(FAULTS))
  describe(check, () => {
    for (const [what, make, line, also] of slice(faults, 2))
      test(what, async () => {
        const host = await wellHost(`${check} ${what}`)
        const before = await host.lines()
        await make(host)
        const found = (await host.lines()).filter(one => !one.startsWith('ok  '))
        assert.ok(before.every(one => one.startsWith('ok  ')))
        const expected = also === undefined ? [line] : [line, also]
        assert.equal(found.length, expected.length, found.join('\n'))
        for (const [index, one] of expected.entries()) assert.match(found[index] ?? '', one)
      })
  })

test('what one fault brings with it: a malformed override makes its agent undecided', async () => {
  const host = await wellHost('override')
  writeFileSync(join(host.home, 'caps/overrides/mini.toml'), '[capabilities]\nnet = 1\n')
  const found = (await host.lines()).filter(line => !line.startsWith('ok  '))
  assert.equal(found.length, 2, found.join('\n'))
  assert.match(found[0] ?? '', /^wrong {2}override \/home\/caps\/overrides\/mini.toml {2}/)
  assert.match(found[1] ?? '', /^wrong {2}agent mini 1.0.0 {2}indeterminate: /)
})

/** An override for each rule, and what else is said of its file. */
const OVERRIDES: readonly string[] = [
  '[capabilities\n',
  '\u0000',
  '[capabilities]\nexec = false\nexec = true\n',
  '[capabilities]\nnet = 9007199254740993\n',
  `[capabilities]\n${'#\n'.repeat(80_001)}`,
  '[capabilites]\nexec = false\n',
  '[capabilities]\nexec = "no"\n',
  '[capabilities]\nexce = false\n',
  '[capabilities]\nnet = ["*.example"]\n',
  '[capabilities]\nnet = ["a.example", "A.example"]\n',
  '[capabilities]\nkb_read = [" notes"]\n',
  '[capabilities]\nfs = ["/srv"]\nfs_rw = ["/srv"]\n',
  '[capabilities]\ntime = true\nnet = ["b.example"]\n',
]

describe('an override', () => {
  const doctor = async (cwd: string, home: string, ...files: string[]) => {
    process.env['RUNLOOP_HOME'] = home
    const { exit, stdout } = await run(['doctor', ...files, '--json'], undefined, { cwd, env: {} })
    const { lines } = JSON.parse(stdout).result as { lines: (HealthLine & { check: string })[] }
    return { exit, lines: lines.filter(({ check }) => check === 'overrides') }
  }

  test('is checked before it goes live, and nothing else is', async () => {
    const cwd = folder('file')
    const home = join(cwd, 'none')
    writeFileSync(join(cwd, 'good.caps'), '[capabilities]\nexec = false\n', { mode: 0o666 })
    writeFileSync(join(cwd, 'bad.caps'), '[capabilities]\nexce = false\ntime = 1\n')
    const good = await doctor(cwd, home, 'good.caps')
    assert.deepEqual(good, {
      exit: 0,
      lines: [
        {
          check: 'overrides',
          level: 'ok',
          what: 'override good.caps',
          state: 'nothing is wrong with it',
          fix: null,
        },
      ],
    })
    // One that is not there hides no other.
    const { exit, lines } = await doctor(cwd, home, 'none.caps', 'bad.caps')
    assert.equal(exit, 1)
    assert.deepEqual(
      lines.map(({ level, what, state }) => `${level} ${what} ${state}`.replaceAll(cwd, '')),
      [
        'wrong override none.caps Cannot read "none.caps": no such file or folder',
        'wrong override bad.caps line 2: No runtime knows the capability "exce"',
        'wrong override bad.caps line 3: time must be true or false, found a number',
      ],
    )
  })

  test('with a finding of any rule has a line for it, as a file, on this host, and for an agent that is not installed', async () => {
    const host = await wellHost('rules')
    const policy = readPolicy({ capabilities: { exec: [host.program] } })
    const rules = new Set<string>()
    for (const text of OVERRIDES) {
      const path = join(host.home, 'caps/overrides/mini.toml')
      const bytes = Buffer.from(text)
      const alone = readOverrideFile({ label: path, for: 'mini', bytes })
      const held = heldAgainst(policy, alone)
      for (const { rule } of held.findings) rules.add(rule)
      const expected = ({ findings }: Override) =>
        findings.map(({ line, message }) => `line ${line}: ${message}`)
      const states = async (...files: string[]) =>
        (await doctor(host.cwd, host.home, ...files)).lines.map(({ state }) => state)
      writeFileSync(path, bytes)
      assert.deepEqual(await states(), expected(held), text.slice(0, 80))
      writeFileSync(path, '[capabilities]\n')
      const stray = join(host.home, 'caps/overrides/other.toml')
      writeFileSync(stray, bytes)
      assert.deepEqual(
        (await states()).slice(1),
        ['no installed agent is held to it', ...expected(alone)],
        text.slice(0, 80),
      )
      if (alone.findings.length > 0) assert.deepEqual(await states(stray), expected(alone), text.slice(0, 80))
      rmSync(stray)
    }
    assert.deepEqual([...rules].sort(), [...OVERRIDE_RULES.map(({ id }) => id), 'caps/override'].sort())
  })
})

test('a folder of channels that others may write', async () => {
  const host = await wellHost('loose channels')
  chmodSync(join(host.home, 'channels'), 0o777)
  chmodSync(join(host.cwd, 'lib/channels'), 0o777)
  const found = (await host.lines()).filter(line => !line.startsWith('ok  '))
  assert.deepEqual(
    found.map(line => line.split('  ').slice(0, 2).join('  ')),
    [
      'wrong  folder /home/channels',
      'wrong  folder /lib/channels',
      'wrong  channel house of the system',
      'wrong  channel house',
      'wrong  agent mini 1.0.0',
    ],
  )
})

test('the very moment from which a channel is warned of', async () => {
  const host = await wellHost('borders')
  const start = new Date('2026-11-20T12:00:00Z')
  const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)
  // The heartbeat lasts as long as what is looked at, so that it does not end first.
  const channel = (release: number, root: number, beat: number) => {
    const expires = secondAfter(start, root)
    const roots = [rootOne(start, { expires, heartbeatSeconds: 400 * DAY })]
    const days = release / DAY
    const released = withRelease({ ...NOTHING, roots }, policyText(), start, undefined, days)
    return withHeartbeat(released, start, beat)
  }
  const LONG = 300 * DAY
  for (const [what, contents, end] of [
    ['its newest heartbeat', channel(LONG, LONG, 4000), 3000],
    ['its release', channel(30 * DAY, LONG, LONG), 27 * DAY],
    ['its root', channel(LONG, 200 * DAY, LONG), 170 * DAY],
  ] as const) {
    host.know(await takenFrom(contents, start))
    const said = async (now: Date) =>
      (await followedChannels.look({ ...(await host.look(now)), channels: [userPlaces(host.home)] })).map(
        ({ level, state }) => `${level}: ${state}`,
      )
    const [before, ...none] = await said(at(end))
    assert.match(before ?? '', /^ok: release 1, root 1, until 2/, what)
    const [after, ...neither] = await said(at(end + 0.001))
    assert.ok(after?.startsWith(`warning: ${what} ends at `), after)
    assert.deepEqual([none, neither], [[], []])
  }
  host.know(await takenFrom(channel(2 * DAY, 2 * DAY, 2 * DAY), start))
  const look = await host.look(at(1.9 * DAY))
  const all = await followedChannels.look({ ...look, channels: [userPlaces(host.home)] })
  assert.deepEqual(
    all.map(({ level, state }) => `${level}: ${state.replace(/ ends at .*/, '')}`),
    ['warning: its newest heartbeat', 'warning: its release', 'warning: its root'],
  )
})

test('what belongs to another user', { skip: !isRoot && 'needs root' }, async () => {
  const host = await wellHost('foreign')
  chownSync(join(host.home, 'keys/mine.pem'), 65_534, 65_534)
  chownSync(host.program, 65_534, 65_534)
  chownSync(host.channel.system, 65_534, 65_534)
  const found = (await host.lines()).filter(line => !line.startsWith('ok  '))
  assert.deepEqual(
    found.map(line => line.split('  ').slice(0, 3).join('  ')),
    [
      'wrong  channel house of the system  it belongs to another user',
      'wrong  key mine  it belongs to another user',
      'wrong  program /bin/filter  it belongs to another user',
    ],
  )
})

test('an installed bundle whose signature ends within 30 days, though verify warns of it later', async () => {
  for (const [days, says] of [
    [29.5, [/^warning {2}agent \S*mini\.agent\.bundle {2}The signature ends at \S+, in 29 days/]],
    [31, []],
  ] as const) {
    const host = await wellHost('ending')
    const tree = signedTree(madeTree({ version: '1.0.1' }), [RELEASE], { notAfter: inDays(days) })
    const bundle = host.put('e.bundle', bundleOf(tree))
    assert.equal((await host.install(bundle, '--yes', '--expect', 'mini')).exit, 0)
    const found = (await host.lines()).filter(line => !line.startsWith('ok  '))
    assert.equal(found.length, says.length, found.join('\n'))
    for (const [at, line] of found.entries()) assert.match(line, says[at] ?? /^$/)
  }
})

test('an installed bundle that a flag let in', async () => {
  const host = await wellHost('let in')
  const bundle = host.put('u.bundle', made({ name: 'bare' }))
  assert.equal((await host.install(bundle, '--yes', '--expect', 'bare', '--allow-unsigned')).exit, 0)
  const found = (await host.lines()).filter(line => !line.startsWith('ok  '))
  assert.deepEqual(found, [
    'warning  agent bare 1.0.0  unsigned, and let in by --allow-unsigned  Install a version that needs no exception',
  ])
})

test('a check that fails is a line, and the others are asked all the same', async () => {
  const host = await wellHost('failing')
  process.env['RUNLOOP_HOME'] = host.home
  // The folder of keys is reached through what others may write: no key can be listed at all.
  chmodSync(join(host.home, 'keys'), 0o777)
  const found = (await host.lines()).filter(line => !line.startsWith('ok  '))
  assert.deepEqual(
    found.map(line => line.split('  ').slice(0, 2).join('  ')),
    ['wrong  folder /home/keys', 'wrong  keys'],
  )
})

test('a defect of a check is no line', async () => {
  const host = await thisHost({ cwd: '/', signal: new AbortController().signal })
  const broken: HealthCheck = { name: 'broken', look: () => Promise.reject(new TypeError('a defect')) }
  await assert.rejects(lookAt(host, [broken]), TypeError)
})

describe('the command', () => {
  const doctor = (home: string, ...args: string[]) => {
    process.env['RUNLOOP_HOME'] = home
    return run(['doctor', ...args], undefined, { cwd: folder('any'), env: {} })
  }

  test('exits 1 if something is wrong, 0 for warnings, and tells programs the same', async () => {
    const { home } = await wellHost('command')
    assert.equal((await doctor(home)).exit, 0)
    assert.equal((await doctor(home, '--quiet')).stdout, '')
    chmodSync(join(home, 'keys'), 0o755)
    assert.equal((await doctor(home)).exit, 0)
    assert.match((await doctor(home, '--quiet')).stdout, /^warning {2}folder [^\n]*\n$/)
    chmodSync(join(home, 'keys/mine.pem'), 0o644)
    const { exit, stdout } = await doctor(home, '--json')
    const { ok, tool, result } = JSON.parse(stdout)
    assert.deepEqual(
      [exit, ok, tool, result.passed, result.warning, result.wrong],
      [1, true, 'doctor', false, 1, 1],
    )
    assert.equal(result.ok + 2, result.lines.length)
    assert.deepEqual(Object.keys(result.lines[0]).sort(), ['check', 'fix', 'level', 'state', 'what'])
  })

  test('an empty home is told, and not made', async () => {
    const home = join(folder('empty'), 'none')
    const { exit, stdout } = await doctor(home)
    assert.equal(exit, 0)
    assert.match(stdout, /^warning {2}folder .*it is missing/m)
    assert.match(stdout, /^warning {2}trust policy {2}there is none/m)
    assert.ok(!existsSync(home))
  })

  test('what others have named commands no terminal', async () => {
    const { home } = await wellHost('names')
    writeFileSync(join(home, 'caps/overrides/\u001b[2J\u202e.toml'), '')
    const { stdout } = await doctor(home)
    assert.doesNotMatch(stdout, /[\u001b\u202e]/)
    assert.match(stdout, /warning {2}override/)
  })

  test('an interrupted one stops', async () => {
    const { home } = await wellHost('stopped')
    process.env['RUNLOOP_HOME'] = home
    const controller = new AbortController()
    controller.abort()
    const { exit, stderr } = await run(['doctor'], undefined, {
      cwd: '/',
      env: {},
      signal: controller.signal,
    })
    assert.equal(exit, 130, stderr)
  })
})

test('every file of the folder is in the index, but for those that all checks share', () => {
  const files = readdirSync('src/doctor').filter(
    name => !['check.ts', 'doctor-command.ts', 'index.ts', 'look.ts'].includes(name),
  )
  assert.equal(files.length, HEALTH_CHECKS.length)
  const index = readFileSync('src/doctor/index.ts', 'utf8')
  for (const file of files) assert.ok(index.includes(`'./${file}'`), file)
  const names = HEALTH_CHECKS.map(({ name }) => name)
  assert.deepEqual(Object.keys(FAULTS), names)
})

test('a home that is moved away is missing', async () => {
  const host = await wellHost('moved')
  renameSync(host.home, `${host.home}.old`)
  const found = (await host.lines()).filter(line => !line.startsWith('ok  '))
  assert.deepEqual(
    found.map(line => line.split('  ').slice(0, 2).join('  ')),
    ['warning  folder /home'],
  )
})

test('docs/operator.md has a row for each check, and its questions are asked as they are written', {
  skip: missing('jq'),
}, async () => {
  const page = readFileSync('docs/operator.md', 'utf8').split('## Is all well')[1] ?? ''
  const rows = [...page.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(
    rows,
    HEALTH_CHECKS.map(({ name }) => name),
  )
  const [, filter = ''] = /jq -r '([^']+)'/.exec(page) ?? []
  const { home, program } = await wellHost('page')
  rmSync(program)
  process.env['RUNLOOP_HOME'] = home
  const { stdout } = await run(['doctor', '--json'], undefined, { cwd: '/', env: {} })
  const { status, stdout: said } = spawnSync('jq', ['-r', filter], { input: stdout, encoding: 'utf8' })
  assert.deepEqual([status, said], [0, `program ${program}: Install the program under this path\n`])
})
