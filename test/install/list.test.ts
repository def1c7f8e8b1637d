// rlp agent list, uninstall, and verify by name: what is installed, where it is looked for, and that one broken bundle hides no other.
import assert from 'node:assert/strict'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { InstalledAgent } from '../../src/install/installed.ts'
import { bundleOf, writeTree } from '../support/agent.ts'
import { run, typedAfterwards } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { contents, DEV, made, madeTree, RELEASE, type World, world } from '../support/install-world.ts'
import { signedBundle, signedTree } from '../support/signed.ts'

const folderFor = temporary('list')
const ONE = made({}, RELEASE)

async function rowsOf(here: World, ...args: string[]): Promise<InstalledAgent[]> {
  const { exit, envelope } = await here.rlp('agent', 'list', ...args)
  assert.equal(exit, 0, JSON.stringify(envelope))
  return (envelope.result?.['agents'] ?? []) as InstalledAgent[]
}

async function put(here: World, bytes: Uint8Array, ...flags: string[]): Promise<void> {
  const { exit, envelope } = await here.install(here.put('bundle', bytes), '--yes', ...flags)
  assert.equal(exit, 0, JSON.stringify(envelope))
}

/** Changes one byte. */
function flip(path: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

/** The same content, behind a link. */
function linkAway(path: string): void {
  renameSync(path, `${path}.real`)
  const away = `${folderFor('away')}/it`
  renameSync(`${path}.real`, away)
  symlinkSync(away, path)
}

/** Agents, each with its status, its verdict, and everything that is said about it. */
const short = (rows: readonly InstalledAgent[]) =>
  rows.map(({ name, variant, version, status, verdict, marks, allowed }) =>
    [variant === null ? name : `${name}@${variant}`, version, status, verdict, ...marks, ...allowed].join(
      ' ',
    ),
  )

describe('list', () => {
  test('nothing', async () => {
    const here = world(folderFor('nothing'))
    const { exit, envelope } = await here.rlp('agent', 'list')
    const system = ['/usr/lib/runloop/agents', '/var/lib/runloop/agents']
    assert.deepEqual([exit, envelope.result?.['search_dirs']], [0, [here.root, ...system]])
    const { stdout, stderr } = await here.say('agent', 'list', '--root', 'nowhere', '--table')
    assert.deepEqual([stdout, stderr], ['', 'no agent manifests found (searched: nowhere)\n'])
  })

  test('every member of a row', async () => {
    const here = world(folderFor('row'))
    await put(here, made({ variant: 'pro' }, RELEASE))
    const [row] = await rowsOf(here)
    assert.match(row?.digest ?? '', /^[0-9a-f]{64}$/)
    assert.deepEqual(row, {
      agent: 'mini@pro',
      name: 'mini',
      variant: 'pro',
      version: '1.0.0',
      identity: `blake3:${row?.digest}`,
      digest: row?.digest,
      status: 'ok',
      issues: [],
      source_dir: here.root,
      manifest: join(here.root, 'mini@pro/manifest.toml'),
      bundle: join(here.root, 'mini@pro.agent.bundle'),
      folder: { path: join(here.root, 'mini@pro'), is: 'same' },
      verdict: 'trusted',
      reasons: [],
      marks: [],
      allowed: [],
      lock: null,
    })
  })

  test('a table for people', async () => {
    const here = world(folderFor('table'))
    await put(here, ONE, '--root', 'root', '--no-unpack')
    await put(here, made({ name: 'other' }), '--allow-unsigned', '--root', 'root')
    const rows = await rowsOf(here, '--root', 'root')
    const { stdout, stderr } = await here.say('agent', 'list', '--root', 'root', '--table')
    const where = join(here.cwd, 'root')
    assert.equal(
      stdout,
      `agent | variant | version | digest       | status | trust                        | source${' '.repeat(where.length - 6)} | manifest
mini  | -       | 1.0.0   | ${rows[0]?.digest?.slice(0, 12)} | ok     | trusted                      | ${where} | ${where}/mini.agent.bundle
other | -       | 1.0.0   | ${rows[1]?.digest?.slice(0, 12)} | ok     | unsigned (allowed: unsigned) | ${where} | ${where}/other/manifest.toml
`,
    )
    assert.equal(stderr, 'searched: root\ndigest = blake3(manifest.toml)\n')
  })

  test('--json and --table at once', async () => {
    const here = world(folderFor('both'))
    const { exit, envelope } = await here.rlp('agent', 'list', '--table')
    assert.deepEqual([exit, envelope.code], [2, 'USAGE'])
  })

  test('what today’s policies say, and what flags let in', async () => {
    const here = world(folderFor('today'))
    await put(here, made({ name: 'a' }, RELEASE))
    await put(here, made({ name: 'b' }), '--allow-unsigned')
    await put(here, made({ name: 'c' }, DEV), '--allow-dev')
    await put(here, made({ name: 'd', version: '2.0.0' }, RELEASE))
    await put(here, made({ name: 'd' }, RELEASE), '--allow-downgrade')
    await put(
      here,
      signedBundle(signedTree(madeTree({ name: 'e' }), [RELEASE], { notAfter: '2999-01-01T00:00:00Z' })),
    )
    assert.deepEqual(short(await rowsOf(here)), [
      'a 1.0.0 ok trusted',
      'b 1.0.0 ok unsigned unsigned',
      'c 1.0.0 ok untrusted dev',
      'd 1.0.0 ok rolled_back stale downgrade',
      'e 1.0.0 ok trusted',
    ])
    assert.equal(short(await rowsOf(here, '--allow-dev'))[2], 'c 1.0.0 ok trusted dev')
    here.policy(`[revoked]\n"${RELEASE.anchor}" = { reason = "laptop lost" }\n`)
    const revoked = await rowsOf(here)
    assert.deepEqual(
      short(revoked).filter((_, index) => [0, 4].includes(index)),
      ['a 1.0.0 ok revoked revoked', 'e 1.0.0 ok revoked revoked'],
    )
    assert.match(revoked[0]?.reasons.join() ?? '', /laptop lost/)
    assert.deepEqual(revoked[0]?.issues, [])
    const { stdout } = await here.say('agent', 'list', '--table')
    assert.match(stdout, /^a {5}\|.*\| revoked {2,}\|/m)
  })

  test('one whose signature has ended is stale', async () => {
    const here = world(folderFor('ended'))
    await put(here, ONE)
    const ended = signedTree(madeTree(), [RELEASE], { notAfter: '2020-01-01T00:00:00Z' })
    writeFileSync(join(here.root, 'mini.agent.bundle'), bundleOf(ended))
    assert.deepEqual(short(await rowsOf(here)), ['mini 1.0.0 ok expired stale folder_changed'])
  })

  const tree = () => signedTree(madeTree({ files: { 'a.md': 'x' } }), [RELEASE])
  const harm: [what: string, bytes: () => Uint8Array | string, row: string, issue: RegExp][] = [
    ['not a bundle', () => 'hello', 'mini  invalid invalid changed', /./],
    ['empty', () => '', 'mini  invalid invalid changed', /empty/],
    [
      'another file inside',
      () => bundleOf({ ...tree(), 'a.md': 'y' }),
      'mini 1.0.0 digest_mismatch invalid',
      /digest of a\.md/,
    ],
    [
      'a file missing',
      () => bundleOf(Object.fromEntries(Object.entries(tree()).filter(([path]) => path !== 'a.md'))),
      'mini 1.0.0 missing invalid',
      /a\.md/,
    ],
    [
      'a file missing and another changed',
      () =>
        bundleOf({
          ...Object.fromEntries(Object.entries(tree()).filter(([path]) => path !== 'a.md')),
          'tools.json': '{}',
        }),
      'mini 1.0.0 digest_mismatch invalid',
      /tools\.json/,
    ],
    [
      'an invalid manifest',
      () => bundleOf({ ...tree(), 'manifest.toml': '[agent\n' }),
      'mini  invalid invalid changed',
      /./,
    ],
    [
      'another agent’s bundle',
      () => made({ name: 'other' }, RELEASE),
      'mini 1.0.0 ok untrusted changed folder_changed',
      /./,
    ],
    [
      'other content',
      () => made({ version: '3.0.0' }, RELEASE),
      'mini 3.0.0 ok trusted changed folder_changed',
      /^$/,
    ],
  ]
  test('an unpacked folder is compared with its file', async () => {
    const changes: [
      what: string,
      change: (folder: string) => void,
      is: 'same' | 'changed' | 'missing',
      at?: string,
    ][] = [
      ['nothing', () => {}, 'same'],
      ['a text', folder => appendFileSync(join(folder, 'policy.caps'), '#'), 'changed', 'policy.caps'],
      ['a byte of the program', folder => flip(join(folder, 'bin/mini.wasm')), 'changed', 'bin/mini.wasm'],
      ['its manifest', folder => flip(join(folder, 'manifest.toml')), 'changed', 'manifest.toml'],
      [
        'its signature',
        folder => flip(join(folder, 'SIGNATURES/manifest.sig')),
        'changed',
        'SIGNATURES/manifest.sig',
      ],
      ['one file less', folder => rmSync(join(folder, 'tools.json')), 'changed', 'tools.json'],
      ['one more', folder => writeFileSync(join(folder, 'bin/more'), ''), 'changed', 'bin/more'],
      ['an empty folder more', folder => mkdirSync(join(folder, 'more')), 'changed', 'more'],
      [
        'a file as a link to the same',
        folder => linkAway(join(folder, 'tools.json')),
        'changed',
        'tools.json',
      ],
      ['a folder as a link to the same', folder => linkAway(join(folder, 'bin')), 'changed', 'bin'],
      ['itself as a link to the same', folder => linkAway(folder), 'changed', ''],
      ['all of it', folder => rmSync(folder, { recursive: true }), 'missing'],
    ]
    const here = world(folderFor('compared'))
    await put(here, ONE)
    const path = join(here.root, 'mini')
    const first = join(folderFor('first'), 'mini')
    cpSync(path, first, { recursive: true })
    for (const [what, change, is, at] of changes) {
      rmSync(path, { recursive: true, force: true })
      cpSync(first, path, { recursive: true })
      change(path)
      const [row] = await rowsOf(here)
      assert.deepEqual(row?.folder, { path, is, ...(at !== undefined && { at }) }, what)
      const marks = is === 'same' ? '' : ` folder_${is}`
      assert.deepEqual(short([row as InstalledAgent]), [`mini 1.0.0 ok trusted${marks}`], what)
      const { stdout, stderr } = await here.say('agent', 'list', '--table')
      assert.equal(stdout.includes('folder_'), is !== 'same')
      const [, told] = /^warning: mini: the folder \S+ (.*)$/m.exec(stderr) ?? []
      const differs = at === '' ? '' : `: ${at} differs`
      const words = {
        changed: `is not what its bundle holds${differs}`,
        missing: 'was unpacked, and is missing',
      }
      assert.equal(told, { same: undefined, ...words }[is], stderr)
    }
  })

  test('a folder is compared wherever one is there, also where nothing is remembered, and none is missed with --no-unpack', async () => {
    const here = world(folderFor('beside'))
    await put(here, ONE, '--no-unpack')
    assert.equal((await rowsOf(here))[0]?.folder, null)
    rmSync(join(here.home, 'state'), { recursive: true })
    writeTree(join(here.root, 'mini'), madeTree())
    const [row] = await rowsOf(here)
    assert.deepEqual(short([row as InstalledAgent]), ['mini 1.0.0 ok trusted folder_changed'])
    writeFileSync(join(here.root, 'mini.agent.bundle'), 'no bundle')
    const [broken] = await rowsOf(here)
    assert.equal(broken?.folder?.is, 'not_compared')
    assert.deepEqual(broken?.marks, [])
  })

  test('one that is broken in any way hides no other', async () => {
    const here = world(folderFor('broken'))
    await put(here, made({ name: 'before' }, RELEASE))
    await put(here, bundleOf(tree()))
    await put(here, made({ name: 'zz_after' }, RELEASE))
    for (const [what, bytes, expected, issue] of harm) {
      writeFileSync(join(here.root, 'mini.agent.bundle'), bytes())
      const rows = await rowsOf(here)
      const [first, broken, last] = short(rows)
      assert.deepEqual([first, last], ['before 1.0.0 ok trusted', 'zz_after 1.0.0 ok trusted'], what)
      assert.equal(broken, expected, what)
      assert.match([...(rows[1]?.issues ?? []), ...(rows[1]?.reasons ?? [])].join('\n'), issue, what)
      if (rows[1]?.status !== 'ok') {
        const { stderr } = await here.say('agent', 'list', '--table')
        assert.match(stderr, /use --json to inspect bundle validation issues/, what)
      }
    }
  })

  test('folders that something else installed', async () => {
    const here = world(folderFor('legacy'))
    const place = (path: string, name: string) => writeTree(join(here.root, path), madeTree({ name }))
    place('legacy', 'legacy')
    place('deep/er/still', 'deep')
    place('too/deep/to/find', 'hidden')
    writeTree(join(here.root, 'broken'), { 'manifest.toml': '[agent\n' })
    mkdirSync(join(here.root, 'no-agent'))
    await put(here, ONE)
    const rows = await rowsOf(here)
    assert.deepEqual(
      rows.map(({ name, status, verdict, bundle, manifest }) => [
        name,
        status,
        verdict,
        bundle === null,
        manifest,
      ]),
      [
        ['mini', 'ok', 'trusted', false, join(here.root, 'mini/manifest.toml')],
        [`${here.root}/broken`, 'missing', 'invalid', true, join(here.root, 'broken/manifest.toml')],
        ['legacy', 'ok', 'unsigned', true, join(here.root, 'legacy/manifest.toml')],
        ['deep', 'ok', 'unsigned', true, join(here.root, 'deep/er/still/manifest.toml')],
      ],
    )
  })

  test('control characters of a bundle do not reach a terminal', async () => {
    const here = world(folderFor('escape'))
    writeTree(join(here.root, 'x'), {
      ...madeTree(),
      'manifest.toml': '[agent]\nname = "\\u001b[31mred"\nversion = "1"\nkind = "x"\n',
    })
    const { stdout, stderr } = await here.say('agent', 'list', '--table')
    assert.doesNotMatch(stdout + stderr, /\u001b/)
  })

  test('a root that is a link, and one that others may write, are still shown', async () => {
    const here = world(folderFor('linked'))
    await put(here, ONE, '--root', 'real')
    symlinkSync('real', join(here.cwd, 'link'))
    assert.deepEqual(short(await rowsOf(here, '--root', 'link')), ['mini 1.0.0 ok trusted'])
  })
})

describe('verify by name', () => {
  test('the installed file, and it has to be the agent of that name', async () => {
    const here = world(folderFor('by-name'))
    await put(here, ONE)
    await put(here, made({ variant: 'pro', version: '0.1.0' }, RELEASE))
    const verdictOf = async (...args: string[]) => {
      const { exit, envelope } = await here.rlp('agent', 'verify', ...args)
      const [report] = envelope.result?.bundles ?? []
      return [exit, report?.verdict, report?.target, report?.agent?.version]
    }
    assert.deepEqual(await verdictOf('mini'), [0, 'trusted', `${here.root}/mini.agent.bundle`, '1.0.0'])
    assert.deepEqual(await verdictOf('mini@pro'), [
      0,
      'trusted',
      `${here.root}/mini@pro.agent.bundle`,
      '0.1.0',
    ])
    renameSync(join(here.root, 'mini@pro.agent.bundle'), join(here.root, 'mini.agent.bundle'))
    assert.deepEqual((await verdictOf('mini')).slice(0, 2), [1, 'untrusted'])
    assert.deepEqual((await verdictOf('mini', '--expect', 'mini@pro')).slice(0, 2), [0, 'trusted'])
    assert.deepEqual((await verdictOf('nobody')).slice(0, 2), [3, 'indeterminate'])
    assert.deepEqual((await verdictOf('mini', '--root', 'elsewhere')).slice(0, 2), [3, 'indeterminate'])
  })

  test('a path that is there comes first', async () => {
    const here = world(folderFor('path-first'))
    await put(here, ONE)
    writeFileSync(join(here.cwd, 'mini'), 'hello')
    const { exit, envelope } = await here.rlp('agent', 'verify', 'mini')
    assert.deepEqual([exit, envelope.result?.bundles?.[0]?.verdict], [1, 'invalid'])
  })

  test('--root, and a folder only where there is no file', async () => {
    const here = world(folderFor('folder'))
    await put(here, ONE, '--root', 'r')
    // The folder beside the file is not read.
    writeFileSync(join(here.cwd, 'r/mini/manifest.toml'), 'spoiled')
    assert.equal((await here.rlp('agent', 'verify', 'mini', '--root', 'r')).exit, 0)
    writeTree(
      join(here.cwd, 'r/legacy/variants/pro'),
      signedTree(madeTree({ name: 'legacy', variant: 'pro' }), [RELEASE]),
    )
    assert.equal((await here.rlp('agent', 'verify', 'legacy@pro', '--root', 'r')).exit, 0)
  })

  test('sign does not look there', async () => {
    const here = world(folderFor('sign'))
    await put(here, made({}), '--allow-unsigned')
    const before = snapshot(here.root)
    const { exit } = await here.rlp('agent', 'sign', 'mini', '--key', 'none')
    assert.notEqual(exit, 0)
    assert.deepEqual(snapshot(here.root), before)
  })
})

describe('uninstall', () => {
  test('file and folder are gone; what others put there stays', async () => {
    const here = world(folderFor('uninstall'))
    await put(here, ONE)
    await put(here, made({ variant: 'pro' }, RELEASE))
    const { exit, envelope } = await here.rlp('agent', 'uninstall', 'mini', '--yes')
    assert.deepEqual(
      [exit, envelope.result],
      [
        0,
        {
          agent: 'mini',
          changed: true,
          bundle: join(here.root, 'mini.agent.bundle'),
          folder: join(here.root, 'mini'),
        },
      ],
    )
    assert.deepEqual(
      Object.keys(contents(here.root)).filter(path => /^mini(?:\/|\.)/.test(path)),
      [],
    )
    assert.ok('mini@pro.agent.bundle' in contents(here.root))
    assert.deepEqual(here.state().installs, [])
    assert.equal(here.state().marks[0]?.version, '1.0.0')
  })

  test('a folder that rlp did not derive stays', async () => {
    const here = world(folderFor('not-derived'))
    mkdirSync(join(here.root, 'mini'), { recursive: true, mode: 0o755 })
    writeFileSync(join(here.root, 'mini/precious'), 'x')
    await put(here, ONE, '--no-unpack')
    assert.equal((await here.rlp('agent', 'uninstall', 'mini', '--yes')).envelope.result?.['folder'], null)
    assert.equal(readFileSync(join(here.root, 'mini/precious'), 'utf8'), 'x')
    const { exit, envelope } = await here.rlp('agent', 'uninstall', 'mini', '--yes')
    assert.deepEqual([exit, envelope.code], [2, 'NOT_FOUND'])
    assert.match(envelope.message ?? '', /not installed by rlp/)
  })

  test('a broken bundle can be removed', async () => {
    const here = world(folderFor('broken'))
    await put(here, ONE)
    writeFileSync(join(here.root, 'mini.agent.bundle'), 'hello')
    assert.equal((await here.rlp('agent', 'uninstall', 'mini', '--yes')).exit, 0)
    assert.deepEqual(Object.keys(contents(here.root)), [])
  })

  test('a folder whose file was removed goes the same way', async () => {
    const here = world(folderFor('no-file'))
    await put(here, ONE)
    rmSync(join(here.root, 'mini.agent.bundle'))
    assert.equal(
      (await here.rlp('agent', 'uninstall', 'mini', '--yes')).envelope.result?.['folder'],
      join(here.root, 'mini'),
    )
    assert.deepEqual(Object.keys(contents(here.root)), [])
    await put(here, ONE)
  })

  const refusals: [what: string, args: string[], exit: number, code: string][] = [
    ['without --yes and without anybody', ['mini'], 2, 'NEEDS_ANSWER'],
    ['what is not there', ['other', '--yes'], 2, 'NOT_FOUND'],
    ['from a root that is not there', ['mini', '--root', 'nowhere', '--yes'], 2, 'NOT_FOUND'],
    ['what is no name', ['../mini', '--yes'], 2, 'USAGE'],
    ['two at once', ['mini', 'other', '--yes'], 2, 'USAGE'],
  ]
  for (const [what, args, exit, code] of refusals) {
    test(what, async () => {
      const here = world(folderFor(what))
      await put(here, ONE)
      const before = snapshot(here.cwd)
      const ran = await here.rlp('agent', 'uninstall', ...args)
      assert.deepEqual([ran.exit, ran.envelope.code], [exit, code])
      assert.deepEqual(snapshot(here.cwd), before)
    })
  }
})

describe('with a person', () => {
  test('uninstall asks too', async () => {
    const here = world(folderFor('uninstall-ask'))
    await put(here, ONE)
    const answering = async (reply: string) => {
      const { exit, stdout } = await run(['agent', 'uninstall', 'mini'], undefined, {
        cwd: here.cwd,
        env: { TERM: 'dumb' },
        stdin: () => typedAfterwards(`${reply}\n`),
        isTTY: { stdin: true, stdout: true, stderr: true },
      })
      assert.match(stdout, /^Remove mini from\s/)
      return exit
    }
    assert.equal(await answering('no'), 130)
    assert.ok('mini.agent.bundle' in contents(here.root))
    assert.equal(await answering('yes'), 0)
    rmSync(here.root, { recursive: true })
  })
})
