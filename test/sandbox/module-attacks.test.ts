// Modules that try to get out (fixtures/wasi/attacks.c), run by rlp agent run as root and as an ordinary user. Each attack has its control:
// the same attempt where it is allowed.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { type ModulePlace, modulePlace, open, type Who } from '../support/module-place.ts'
import { IS_ROOT } from '../support/run.ts'
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

for (const who of ['root', 'user'] as const) {
  const skip = NO_SANDBOX_HERE || (who === 'root' && !IS_ROOT && 'these tests do not run as root')
  describe(`a module that ${who === 'root' ? 'root' : 'an ordinary user'} runs`, { skip }, () => {
    let world: World
    before(() => {
      world = made(who)
    })
    const tries = async (...attempt: string[]) => {
      const ran = await world.place.run(['--sandbox', 'require', '--', ...attempt])
      assert.equal(ran.exit, 0, ran.stderr)
      return ran.stdout.trim()
    }
    const held = async (...attempt: string[]) =>
      assert.match(await tries(...attempt), /^held: /, attempt.join(' '))

    test('reads what is granted, and nothing beside it', async () => {
      const { ro, rw, beside } = world
      assert.equal(await tries('read', `${ro}/file`), 'open: granted')
      assert.equal(await tries('read', `${ro}/within`), 'open: granted')
      const names = (await tries('list', ro)).split(' ').sort()
      assert.deepEqual(names, ['absolute', 'file', 'open:', 'out', 'within'])
      assert.equal(readFileSync(join(ro, 'out'), 'utf8'), SECRET)
      for (const path of [
        `${ro}/../beside/file`,
        `${ro}/../../${beside}/file`,
        `${ro}/out`,
        `${ro}/absolute`,
        `${rw}/folder/file`,
        `${beside}/file`,
        '/etc/passwd',
        '/proc/self/environ',
        '/proc/1/environ',
      ])
        await held('read', path)
      for (const path of ['/', '/proc', '/tmp', '/usr', beside, join(ro, '..')]) await held('list', path)
      assert.equal(await tries('raw', 'file'), 'open')
      for (const below of [
        '../beside/file',
        'out',
        'absolute',
        '/etc/passwd',
        './../beside/file',
        `${beside}/file`,
      ])
        await held('raw', below)
    })

    test('writes where it may write, and nowhere else', async () => {
      const { ro, rw, beside } = world
      assert.equal(await tries('write', `${rw}/file`), 'open')
      assert.equal(await tries('make', `${rw}/made`), 'open')
      assert.equal(readFileSync(join(rw, 'made'), 'utf8'), 'written')
      assert.equal(await tries('folder', `${rw}/below`), 'open')
      assert.equal(await tries('rename', `${rw}/made`, `${rw}/below/made`), 'open')
      assert.equal(await tries('remove', `${rw}/below/made`), 'open')
      for (const attempt of [
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
      ])
        await held(...attempt)
      assert.equal(readFileSync(join(ro, 'file'), 'utf8'), 'granted')
      assert.equal(readFileSync(join(beside, 'file'), 'utf8'), SECRET)
    })

    test('a link that it makes leads nowhere', async () => {
      const { rw, beside } = world
      assert.equal(await tries('symlink', 'file', `${rw}/own`), 'open')
      assert.match(await tries('read', `${rw}/own`), /^open: /)
      await tries('symlink', '../beside/file', `${rw}/own-out`)
      await held('read', `${rw}/own-out`)
      await tries('symlink', `${beside}/file`, `${rw}/own-absolute`)
      await held('read', `${rw}/own-absolute`)
    })

    test('10,000 open files: it gets what one process may have', async () => {
      assert.equal(await tries('many', `${world.ro}/file`, '100'), '100 opened')
      const [, opened = ''] = /^([0-9]+) opened$/.exec(await tries('many', `${world.ro}/file`, '10000')) ?? []
      assert.ok(Number(opened) > 500 && Number(opened) < 1024, opened)
    })

    test('memory without end: it is there up to the bound', async () => {
      const { place } = world
      assert.equal(await tries('grow', '40'), '40 MiB')
      const ran = await place.run(['--memory-mb', '64', '--', 'grow', '0'])
      assert.equal(ran.exit, 134)
      assert.match(
        ran.stderr,
        /bin\/mini\.wasm trapped: unreachable\nhint: Its memory is bound to 64 MiB: --memory-mb/,
      )
      assert.equal((await place.run(['--memory-mb', '64', '--', 'grow', '40'])).stdout, '40 MiB\n')
    })

    test('an endless loop ends with its time', async () => {
      const ran = await world.place.run(['--timeout', '2', '--', 'spin'])
      assert.deepEqual([ran.exit, ran.stdout], [124, ''])
      assert.match(
        ran.stderr,
        /Cannot finish the run of "\.\/mini": it took longer than 2 s\nhint: Give it more time with --timeout\n$/,
      )
      assert.ok(ran.ms < 10_000)
    })

    test('output without end, which is not read, ends with its time', async () => {
      const ran = await world.place.run(['--timeout', '2', '--', 'flood'], {
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

/** What lint lets through of a folder, and the engine or the host does not. */
describe('a module that cannot be run', { skip: NO_SANDBOX_HERE }, () => {
  const NOTHING = type([], [])
  const parts = (...more: readonly (readonly number[])[]) => rawModule(section(1, vec([NOTHING])), ...more)
  const refused = async (name: string, module: Uint8Array, ...args: string[]) =>
    modulePlace(folder(name), { module }).run(args)

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
    const outside = await place.run([])
    assert.equal(outside.exit, 1, outside.stderr)
    symlinkSync('../../other.wasm', join(place.cwd, 'mini/bin/linked.wasm'))
    writeFileSync(manifest, text.replace('bin/mini.wasm', 'bin/linked.wasm'))
    const linked = await place.run([])
    assert.equal(linked.exit, 1, linked.stderr)
    assert.ok(existsSync(join(place.cwd, 'other.wasm')))
  })
})
