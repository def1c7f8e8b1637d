// rlp trust: what each command writes and says, what it refuses, and what it would do to everything installed.
import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import { MIXED } from '../../fixtures/conformance/key-vectors.ts'
import { SIGNER, SIGNERS } from '../../fixtures/conformance/world.ts'
import { parse } from '../../src/cli/parse.ts'
import { updateState } from '../../src/io/state/change-state.ts'
import { readState } from '../../src/io/state/state.ts'
import type { RlpError } from '../../src/model/error.ts'
import { isTestKey } from '../../src/trust/kit-keys.ts'
import { command as trustAdd } from '../../src/trust/verbs/add.ts'
import { agentTree, bundleOf, digestOf, type Tree } from '../support/agent.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { IS_ROOT, rlp } from '../support/run.ts'
import { type Line, STOP, scripted } from '../support/scripted-prompter.ts'
import { ASKING, installKeys, KEYS, keyFile, POLICY, signed } from '../support/trust-world.ts'

const R = KEYS.release.anchor
const S = KEYS.security.anchor
const BUNDLE = 'mini-1.0.0.agent.bundle'
const folderFor = temporary('trust-commands')
let home = ''
let cwd = ''

beforeEach(() => {
  home = folderFor('home')
  cwd = folderFor('cwd')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  writeFileSync(join(cwd, BUNDLE), bundleOf(signed(ASKING, 'release')))
})

const policyFile = () => join(home, 'trust-policy.toml')
const policy = () => readFileSync(policyFile(), 'utf8')
const write = (text: string, mode = 0o600) => {
  writeFileSync(policyFile(), text)
  chmodSync(policyFile(), mode)
}
async function trust(...args: string[]) {
  const { exit, stdout, stderr } = await run(['trust', ...args, '--json'], undefined, { cwd })
  return { exit, stderr, ...JSON.parse(stdout) }
}
const say = (...args: string[]) => run(args, undefined, { cwd })
const verdict = async (...args: string[]) => {
  const { stdout } = await run(['agent', 'verify', BUNDLE, '--json', ...args], undefined, { cwd })
  return JSON.parse(stdout).result.bundles[0].verdict as string
}
function install(tree: Tree, name = 'mini', root = join(home, 'agents')): void {
  mkdirSync(root, { recursive: true, mode: 0o755 })
  writeFileSync(join(root, `${name}.agent.bundle`), bundleOf(tree))
}

describe('add', () => {
  test('a key of one’s own, a file, an anchor string: a new policy that only its owner reads', async () => {
    for (const [name, key] of [
      ['a', 'release'],
      ['b', keyFile('security', 'pub')],
      ['c', KEYS.second.anchor],
    ] as const) {
      const { exit, result } = await trust('add', name, key)
      assert.deepEqual([exit, result.changed], [0, true], name)
    }
    const mode = statSync(policyFile()).mode & 0o777
    assert.equal(mode, 0o600)
    assert.match(
      policy(),
      new RegExp(`^# Whose[\\s\\S]*\\[anchors\\]\na = "${R.replace(/[+]/g, '\\+')}"\nb = "`),
    )
    assert.deepEqual(readdirSync(home).sort(), ['keys', 'trust-policy.toml'])
  })

  test('with a rule from options', async () => {
    const args = [
      '--allow-caps',
      'kb_read:drafts',
      '--allow-net',
      'api.mail.example:443',
      '--allow-exec',
      '/usr/bin/jq',
      '--agent',
      'mini',
    ]
    assert.equal(await verdict(), 'indeterminate')
    assert.equal((await trust('add', 'release', 'release', ...args, '--yes')).exit, 0)
    assert.equal(await verdict(), 'trusted')
  })

  for (const wide of [
    ['--allow-exec', 'any'],
    ['--allow-net', 'any'],
    ['--allow-caps', 'any'],
  ]) {
    test(`asks before a wide grant is written: ${wide.join(' ')}`, async () => {
      const { exit, code } = await trust('add', 'release', 'release', ...wide)
      assert.deepEqual([exit, code, existsSync(policyFile())], [2, 'NEEDS_ANSWER', false])
      assert.equal((await trust('add', 'release', 'release', ...wide, '--dry-run')).exit, 0)
      assert.equal((await trust('add', 'release', 'release', ...wide, '--yes')).exit, 0)
      assert.equal((await trust('add', 'release', 'release', ...wide)).exit, 0, 'nothing changes')
    })
  }

  test('twice is once', async () => {
    await trust('add', 'release', 'release', '--allow-caps', 'time')
    const was = snapshot(home)
    const { exit, result } = await trust('add', 'release', 'release', '--allow-caps', 'time')
    assert.deepEqual([exit, result.changed, result.added, result.removed], [0, false, [], []])
    assert.deepEqual(snapshot(home), was)
  })

  test('a further key only when it is called so', async () => {
    await trust('add', 'release', 'release')
    const refused = await trust('add', 'release', 'second')
    assert.deepEqual([refused.exit, refused.code], [2, 'EXISTS'])
    assert.equal((await trust('add', 'release', 'second', '--further-key')).exit, 0)
    assert.match(policy(), /release = \{ keys = \["ed25519:[^"]+", "ed25519:[^"]+"\] \}/)
  })

  test('never a key from a bundle', async () => {
    for (const which of [BUNDLE, `./${BUNDLE}`, join(cwd, BUNDLE)]) {
      const { exit, code, message, hint } = await trust('add', 'release', which)
      assert.deepEqual([exit, code], [2, 'WRONG_FILE_TYPE'])
      assert.match(message, /it is a bundle/)
      assert.doesNotMatch(message + hint, /ed25519:/)
    }
    assert.equal((await trust('add', 'release', '--for', BUNDLE, '--yes')).code, 'NOT_FOUND')
    assert.equal(existsSync(policyFile()), false)
  })

  const wrong: [args: string[], code: string][] = [
    [['add', 'release'], 'USAGE'],
    [['add', 'a b', 'release'], 'USAGE'],
    [['add', 'release', 'none'], 'NOT_FOUND'],
    [['add', 'release', 'release', '--allow-caps', 'kb_raed'], 'USAGE'],
    [['add', 'release', 'release', '--allow-caps', 'net:h'], 'USAGE'],
    [['add', 'release', 'release', '--allow-caps', 'any,time'], 'USAGE'],
    [['add', 'release', 'release', '--allow-net', 'https://h'], 'USAGE'],
    [['add', 'release', 'release', '--agent', 'Mini'], 'USAGE'],
    [['add', 'release', 'release', '--for', BUNDLE, '--allow-exec', 'any'], 'USAGE'],
    [['add', 'release', `ed25519:${Buffer.from([1, ...Array(31).fill(0)]).toString('base64')}`], 'USAGE'],
  ]
  for (const [args, code] of wrong) {
    test(`refuses ${args.slice(1).join(' ').slice(0, 60)}`, async () => {
      const refused = await trust(...args)
      assert.deepEqual([refused.exit, refused.code], [2, code])
      assert.equal(existsSync(policyFile()), false)
    })
  }
})

describe('add --for', () => {
  test('proposes exactly what the bundle asks, for exactly this agent', async () => {
    const { exit, result } = await trust('add', 'release', 'release', '--for', BUNDLE, '--yes')
    assert.deepEqual([exit, result.changed], [0, true])
    assert.match(
      policy(),
      /^release = \{ allow_caps = \["kb_read:drafts"\], allow_net = \["api\.mail\.example:443"\], allow_exec = \["\/usr\/bin\/jq"\], agents = \["mini"\] \}$/m,
    )
    assert.equal(await verdict(), 'trusted')
  })

  test('never any, whatever it asks, and says what no rule can say', async () => {
    const all = agentTree({
      name: 'mini',
      variant: 'pro',
      files: {
        'policy.caps':
          '[capabilities]\nfs = ["/"]\nnet = { hosts = ["h.example"], allow_http = true }\ntime = true\nmodel = true\nkb_read = true\nkb_write = true\nsecrets = ["a/b"]\nexec = ["/bin/sh"]\n',
      },
    })
    writeFileSync(join(cwd, 'all.bundle'), bundleOf(signed(all, 'release')))
    const { exit, stderr } = await say('trust', 'add', 'release', 'release', '--for', 'all.bundle', '--yes')
    assert.equal(exit, 0)
    assert.doesNotMatch(policy(), /"any"/)
    assert.match(
      policy(),
      /release = \{ allow_caps = \["fs:\/", "time", "kb_read", "kb_write", "secrets:a\/b", "model"\], allow_net = \["h\.example"\], allow_exec = \["\/bin\/sh"\], agents = \["mini@pro"\] \}/,
    )
    assert.match(stderr, /plain http/)
    const verified = await say('agent', 'verify', 'all.bundle')
    assert.equal(verified.exit, 4, 'plain http is left to the user')
    // That is what it said beforehand, and it says it until the rule allows it.
    const again = await trust('add', 'release', '--for', 'all.bundle', '--yes')
    const [foreseen] = again.result.bundles
    assert.equal(foreseen.verdict, 'policy_denied')
    assert.match(foreseen.reasons.join(), /^release may not grant net:allow_http \(.*:7\)$/)
    write(policy().replace('["h.example"]', '"any"'))
    const wide = await say('trust', 'add', 'release', '--for', 'all.bundle', '--yes')
    assert.doesNotMatch(wide.stderr, /plain http/)
    assert.match(wide.stdout, /^all\.bundle will be trusted$/m)
  })

  test('says in words what the signer may grant afterwards, and what the bundle will be', async () => {
    const { stdout } = await say('trust', 'add', 'release', 'release', '--for', BUNDLE, '--yes')
    assert.match(
      stdout,
      /^release may grant kb_read:drafts, net:api\.mail\.example:443, exec:\/usr\/bin\/jq to mini$/m,
    )
    assert.match(stdout, new RegExp(`^${BUNDLE} will be trusted$`, 'm'))
    const other = await say('trust', 'add', 'security', 'security', '--for', BUNDLE, '--dry-run')
    assert.match(other.stdout, /will be trusted/)
    rmSync(policyFile())
    const alone = await say('trust', 'add', 'security', 'security', '--for', BUNDLE, '--dry-run')
    assert.match(alone.stdout, /will be untrusted:\n {2}No signature is one of an anchor/)
  })

  test('adds to a rule that is there', async () => {
    await trust('add', 'release', 'release', '--allow-caps', 'time', '--agent', 'other')
    assert.equal((await trust('add', 'release', '--for', BUNDLE, '--yes')).exit, 0)
    assert.match(policy(), /\{ allow_caps = \["time"\], .*agents = \["other"\] \}/)
    assert.match(policy(), /\{ allow_caps = \["kb_read:drafts"\], .*agents = \["mini"\] \}/)
    assert.equal(await verdict(), 'trusted')
  })

  test('says when the bundle is signed by a stranger', async () => {
    const add = ['add', 'security', 'security', '--for', BUNDLE] as const
    const dry = await say('trust', ...add, '--dry-run')
    assert.match(dry.stderr, /is not signed with a key of security; outside of a dry run this is refused/)
    assert.match(dry.stdout, /will be untrusted/)
    const { exit, code, hint } = await trust(...add, '--yes')
    assert.deepEqual([exit, code], [1, 'NOT_VERIFIED'])
    assert.match(hint, /^Sign it first with rlp agent sign, or name the signer/)
    assert.equal(existsSync(policyFile()), false)
  })

  test('refuses an unsigned bundle, and a rule for a signer who is there and has not signed', async () => {
    writeFileSync(join(cwd, 'unsigned.bundle'), bundleOf(ASKING))
    await trust('add', 'security', 'security')
    const before = policy()
    for (const [bundle, state] of [
      ['unsigned.bundle', /it is unsigned/],
      [BUNDLE, /not signed with a key of security/],
    ] as const) {
      const { exit, message } = await trust('add', 'security', '--for', bundle, '--yes')
      assert.equal(exit, 1)
      assert.match(message, state)
    }
    assert.equal(policy(), before)
  })

  test('a denied bundle leads to the rule that it needs, after asking for less', async () => {
    await trust('add', 'release', 'release', '--allow-caps', 'time', '--agent', 'mini')
    const told = await say('trust', 'explain', BUNDLE)
    assert.match(told.stdout, /^policy_denied/m)
    writeFileSync(join(cwd, 'second.bundle'), bundleOf(signed(ASKING, 'release')))
    const many = await say('agent', 'verify', BUNDLE, 'second.bundle', '--expect', 'any')
    assert.equal(many.stdout.match(/policy_denied/g)?.length, 2)
    assert.equal(many.stdout.match(/hint:/g)?.length, 1)
    const words = told.stdout.replaceAll(/\s+/g, ' ')
    assert.match(
      words,
      new RegExp(
        `hint: Have policy.caps ask for less. If .* kb_read:drafts, .* rlp trust add release --for ${BUNDLE}`,
      ),
    )
    assert.equal((await trust('add', 'release', '--for', BUNDLE, '--yes')).exit, 0)
    assert.doesNotMatch((await say('trust', 'explain', BUNDLE)).stdout, /policy_denied|hint:/)
  })

  test('takes no bundle that does not verify', async () => {
    writeFileSync(join(cwd, 'bad.bundle'), bundleOf({ ...signed(ASKING, 'release'), 'README.md': 'x' }))
    for (const bundle of ['bad.bundle', 'none.bundle']) {
      const { exit } = await trust('add', 'release', 'release', '--for', bundle, '--yes')
      assert.notEqual(exit, 0, bundle)
    }
    assert.equal(existsSync(policyFile()), false)
  })

  test('writes nothing without a yes: where no person can be asked it says so', async () => {
    const { exit, code, hint } = await trust('add', 'release', 'release', '--for', BUNDLE)
    assert.deepEqual([exit, code], [2, 'NEEDS_ANSWER'])
    assert.match(hint, /--dry-run/)
    assert.equal(existsSync(policyFile()), false)
    assert.equal((await trust('add', 'release', 'release', '--for', BUNDLE, '--dry-run')).exit, 0)
    assert.equal(existsSync(policyFile()), false)
  })

  test('asks on a terminal, with the lines, and no is what Enter says', async () => {
    const ask = async (line: Line) => {
      const script = scripted([line])
      const { terminal } = fakeTerminal({ cwd, isTTY: { stdin: true, stdout: true, stderr: true } })
      const args = parse(trustAdd, ['release', 'release', '--for', BUNDLE])
      const outcome = await trustAdd
        .run(args, { ...terminal, color: false }, async () => script.prompter)
        .catch((error: RlpError) => error.code)
      return { outcome, log: script.log.join('\n') }
    }
    for (const reply of ['', 'no', 'nah', STOP]) {
      const { outcome, log } = await ask(['Let the signer', reply])
      assert.equal(outcome, 'CANCELLED')
      assert.match(log, /\+release = \{ allow_caps = \["kb_read:drafts"\]/)
      assert.equal(existsSync(policyFile()), false)
    }
    assert.equal((await ask(['Let the signer', 'yes'])).outcome, 0)
    assert.equal(await verdict(), 'trusted')
  })
})

describe('remove and revoke', () => {
  test('remove a signer and the rule', async () => {
    write(POLICY)
    assert.equal(await verdict(), 'trusted')
    assert.equal((await trust('remove', 'release')).exit, 0)
    assert.doesNotMatch(policy(), /release/)
    assert.equal(await verdict(), 'untrusted')
    assert.deepEqual((await trust('remove', 'release')).code, 'NOT_FOUND')
  })

  const ways: [what: string, arg: () => string, keys: readonly string[]][] = [
    ['a signer', () => 'release', [R]],
    ['an anchor string', () => R, [R]],
    ['a key in hex', () => `ed25519:${KEYS.release.raw.toString('hex')}`, [R]],
    ['a public key’s file', () => keyFile('release', 'pub'), [R]],
    ['a bundle', () => BUNDLE, [`blake3:${digestOf(ASKING['manifest.toml'] ?? '')}`]],
    [
      'the digest of a bundle',
      () => `blake3:${digestOf(ASKING['manifest.toml'] ?? '').toUpperCase()}`,
      [`blake3:${digestOf(ASKING['manifest.toml'] ?? '')}`],
    ],
  ]
  for (const [what, arg, keys] of ways) {
    test(`revoke ${what}`, async () => {
      write(POLICY)
      const reason = arg().startsWith('blake3') || arg() === BUNDLE ? [] : ['--replaced-by', 'second']
      const { exit } = await trust('revoke', arg(), '--reason', 'lost', '--since', '2026-11-01', ...reason)
      assert.equal(exit, 0)
      for (const key of keys)
        assert.ok(policy().includes(`"${key}" = { since = "2026-11-01", reason = "lost"`), policy())
      assert.equal(await verdict(), 'revoked')
      const explained = await say('trust', 'explain', BUNDLE)
      assert.match(explained.stdout, /^revoked {2}.*since 2026-11-01, lost/m)
    })
  }

  test('revoke all keys of a signer', async () => {
    write(`[anchors]\nr = { keys = ["${R}", "${S}"] }\n`)
    assert.equal((await trust('revoke', 'r')).exit, 0)
    assert.ok(policy().includes(`"${R}" = {}\n"${S}" = {}`))
    assert.deepEqual((await trust('revoke', R, '--reason', 'lost')).result.says, [])
  })

  test('an unknown key, before there is a policy', async () => {
    const { exit, result } = await trust('revoke', KEYS.stranger.anchor, '--reason', 'stolen')
    assert.equal(exit, 0)
    assert.deepEqual(result.says, ['It names no anchor of this policy: no anchor has this key'])
    assert.equal((await trust('add', 'stranger', 'stranger')).code, 'EXISTS')
  })

  test('an unpacked bundle', async () => {
    write(POLICY)
    const folder = join(cwd, 'unpacked')
    for (const [path, content] of Object.entries(ASKING)) {
      mkdirSync(join(folder, path, '..'), { recursive: true })
      writeFileSync(join(folder, path), content)
    }
    assert.equal((await trust('revoke', 'unpacked')).exit, 0)
    assert.equal(await verdict(), 'revoked')
  })

  const wrong: [args: string[], code: string][] = [
    [['nobody'], 'NOT_FOUND'],
    [['./none'], 'NOT_FOUND'],
    [['blake3:00'], 'USAGE'],
    [['ed25519:AAAA'], 'USAGE'],
    [['release', '--since', '2026-02-30'], 'USAGE'],
    [['release', '--since', 'yesterday'], 'USAGE'],
    [[BUNDLE, '--replaced-by', 'second'], 'USAGE'],
    [['release', '--replaced-by', 'none'], 'NOT_FOUND'],
    [['cut.bundle'], 'WRONG_FILE_TYPE'],
  ]
  for (const [args, code] of wrong) {
    test(`refuses ${args.join(' ')}`, async () => {
      write(POLICY)
      writeFileSync(join(cwd, 'cut.bundle'), bundleOf(ASKING).subarray(0, 2000))
      const refused = await trust('revoke', ...args)
      assert.deepEqual([refused.exit, refused.code], [2, code])
      assert.equal(policy(), POLICY)
    })
  }
})

describe('the file', () => {
  test('a malformed one is not edited, and every command says where', async () => {
    write(`${POLICY}[more]\n`)
    assert.equal(await verdict(), 'indeterminate')
    for (const args of [
      ['add', 'n', 'second'],
      ['remove', 'release'],
      ['revoke', 'release'],
    ]) {
      const { exit, code, message } = await trust(...args)
      assert.deepEqual([exit, code], [1, 'NOT_EDITABLE'])
      assert.match(message, /more is not a key here/)
    }
    assert.equal(policy(), `${POLICY}[more]\n`)
    write('x')
    assert.match((await trust('add', 'n', 'second')).message, /line 1: Not TOML/)
    assert.equal((await trust('list')).exit, 3)
  })

  test('one that others may write is not edited', { skip: process.getuid === undefined }, async () => {
    write(POLICY, 0o666)
    assert.equal(await verdict(), 'indeterminate')
    const { exit, code } = await trust('revoke', 'release')
    assert.deepEqual([exit, code], [3, 'NO_PERMISSION'])
    assert.equal(policy(), POLICY)
    const open = folderFor('open')
    chmodSync(open, 0o777)
    assert.equal(
      (await trust('add', 'r', 'release', '--trust-policy', join(open, 'p.toml'))).code,
      'NO_PERMISSION',
    )
    assert.deepEqual(readdirSync(open), [])
  })

  test('keeps its mode, its place and its link', async () => {
    write(POLICY, 0o644)
    await trust('add', 'n', 'second')
    assert.equal(statSync(policyFile()).mode & 0o777, 0o644)
    const dotfiles = folderFor('dotfiles')
    copyFileSync(policyFile(), join(dotfiles, 'p.toml'))
    const other = folderFor('linked')
    symlinkSync(join(dotfiles, 'p.toml'), join(other, 'trust-policy.toml'))
    assert.equal((await trust('remove', 'n', '--trust-policy', join(other, 'trust-policy.toml'))).exit, 0)
    assert.ok(lstatSync(join(other, 'trust-policy.toml')).isSymbolicLink())
    assert.doesNotMatch(readFileSync(join(dotfiles, 'p.toml'), 'utf8'), /^n = /m)
    assert.match(policy(), /^n = /m)
  })

  test('--trust-policy names another one', async () => {
    assert.equal((await trust('add', 'r', 'release', '--trust-policy', 'mine.toml')).exit, 0)
    assert.equal(existsSync(policyFile()), false)
    assert.equal(
      (await trust('list', '--trust-policy', 'mine.toml')).result.policies[0].policy.anchors[0].name,
      'r',
    )
  })

  test('twenty edits at once are twenty edits', { timeout: 60_000 }, async () => {
    write(POLICY)
    const names = Array.from({ length: 20 }, (_, index) => `blake3:${index.toString(16).padStart(64, '0')}`)
    const [first = '', second = '', ...rest] = names
    const processes = [first, second].map(name =>
      rlp(['trust', 'revoke', name], { cwd, env: { RUNLOOP_HOME: home } }),
    )
    await Promise.all(rest.map(name => trust('revoke', name)))
    for (const { exit, stderr } of await Promise.all(processes)) assert.equal(exit, 0, stderr)
    for (const name of names) assert.ok(policy().includes(name), name)
    assert.deepEqual(readdirSync(home).sort(), ['keys', 'trust-policy.toml'])
  })
})

describe('--dry-run', () => {
  test('shows the change and what it would do to everything installed, and writes nothing', async () => {
    write(POLICY)
    install(signed(ASKING, 'release'))
    install(signed(agentTree({ name: 'other' }), 'security'), 'other')
    const was = snapshot(home)
    const { exit, result } = await trust('revoke', 'release', '--reason', 'lost', '--dry-run')
    assert.deepEqual([exit, result.changed], [0, true])
    assert.equal(result.effect.looked, 2)
    assert.deepEqual(
      result.effect.changed.map(({ before, after }: { before: string; after: string }) => [before, after]),
      [['trusted', 'revoked']],
    )
    assert.ok(result.added.includes(`"${R}" = { reason = "lost" }`), JSON.stringify(result.added))
    assert.deepEqual(snapshot(home), was)
    const { stdout } = await say('trust', 'remove', 'release', '--dry-run')
    assert.match(stdout, /would change/)
    assert.match(stdout, /mini\.agent\.bundle {2}trusted → untrusted: No signature is one of an anchor/)
    const { stdout: nothing } = await say('trust', 'add', 'n', 'second', '--dry-run')
    assert.match(nothing, /No verdict changes; installed bundles looked at: 2/)
    assert.deepEqual(snapshot(home), was)
  })

  test('of a policy that is not in use yet', async () => {
    install(signed(ASKING, 'release'))
    const args = ['add', 'release', 'release', '--for', BUNDLE, '--trust-policy', 'next.toml', '--dry-run']
    const { result } = await trust(...args)
    assert.deepEqual(
      result.effect.changed.map(({ before, after }: { before: string; after: string }) => [before, after]),
      [['indeterminate', 'trusted']],
    )
  })
})

describe('list', () => {
  test('signers, rules, requirement and revocations, with lines', async () => {
    write(`${POLICY}
[require]
signatures = 1

[revoked]
"${KEYS.stranger.anchor}" = { since = "2026-11-01", reason = "stolen" }
`)
    const { exit, result } = await trust('list')
    assert.equal(exit, 0)
    const [{ role, policy: found }] = result.policies
    assert.equal(role, 'user')
    assert.deepEqual(found.anchors[0], {
      name: 'release',
      keys: [R],
      sshFingerprints: ['SHA256:80Eeh1z3QK/GJ54Q5u0dBWXW0NoI1Jn5Z+/HbREYlE0'],
      allowDev: false,
      use: ['sign'],
      line: 2,
      rules: [
        {
          allowCaps: ['kb_read:drafts'],
          allowNet: ['api.mail.example:443'],
          allowExec: true,
          agents: ['mini'],
          line: 7,
        },
      ],
    })
    assert.deepEqual(found.require, { anchors: [], signatures: 1, line: 10 })
    assert.deepEqual(found.revoked, [
      { what: KEYS.stranger.anchor, since: '2026-11-01', reason: 'stolen', replacedBy: null, line: 14 },
    ])
    const { stdout } = await say('trust', 'list')
    for (const line of [
      /line 2 +release +ed25519:/,
      /line 3 +security +ed25519:/,
      /can approve, and grants nothing/,
      /counts only with --allow-dev/,
      /line 7 +may grant kb_read:drafts, net:api\.mail\.example:443, any\s+program to mini/,
      /line 10 +required +1 signer/,
      /line 14 +revoked +ed25519:/,
    ])
      assert.match(stdout, line)
  })

  test('what signatures are for, and the end of the policy', async () => {
    write('valid_until = "2026-01-01T00:00:00Z"\n')
    const line = /line 1 +valid until +2026-01-01T00:00:00Z/
    assert.deepEqual((await trust('add', 'builder', 'release', '--use', 'attest')).exit, 0)
    assert.match(policy(), /^builder = \{ key = "ed25519:[^"]+", use = \["attest"\] \}$/m)
    const over = await say('trust', 'list')
    assert.equal(over.exit, 3)
    assert.match(over.stdout, /:1: the policy was valid until 2026-01-01T00:00:00Z/)
    assert.match(over.stdout, line)
    write(policy().replace('2026-01', '2999-01'))
    const { exit, stdout } = await say('trust', 'list')
    assert.equal(exit, 0)
    assert.match(stdout, /builder +ed25519:\S+\s+use: attest$/m)
    assert.doesNotMatch(stdout, /grants nothing/)
    const { result } = await trust('list')
    const [{ policy: found }] = result.policies
    assert.deepEqual([found.validUntil, found.anchors[0].use], ['2999-01-01T00:00:00Z', ['attest']])
    const explained = (await say('trust', 'explain', BUNDLE)).stdout
    assert.match(explained, /builder has signed, but its keys only attest/)
    assert.match(explained, /line 1 +- The policy is valid until 2999-01-01T00:00:00Z$/m)
  })

  test('what one who attests is not given', async () => {
    assert.equal((await trust('add', 'builder', 'release', '--use', 'attest')).exit, 0)
    const before = policy()
    for (const [args, code] of [
      [['--allow-caps', 'time'], 'NOT_EDITABLE'],
      [['security', '--further-key', '--use', 'sign'], 'EXISTS'],
    ] as const) {
      const refused = await trust('add', 'builder', ...args)
      assert.equal(refused.code, code)
    }
    assert.equal((await say('trust', 'add', 'x', 'security', '--use', 'vouch')).exit, 2)
    assert.equal(policy(), before)
  })

  test('nothing, and what is unusable', async () => {
    const { exit, stderr } = await say('trust', 'list')
    assert.equal(exit, 0)
    assert.match(stderr, /There is no trust policy/)
    write(POLICY.replace('allow_exec', 'allow_exce'))
    const bad = await say('trust', 'list')
    assert.equal(bad.exit, 3)
    assert.match(bad.stdout, /:7:\d+: allow_exce is not a key here/)
  })
})

describe('explain', () => {
  test('says which line decided, and what every other one says', async () => {
    write(POLICY.replace('allow_exec = true, agents', 'allow_exec = false, agents'))
    const { exit, stdout } = await say('trust', 'explain', BUNDLE)
    assert.equal(exit, 0)
    assert.match(stdout, /line 2 +✓ release has signed/)
    assert.match(stdout, /line 7 +✗ release may not grant exec:\/usr\/bin\/jq → this\s+decided/)
    assert.match(stdout, /^policy_denied {2}release may not grant exec:\/usr\/bin\/jq \(.*:7\)$/m)
  })

  test('every grant that no rule allows, and the one rule of a list that applies', async () => {
    const rules = `release = [\n  { allow_caps = "any", allow_net = "any", allow_exec = true, agents = ["other"] },\n  { agents = ["mini"] },\n]`
    write(POLICY.replace(/^release = \{.*\}$/m, rules))
    const denied = [/kb_read:drafts/, /net:api\.mail\.example:443/, /exec:\/usr\/bin\/jq/]
    const { stdout } = await say('trust', 'explain', BUNDLE)
    const verified = await say('agent', 'verify', BUNDLE)
    assert.equal(verified.exit, 4)
    for (const grant of denied) {
      assert.match(stdout, new RegExp(`line 9 +✗ release may not grant ${grant.source}`))
      assert.match(verified.stdout, new RegExp(`release may not grant ${grant.source}\\s+\\(`))
    }
    assert.match(stdout, /^policy_denied {2}release may not grant .* and 2 more \(.*:9\)$/m)
    const { stdout: listed } = await say('trust', 'list')
    assert.match(listed, /line 8 +may grant any capability but net and exec.*\n?.*to other/)
    assert.match(listed, /line 9 +may grant nothing to mini/)
  })

  test('another policy, without using it', async () => {
    write(POLICY)
    writeFileSync(join(cwd, 'next.toml'), `[anchors]\nsecurity = "${S}"\n`, { mode: 0o600 })
    assert.match((await say('trust', 'explain', BUNDLE)).stdout, /^trusted$/m)
    const { stdout } = await say('trust', 'explain', BUNDLE, '--trust-policy', 'next.toml')
    assert.match(stdout, /next\.toml/)
    assert.match(
      stdout,
      /^untrusted {2}No signature is one of an anchor of this policy that counts \(\S*next\.toml:1\)$/m,
    )
    assert.equal(
      (await trust('explain', BUNDLE, '--trust-policy', 'none.toml')).result.verdict,
      'indeterminate',
    )
  })

  test('development keys', async () => {
    write(POLICY)
    writeFileSync(join(cwd, BUNDLE), bundleOf(signed(ASKING, 'dev')))
    assert.match((await say('trust', 'explain', BUNDLE)).stdout, /dev has signed with a development key/)
    assert.match((await say('trust', 'explain', BUNDLE, '--allow-dev')).stdout, /^trusted$/m)
  })

  test('what never got as far as a policy', async () => {
    write(POLICY)
    writeFileSync(join(cwd, 'bad.bundle'), 'hello')
    const { exit, stdout } = await say('trust', 'explain', 'bad.bundle')
    assert.equal(exit, 0)
    assert.match(stdout, /No trust policy was asked/)
    assert.match(stdout, /^invalid /m)
    const unsigned = join(cwd, 'unsigned.bundle')
    writeFileSync(unsigned, bundleOf(ASKING))
    assert.match((await say('trust', 'explain', unsigned)).stdout, /^unsigned /m)
  })
})

describe('reset', () => {
  const mark = {
    version: '9.0.0',
    manifestDigest: 'a'.repeat(64),
    keys: [],
    at: '2026-11-20T00:00:00Z',
  }

  test('forgets the mark, and remembers that it did', async () => {
    write(POLICY)
    await updateState('mini', state => ({ ...state, marks: [mark] }))
    assert.equal(await verdict(), 'rolled_back')
    const dry = await trust('reset', 'mini', '--dry-run')
    assert.deepEqual(
      [dry.exit, dry.result.changed, dry.result.forgotten],
      [0, true, [{ version: '9.0.0', keys: [], at: mark.at, identity: `blake3:${mark.manifestDigest}` }]],
    )
    assert.equal(await verdict(), 'rolled_back')
    const { exit, result } = await trust('reset', 'mini', '--reason', 'a typing error')
    assert.deepEqual([exit, result.changed], [0, true])
    assert.equal(await verdict(), 'trusted')
    const [entry] = (await readState('mini')).resets
    assert.deepEqual([entry?.reason, entry?.marks], ['a typing error', [mark]])
    assert.match(entry?.at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  })

  test('what was never installed, and what is no name', async () => {
    assert.deepEqual((await trust('reset', 'mini')).code, 'NOT_FOUND')
    for (const name of ['Mini', '../mini', 'mini@', 'mini@pro@1'])
      assert.equal((await trust('reset', name)).code, 'USAGE', name)
    assert.equal(existsSync(join(home, 'state')), false)
  })
})

test('root and its files belong to no other user', { skip: IS_ROOT ? false : 'only root' }, async () => {
  write(POLICY)
  chmodSync(home, 0o755)
  const ran = await rlp(['trust', 'add', 'n', S, '--json'], {
    cwd: '/',
    uid: 65534,
    env: { RUNLOOP_HOME: home },
  })
  assert.equal(ran.exit, 3)
  assert.equal(policy(), POLICY)
})

describe('keys of the conformance kit', () => {
  test('all of them are known, and no other key', () => {
    for (const { keyid } of [...SIGNERS, ...MIXED]) assert.ok(isTestKey(keyid), keyid)
    assert.ok(!isTestKey(R))
  })
  test('are refused in both spellings and as a further key, and taken with the flag', async () => {
    await trust('add', 'kit', R)
    const before = policy()
    const hex = `ed25519:${SIGNER.bytes.toString('hex')}`
    for (const args of [
      ['other', SIGNER.keyid],
      ['other', hex],
      ['kit', SIGNER.keyid, '--further-key'],
    ]) {
      const { exit, message } = await trust('add', ...args)
      assert.equal(exit, 2)
      assert.match(message, /test key of the conformance kit, and anybody can sign with it$/)
      assert.equal(policy(), before)
    }
    const { exit } = await trust('add', 'other', hex, '--allow-test-key')
    assert.equal(exit, 0)
    assert.ok(policy().includes(SIGNER.keyid))
  })
})
