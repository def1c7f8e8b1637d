// Modules that try to get out (fixtures/wasi/attacks.c), run by rlp agent run as root and as an ordinary user. Each attack has its control:
// the same attempt where it is allowed.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { type Attempt, type ModulePlace, modulePlace, open, type Who } from '../support/module-place.ts'
import { IS_ROOT } from '../support/run.ts'
import { IN_CI } from '../support/runs.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'
import { body, exportOf, importOf, moduleOf, rawModule, section, type, vec } from '../support/wasm.ts'

const folder = grantable('module-attacks')
const SECRET = 'a secret beside the grants'

interface World {
  readonly place: ModulePlace
  readonly ro: string
  readonly rw: string
  readonly beside: string
}

function made(who: Who): World {
  const cwd = folder(who)
  const ro = join(cwd, 'ro')
  mkdirSync(ro, { mode: 0o755 })
  const rw = open(join(cwd, 'rw'))
  const beside = join(cwd, 'beside')
  mkdirSync(beside, { mode: 0o755 })
  for (const [path, text] of [
    [join(ro, 'file'), 'granted'],
    [join(rw, 'file'), 'granted'],
    [join(beside, 'file'), SECRET],
  ] as const) {
    writeFileSync(path, text)
    chmodSync(path, 0o666)
  }
  symlinkSync('file', join(ro, 'within'))
  symlinkSync('../beside/file', join(ro, 'out'))
  symlinkSync(join(beside, 'file'), join(ro, 'absolute'))
  symlinkSync('../beside', join(rw, 'folder'))
  const place = modulePlace(cwd, { who, caps: `fs = ["${ro}"]\nfs_rw = ["${rw}"]\n` })
  return { place, ro, rw, beside }
}

const HELD = /^held: /
/** An answer, and the attempt that gets it. */
type Judged = readonly [answer: string | RegExp, ...attempt: string[]]

const held = (...attempts: readonly Attempt[]) => attempts.map((attempt): Judged => [HELD, ...attempt])

/** All that one start of the module tries, in this order. */
const ATTEMPTS: Readonly<
  Record<'reads' | 'writes' | 'links' | 'files', (world: World) => readonly Judged[]>
> = {
  reads: ({ ro, rw, beside }) => [
    ['open: granted', 'read', `${ro}/file`],
    ['open: granted', 'read', `${ro}/within`],
    ['absolute file open: out within', 'list', ro],
    ...held(
      ...[
        `${ro}/../beside/file`,
        `${ro}/../../${beside}/file`,
        `${ro}/out`,
        `${ro}/absolute`,
        `${rw}/folder/file`,
        `${beside}/file`,
        '/etc/passwd',
        '/proc/self/environ',
        '/proc/1/environ',
      ].map(path => ['read', path]),
      ...['/', '/proc', '/tmp', '/usr', beside, join(ro, '..')].map(path => ['list', path]),
    ),
    ['open', 'raw', 'file'],
    ...held(
      ...['../beside/file', 'out', 'absolute', '/etc/passwd', './../beside/file', `${beside}/file`].map(
        below => ['raw', below],
      ),
    ),
  ],
  writes: ({ ro, rw, beside }) => [
    ['open', 'write', `${rw}/file`],
    ['open', 'make', `${rw}/kept`],
    ['open', 'make', `${rw}/made`],
    ['open', 'folder', `${rw}/below`],
    ['open', 'rename', `${rw}/made`, `${rw}/below/made`],
    ['open: written', 'read', `${rw}/below/made`],
    ['open', 'remove', `${rw}/below/made`],
    ...held(
      ['read', `${rw}/below/made`],
      ['write', `${ro}/file`],
      ['empty', `${ro}/file`],
      ['make', `${ro}/made`],
      ['folder', `${ro}/below`],
      ['remove', `${ro}/file`],
      ['rename', `${ro}/file`, `${ro}/other`],
      ['rename', `${rw}/file`, `${ro}/file`],
      ['rename', `${ro}/file`, `${rw}/taken`],
      ['link', `${ro}/file`, `${rw}/hard`],
      ['write', `${beside}/file`],
      ['make', `${rw}/../beside/made`],
      ['make', `${rw}/folder/made`],
      ['write', '/usr/bin/env'],
    ),
  ],
  links: ({ rw, beside }) => [
    ['open', 'symlink', 'file', `${rw}/own`],
    [/^open: /, 'read', `${rw}/own`],
    [/^/, 'symlink', '../beside/file', `${rw}/own-out`],
    [HELD, 'read', `${rw}/own-out`],
    [/^/, 'symlink', `${beside}/file`, `${rw}/own-absolute`],
    [HELD, 'read', `${rw}/own-absolute`],
  ],
  files: ({ ro }) => [
    ['100 opened', 'many', `${ro}/file`, '100'],
    [/^[0-9]+ opened$/, 'many', `${ro}/file`, '10000'],
  ],
}

for (const who of ['root', 'user'] as const) {
  const skip = NO_SANDBOX_HERE || (who === 'root' && !IS_ROOT && 'these tests do not run as root')
  describe(`a module that ${who === 'root' ? 'root' : 'an ordinary user'} runs`, { skip }, () => {
    let world: World
    const waits = (user: Who) => IS_ROOT && !IN_CI && user !== who && `by day ${user} alone waits`
    const answers = new Map<string, readonly string[]>()
    // The sandbox is started once for all attempts that the module survives. As root, that also makes them one user's.
    before(async () => {
      world = made(who)
      const groups = Object.entries(ATTEMPTS).map(([name, of]) => [name, of(world)] as const)
      const all = groups.flatMap(([, judged]) => judged.map(([, ...attempt]) => attempt))
      const ran = await world.place.each(all, ['--sandbox', 'require'])
      assert.equal(ran.exit, 0, ran.stderr)
      assert.equal(ran.answers.length, all.length, ran.stdout)
      let at = 0
      for (const [name, { length }] of groups) {
        answers.set(name, ran.answers.slice(at, at + length))
        at += length
      }
    })
    /** Compares the answers of a group with what is expected, and returns them. */
    const judged = (group: keyof typeof ATTEMPTS): readonly string[] => {
      const found = answers.get(group) ?? []
      for (const [at, [expected, ...attempt]] of ATTEMPTS[group](world).entries()) {
        // A folder is listed in the order of its file system.
        const answer = attempt[0] === 'list' && !HELD.test(found[at] ?? '') ? sorted(found[at]) : found[at]
        if (typeof expected === 'string') assert.equal(answer, expected, attempt.join(' '))
        else assert.match(answer ?? '', expected, attempt.join(' '))
      }
      return found
    }

    test('reads what is granted, and nothing beside it', () => {
      judged('reads')
      assert.equal(readFileSync(join(world.ro, 'out'), 'utf8'), SECRET)
    })

    test('writes where it may write, and nowhere else', () => {
      const { ro, rw, beside } = world
      judged('writes')
      assert.equal(readFileSync(join(rw, 'kept'), 'utf8'), 'written')
      assert.deepEqual(readdirSync(join(rw, 'below')), [])
      assert.equal(readFileSync(join(ro, 'file'), 'utf8'), 'granted')
      assert.equal(readFileSync(join(beside, 'file'), 'utf8'), SECRET)
    })

    test('a link that it makes leads nowhere', () => {
      judged('links')
    })

    test('10,000 open files: it gets what one process may have', () => {
      const opened = Number.parseInt(judged('files')[1] ?? '', 10)
      assert.ok(opened > 500 && opened < 1024, String(opened))
    })

    test('memory without end: it is there up to the bound', async () => {
      // The first attempt is the control: what is below the bound is there.
      const attempts = [
        ['grow', '40'],
        ['grow', '0'],
      ]
      const ran = await world.place.each(attempts, ['--memory-mb', '64'])
      assert.deepEqual([ran.exit, ran.answers], [134, ['40 MiB']])
      assert.match(
        ran.stderr,
        /bin\/mini\.wasm trapped: unreachable\nhint: Its memory is bound to 64 MiB: --memory-mb/,
      )
    })

    // Each of the two waits for its time; by day one user waits for one of them.
    test('an endless loop ends with its time', { skip: waits('user') }, async () => {
      const ran = await world.place.run(['--timeout', '1', '--', 'spin'])
      assert.deepEqual([ran.exit, ran.stdout], [124, ''])
      assert.match(
        ran.stderr,
        /Cannot finish the run of "\.\/mini": it took longer than 1 s\nhint: Give it more time with --timeout\n$/,
      )
      assert.ok(ran.ms < 10_000)
    })

    test('output without end, which is not read, ends with its time', { skip: waits('root') }, async () => {
      const ran = await world.place.run(['--timeout', '1', '--', 'flood'], {
        // It is taken when the program has ended.
        started: child => {
          child.stdout?.pause()
          child.once('exit', () => child.stdout?.resume())
        },
      })
      assert.equal(ran.exit, 124, ran.stderr)
      assert.ok(ran.ms < 10_000)
    })
  })
}

function sorted(words = ''): string {
  return words.split(' ').sort().join(' ')
}

/** What lint lets through of a folder, and the engine or the host does not. */
describe('a module that cannot be run', { skip: NO_SANDBOX_HERE }, () => {
  const NOTHING = type([], [])
  const parts = (...more: readonly (readonly number[])[]) => rawModule(section(1, vec([NOTHING])), ...more)
  const refused = async (name: string, module: Uint8Array, ...args: string[]) =>
    modulePlace(folder(name), { module }).here(args)

  test('the control runs', async () => {
    assert.equal((await refused('control', moduleOf())).exit, 0)
  })

  test('imports that are no function of WASI are named', async () => {
    const imports = ['env.curl', 'wasi_snapshot_preview1.path_mount', 'runloop.notify_ready'].map(
      name => name.split('.') as [string, string],
    )
    const ran = await refused('imports', moduleOf({ imports }))
    assert.equal(ran.exit, 1)
    assert.match(
      ran.stderr,
      /bin\/mini\.wasm imports env\.curl, wasi_snapshot_preview1\.path_mount, runloop\.notify_ready, and only functions of WASI preview 1/,
    )
  })

  test('an import of another type than the function has', async () => {
    const ran = await refused(
      'import-memory',
      rawModule(
        section(1, vec([NOTHING])),
        section(2, vec([importOf('wasi_snapshot_preview1', 'fd_write', [0x02, 0x00, 0x01])])),
        section(3, vec([[0]])),
        section(7, vec([exportOf('memory', 'memory'), exportOf('_start', 'function')])),
        section(10, vec([body()])),
      ),
    )
    assert.equal(ran.exit, 1)
    assert.match(ran.stderr, /imports wasi_snapshot_preview1\.fd_write/)
  })

  test('a memory that is larger than allowed from the start', async () => {
    const large = (pages: number[]) =>
      parts(
        section(3, vec([[0]])),
        section(5, vec([[0x00, ...pages]])),
        section(7, vec([exportOf('memory', 'memory'), exportOf('_start', 'function')])),
        section(10, vec([body()])),
      )
    // 65,536 pages and 512 pages in LEB128.
    const ran = await refused('huge', large([0x80, 0x80, 0x04]))
    assert.equal(ran.exit, 1)
    assert.match(
      ran.stderr,
      /the engine refuses bin\/mini\.wasm: .*memory.*\nhint: Its memory is bound to 2048 MiB/,
    )
    assert.equal((await refused('large', large([0x80, 0x04]))).exit, 0)
    assert.equal((await refused('larger', large([0x80, 0x04]), '--memory-mb', '31')).exit, 1)
  })

  test('a start function that traps, before _start', async () => {
    const ran = await refused(
      'start',
      parts(
        section(3, vec([[0]])),
        section(5, vec([[0x00, 0x01]])),
        section(7, vec([exportOf('memory', 'memory'), exportOf('_start', 'function')])),
        section(8, [0]),
        section(10, vec([body(0x00)])),
      ),
    )
    assert.equal(ran.exit, 134)
    assert.match(ran.stderr, /bin\/mini\.wasm trapped: unreachable/)
  })

  test('one that is cut off', async () => {
    const whole = moduleOf()
    const ran = await refused('cut', whole.subarray(0, whole.length - 5))
    assert.equal(ran.exit, 1)
    assert.match(ran.stderr, /bin\/mini\.wasm is malformed at byte/)
  })

  test('code that no engine accepts', async () => {
    const ran = await refused('invalid', moduleOf({ code: [0x6a] }))
    assert.equal(ran.exit, 1)
    assert.match(ran.stderr, /the engine refuses bin\/mini\.wasm: /)
  })

  test('an entry that is a link, or is elsewhere', async () => {
    const place = modulePlace(folder('elsewhere'))
    const manifest = join(place.cwd, 'mini/manifest.toml')
    const text = readFileSync(manifest, 'utf8')
    writeFileSync(join(place.cwd, 'other.wasm'), moduleOf())
    writeFileSync(manifest, text.replace('bin/mini.wasm', '../other.wasm'))
    const outside = await place.here([])
    assert.equal(outside.exit, 1, outside.stderr)
    symlinkSync('../../other.wasm', join(place.cwd, 'mini/bin/linked.wasm'))
    writeFileSync(manifest, text.replace('bin/mini.wasm', 'bin/linked.wasm'))
    const linked = await place.here([])
    assert.equal(linked.exit, 1, linked.stderr)
    assert.ok(existsSync(join(place.cwd, 'other.wasm')))
  })
})
