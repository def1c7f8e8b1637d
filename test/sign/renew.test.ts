// rlp agent sign --renew: a later end for the same bundle, one statement for all who renew it, what is asked first, and what this host refuses.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { sign as signPath } from '../../src/library/generated/index.ts'
import { approvalOf } from '../../src/sign/ask-to-sign.ts'
import { payloadFor } from '../../src/sign/sign.ts'
import { bundleOf } from '../support/agent.ts'
import { fakeTerminal, worldAt } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { world } from '../support/install-world.ts'
import { slice } from '../support/runs.ts'
import { scripted } from '../support/scripted-prompter.ts'
import { ASKING, installKeys, judge, KEYS, type KeyName, signed } from '../support/trust-world.ts'

const folder = temporary('renew')
const NAME = 'mini-1.0.0.agent.bundle'
const NOW = Date.parse('2026-11-20T12:00:00Z')
const DAY = 86_400_000
/** So many seconds after 90 days from {@link NOW}. */
const end = (seconds = 0) => `${new Date(NOW + 90 * DAY + seconds * 1000).toISOString().slice(0, 19)}Z`
const OLD = '2026-12-01T00:00:00Z'

/** A desk with keys, a policy and a bundle, at {@link NOW}. */
function desk(t: TestContext, signers: readonly KeyName[], notAfter: string | null = OLD) {
  t.mock.timers.enable({ apis: ['Date'], now: NOW })
  const here = world(folder('desk'))
  installKeys(here.home)
  const policy = (more = '') => {
    const anchors = (['release', 'security'] as const).map(name => `${name} = "${KEYS[name].anchor}"\n`)
    const rule = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'
    const rules = `[rules]\nrelease = ${rule}\nsecurity = ${rule}\n`
    writeFileSync(join(here.home, 'trust-policy.toml'), `[anchors]\n${anchors.join('')}${rules}${more}`, {
      mode: 0o644,
    })
  }
  policy()
  const path = join(here.cwd, NAME)
  const tree = signers.length === 0 ? ASKING : signed(ASKING, signers, notAfter === null ? {} : { notAfter })
  writeFileSync(path, bundleOf(tree))
  const sign = (...args: string[]) => here.say('agent', 'sign', NAME, ...args)
  const is = (keys: readonly KeyName[], notAfter: string) =>
    assert.deepEqual(readFileSync(path), bundleOf(signed(ASKING, keys, { notAfter })))
  return {
    here,
    path,
    policy,
    sign,
    is,
    later: (seconds: number) => t.mock.timers.setTime(NOW + seconds * 1000),
  }
}

describe('a renewal', () => {
  test('starts a new statement with its end, and drops the signatures on the old one', async t => {
    for (const [signers, notAfter, says] of [
      [
        ['release', 'security'],
        OLD,
        / {2}the old signatures, which end at 2026-12-01T00:00:00Z, are dropped\n/,
      ],
      [['release', 'security'], null, / {2}the old signatures, which do not end, are dropped\n/],
      [[], undefined, / {2}the new signature ends at 2027-02-18T12:00:00Z\n/],
      // Expired signatures are renewed as well.
      [['release'], '2026-11-19T00:00:00Z', /which end at 2026-11-19T00:00:00Z, are dropped\n/],
    ] as const) {
      const { sign, is } = desk(t, signers, notAfter)
      const { exit, stderr } = await sign('--key', 'release', '--renew', '90d', '--yes')
      assert.equal(exit, 0, stderr)
      assert.match(stderr, /mini 1\.0\.0, identity blake3:/)
      assert.match(stderr, says)
      is(['release'], end())
      t.mock.timers.reset()
    }
  })

  test('of a second signer takes the end that is there, and says it before signing', async t => {
    const { sign, is, later } = desk(t, ['release', 'security'])
    assert.equal((await sign('--key', 'release', '--renew', '90d', '--yes')).exit, 0)
    later(7)
    const { exit, stderr } = await sign('--key', 'security', '--renew', '90d', '--expect', 'mini@1.0.0')
    assert.equal(exit, 0)
    assert.match(stderr, / {2}the new signature ends at 2027-02-18T12:00:00Z, as those that are there\n/)
    is(['release', 'security'], end())
  })

  test('takes an end that is at most a day earlier, and at most ten minutes later than its own', async t => {
    for (const [seconds, isTaken] of [
      [-86_401, false],
      [-86_400, true],
      [600, true],
      [601, false],
    ] as const) {
      const { sign, is } = desk(t, ['security'], end(seconds))
      assert.equal((await sign('--key', 'release', '--renew', '90d', '--yes')).exit, 0)
      if (isTaken) is(['release', 'security'], end(seconds))
      else is(['release'], end())
      t.mock.timers.reset()
    }
  })

  test('is not what --not-after does, which takes a near end only if it was counted from now', async t => {
    const { sign, is, later } = desk(t, [])
    assert.equal((await sign('--key', 'release', '--not-after', '90d')).exit, 0)
    later(7)
    const { exit, stderr } = await sign('--key', 'security', '--not-after', '90d')
    assert.equal(exit, 0)
    assert.match(stderr, /^The signature of \S+ ends at 2027-02-18T12:00:00Z, as those that are there$/m)
    is(['release', 'security'], end())
    for (const late of ['91d', end(7)]) {
      const refused = await sign('--key', 'security', '--not-after', late)
      assert.equal(refused.exit, 2, late)
      assert.match(refused.stderr, /is signed until 2027-02-18T12:00:00Z\nhint: .*--renew/)
    }
    is(['release', 'security'], end())
  })

  test('by a signer outside: the bytes and the signature have the same end', async t => {
    const { sign, is, here } = desk(t, ['security'])
    const renew = ['--renew', end(), '--yes']
    assert.equal((await sign('--export-payload', 'bytes', ...renew)).exit, 0)
    const { sign: signBytes } = await import('node:crypto')
    writeFileSync(
      join(here.cwd, 'sig'),
      signBytes(null, readFileSync(join(here.cwd, 'bytes')), KEYS.release.private),
    )
    assert.equal((await sign('--import-signature', 'sig', '--key', 'release', ...renew)).exit, 0)
    is(['release'], end())
  })

  test('while another signer renews it: the second one is told, and nothing is lost', async t => {
    const { path, is, later } = desk(t, ['release'])
    const key = (name: KeyName, before?: () => Promise<unknown>) => ({
      key: { kind: 'ed25519', bytes: KEYS[name].raw } as const,
      sign: async (message: Uint8Array) => {
        await before?.()
        const { sign } = await import('node:crypto')
        return new Uint8Array(sign(null, message, KEYS[name].private))
      },
    })
    later(0)
    const first = () => signPath(path, { key: key('release'), renew: end(), home: false })
    const second = signPath(path, { key: key('security', first), renew: end(7), home: false })
    await assert.rejects(second, { code: 'CHANGED_WHILE_READING' })
    is(['release'], end())
  })
})

describe('what is asked before a renewal', () => {
  test('without a terminal it has to be said which bundle this is, or yes', async t => {
    const { sign, path } = desk(t, ['release'])
    const was = readFileSync(path)
    const { exit, stderr } = await sign('--key', 'release', '--renew', '90d')
    assert.equal(exit, 2)
    assert.match(stderr, /it is not said which bundle this has to be[\s\S]*--expect with blake3:/)
    const other = await sign('--key', 'release', '--renew', '90d', '--expect', 'mini@2.0.0')
    assert.equal(other.exit, 1)
    assert.match(other.stderr, /expected mini@2\.0\.0, found mini 1\.0\.0/)
    assert.deepEqual(readFileSync(path), was)
  })

  test('a person sees both ends, and only yes is yes', async () => {
    const { report, agent } = await judge(signed(ASKING, 'release', { notAfter: OLD }))
    const bundle = { label: NAME, report, agent, sha256: undefined }
    const ask = async (reply: string) => {
      const { prompter, log } = scripted([['Sign this bundle?', reply]])
      const { terminal } = fakeTerminal({ isTTY: { stdin: true, stdout: true, stderr: true } })
      const how = { ifTrusted: false, yes: false, ends: { renew: end() } } as Parameters<typeof approvalOf>[1]
      const approve = await approvalOf({ path: NAME, label: NAME }, how, worldAt(terminal, prompter))
      await approve?.(bundle)
      return log.join('\n')
    }
    const log = await ask('yes')
    assert.match(log, /valid signature of ed25519:/)
    assert.match(
      log,
      /the new signature ends at 2027-02-18T12:00:00Z\nthe old signatures, which end at 2026-12-01/,
    )
    for (const reply of ['', 'y', 'no']) await assert.rejects(ask(reply), { code: 'CANCELLED' })
  })
})

describe('this host renews nothing', () => {
  const SIGNERS = ['release', 'security'] as const
  const revoked = (what: string) => `[revoked]\n"${what}" = { since = "2026-11-01", reason = "lost" }\n`

  test('that it revokes or rolls back, or cannot judge', async t => {
    const { report } = await judge(signed(ASKING, 'release'))
    const marked =
      (agent: string) =>
      async ({ here }: ReturnType<typeof desk>) => {
        const { install } = here
        const newer = signed(
          { ...ASKING, 'manifest.toml': String(ASKING['manifest.toml']).replace('1.0.0', agent) },
          'release',
        )
        writeFileSync(join(here.cwd, 'newer.bundle'), bundleOf(newer))
        assert.equal((await install('newer.bundle', '--yes', '--expect', 'mini')).exit, 0)
      }
    const cases: readonly (readonly [
      what: string,
      prepare: (at: ReturnType<typeof desk>) => void | Promise<void>,
      says: RegExp,
      signers?: readonly KeyName[],
    ])[] = [
      [
        'the bundle is revoked',
        ({ policy }) => policy(revoked(`${report.identity}`)),
        /: revoked: .*\nhint: Release a new version/,
      ],
      [
        'the keys are revoked',
        ({ policy }) => policy(revoked(KEYS.release.anchor)),
        /: revoked: .*\nhint: If the bundle itself is good, sign it first/,
        ['release'],
      ],
      ['a newer one was installed', marked('1.1.0'), /: rolled_back: Version 1\.1\.0 was installed before\n/],
      ['a newer one was installed, and this one is unsigned', marked('1.1.0'), /: rolled_back: /, []],
      [
        'it is below a floor',
        ({ policy }) => policy('[floors]\nmini = "1.2.0"\n'),
        /: rolled_back: .*older than 1\.2\.0/,
      ],
      ['the policy is malformed', ({ policy }) => policy('x'), /: indeterminate: /],
      [
        'the policy has ended',
        ({ here }) => {
          const path = join(here.home, 'trust-policy.toml')
          writeFileSync(path, `valid_until = "2026-11-01T00:00:00Z"\n${readFileSync(path, 'utf8')}`)
        },
        /: indeterminate: .*the policy was valid until 2026-11-01/,
      ],
    ]
    for (const [what, prepare, says, signers = SIGNERS] of slice(cases, 2)) {
      const at = desk(t, signers)
      const right = await at.sign('--key', 'release', '--renew', '90d', '--yes')
      assert.equal(right.exit, 0, right.stderr)
      t.mock.timers.reset()
      const wrong = desk(t, signers)
      await prepare(wrong)
      const was = readFileSync(wrong.path)
      const { exit, stderr } = await wrong.sign('--key', 'release', '--renew', '90d', '--yes')
      assert.equal(exit, 1, what)
      assert.match(stderr, says, what)
      assert.deepEqual(readFileSync(wrong.path), was, what)
      t.mock.timers.reset()
    }
  })

  test('but what other signers still vouch for, if one key is revoked, and without any policy', async t => {
    const { here, sign, policy, is } = desk(t, SIGNERS)
    policy(revoked(KEYS.security.anchor))
    assert.equal((await sign('--key', 'release', '--renew', '90d', '--yes')).exit, 0)
    is(['release'], end())
    rmSync(join(here.home, 'trust-policy.toml'))
    assert.equal((await sign('--key', 'release', '--renew', '180d', '--yes')).exit, 0)
    // A policy in place of the user's own is asked as well.
    writeFileSync(join(here.cwd, 'p.toml'), 'x', { mode: 0o644 })
    const refused = await sign('--key', 'release', '--renew', '90d', '--yes', '--trust-policy', 'p.toml')
    assert.match(refused.stderr, /: indeterminate: .*p\.toml:1/)
  })
})

test('a statement is signed as it is if no end is asked for', async () => {
  const { agent } = await judge(signed(ASKING, 'release', { notAfter: OLD }))
  assert.ok(agent !== undefined)
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()
  assert.match(text(payloadFor(agent, {})), /"notAfter":"2026-12-01T00:00:00Z"/)
  assert.match(text(payloadFor(agent, { renew: end() })), /"notAfter":"2027-02-18T12:00:00Z"/)
})
