// rlp agent install: what it accepts, what it refuses and with which word, which flags let that pass, and what is remembered of it.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { InstallResult } from '../../src/library/generated/index.ts'
import { bundleOf, writeTree } from '../support/agent.ts'
import { snapshot, temporary } from '../support/folder.ts'
import {
  contents,
  DEV,
  type Envelope,
  made,
  madeTree,
  OTHER,
  RELEASE,
  REVIEW,
  STRANGER,
  type World,
  world,
} from '../support/install-world.ts'
import { signedBundle, signedTree } from '../support/signed.ts'

const folderFor = temporary('install')
const NET = 'net = ["a.example"]\n'
const ONE = made({}, RELEASE)

/** Installs, and asserts that it was done. */
async function installed(here: World, name: string, bytes: Uint8Array, ...flags: string[]) {
  const { exit, envelope } = await here.install(here.put(name, bytes), '--yes', ...flags)
  assert.deepEqual([exit, envelope.ok], [0, true], JSON.stringify(envelope))
  return envelope.result as unknown as InstallResult
}

/** Asserts that an install is refused with a word, and that nothing at all was written. */
async function refused(here: World, reason: string, exit: number, ...args: string[]): Promise<Envelope> {
  const before = snapshot(here.cwd)
  const ran = await here.install(...args)
  assert.deepEqual(
    { exit: ran.exit, ok: ran.envelope.ok, reason: ran.envelope.reason ?? ran.envelope.code },
    { exit, ok: false, reason },
    JSON.stringify(ran.envelope),
  )
  assert.deepEqual(snapshot(here.cwd), before)
  return ran.envelope
}

describe('the first time', () => {
  test('a trusted bundle is put in place, whole, and remembered', async () => {
    const here = world(folderFor('first'))
    const bytes = made({ caps: NET }, RELEASE)
    const result = await installed(here, 'mini-1.0.0.agent.bundle', bytes)
    const { agent, version, changed, bundle, folder } = result
    const { verdict, anchors, signers, allowed } = result.install
    assert.deepEqual(
      { agent, version, changed, bundle, folder, verdict, anchors, signers, allowed },
      {
        agent: 'mini',
        version: '1.0.0',
        changed: true,
        bundle: join(here.root, 'mini.agent.bundle'),
        folder: join(here.root, 'mini'),
        verdict: 'trusted',
        anchors: ['release'],
        signers: [RELEASE.anchor],
        allowed: [],
      },
    )
    assert.equal(Object.hasOwn(result, 'previous'), false)
    assert.deepEqual(result.permissions, ['may reach a.example on every port'])
    assert.deepEqual(readFileSync(join(here.root, 'mini.agent.bundle')), bytes)
    const { marks, baselines, installs, pending } = here.state()
    assert.deepEqual(
      marks.map(({ keys, version }) => [keys, version]),
      [[[RELEASE.anchor], '1.0.0']],
    )
    assert.deepEqual(
      [baselines.map(({ root, version, signers }) => [root, version, signers]), pending],
      [[[here.root, '1.0.0', [RELEASE.anchor]]], []],
    )
    assert.deepEqual(
      installs.map(({ root, version, verdict, allowed }) => ({ root, version, verdict, allowed })),
      [{ root: here.root, version: '1.0.0', verdict: 'trusted', allowed: [] }],
    )
  })

  test('the derived folder holds exactly what the bundle holds', async () => {
    const here = world(folderFor('derived'))
    const tree = signedTree(madeTree({ files: { 'docs/a.md': 'one', 'bin/more': 'x' } }), [RELEASE])
    await installed(
      here,
      'b',
      signedBundle(madeTree({ files: { 'docs/a.md': 'one', 'bin/more': 'x' } }), RELEASE),
    )
    const expected = Object.entries(tree).map(([path, content]) => [
      path,
      Buffer.from(content as Uint8Array).toString('latin1'),
    ])
    assert.deepEqual(
      contents(join(here.root, 'mini')),
      Object.fromEntries(expected.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))),
    )
    const { exit } = await here.rlp('agent', 'verify', join(here.root, 'mini'))
    assert.equal(exit, 0)
  })

  test('no person there and no --yes: everything is shown, nothing is done', async () => {
    const here = world(folderFor('unasked'))
    const name = here.put('b', made({ caps: NET }, RELEASE))
    const envelope = await refused(here, 'NEEDS_ANSWER', 2, name)
    assert.deepEqual(envelope['permissions'], ['may reach a.example on every port'])
    const { stderr } = await here.say('agent', 'install', name)
    assert.match(stderr, /\+ may reach a\.example on every port\n.*--yes/s)
  })

  test('--no-unpack leaves the folder out', async () => {
    const here = world(folderFor('no-unpack'))
    const result = await installed(here, 'b', ONE, '--no-unpack')
    assert.equal(Object.hasOwn(result, 'folder'), false)
    assert.deepEqual(Object.keys(contents(here.root)), ['.rlp/stamps/mini', 'mini.agent.bundle'])
  })

  test('a variant is an agent of its own', async () => {
    const here = world(folderFor('variant'))
    await installed(here, 'a', ONE)
    await installed(here, 'b', made({ variant: 'pro', version: '0.1.0' }, RELEASE))
    assert.ok('mini@pro.agent.bundle' in contents(here.root))
    assert.ok('mini@pro/manifest.toml' in contents(here.root))
    assert.equal(here.state('mini@pro').marks[0]?.version, '0.1.0')
  })

  test('a sound bundle is refused before a root is made for it', async () => {
    const here = world(folderFor('no-root'))
    await refused(here, 'unsigned', 1, here.put('b', made()), '--root', 'new/root', '--yes')
  })
})

describe('every form', () => {
  const forms: [what: string, make: (here: World) => string][] = [
    ['.agent.bundle', here => here.put('mini-1.0.0.agent.bundle', ONE)],
    ['.tar', here => here.put('b.tar', ONE)],
    ['.tar.gz', here => here.put('b.tar.gz', gzipSync(ONE))],
    ['.tgz', here => here.put('b.tgz', gzipSync(ONE))],
    ['no extension at all', here => here.put('b', ONE)],
    [
      'an unpacked bundle',
      here => writeTree(join(here.cwd, 'agent.bundle'), signedTree(madeTree(), [RELEASE])),
    ],
    ['file://', here => pathToFileURL(join(here.cwd, here.put('with space', ONE))).href],
    [
      'file:// in capitals',
      here => pathToFileURL(join(here.cwd, here.put('b', ONE))).href.replace('file:', 'FILE:'),
    ],
    [
      'a link to a file',
      here => {
        here.put('b', ONE)
        symlinkSync('b', join(here.cwd, 'link'))
        return 'link'
      },
    ],
  ]
  for (const [what, make] of forms) {
    test(what, async () => {
      const here = world(folderFor(what))
      const { exit, envelope } = await here.install(make(here), '--yes')
      assert.deepEqual([exit, envelope.ok], [0, true], JSON.stringify(envelope))
      // Whatever it came in, what is stored is the one byte sequence.
      assert.deepEqual(readFileSync(join(here.root, 'mini.agent.bundle')), ONE)
    })
  }

  const strange: [what: string, arg: string, exit: number, code: string][] = [
    ['nothing there', 'nowhere.agent.bundle', 2, 'NOT_FOUND'],
    ['a url', 'https://bundles.example/mini.agent.bundle', 2, 'USAGE'],
    ['a url of another machine', 'file://elsewhere/b', 2, 'USAGE'],
    ['an invalid url', 'file:relative', 2, 'NOT_FOUND'],
    ['a manifest by itself', 'source/manifest.toml', 2, 'WRONG_FILE_TYPE'],
  ]
  for (const [what, arg, exit, code] of strange) {
    test(what, async () => {
      const here = world(folderFor(what))
      writeTree(join(here.cwd, 'source'), madeTree())
      await refused(here, code, exit, arg, '--yes')
    })
  }
})

describe('what is not a bundle', () => {
  test('an archive of tar says what about it is not canonical, and the way out', async () => {
    const here = world(folderFor('foreign'))
    writeTree(join(here.cwd, 'x/agent.bundle'), madeTree())
    const { spawnSync } = await import('node:child_process')
    assert.equal(spawnSync('tar', ['-cf', 'b.tar', '-C', 'x', 'agent.bundle'], { cwd: here.cwd }).status, 0)
    const envelope = await refused(here, 'invalid', 1, 'b.tar', '--yes', '--allow-unsigned', '--force')
    assert.match(JSON.stringify(envelope['foreign']), /are entries for folders.*of the disk they came from/)
    assert.match(envelope.hint ?? '', /rlp agent pack/)
    writeFileSync(join(here.cwd, 'b.tgz'), gzipSync(readFileSync(join(here.cwd, 'b.tar'))))
    const packed = await refused(here, 'invalid', 1, 'b.tgz', '--yes', '--allow-unsigned')
    assert.deepEqual(packed['foreign'], envelope['foreign'])
    const { stderr } = await here.say('agent', 'install', 'b.tar')
    assert.match(stderr, /✗ archive .*\n(?:.*\n)*.*are entries for folders/)
  })

  const cases: [what: string, make: (here: World) => string, reason: string, exit: number][] = [
    ['a text', here => here.put('b', Buffer.from('hello')), 'invalid', 1],
    ['nothing', here => here.put('b', Buffer.alloc(0)), 'invalid', 1],
    ['a bundle and one byte', here => here.put('b', Buffer.concat([ONE, Buffer.alloc(1)])), 'invalid', 1],
    ['a bundle that is cut off', here => here.put('b', ONE.subarray(0, -512)), 'invalid', 1],
    [
      'a folder with a link in it',
      here => {
        writeTree(join(here.cwd, 'agent.bundle'), signedTree(madeTree({ files: { 'a.md': 'x' } }), [RELEASE]))
        unlinkSync(join(here.cwd, 'agent.bundle/a.md'))
        here.put('a.md', Buffer.from('x'))
        symlinkSync('../a.md', join(here.cwd, 'agent.bundle/a.md'))
        return 'agent.bundle'
      },
      'invalid',
      1,
    ],
    [
      'a folder that is worked in',
      here => {
        writeTree(join(here.cwd, 'mini'), { ...madeTree(), '.gitignore': 'x' })
        return 'mini'
      },
      'invalid',
      1,
    ],
    ['another agent than its name says', here => here.put('other-1.0.0.agent.bundle', ONE), 'untrusted', 1],
  ]
  for (const [what, make, reason, exit] of cases) {
    test(what, async () => {
      const here = world(folderFor(what))
      await refused(
        here,
        reason,
        exit,
        make(here),
        '--yes',
        '--allow-unsigned',
        '--force',
        '--allow-downgrade',
      )
    })
  }
})

describe('what is in its place', () => {
  const tree = (change: (manifest: string) => string) => {
    const { 'manifest.toml': manifest, ...files } = madeTree()
    return bundleOf({ ...files, 'manifest.toml': change(String(manifest)) })
  }
  for (const [what, bytes] of [
    ['states no version', tree(text => text.replace(/^version = .*$/m, ''))],
    ['states no name', tree(text => text.replace(/^name = .*$/m, ''))],
    ['is another agent', made({ name: 'other' }, RELEASE)],
    ['is no bundle', Buffer.from('mine')],
  ] as const)
    test(`and ${what} is not replaced without --force`, async () => {
      const here = world(folderFor(what))
      mkdirSync(here.root, { recursive: true })
      writeFileSync(join(here.root, 'mini.agent.bundle'), bytes)
      const { message } = await refused(here, 'EXISTS', 2, here.put('b', ONE), '--yes')
      assert.match(message ?? '', /holds mini\.agent\.bundle, which is no sound bundle/)
      assert.deepEqual(readFileSync(join(here.root, 'mini.agent.bundle')), Buffer.from(bytes))
      await installed(here, 'b', ONE, '--force')
    })
})

describe('the hint about folders', () => {
  test('is of a folder that is no sound bundle, and of nothing else', async () => {
    const FOLDER = /An unpacked bundle is installed unchanged/
    const here = world(folderFor('hints'))
    writeTree(join(here.cwd, 'mini'), { ...madeTree(), '.gitignore': 'x' })
    assert.match((await refused(here, 'invalid', 1, 'mini', '--yes')).hint ?? '', FOLDER)
    const file = await refused(here, 'invalid', 1, here.put('b', Buffer.from('hello')), '--yes')
    assert.doesNotMatch(file.hint ?? '', FOLDER)
    writeTree(join(here.cwd, 'agent.bundle'), signedTree(madeTree(), [DEV]))
    const folder = await refused(here, 'untrusted', 1, 'agent.bundle', '--yes')
    assert.doesNotMatch(folder.hint ?? '', FOLDER)
  })
})

describe('trust', () => {
  test('unsigned, unless it is allowed, and that is recorded', async () => {
    const here = world(folderFor('unsigned'))
    const name = here.put('b', made())
    const { hint } = await refused(here, 'unsigned', 1, name, '--yes')
    assert.match(hint ?? '', /rlp agent sign.*--allow-unsigned/)
    const result = await installed(here, 'b', made(), '--allow-unsigned')
    assert.deepEqual([result.install.verdict, result.install.allowed], ['unsigned', ['unsigned']])
    assert.ok(result.report.skipped.length > 0)
    const { marks, baselines, installs } = here.state()
    assert.deepEqual([marks, baselines, installs[0]?.allowed], [[], [], ['unsigned']])
  })

  const cases: [what: string, bytes: Buffer, policy: string | undefined, reason: string, exit: number][] = [
    ['no policy', ONE, undefined, 'indeterminate', 3],
    ['a policy that cannot be read', ONE, '[nonsense]\n', 'indeterminate', 3],
    ['a stranger', made({}, STRANGER), '', 'untrusted', 1],
    ['a development key', made({}, DEV), '', 'untrusted', 1],
    ['a signature too few', ONE, '[require]\nsignatures = 2\n', 'untrusted', 1],
    ['unsigned where a signature is required', made(), '[require]\nsignatures = 1\n', 'unsigned', 1],
    ['a revoked key', ONE, `[revoked]\n"${RELEASE.anchor}" = {}\n`, 'revoked', 1],
    ['a signature that has ended', endedBundle(), '', 'expired', 1],
  ]
  for (const [what, bytes, policy, reason, exit] of cases) {
    test(what, async () => {
      const here = world(folderFor(what))
      if (policy === undefined) rmSync(join(here.home, 'trust-policy.toml'))
      else here.policy(policy)
      const name = here.put('b', bytes)
      const all = ['--allow-unsigned', '--allow-downgrade', '--allow-signer-change', '--allow-caps-change']
      await refused(here, reason, exit, name, '--yes', '--force', ...all)
    })
  }

  function endedBundle(): Buffer {
    const signed = signedTree(madeTree(), [RELEASE], { notAfter: '2020-01-01T00:00:00Z' })
    return signedBundle(signed)
  }

  test('more than the signer may grant', async () => {
    const here = world(folderFor('denied'))
    writeFileSync(
      join(here.home, 'trust-policy.toml'),
      `[anchors]\nrelease = "${RELEASE.anchor}"\n[rules]\nrelease = { allow_caps = [], allow_net = [] }\n`,
    )
    await refused(here, 'policy_denied', 4, here.put('b', made({ caps: NET }, RELEASE)), '--yes', '--force')
  })

  test('a development key where they are allowed, and that is recorded', async () => {
    const here = world(folderFor('dev'))
    const result = await installed(here, 'b', made({}, DEV), '--allow-dev')
    assert.deepEqual([result.install.verdict, result.install.allowed], ['trusted', ['dev']])
  })

  test('--expect', async () => {
    const here = world(folderFor('expect'))
    const name = here.put('b', ONE)
    await refused(here, 'untrusted', 1, name, '--expect', 'mini@^2', '--yes')
    await refused(here, 'USAGE', 2, name, '--expect', 'Mini', '--yes')
    await installed(here, 'b', ONE, '--expect', 'mini@^1')
  })

  test('--trust-policy', async () => {
    const here = world(folderFor('given'))
    here.put(
      'p.toml',
      Buffer.from(`[anchors]\nx = "${STRANGER.anchor}"\n[rules]\nx = { allow_caps = "any" }\n`),
    )
    const result = await installed(here, 'b', made({}, STRANGER), '--trust-policy', 'p.toml')
    assert.deepEqual(result.install.anchors, ['x'])
  })

  test('what was signed here once is never installed unsigned', async () => {
    const here = world(folderFor('stripped'))
    await installed(here, 'a', ONE)
    const name = here.put('b', made({ version: '1.1.0' }))
    const { hint } = await refused(here, 'unsigned', 1, name, '--yes', '--allow-unsigned', '--force')
    assert.doesNotMatch(hint ?? '', /--allow/)
    const again = here.put('c', made({ version: '1.0.0' }))
    await refused(here, 'unsigned', 1, again, '--yes', '--allow-unsigned', '--allow-signer-change')
  })

  test('--skip-verify is known and refused, with what to do instead', async () => {
    const here = world(folderFor('skip'))
    const { hint } = await refused(here, 'USAGE', 2, here.put('b', made()), '--skip-verify', '--yes')
    assert.match(hint ?? '', /every bundle is verified/i)
  })
})

describe('upgrades', () => {
  test('a newer version takes the place of the last', async () => {
    const here = world(folderFor('upgrade'))
    await installed(here, 'a', made({ files: { 'old.md': 'x' } }, RELEASE))
    const bytes = made({ version: '1.1.0', files: { 'new.md': 'y' } }, RELEASE)
    // No --yes: nothing widened, and there is something to compare with.
    const { exit, envelope } = await here.install(here.put('b', bytes))
    assert.deepEqual([exit, envelope.result?.['previous']], [0, '1.0.0'])
    assert.deepEqual(readFileSync(join(here.root, 'mini.agent.bundle')), bytes)
    const files = Object.keys(contents(join(here.root, 'mini')))
    assert.deepEqual([files.includes('new.md'), files.includes('old.md')], [true, false])
    const { marks, installs } = here.state()
    assert.deepEqual([marks.map(({ version }) => version), installs.length], [['1.1.0'], 1])
  })

  test('the same again changes nothing', async () => {
    const here = world(folderFor('again'))
    await installed(here, 'b', ONE)
    const before = snapshot(here.cwd)
    const { exit, envelope } = await here.install('b')
    assert.deepEqual([exit, envelope.result?.['changed']], [0, false])
    assert.deepEqual(snapshot(here.cwd), before)
  })

  test('the same again with --force is put there again', async () => {
    const here = world(folderFor('force-again'))
    await installed(here, 'b', ONE)
    const before = snapshot(here.root)['mini.agent.bundle']
    const { envelope } = await here.install('b', '--force')
    assert.equal(envelope.result?.['changed'], true)
    assert.notEqual(snapshot(here.root)['mini.agent.bundle'], before)
  })

  test('another signature on the same content is put in place', async () => {
    const here = world(folderFor('countersigned'))
    await installed(here, 'a', ONE)
    const both = made({}, RELEASE, REVIEW)
    const result = await installed(here, 'b', both)
    assert.deepEqual(
      [result.changed, new Set(result.install.anchors)],
      [true, new Set(['release', 'review'])],
    )
    assert.deepEqual(readFileSync(join(here.root, 'mini.agent.bundle')), both)
    assert.deepEqual(
      here
        .state()
        .marks.map(({ keys }) => [...keys].sort())
        .sort(),
      [[RELEASE.anchor, REVIEW.anchor].sort()],
    )
  })

  test('--no-unpack takes the folder of the last version away', async () => {
    const here = world(folderFor('no-unpack-later'))
    await installed(here, 'a', ONE)
    await installed(here, 'b', made({ version: '1.1.0' }, RELEASE), '--no-unpack')
    assert.deepEqual(Object.keys(contents(here.root)), ['.rlp/stamps/mini', 'mini.agent.bundle'])
    await installed(here, 'b', made({ version: '1.1.0' }, RELEASE))
    assert.ok('mini/manifest.toml' in contents(here.root))
  })

  test('older is refused, and by flag it is recorded and lowers nothing', async () => {
    const here = world(folderFor('downgrade'))
    await installed(here, 'b', made({ version: '1.1.0' }, RELEASE))
    const old = made({ version: '1.0.0' }, RELEASE)
    const { hint } = await refused(here, 'rolled_back', 1, here.put('a', old), '--yes', '--force')
    assert.match(hint ?? '', /^Install the newest version.*--allow-downgrade/)
    const result = await installed(here, 'a', old, '--allow-downgrade')
    assert.deepEqual(
      [result.install.verdict, result.install.allowed, result.previous],
      ['rolled_back', ['downgrade'], '1.1.0'],
    )
    const { marks, baselines, installs } = here.state()
    assert.deepEqual(
      [marks[0]?.version, baselines.at(-1)?.version, installs[0]?.version, installs[0]?.allowed],
      ['1.1.0', '1.1.0', '1.0.0', ['downgrade']],
    )
    const { exit } = await here.rlp('agent', 'verify', 'mini')
    assert.equal(exit, 1)
  })

  test('the same version with other content is refused like an older one', async () => {
    const here = world(folderFor('other-content'))
    await installed(here, 'a', ONE)
    const name = here.put('b', made({ files: { 'a.md': 'x' } }, RELEASE))
    await refused(here, 'rolled_back', 1, name, '--force', '--yes')
    const build = here.put('c', made({ version: '1.0.0+b2', files: { 'a.md': 'x' } }, RELEASE))
    await refused(here, 'rolled_back', 1, build, '--force', '--yes')
  })

  test('marks outlive uninstall, and hold in every root', async () => {
    const here = world(folderFor('marks'))
    await installed(here, 'b', made({ version: '2.0.0' }, RELEASE), '--root', 'elsewhere')
    assert.equal((await here.rlp('agent', 'uninstall', 'mini', '--root', 'elsewhere', '--yes')).exit, 0)
    assert.deepEqual([here.state().installs, here.state().marks[0]?.version], [[], '2.0.0'])
    const name = here.put('a', made({ version: '1.0.0' }, RELEASE))
    await refused(here, 'rolled_back', 1, name, '--yes')
    await refused(here, 'rolled_back', 1, name, '--yes', '--root', 'third')
  })

  test('without marks, what is there says how new it is', async () => {
    const here = world(folderFor('unsigned-older'))
    const flags = ['--yes', '--allow-unsigned']
    await installed(here, 'b', made({ version: '1.1.0' }), '--allow-unsigned')
    const old = here.put('a', made({ version: '1.0.0' }))
    await refused(here, 'older', 1, old, ...flags, '--force')
    const other = made({ version: '1.1.0', files: { 'a.md': 'x' } })
    await refused(here, 'other_content', 1, here.put('c', other), ...flags)
    await installed(here, 'c', other, '--allow-unsigned', '--force')
    const result = await installed(
      here,
      'a',
      made({ version: '1.0.0' }),
      '--allow-unsigned',
      '--allow-downgrade',
    )
    assert.deepEqual(result.install.allowed, ['unsigned', 'downgrade'])
  })

  test('a pre-release is older than its release', async () => {
    const here = world(folderFor('pre-release'))
    await installed(here, 'a', made({ version: '1.0.0-rc.2' }, RELEASE))
    await installed(here, 'b', made({ version: '1.0.0' }, RELEASE))
    await refused(here, 'rolled_back', 1, here.put('c', made({ version: '1.0.0-rc.3' }, RELEASE)))
  })
})

describe('another signer', () => {
  test('is refused, and by flag recorded', async () => {
    const here = world(folderFor('signer'))
    await installed(here, 'a', ONE)
    const bytes = made({ version: '1.1.0' }, OTHER)
    const envelope = await refused(here, 'signer_changed', 1, here.put('b', bytes), '--force', '--yes')
    assert.match(envelope.message ?? '', /1\.0\.0 was signed by release, this is signed by other/)
    assert.match(envelope.hint ?? '', /^Ask the former signer.*--allow-signer-change/)
    const result = await installed(here, 'b', bytes, '--allow-signer-change')
    assert.deepEqual([result.install.verdict, result.install.allowed], ['trusted', ['signer-change']])
    assert.deepEqual(here.state().baselines.at(-1)?.signers, [OTHER.anchor])
    // And the way back is a change again.
    await refused(here, 'signer_changed', 1, here.put('c', made({ version: '1.2.0' }, RELEASE)))
  })

  test('cannot bring an older version in by having no mark of his own', async () => {
    const here = world(folderFor('signer-older'))
    await installed(here, 'a', made({ version: '2.0.0' }, RELEASE))
    assert.equal((await here.rlp('agent', 'uninstall', 'mini', '--yes')).exit, 0)
    const name = here.put('b', made({ version: '1.0.0' }, OTHER))
    await refused(here, 'rolled_back', 1, name, '--allow-signer-change', '--force')
    const result = await installed(
      here,
      'b',
      made({ version: '1.0.0' }, OTHER),
      '--allow-signer-change',
      '--allow-downgrade',
    )
    assert.deepEqual(result.install.allowed, ['downgrade', 'signer-change'])
  })

  test('one of the former signers is enough', async () => {
    const here = world(folderFor('one-of-two'))
    await installed(here, 'a', made({}, RELEASE, REVIEW))
    await installed(here, 'b', made({ version: '1.1.0' }, REVIEW))
    await installed(here, 'c', made({ version: '1.2.0' }, REVIEW, OTHER))
    await installed(here, 'd', made({ version: '1.3.0' }, OTHER))
  })

  test('a key that a revocation names is no other signer', async () => {
    const here = world(folderFor('replaced'))
    await installed(here, 'a', ONE)
    here.policy(`[revoked]\n"${RELEASE.anchor}" = { replaced_by = "${OTHER.anchor}" }\n`)
    const result = await installed(here, 'b', made({ version: '1.1.0' }, OTHER))
    assert.deepEqual([result.install.verdict, result.install.allowed], ['trusted', []])
  })

  test('two keys of one anchor are one signer', async () => {
    const here = world(folderFor('two-keys'))
    const policy = `[anchors]\none = { keys = ["${RELEASE.anchor}", "${OTHER.anchor}"] }\n[rules]\none = { allow_caps = "any" }\n`
    writeFileSync(join(here.home, 'trust-policy.toml'), policy)
    await installed(here, 'a', ONE)
    assert.deepEqual((await installed(here, 'b', made({ version: '1.1.0' }, OTHER))).install.allowed, [])
  })

  test('another key of a former signer is enough, also beside a stranger to them', async () => {
    const here = world(folderFor('other-key'))
    const policy = `[anchors]\none = { keys = ["${RELEASE.anchor}", "${OTHER.anchor}"] }\nreview = "${REVIEW.anchor}"\n[rules]\none = { allow_caps = "any" }\nreview = { allow_caps = "any" }\n`
    writeFileSync(join(here.home, 'trust-policy.toml'), policy)
    await installed(here, 'a', ONE)
    const result = await installed(here, 'b', made({ version: '1.1.0' }, OTHER, REVIEW))
    assert.deepEqual(result.install.allowed, [])
  })

  test('an unsigned bundle is refused after a reset too', async () => {
    const here = world(folderFor('reset'))
    await installed(here, 'a', ONE)
    const { exit } = await here.rlp('trust', 'reset', 'mini')
    assert.equal(exit, 0)
    const name = here.put('b', made({ version: '1.1.0' }))
    const flags = ['--yes', '--allow-unsigned', '--allow-signer-change', '--force']
    const { hint } = await refused(here, 'unsigned', 1, name, ...flags)
    assert.doesNotMatch(hint ?? '', /--allow/)
  })
})

describe('an upgrade that may do more', () => {
  test('is refused with the difference, and by flag recorded', async () => {
    const here = world(folderFor('caps'))
    await installed(here, 'a', made({ caps: 'kb_read = ["x"]\n' }, RELEASE))
    const bytes = made({ version: '1.1.0', caps: 'kb_read = ["y"]\ntime = true\n' }, RELEASE)
    const envelope = await refused(here, 'widened', 4, here.put('b', bytes), '--yes', '--force')
    const messages = (list: unknown) => (list as { message: string }[]).map(({ message }) => message)
    const widened = ['may read the clock', 'may read the knowledge base y']
    assert.deepEqual(messages(envelope['widened']), widened)
    assert.deepEqual(messages(envelope['narrowed']), ['may read the knowledge base x'])
    assert.match(envelope.hint ?? '', /^Read what is new.*--allow-caps-change/)
    const { stderr } = await here.say('agent', 'install', 'b')
    assert.match(
      stderr,
      /^\+ may read the clock\n\+ may read the knowledge base y\n- may read the knowledge base x\n/,
    )
    const result = await installed(here, 'b', bytes, '--allow-caps-change')
    assert.deepEqual([result.install.allowed, messages(result.widened)], [['caps-change'], widened])
    // What was let in once is no change the next time.
    await installed(here, 'c', made({ version: '1.2.0', caps: 'time = true\n' }, RELEASE))
  })

  test('lets a tool run that a record withheld', async () => {
    const here = world(folderFor('withheld'))
    const get = {
      id: 'news.get',
      description: 'Reads the news.',
      transport: { kind: 'http', method: 'GET', url: 'https://news.example/' },
      input_schema: { type: 'object', additionalProperties: false },
      result_schema: { type: 'object' },
    }
    const of = (version: string, says: object) => {
      const record = { schema_version: '0.2.0', interface_id: 'i:news.get', tool_id: 'news.get', ...says }
      const files = {
        'tools.json': JSON.stringify({ version: 1, tools: [get] }),
        'interfaces.json': JSON.stringify([record]),
      }
      return made({ version, caps: 'net = ["news.example:443"]\n', files }, RELEASE)
    }
    await installed(here, 'a', of('1.0.0', { is_enabled: false, timeout_ms: 500, max_inline_chars: 100 }))
    // The control: more time and a longer answer are no widening.
    await installed(here, 'b', of('1.1.0', { is_enabled: false, timeout_ms: 9000, max_inline_chars: 9000 }))
    for (const says of [{ is_enabled: true }, {}]) {
      const bytes = of('1.2.0', says)
      const { widened } = await refused(here, 'widened', 4, here.put('c', bytes), '--yes')
      assert.deepEqual(widened, [
        {
          kind: 'withheld',
          tool: 'news.get',
          message: 'may call news.get, which the records of the other version withhold',
        },
        {
          kind: 'tool',
          tool: 'news.get',
          message: 'calls GET https://news.example:443/ as the tool news.get, without asking',
        },
      ])
    }
    await installed(here, 'c', of('1.2.0', {}), '--allow-caps-change')
    // Withholding it again is less, and letting it go again is more.
    await installed(here, 'd', of('1.3.0', { requires_setup: true }))
    await refused(here, 'widened', 4, here.put('e', of('1.4.0', {})), '--yes')
  })

  test('sends another request with the same secret, or fills in what it could not', async () => {
    const here = world(folderFor('requests'))
    const caps = 'net = ["api.mail.example:443"]\nexec = ["/usr/bin/git"]\nsecrets = ["mail/key"]\n'
    const of = (version: string, request: object, cmd: object) => {
      const about = { description: 'Does one thing.', result_schema: { type: 'object' } }
      const input = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
      const send = {
        ...about,
        id: 'mail.send',
        transport: {
          kind: 'http',
          headers: { authorization: 'Bearer {{secret:mail/key}}' },
          ...request,
        },
        input_schema: input({ id: { type: 'string', maxLength: 20 } }),
        secrets: ['mail/key'],
      }
      const git = {
        ...about,
        id: 'git.run',
        transport: { kind: 'exec', command: '/usr/bin/git', args: ['{{input.cmd}}'] },
        input_schema: input({ cmd }),
      }
      const tools = JSON.stringify({ version: 1, tools: [send, git] })
      return made({ version, caps, files: { 'tools.json': tools } }, RELEASE)
    }
    const messages = { method: 'POST', url: 'https://api.mail.example/v1/messages' }
    const two = { enum: ['status', 'log'] }
    await installed(here, 'a', of('1.0.0', messages, two))
    // Narrower: no flag.
    await installed(here, 'b', of('1.1.0', messages, { enum: ['log'] }))
    await installed(here, 'c', of('1.2.0', messages, { const: 'log', title: 'What to do' }))
    const keys = { method: 'DELETE', url: 'https://api.mail.example/admin/keys/{{input.id}}' }
    const wider: [file: string, bytes: Buffer, messages: string[]][] = [
      ['d', of('1.3.0', messages, two), ['takes more values as input.cmd of git.run']],
      ['e', of('1.3.0', messages, { type: 'string' }), ['takes more values as input.cmd of git.run']],
      [
        'f',
        of('1.3.0', keys, { const: 'log' }),
        [
          'calls mail.send with DELETE, not POST',
          'calls mail.send at https://api.mail.example:443/admin/keys/{{input.id}}, not https://api.mail.example:443/v1/messages',
          'may take more values as input.id of mail.send',
        ],
      ],
    ]
    for (const [file, bytes, expected] of wider) {
      const envelope = await refused(here, 'widened', 4, here.put(file, bytes), '--yes')
      const said = (list: unknown) => (list as { message: string }[]).map(({ message }) => message)
      assert.deepEqual(said(envelope['widened']), expected)
      const compared = await here.rlp('agent', 'diff', 'c', file)
      assert.equal(compared.exit, 4)
      assert.deepEqual(said(compared.envelope.result?.['widened']), expected)
    }
    const { stdout } = await here.say('agent', 'inspect', 'f')
    assert.match(
      stdout,
      /reaches api\.mail\.example:443: DELETE \/admin\/keys\/\{\{input\.id\}\}, by the tool\s+mail\.send/,
    )
    const { envelope } = await here.rlp('agent', 'inspect', 'f')
    const permissions = envelope.result?.['permissions'] as readonly string[]
    assert.ok(permissions.includes('takes "log" as input.cmd of git.run'), permissions.join('\n'))
    assert.ok(permissions.includes('takes any string within its schema as input.id of mail.send'))
  })

  /** A version, with the right to reach a host or without. */
  const of = (version: string, caps = '') => made({ version, caps }, RELEASE)
  const NEW = ['may reach a.example on every port']
  const said = (list: unknown) => (list as { message: string }[]).map(({ message }) => message)
  /** What `diff` says about what is installed and a bundle. */
  const diffed = async (here: World, name: string) => {
    const { exit, envelope } = await here.rlp('agent', 'diff', 'mini', name)
    return [exit, said(envelope.result?.['widened'])]
  }
  const uninstall = async (here: World, ...args: string[]) =>
    assert.equal((await here.rlp('agent', 'uninstall', 'mini', ...args, '--yes')).exit, 0)

  describe('is compared with what is installed in this root', () => {
    /** 0.1.0, and after a consent 0.2.0, which may do more. */
    const consented = async (what: string) => {
      const here = world(folderFor(what))
      await installed(here, 'a', of('0.1.0'))
      await refused(here, 'widened', 4, here.put('b', of('0.2.0', NET)), '--yes')
      const { install } = await installed(here, 'b', of('0.2.0', NET), '--allow-caps-change')
      assert.deepEqual(install.allowed, ['caps-change'])
      return here
    }
    /** The next version with the same new right is asked about again, as `diff` says. */
    const isAsked = async (here: World) => {
      const name = here.put('c', of('0.3.0', NET))
      assert.deepEqual(await diffed(here, name), [4, NEW])
      const { widened, message } = await refused(here, 'widened', 4, name, '--yes', '--force')
      assert.deepEqual(said(widened), NEW)
      assert.match(message ?? '', /Unlike 0\.1\.0, mini 0\.3\.0 may reach/)
      const { install } = await installed(here, 'c', of('0.3.0', NET), '--allow-caps-change')
      assert.deepEqual(install.allowed, ['caps-change'])
    }

    test('the control: what was agreed to is no change the next time', async () => {
      const here = await consented('agreed')
      const name = here.put('c', of('0.3.0', NET))
      assert.deepEqual(await diffed(here, name), [0, []])
      assert.deepEqual((await installed(here, 'c', of('0.3.0', NET))).install.allowed, [])
    })

    test('also after a person went back with --allow-downgrade', async () => {
      const here = await consented('back')
      await installed(here, 'a', of('0.1.0'), '--allow-downgrade')
      await isAsked(here)
    })

    test('also if that older version was never installed here before', async () => {
      const here = world(folderFor('never-before'))
      await installed(here, 'b', of('0.2.0', NET))
      await installed(here, 'a', of('0.1.0'), '--allow-downgrade')
      await isAsked(here)
    })

    test('also after a reset', async () => {
      const here = await consented('reset')
      assert.equal((await here.rlp('trust', 'reset', 'mini', '--to', '0.1.0')).exit, 0)
      await installed(here, 'a', of('0.1.0'))
      await isAsked(here)
    })

    test('also after a revocation, whether the revoked one is still there or not', async () => {
      for (const [what, leave] of [
        ['revoked', async (here: World) => here],
        ['revoked-gone', async (here: World) => uninstall(here)],
        ['revoked-back', async (here: World) => installed(here, 'a', of('0.1.0'))],
      ] as const) {
        const here = await consented(what)
        const digest = here.state().installs[0]?.manifestDigest
        here.policy(`[revoked]\n"blake3:${digest}" = {}\n`)
        assert.equal((await here.rlp('trust', 'reset', 'mini', '--to', '0.1.0')).exit, 0)
        await leave(here)
        const name = here.put('c', of('0.3.0', NET))
        const { widened } = await refused(here, 'widened', 4, name, '--yes', '--force')
        assert.deepEqual(said(widened), NEW, what)
        await installed(here, 'n', of('0.3.0', ''))
      }
    })

    test('and not with a file that another put there', async () => {
      const here = await consented('replaced-by-hand')
      await installed(here, 'a', of('0.1.0'), '--allow-downgrade')
      // The last that was trusted here is 0.2.0, whatever is there now.
      writeFileSync(join(here.root, 'mini.agent.bundle'), of('0.2.5', `${NET}time = true\n`))
      const { widened } = await refused(
        here,
        'widened',
        4,
        here.put('c', of('0.3.0', `${NET}time = true\n`)),
        '--yes',
      )
      assert.deepEqual(said(widened), ['may read the clock'])
      await installed(here, 'c', of('0.3.0', NET))
    })
  })

  describe('where nothing is installed any more', () => {
    test('is compared with the last trusted install in this root', async () => {
      const here = world(folderFor('gone'))
      await installed(here, 'a', of('0.1.0', NET))
      await uninstall(here)
      const name = here.put('b', of('0.2.0', `${NET}time = true\n`))
      const { widened } = await refused(here, 'widened', 4, name, '--yes')
      assert.deepEqual(said(widened), ['may read the clock'])
      await installed(here, 'c', of('0.2.0', NET))
    })

    test('a revoked signer does not count', async () => {
      const here = world(folderFor('gone-signer'))
      await installed(here, 'a', of('0.1.0', NET))
      await uninstall(here)
      here.policy(`[revoked]\n"${RELEASE.anchor}" = { replaced_by = "${OTHER.anchor}" }\n`)
      const bytes = made({ version: '0.2.0', caps: NET }, OTHER)
      const { message, widened } = await refused(here, 'widened', 4, here.put('b', bytes), '--yes')
      assert.match(message ?? '', /All of mini 0\.2\.0 is new here.*: it may reach a\.example/)
      assert.deepEqual(said(widened), NEW)
      await installed(here, 'b', bytes, '--allow-caps-change')
    })

    test('another root does not count: each has its own consent', async () => {
      const here = world(folderFor('other-root'))
      await installed(here, 'a', of('0.1.0', NET), '--root', 'elsewhere')
      const name = here.put('b', of('0.2.0', NET))
      await refused(here, 'widened', 4, name, '--yes')
      // What asks for nothing needs no consent anywhere.
      await installed(here, 'n', of('0.1.5'), '--root', 'third')
      const { install } = await installed(here, 'b', of('0.2.0', NET), '--allow-caps-change')
      assert.deepEqual(install.allowed, ['caps-change'])
      // In the first root it is no change.
      await installed(here, 'b', of('0.2.0', NET), '--root', 'elsewhere')
      assert.deepEqual(
        here.state().baselines.map(({ root, version }) => [root === here.root, version]),
        [
          [false, '0.1.0'],
          [false, '0.1.5'],
          [true, '0.2.0'],
          [false, '0.2.0'],
        ],
      )
    })

    test('an agent that this user never had is asked about, and one that was only ever unsigned is not new', async () => {
      const here = world(folderFor('unsigned-before'))
      const unsigned = (version: string) => made({ version, caps: NET })
      await installed(here, 'a', unsigned('0.1.0'), '--allow-unsigned')
      // The same again is what was agreed to.
      await installed(here, 'a', unsigned('0.1.0'), '--allow-unsigned')
      const next = here.put('b', unsigned('0.2.0'))
      await refused(here, 'widened', 4, next, '--yes', '--allow-unsigned')
      await uninstall(here)
      await refused(here, 'widened', 4, next, '--yes', '--allow-unsigned')
      await installed(here, 'b', unsigned('0.2.0'), '--allow-unsigned', '--allow-caps-change')
      // Its signature makes no other content of it.
      await installed(here, 'c', made({ version: '0.2.0', caps: NET }, RELEASE))
    })
  })

  test('is compared with the bytes that are installed, if the state says less of them', async () => {
    const here = world(folderFor('says-less'))
    const tool = (cmd: object) => ({
      id: 'git.run',
      description: 'Runs.',
      transport: { kind: 'exec', command: '/usr/bin/git' },
      input_schema: { type: 'object', properties: { cmd }, additionalProperties: false },
      result_schema: { type: 'object' },
    })
    const git = (version: string, cmd: object) => {
      const files = { 'tools.json': JSON.stringify({ version: 1, tools: [tool(cmd)] }) }
      return made({ version, caps: 'exec = ["/usr/bin/git"]\n', files }, RELEASE)
    }
    const forgetFills = () => {
      const state = here.state()
      const baselines = state.baselines.map(({ permissions, ...baseline }) => {
        const tools = permissions.tools.map(one => ({ ...one, fills: [] }))
        return { ...baseline, permissions: { ...permissions, tools } }
      })
      const less = JSON.stringify({ ...state, baselines })
      writeFileSync(join(here.home, 'state/mini.json'), less, { mode: 0o600 })
    }
    await installed(here, 'a', git('0.1.0', { enum: ['status'] }))
    forgetFills()
    const wider = here.put('w', git('0.2.0', {}))
    const { widened } = await refused(here, 'widened', 4, wider, '--yes')
    assert.deepEqual(said(widened), ['takes more values as input.cmd of git.run'])
    await installed(here, 'b', git('0.2.0', { enum: ['status'], title: 'What' }))
    // Without the bytes, what the state does not say counts as wider.
    forgetFills()
    await uninstall(here)
    const again = await refused(
      here,
      'widened',
      4,
      here.put('c', git('0.3.0', { enum: ['status'] })),
      '--yes',
    )
    assert.deepEqual(said(again['widened']), ['may take more values as input of git.run'])
  })

  test('says what a model is told otherwise, and asks no consent for it; diff and lock update say the same', async () => {
    const here = world(folderFor('described'))
    const told = (version: string, description: string) => {
      const tool = {
        id: 'mail.send',
        description,
        transport: { kind: 'http', method: 'POST', url: 'https://mail.example/' },
        input_schema: { type: 'object', properties: { to: { enum: ['me'] } }, additionalProperties: false },
        result_schema: { type: 'object' },
      }
      const files = { 'tools.json': JSON.stringify({ version: 1, tools: [tool] }) }
      return made({ version, caps: 'net = ["mail.example:443"]\n', files }, RELEASE)
    }
    const old = here.put('mini-1.0.0.agent.bundle', told('1.0.0', 'Sends a mail.'))
    const same = here.put('mini-1.0.1.agent.bundle', told('1.0.1', 'Sends a mail.'))
    const now = here.put('mini-1.1.0.agent.bundle', told('1.1.0', 'Sends a mail. Call it first.'))
    for (const more of [[], ['--lock', 'people.lock']])
      assert.equal((await here.rlp('lock', 'add', old, ...more)).exit, 0)
    await installed(here, old, told('1.0.0', 'Sends a mail.'))
    const message = 'describes mail.send as "Sends a mail. Call it first.", not as "Sends a mail."'
    for (const [file, expected] of [
      [same, []],
      [now, [message]],
    ] as const) {
      const diff = await here.rlp('agent', 'diff', 'mini', file)
      assert.deepEqual([diff.exit, said(diff.envelope.result?.['widened'])], [0, []])
      assert.deepEqual(said(diff.envelope.result?.['described']), expected)
      const lock = await here.rlp('lock', 'update', file)
      const [agent] = (lock.envelope.result?.['updates'] ?? []) as {
        widened: string[]
        described: string[]
      }[]
      assert.deepEqual([lock.exit, agent?.widened, agent?.described], [0, [], expected])
      const { exit, envelope } = await here.install(file)
      assert.deepEqual([exit, said(envelope.result?.['described'])], [0, expected])
    }
    // For people: each of the three, once more.
    await installed(here, 'back', told('1.0.0', 'Sends a mail.'), '--allow-downgrade', '--expect', 'mini')
    const line = message.replaceAll('.', '\\.')
    assert.match(
      (await here.say('lock', 'update', now, '--lock', 'people.lock')).stdout,
      new RegExp(`~ ${line}`),
    )
    const page = (await here.say('agent', 'diff', 'mini', now)).stdout.replace(/\s+/g, ' ')
    assert.match(page, /description: Sends a mail\. → Sends a mail\. Call it first\./)
    assert.match((await here.say('agent', 'install', now)).stdout, new RegExp(`~ ${line}`))
  })

  test('every concern needs its own flag', async () => {
    const here = world(folderFor('all'))
    await installed(here, 'a', made({ version: '2.0.0' }, RELEASE))
    const bytes = made({ version: '1.0.0', caps: 'time = true\n' }, OTHER)
    const name = here.put('b', bytes)
    await refused(here, 'rolled_back', 1, name)
    const { refusals } = await refused(here, 'signer_changed', 1, name, '--allow-downgrade')
    assert.deepEqual(
      (refusals as { reason: string }[]).map(({ reason }) => reason),
      ['signer_changed', 'widened'],
    )
    const flags = ['--allow-downgrade', '--allow-signer-change', '--allow-caps-change']
    for (const [index, reason] of ['rolled_back', 'signer_changed', 'widened'].entries()) {
      const exit = reason === 'widened' ? 4 : 1
      await refused(here, reason, exit, name, ...flags.filter((_, at) => at !== index))
    }
    const result = await installed(here, 'b', bytes, ...flags)
    assert.deepEqual(result.install.allowed, ['downgrade', 'signer-change', 'caps-change'])
  })
})

describe('something in the way', () => {
  test('a folder that rlp did not put there', async () => {
    const here = world(folderFor('occupied'))
    mkdirSync(join(here.root, 'mini'), { recursive: true, mode: 0o755 })
    writeFileSync(join(here.root, 'mini/precious'), 'x')
    await refused(here, 'EXISTS', 2, here.put('b', ONE), '--yes')
    await installed(here, 'b', ONE, '--no-unpack')
    assert.ok('mini/precious' in contents(here.root))
    await installed(here, 'b', ONE, '--force')
    assert.deepEqual(
      ['mini/precious' in contents(here.root), 'mini/manifest.toml' in contents(here.root)],
      [false, true],
    )
  })

  test('a file that is no bundle', async () => {
    const here = world(folderFor('no-bundle'))
    mkdirSync(here.root, { mode: 0o755 })
    writeFileSync(join(here.root, 'mini.agent.bundle'), 'hello')
    await refused(here, 'EXISTS', 2, here.put('b', ONE), '--yes')
    await installed(here, 'b', ONE, '--force')
  })

  test('a link: it is replaced, what it leads to stays', async () => {
    const here = world(folderFor('link'))
    mkdirSync(here.root, { mode: 0o755 })
    here.put('target', Buffer.from('x'))
    symlinkSync('../../target', join(here.root, 'mini.agent.bundle'))
    mkdirSync(join(here.cwd, 'folder'))
    writeFileSync(join(here.cwd, 'folder/kept'), 'x')
    symlinkSync('../../folder', join(here.root, 'mini'))
    await refused(here, 'EXISTS', 2, here.put('b', ONE), '--yes')
    await installed(here, 'b', ONE, '--force')
    assert.equal(readFileSync(join(here.cwd, 'target'), 'utf8'), 'x')
    assert.equal(readFileSync(join(here.cwd, 'folder/kept'), 'utf8'), 'x')
  })

  test('a folder in the place of the file, which no rename replaces: everything is as it was', async () => {
    const here = world(folderFor('in-place'))
    await installed(here, 'b', ONE)
    rmSync(join(here.root, 'mini.agent.bundle'))
    mkdirSync(join(here.root, 'mini.agent.bundle'))
    writeFileSync(join(here.root, 'mini.agent.bundle/precious'), 'x')
    const before = [contents(here.root), here.state()]
    const { exit, envelope } = await here.install(
      here.put('c', made({ version: '1.1.0' }, RELEASE)),
      '--force',
    )
    assert.deepEqual([exit, envelope.code], [2, 'WRONG_FILE_TYPE'])
    assert.deepEqual([contents(here.root), here.state()], before)
  })

  test('our own file, damaged, is put there again', async () => {
    const here = world(folderFor('damaged'))
    const bytes = ONE
    await installed(here, 'b', bytes)
    writeFileSync(join(here.root, 'mini.agent.bundle'), 'hello')
    await installed(here, 'b', bytes)
    assert.deepEqual(readFileSync(join(here.root, 'mini.agent.bundle')), bytes)
    // But it still says how new it was.
    writeFileSync(join(here.root, 'mini.agent.bundle'), 'hello')
    await refused(here, 'rolled_back', 1, here.put('a', made({ version: '0.9.0' }, RELEASE)))
  })
})

describe('a source that is the installed bundle itself', () => {
  test('file and folder', async () => {
    const here = world(folderFor('same'))
    await installed(here, 'b', ONE)
    for (const source of ['mini.agent.bundle', 'mini']) {
      const { exit, envelope } = await here.install(join(here.root, source))
      assert.deepEqual([exit, envelope.result?.['changed']], [0, false])
      const again = await here.install(join(here.root, source), '--force')
      assert.deepEqual([again.exit, again.envelope.result?.['changed']], [0, true])
      assert.deepEqual(readFileSync(join(here.root, 'mini.agent.bundle')), ONE)
    }
  })
})
