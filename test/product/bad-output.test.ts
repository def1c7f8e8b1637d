// Where pack writes: places that cannot or must not be written, and streams that are closed.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { assertRefused, project } from '../support/project.ts'
import { MORTAL, rlp, shell } from '../support/run.ts'
import { slice } from '../support/runs.ts'

const folderFor = temporary('output')
const NAME = 'mini-1.0.0.agent.bundle'
const BUNDLE = bundleOf(agentTree())
const POSIX = { skip: process.platform === 'win32' && 'needs a POSIX system' }
const pack = (...more: string[]) => ['agent', 'pack', 'mini', ...more]

describe('a place that cannot be written', () => {
  const cases: [
    what: string,
    harm: (folder: string) => unknown,
    args: string[],
    exit: number,
    says: RegExp,
  ][] = [
    ['a folder', folder => mkdirSync(join(folder, 'out')), ['--out', 'out'], 2, /Cannot write "out": /],
    [
      'a folder, with --force',
      folder => mkdirSync(join(folder, 'out')),
      ['--out', 'out', '--force'],
      2,
      /Cannot write "out": a folder, a link or a device is there/,
    ],
    ['the current folder', () => {}, ['--out', '.'], 2, /Cannot write "\.": /],
    [
      'a file as folder',
      folder => writeFileSync(join(folder, 'f'), ''),
      ['--out-dir', 'f'],
      2,
      /a part of the path is a file, not a folder/,
    ],
    [
      'a path below a file',
      folder => writeFileSync(join(folder, 'f'), ''),
      ['--out', 'f/x'],
      2,
      /a part of the path is a file/,
    ],
    ['a name that is too long', () => {}, ['--out', 'x'.repeat(300)], 2, /the name is too long/],
    [
      'a name too long for its temporary file',
      () => {},
      ['--out', 'x'.repeat(250)],
      2,
      /the name is too long/,
    ],
    ['an empty name', () => {}, ['--out', ''], 2, /Cannot use --out: its value is empty/],
    [
      'a foreign file',
      folder => writeFileSync(join(folder, 'notes'), 'mine'),
      ['--out', 'notes'],
      2,
      /Cannot write "notes": another file is there/,
    ],
    [
      'an empty file',
      folder => writeFileSync(join(folder, 'notes'), ''),
      ['--out', 'notes'],
      2,
      /another file is there/,
    ],
    [
      'a signed bundle',
      folder => writeTree(folder, { s: bundleOf({ ...agentTree(), 'SIGNATURES/manifest.sig': 'x' }) }),
      ['--out', 's'],
      2,
      /Cannot write "s": a signed bundle is there/,
    ],
    [
      'a link',
      folder => symlinkSync('target', join(folder, 'l')),
      ['--out', 'l'],
      2,
      /Cannot write "l": a folder, a link or a device is there/,
    ],
    [
      'a FIFO',
      folder => execFileSync('mkfifo', [join(folder, 'f')]),
      ['--out', 'f'],
      2,
      /Cannot write "f": a folder, a link or a device is there/,
    ],
    [
      'a device',
      () => {},
      ['--out', '/dev/full'],
      2,
      /Cannot write "\/dev\/full": a folder, a link or a device is there/,
    ],
    [
      'two agents and one file',
      folder => cpSync(join(folder, 'mini'), join(folder, 'two'), { recursive: true }),
      ['two', '--out', 'x'],
      2,
      /Cannot use --out with 2 agents/,
    ],
  ]
  for (const [index, [what, harm, args, exit, says]] of cases.entries()) {
    // One through the program itself, and all that could wait for ever.
    const how = index === 0 || what === 'a FIFO' ? rlp : rlpHere
    test(what, POSIX, async () => {
      const folder = project(folderFor(what))
      harm(folder)
      await assertRefused(pack(...args), { exit, says }, { cwd: folder }, how)
    })
  }

  const denied: [what: string, name: string, mode: number, outDir: string][] = [
    ['a read-only folder', 'ro', 0o555, 'ro'],
    ['a folder in a read-only folder', 'ro', 0o555, 'ro/new'],
    ['a folder that cannot be entered', 'no', 0, 'no'],
  ]
  // Each by another user, in a process, because root is stopped by no mode.
  for (const [what, name, mode, outDir] of slice(denied, 3)) {
    test(what, POSIX, async () => {
      const folder = project(folderFor(what))
      mkdirSync(join(folder, name), { mode })
      const says = /Cannot \S.* ".*(?:ro|no).*": permission denied/
      await assertRefused(pack('--out-dir', outDir), { exit: 3, says }, { cwd: folder, ...MORTAL })
    })
  }

  for (const [what, make] of [
    ['link', (path: string) => symlinkSync('target', path)],
    ['FIFO', (path: string) => execFileSync('mkfifo', [path])],
  ] as const) {
    // As root the same call replaces /dev/null with a file.
    test(`a ${what}, even with --force`, POSIX, async () => {
      const folder = project(folderFor(what))
      make(join(folder, 'x'))
      await assertRefused(
        pack('--out', 'x', '--force'),
        { exit: 2, says: /Cannot write "x"/ },
        { cwd: folder },
        // Only a FIFO could wait for ever.
        what === 'FIFO' ? rlp : rlpHere,
      )
    })
  }

  for (const args of [
    ['--out', 'mini/x.bundle'],
    ['--out-dir', 'mini/dist'],
    ['--out', 'mini/policy.caps', '--force'],
  ]) {
    test(`inside the agent’s own folder: ${args.join(' ')}`, async () => {
      const folder = project(folderFor('inside'))
      await assertRefused(pack(...args), { exit: 2, says: /inside/ }, { cwd: folder })
    })
  }

  test('the agent’s own folder, where dist/ would be a file of the next bundle', async () => {
    const own = join(project(folderFor('own')), 'mini')
    await assertRefused(['agent', 'pack'], { exit: 2, says: /inside the agent’s own folder/ }, { cwd: own })
    assert.equal((await rlpHere(['agent', 'pack', '--out-dir', '../dist'], { cwd: own })).exit, 0)
  })

  test('pack --gzip works twice', async () => {
    const folder = project(folderFor('gzip'))
    for (let i = 0; i < 2; i++) assert.equal((await rlpHere(pack('--gzip'), { cwd: folder })).exit, 0)
  })
})

describe('a place that can', () => {
  test(
    'folders are made, the mode is the user’s, an older bundle and --force’s victim are replaced',
    POSIX,
    async () => {
      const folder = project(folderFor('good'))
      for (const [umask, mode] of [
        ['022', 0o644],
        ['077', 0o600],
        ['000', 0o666],
      ] as const) {
        const out = join(folder, `a/b/${umask}`)
        assert.equal((await rlpHere(pack('--out-dir', out), { cwd: folder, umask })).exit, 0)
        assert.deepEqual(readdirSync(out), [NAME])
        assert.equal(statSync(join(out, NAME)).mode & 0o777, mode)
      }
      writeFileSync(join(folder, 'old'), bundleOf(agentTree({ version: '0.9.0' })))
      assert.equal((await rlpHere(pack('--out', 'old'), { cwd: folder })).exit, 0)
      assert.equal(readFileSync(join(folder, 'old')).compare(BUNDLE), 0)
      writeFileSync(join(folder, 'notes'), 'mine')
      assert.equal((await rlpHere(pack('--out', 'notes', '--force'), { cwd: folder })).exit, 0)
      assert.equal(readFileSync(join(folder, 'notes')).compare(BUNDLE), 0)
    },
  )

  test('three at once write one bundle and leave nothing else', async () => {
    const folder = project(folderFor('three'))
    const all = await Promise.all(Array.from({ length: 3 }, () => rlp(pack(), { cwd: folder })))
    assert.deepEqual(
      all.map(({ exit }) => exit),
      Array(3).fill(0),
    )
    assert.deepEqual(readdirSync(join(folder, 'dist')), [NAME])
    assert.equal(readFileSync(join(folder, 'dist', NAME)).compare(BUNDLE), 0)
  })
})

describe('closed streams', { concurrency: 2, ...POSIX }, () => {
  const cases: [what: string, line: string, status: number, stdout: string | RegExp][] = [
    ['a reader that goes after one line', '"$@" | head -1', 0, /^dist\/mini-1\.0\.0\.agent\.bundle .*\n$/],
    ['a reader that is gone', '"$@" | true', 0, ''],
    ['standard output closed', '"$@" >&-', 0, ''],
    ['standard input closed', '"$@" <&-', 0, /^dist\/mini/],
    ['standard error closed', '"$@" 2>&-', 0, /^dist\/mini/],
    ['all of them closed', '"$@" <&- >&- 2>&-', 0, ''],
    ['standard input that never ends', '"$@" < /dev/zero', 0, /^dist\/mini/],
  ]
  const stream = ([what]: (typeof cases)[number]) => /reader|output|input|error|all/.exec(what)?.[0] ?? ''
  for (const [what, line, status, stdout] of slice(cases, 2, stream)) {
    test(what, async () => {
      const folder = project(folderFor(what))
      const ran = await shell(folder, line, pack())
      assert.equal(ran.status, status, ran.stderr)
      if (typeof stdout === 'string') assert.equal(ran.stdout, stdout)
      else assert.match(ran.stdout, stdout)
      assert.equal(ran.stderr, '')
      assert.equal(readFileSync(join(folder, 'dist', NAME)).compare(BUNDLE), 0)
      assert.equal(
        lstatSync(join(folder, 'mini/manifest.toml')).size,
        Buffer.from(String(agentTree()['manifest.toml'])).length,
      )
    })
  }

  test('the exit code behind a closed pipe is still the command’s', async () => {
    const folder = project(folderFor('pipe'))
    writeFileSync(join(folder, 'mini/policy.caps'), 'x')
    const ran = await shell(folder, '{ "$@"; echo "exit $?" >&2; } | true', ['agent', 'lint', 'mini'])
    assert.match(ran.stderr, /exit 1\n$/)
  })
})
