// rlp lock add, check, update and list, verify --lock and install --locked, as they are called: what they write, refuse, and end with.
import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { snapshot, temporary } from '../support/folder.ts'
import { made, OTHER, RELEASE, REVIEW, STRANGER, type World, world } from '../support/install-world.ts'
import { assertSarif } from '../support/sarif-schema.ts'

const folder = temporary('lock')
const NET = 'net = ["a.example:443"]\n'
const ONE = made({ caps: NET }, RELEASE)
const FILE = 'mini-1.0.0.agent.bundle'
const NEW = 'mini-1.1.0.agent.bundle'
const WIDER = made({ version: '1.1.0', caps: 'net = ["a.example:443", "b.example:443"]\n' }, RELEASE)
const SAME = made({ version: '1.1.0', caps: NET }, RELEASE)

/** A world with one bundle that is locked. */
async function locked(name: string, ...flags: string[]): Promise<World> {
  const here = world(folder(name))
  here.put(FILE, ONE)
  const { exit, envelope } = await here.rlp('lock', 'add', FILE, ...flags)
  assert.equal(exit, 0, JSON.stringify(envelope))
  return here
}

const lockIn = (here: World, name = 'rlp.lock') => readFileSync(join(here.cwd, name), 'utf8')

async function verified(here: World, ...args: string[]) {
  const { exit, envelope } = await here.rlp('agent', 'verify', ...args)
  const [report] = envelope.result?.bundles ?? []
  return [exit, report?.verdict, report?.reasons[0]?.code]
}

interface Row {
  readonly agent: string
  readonly is: string
  readonly details: readonly string[]
  readonly line: number
  readonly verdict: string
}

async function checked(here: World, ...args: string[]) {
  const { exit, envelope } = await here.rlp('lock', 'check', ...args)
  const rows = (envelope.result?.['agents'] ?? []) as Row[]
  return { exit, code: envelope.code, rows, words: rows.map(({ agent, is }) => `${agent}: ${is}`) }
}

async function updated(here: World, ...args: string[]) {
  const { exit, envelope } = await here.rlp('lock', 'update', ...args)
  return { exit, envelope, message: envelope.message ?? '', result: envelope.result }
}

describe('add', () => {
  test('writes what a trusted bundle is and may do, and the same again writes nothing', async () => {
    const here = await locked('add')
    const text = lockIn(here)
    assert.match(
      text,
      /^version = 1\n\n\[agents\.mini\]\nsource = "\.\/mini-1\.0\.0\.agent\.bundle"\nagent = "1\.0\.0"\nidentity = "blake3:[0-9a-f]{64}"\n/,
    )
    assert.match(text, /\ncaps = \["net:a\.example:443"\]\ntools = \{\}\n$/)
    assert.ok(text.includes(`signers = ["${RELEASE.anchor}"]`))
    const before = snapshot(here.cwd)
    const { exit, envelope } = await here.rlp('lock', 'add', FILE)
    assert.deepEqual([exit, envelope.result?.['changed']], [0, false])
    assert.deepEqual(snapshot(here.cwd), before)
    assert.deepEqual(await verified(here, FILE, '--locked'), [0, 'trusted', undefined])
    assert.deepEqual(await verified(here, FILE, '--lock', 'rlp.lock'), [0, 'trusted', undefined])
  })

  test('takes only what is trusted; one that is not leaves everything as it was', async () => {
    const here = world(folder('untrusted'))
    for (const [bytes, word, exit] of [
      [made({}), 'unsigned', 1],
      [made({}, STRANGER), 'untrusted', 1],
      [Buffer.from('x'), 'invalid', 1],
    ] as const) {
      here.put('b.agent.bundle', bytes)
      here.put('good.agent.bundle', made({ name: 'good' }, RELEASE))
      const before = snapshot(here.cwd)
      const ran = await here.rlp('lock', 'add', 'good.agent.bundle', 'b.agent.bundle')
      assert.deepEqual([ran.exit, ran.envelope.reason], [exit, word])
      assert.deepEqual(snapshot(here.cwd), before)
    }
    assert.equal((await here.rlp('lock', 'add', 'gone.agent.bundle')).exit, 3)
    assert.ok(!existsSync(join(here.cwd, 'rlp.lock')))
  })

  test('exchanges neither what is locked nor where it comes from', async () => {
    const here = await locked('twice')
    here.put(NEW, SAME)
    const before = lockIn(here)
    const ran = await here.rlp('lock', 'add', NEW)
    assert.deepEqual([ran.exit, ran.envelope.code, lockIn(here)], [2, 'EXISTS', before])
    mkdirSync(join(here.cwd, 'moved'), { mode: 0o755 })
    copyFileSync(join(here.cwd, FILE), join(here.cwd, 'moved', FILE))
    const moved = await here.rlp('lock', 'add', `moved/${FILE}`)
    assert.deepEqual([moved.exit, moved.envelope.code, lockIn(here)], [2, 'EXISTS', before])
    assert.match(
      moved.envelope.message ?? '',
      /it is locked already, with 1\.0\.0 from \.\/mini-1\.0\.0\.agent\.bundle$/,
    )
    assert.equal(
      moved.envelope.hint,
      `rlp lock update moved/${FILE} shows what would change, and takes it in`,
    )
    const same = await here.rlp('lock', 'add', FILE)
    assert.deepEqual([same.exit, same.envelope.result?.['changed'], lockIn(here)], [0, false, before])
    assert.equal((await here.rlp('lock', 'update', `moved/${FILE}`)).exit, 0)
    assert.equal(lockIn(here), before.replace('"./mini', '"./moved/mini'))
    const elsewhere = await here.rlp('lock', 'add', FILE, '--lock', './rlp.lock')
    assert.match(elsewhere.envelope.hint ?? '', /^rlp lock update \S+ --lock \.\/rlp\.lock shows/)
    const both = await here.rlp('lock', 'add', FILE, NEW, '--lock', 'two.lock')
    assert.deepEqual([both.exit, both.envelope.code], [2, 'USAGE'])
  })

  test('keeps all agents sorted, whichever came first, and paths count from the lock', async () => {
    const here = world(folder('sorted'))
    here.put('z.agent.bundle', made({ name: 'zeta' }, RELEASE, REVIEW))
    here.put('a.agent.bundle', made({ name: 'alpha', variant: 'pro' }, RELEASE))
    mkdirSync(join(here.cwd, 'deploy'), { mode: 0o755 })
    for (const bundle of ['z.agent.bundle', 'a.agent.bundle'])
      assert.equal((await here.rlp('lock', 'add', bundle, '--lock', 'deploy/x.lock')).exit, 0)
    const text = lockIn(here, 'deploy/x.lock')
    assert.deepEqual(
      [...text.matchAll(/^\[.*\]|^source.*/gm)].map(([line]) => line),
      [
        '[agents."alpha@pro"]',
        'source = "../a.agent.bundle"',
        '[agents.zeta]',
        'source = "../z.agent.bundle"',
      ],
    )
    assert.deepEqual((await checked(here, '--lock', 'deploy/x.lock')).words, [
      'alpha@pro: same',
      'zeta: same',
    ])
    renameSync(join(here.cwd, 'deploy/x.lock'), join(here.cwd, 'x.lock'))
    assert.equal((await checked(here, '--lock', 'x.lock')).exit, 3)
  })
})

test('an update locks all who count for a new version, and for the same one those who did', async () => {
  const here = await locked('more-signers')
  const signers = () => /^signers = (.*)$/m.exec(readFileSync(join(here.cwd, 'rlp.lock'), 'utf8'))?.[1]
  assert.equal(signers(), `["${RELEASE.anchor}"]`)
  here.put(FILE, made({ version: '1.1.0', caps: NET }, RELEASE, REVIEW))
  assert.equal((await here.rlp('lock', 'update')).exit, 0)
  assert.deepEqual(JSON.parse(signers() ?? ''), [RELEASE.anchor, REVIEW.anchor].sort())
  here.put(FILE, made({ version: '1.2.0', caps: NET }, RELEASE))
  assert.equal((await here.rlp('lock', 'update', '--allow-signer-change')).exit, 0)
  here.put(FILE, made({ version: '1.2.0', caps: NET }, RELEASE, REVIEW))
  assert.equal((await here.rlp('lock', 'update')).exit, 0)
  assert.equal(signers(), `["${RELEASE.anchor}"]`)
})

describe('check', () => {
  test('same, changed and cannot tell, each with its exit code', async () => {
    const here = await locked('check')
    const before = snapshot(here.cwd)
    const same = await checked(here)
    assert.deepEqual(
      [same.exit, same.words, same.rows[0]?.verdict, same.rows[0]?.line],
      [0, ['mini: same'], 'trusted', 3],
    )
    assert.deepEqual(snapshot(here.cwd), before)
    here.put(FILE, made({ caps: `${NET}time = true\n` }, RELEASE))
    const changed = await checked(here)
    assert.deepEqual([changed.exit, changed.words], [1, ['mini: changed']])
    assert.equal(changed.rows[0]?.details[0], 'It has the capability time, which rlp.lock does not list')
    rmSync(join(here.cwd, FILE))
    const gone = await checked(here)
    assert.deepEqual([gone.exit, gone.words], [3, ['mini: cannot tell']])
  })

  test('does not read the contents of strangers, and says so', async () => {
    const here = await locked('stranger')
    here.put(FILE, made({ caps: `${NET}time = true\n` }, STRANGER))
    const { exit, rows } = await checked(here)
    assert.equal(exit, 1)
    assert.ok(rows[0]?.details.every(detail => !detail.includes('time')))
    assert.match(
      rows[0]?.details.at(-1) ?? '',
      /^Its capabilities and tools were not examined: No signature is one of an anchor/,
    )
  })

  test('a signature that was taken away is a change, one more is not', async () => {
    const here = await locked('signatures')
    here.put(FILE, made({ caps: NET }))
    assert.deepEqual((await checked(here)).words, ['mini: changed'])
    here.put(FILE, made({ caps: NET }, RELEASE, OTHER))
    assert.deepEqual((await checked(here)).words, ['mini: same'])
  })

  test('what is damaged or another agent is changed; what is revoked today is still the same bundle', async () => {
    const here = await locked('damaged')
    const damaged = Buffer.from(ONE)
    damaged[700] = (damaged[700] ?? 0) ^ 1
    here.put(FILE, damaged)
    assert.match((await checked(here)).rows[0]?.details[0] ?? '', /^It is invalid: /)
    here.put(FILE, made({ name: 'other' }, RELEASE))
    assert.deepEqual((await checked(here)).rows[0]?.details, ['It is another agent: other 1.0.0'])
    here.put(FILE, ONE)
    here.policy(`[revoked]\n"${RELEASE.anchor}" = {}\n`)
    const { exit, rows } = await checked(here)
    assert.deepEqual([exit, rows[0]?.is, rows[0]?.verdict], [0, 'same', 'revoked'])
    assert.deepEqual(await verified(here, FILE, '--locked'), [1, 'revoked', 'key_revoked'])
  })

  test('for pipelines: annotations, SARIF that fits its schema, and one format at a time', async () => {
    const here = await locked('formats')
    const quiet = await here.say('lock', 'check', '--format', 'github')
    assert.deepEqual([quiet.exit, quiet.stdout], [0, ''])
    here.put(FILE, made({ caps: `${NET}time = true\n` }, RELEASE))
    const github = await here.say('lock', 'check', '--format', 'github')
    assert.equal(github.exit, 1)
    assert.match(
      github.stdout,
      /^::error file=rlp\.lock,line=3,title=rlp lock check%3A mini::mini: changed%0AIt has the capability time, /,
    )
    const sarif = await here.say('lock', 'check', '--format', 'sarif')
    assert.equal(sarif.exit, 1)
    const report = assertSarif<{ runs: { results: { ruleId: string }[] }[] }>(sarif.stdout)
    assert.deepEqual(
      report.runs[0]?.results.map(({ ruleId }) => ruleId),
      ['lock/changed'],
    )
    const json = await here.say('lock', 'check', '--format', 'json')
    assert.deepEqual(JSON.parse(json.stdout).result.summary, {
      agents: 1,
      same: 0,
      changed: 1,
      cannotTell: 0,
    })
    assert.equal((await here.say('lock', 'check', '--json', '--format', 'sarif')).exit, 2)
    assert.equal((await here.say('lock', 'check', 'nobody')).exit, 2)
  })
})

describe('update', () => {
  test('what did not change changes no byte, and no file at all', async () => {
    const here = await locked('unchanged')
    const before = snapshot(here.cwd)
    const changedAt = statSync(here.cwd).mtimeMs
    const { exit, result } = await updated(here)
    assert.deepEqual([exit, result?.['changed'], result?.['unchanged']], [0, false, ['mini']])
    assert.deepEqual(snapshot(here.cwd), before)
    // Nor was anything there for a moment: the folder may be one that cannot be written.
    assert.equal(statSync(here.cwd).mtimeMs, changedAt)
    here.put(FILE, made({ caps: NET }, RELEASE, OTHER))
    assert.deepEqual((await updated(here)).result?.['unchanged'], ['mini'])
  })

  test('takes a version that may do no more, from another file', async () => {
    const here = await locked('newer')
    here.put(NEW, SAME)
    assert.deepEqual(await verified(here, NEW, '--locked'), [1, 'untrusted', 'not_as_locked'])
    assert.equal((await updated(here, NEW)).exit, 0)
    assert.match(lockIn(here), /source = "\.\/mini-1\.1\.0\.agent\.bundle"\nagent = "1\.1\.0"/)
    assert.deepEqual(await verified(here, NEW, '--locked'), [0, 'trusted', undefined])
    assert.deepEqual(await verified(here, FILE, '--locked'), [1, 'untrusted', 'not_as_locked'])
  })

  test('refuses a wider one, shows what is wider as diff does, and takes it with the flag', async () => {
    const here = await locked('wider')
    here.put(NEW, WIDER)
    const before = snapshot(here.cwd)
    const { exit, envelope, message } = await updated(here, NEW)
    assert.deepEqual([exit, envelope.ok], [4, false])
    assert.match(message, /Unlike 1\.0\.0, mini 1\.1\.0 may reach b\.example:443$/)
    const [change] = envelope['updates'] as { widened: string[]; isExact: boolean }[]
    assert.deepEqual([change?.widened, change?.isExact], [['may reach b.example:443'], true])
    assert.deepEqual(snapshot(here.cwd), before)
    assert.equal((await updated(here, NEW, '--allow-caps-change')).exit, 0)
    assert.deepEqual((await checked(here)).words, ['mini: same'])
  })

  test('where the locked bundle is gone, each new capability and each other tool counts', async () => {
    const here = await locked('gone')
    here.put(FILE, WIDER)
    const wider = await updated(here)
    assert.deepEqual(
      [wider.exit, (wider.envelope['updates'] as { isExact: boolean }[])[0]?.isExact],
      [4, false],
    )
    assert.match(wider.message, /has the capability net:b\.example:443/)
    // Installed, it is found by its identity.
    here.put('old', ONE)
    assert.equal((await here.install('old', '--yes')).exit, 0)
    const exact = await updated(here)
    assert.match(exact.message, /may reach b\.example:443$/)
    here.put(FILE, SAME)
    assert.equal((await updated(here)).exit, 0)
  })

  test('refuses another signer, an older version, and other content of one version', async () => {
    const here = await locked('others')
    const before = lockIn(here)
    for (const [bytes, flag, says] of [
      [
        made({ version: '1.1.0', caps: NET }, REVIEW),
        '--allow-signer-change',
        /which the lock lists, is missing; review \(\S+\) has signed it$/,
      ],
      [
        made({ version: '0.9.0', caps: NET }, RELEASE),
        '--allow-downgrade',
        /mini 1\.0\.0 is locked, and 0\.9\.0 is older$/,
      ],
      [
        made({ caps: NET, files: { 'README.md': 'x' } }, RELEASE),
        undefined,
        /mini 1\.0\.0 has other content than the 1\.0\.0 that is locked$/,
      ],
    ] as const) {
      here.put('b.agent.bundle', bytes)
      const { exit, message } = await updated(here, 'b.agent.bundle', '--allow-caps-change')
      assert.deepEqual([exit, lockIn(here)], [1, before], message)
      assert.match(message, says)
      if (flag === undefined) continue
      assert.equal((await updated(here, 'b.agent.bundle', flag)).exit, 0)
      writeFileSync(join(here.cwd, 'rlp.lock'), before)
    }
    here.put('b.agent.bundle', made({ version: '1.1.0', caps: NET }, STRANGER))
    const stranger = await updated(here, 'b.agent.bundle')
    assert.deepEqual([stranger.exit, stranger.envelope.reason, lockIn(here)], [1, 'untrusted', before])
  })

  test('an agent that the lock has not, and a lock that is not there', async () => {
    const here = await locked('unknown')
    here.put('o.agent.bundle', made({ name: 'other' }, RELEASE))
    assert.deepEqual([(await updated(here, 'o.agent.bundle')).exit], [2])
    const gamma = await here.rlp('lock', 'update', 'gamma')
    assert.deepEqual(
      [gamma.exit, gamma.envelope.message],
      [2, 'Cannot update gamma: rlp.lock has no such agent'],
    )
    assert.match(gamma.envelope.hint ?? '', /^rlp lock add BUNDLE takes a new agent in/)
    assert.deepEqual(
      [(await updated(here, '--lock', 'no.lock')).exit, (await checked(here, '--lock', 'no.lock')).code],
      [2, 'NOT_FOUND'],
    )
  })
})

describe('a lock that cannot be relied upon', () => {
  for (const [name, damage, line] of [
    ['marks of a merge', (text: string) => text.replace('caps', '<<<<<<< a\ncaps'), 8],
    ['a newer version', (text: string) => text.replace('version = 1', 'version = 9'), 1],
    ['an edit by hand', (text: string) => text.replace('caps = [', 'caps = [ '), 8],
    ['half of it', (text: string) => text.slice(0, 120), 6],
  ] as const) {
    test(`${name}: every command ends with 3 and names the line`, async () => {
      const here = await locked(name)
      const path = join(here.cwd, 'rlp.lock')
      writeFileSync(path, damage(lockIn(here)))
      const before = snapshot(here.cwd)
      for (const args of [
        ['lock', 'check'],
        ['lock', 'list'],
        ['lock', 'update'],
        ['lock', 'add', FILE],
      ]) {
        const { exit, envelope } = await here.rlp(...args)
        assert.deepEqual([exit, envelope.code], [3, 'LOCK_UNUSABLE'], args.join(' '))
        assert.match(
          envelope.message ?? '',
          new RegExp(`^Cannot rely on "rlp\\.lock": line ${line}: `),
          args.join(' '),
        )
      }
      assert.deepEqual(await verified(here, FILE, '--locked'), [3, 'indeterminate', 'lock_unusable'])
      const refused = await here.install(FILE, '--yes', '--locked')
      assert.deepEqual([refused.exit, refused.envelope.reason], [3, 'indeterminate'])
      assert.deepEqual(snapshot(here.cwd), before)
    })
  }

  test('others may write it, or its folder', async () => {
    const here = await locked('loose')
    const path = join(here.cwd, 'rlp.lock')
    chmodSync(path, 0o664)
    assert.equal((await checked(here)).exit, 3)
    assert.deepEqual(await verified(here, FILE, '--locked'), [3, 'indeterminate', 'lock_unusable'])
    chmodSync(path, 0o644)
    assert.equal((await checked(here)).exit, 0)
    chmodSync(here.cwd, 0o775)
    assert.equal((await checked(here)).exit, 3)
    assert.equal((await here.rlp('lock', 'add', FILE)).exit, 3)
  })

  test('a folder in its place, and a link to another lock', async () => {
    const here = await locked('places')
    mkdirSync(join(here.cwd, 'dir.lock'), { mode: 0o755 })
    assert.notEqual((await checked(here, '--lock', 'dir.lock')).exit, 0)
    symlinkSync('rlp.lock', join(here.cwd, 'link.lock'))
    assert.equal((await checked(here, '--lock', 'link.lock')).exit, 0)
    here.put('o.agent.bundle', made({ name: 'other' }, RELEASE))
    assert.equal((await here.rlp('lock', 'add', 'o.agent.bundle', '--lock', 'link.lock')).exit, 0)
    assert.deepEqual((await checked(here)).words, ['mini: same', 'other: same'])
    // In another folder it is the same lock, and paths count from where that is.
    mkdirSync(join(here.cwd, 'deploy'), { mode: 0o755 })
    symlinkSync('../rlp.lock', join(here.cwd, 'deploy/far.lock'))
    here.put('t.agent.bundle', made({ name: 'third' }, RELEASE))
    assert.equal((await here.rlp('lock', 'add', 't.agent.bundle', '--lock', 'deploy/far.lock')).exit, 0)
    const words = ['mini: same', 'other: same', 'third: same']
    assert.deepEqual(
      [(await checked(here)).words, (await checked(here, '--lock', 'deploy/far.lock')).words],
      [words, words],
    )
  })

  test('a missing lock is no lock that allows', async () => {
    const here = world(folder('missing'))
    here.put(FILE, ONE)
    assert.deepEqual(await verified(here, FILE), [0, 'trusted', undefined])
    assert.deepEqual(await verified(here, FILE, '--locked'), [3, 'indeterminate', 'lock_unusable'])
    assert.equal((await here.rlp('agent', 'verify', FILE, '--locked', '--lock', 'x')).exit, 2)
  })
})

test('install --locked installs what is locked, and refuses what is not', async () => {
  const here = await locked('install')
  assert.equal((await here.install(FILE, '--yes', '--locked')).exit, 0)
  here.put(NEW, SAME)
  const { exit, envelope } = await here.install(NEW, '--yes', '--locked')
  assert.deepEqual([exit, envelope.reason], [1, 'untrusted'])
  assert.equal(here.state().installs[0]?.version, '1.0.0')
  assert.equal((await here.install(NEW, '--yes')).exit, 0)
})

test('an installed agent is locked by its name', async () => {
  const here = world(folder('by-name'))
  assert.equal((await here.install(here.put(FILE, ONE), '--yes')).exit, 0)
  rmSync(join(here.cwd, FILE))
  assert.equal((await here.rlp('lock', 'add', 'mini')).exit, 0)
  assert.match(lockIn(here), /source = "mini"\n/)
  assert.deepEqual((await checked(here)).words, ['mini: same'])
})

test('a layout folder: the digest is fetched, never the tag', async () => {
  const here = world(folder('layout'))
  here.put(FILE, ONE)
  const push = (...args: string[]) => here.rlp('agent', 'push', ...args)
  assert.equal((await push(FILE, 'oci-layout:store:stable')).exit, 0)
  assert.equal((await here.rlp('lock', 'add', 'oci-layout:store:stable')).exit, 0)
  assert.match(lockIn(here), /source = "oci-layout:\.\/store:stable"\noci = "sha256:[0-9a-f]{64}"\n/)
  assert.deepEqual((await checked(here)).words, ['mini: same'])
  here.put(NEW, WIDER)
  assert.equal((await push(NEW, 'oci-layout:store:stable', '--force')).exit, 0)
  // The tag leads to another bundle now: check says so, and with the lock the digest is read.
  assert.deepEqual((await checked(here)).words, ['mini: changed'])
  assert.deepEqual(await verified(here, 'oci-layout:store:stable'), [0, 'trusted', undefined])
  const { envelope } = await here.rlp('agent', 'verify', 'oci-layout:store:stable', '--locked')
  assert.equal(envelope.result?.bundles?.[0]?.agent?.version, '1.0.0')
  assert.deepEqual(await verified(here, 'oci-layout:store:stable', '--locked'), [0, 'trusted', undefined])
  const wide = await updated(here)
  assert.deepEqual([wide.exit, (wide.envelope['updates'] as { isExact: boolean }[])[0]?.isExact], [4, true])
})
