// Compiled code beside the program: for its owner alone, and never in the way.
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import nodeModule from 'node:module'
import { join, resolve } from 'node:path'
import { suite, test } from 'node:test'
import { snapshot, temporary } from '../support/folder.ts'
import { IS_ROOT, NOBODY, READ_ONLY, type RunOptions, rlp } from '../support/run.ts'

const folderFor = temporary('compiled-code')
const { version: VERSION } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const HAS_CACHE = 'enableCompileCache' in nodeModule
const without = !HAS_CACHE && `Node ${process.version} has no compile cache`

type Start = Pick<RunOptions, 'env' | 'umask' | 'uid' | 'nodeArgs'>

/** What a user may have chosen for other programs. */
const NOT_CHOSEN = { NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined }

/** A copy of what is installed: the program's folder, and where its compiled code would be. */
function installed(part: string) {
  const folder = join(folderFor(part), 'program')
  cpSync(resolve('dist/program'), folder, {
    recursive: true,
    filter: path => !path.endsWith('compiled'),
  })
  const program = join(folder, 'rlp.cjs')
  const run = ({ env, umask = '022', ...how }: Start = {}) =>
    rlp(['--version'], { cwd: folder, program, umask, ...how, env: { ...NOT_CHOSEN, ...env } })
  const start = async (how?: Start) => {
    const { stdout, stderr, exit } = await run(how)
    assert.deepEqual({ stdout, stderr, exit }, { stdout: `${VERSION}\n`, stderr: '', exit: 0 })
  }
  return { folder, compiled: join(folder, 'compiled'), run, start }
}

/** The names of the files that Node takes compiled. */
async function taken({ run }: Pick<ReturnType<typeof installed>, 'run'>): Promise<readonly string[]> {
  const { stderr, exit } = await run({ env: { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' } })
  assert.equal(exit, 0)
  return [...stderr.matchAll(/cache for (?:CommonJS )?\S+\/([a-z]+)\S*\.cjs was accepted/g)].map(
    ([, name]) => name ?? '',
  )
}

test('a Node that cannot keep it keeps nothing', { skip: HAS_CACHE && 'this one can' }, async () => {
  const { compiled, start } = installed('old')
  await start()
  assert.equal(existsSync(compiled), false)
})

suite('a Node that can', { skip: without }, () => {
  test('keeps it in a folder for its owner alone, whatever the umask, and takes it from there', async () => {
    const copy = installed('own')
    const { compiled, start } = copy
    await start({ umask: '000' })
    assert.equal(statSync(compiled).mode & 0o7777, 0o700)
    const [inner = ''] = readdirSync(compiled)
    assert.ok(readdirSync(join(compiled, inner)).length >= 2, 'what the program begins with')
    assert.deepEqual(await taken(copy), ['process', 'chunk'])
  })

  test('changes nothing that is there when it comes again', async () => {
    const { compiled, start } = installed('again')
    await start()
    const first = snapshot(compiled)
    assert.ok(Object.keys(first).length > 1)
    await start()
    assert.deepEqual(snapshot(compiled), first)
  })

  test('may be started many times at once', async () => {
    const copy = installed('at-once')
    const { compiled, start } = copy
    await Promise.all(Array.from({ length: 12 }, () => start()))
    const [inner = ''] = readdirSync(compiled)
    const names = readdirSync(join(compiled, inner))
    assert.ok(names.length >= 2 && names.every(name => /^[0-9a-f]{8}$/.test(name)), `left over: ${names}`)
    assert.deepEqual(await taken(copy), ['process', 'chunk'])
  })

  test('compiles what was changed, and what was damaged', async () => {
    const copy = installed('damaged')
    const { folder, compiled, start } = copy
    await start()
    const [inner = ''] = readdirSync(compiled)
    for (const name of readdirSync(join(compiled, inner))) {
      const bytes = readFileSync(join(compiled, inner, name))
      bytes[bytes.length >> 1] = 255 - (bytes[bytes.length >> 1] ?? 0)
      writeFileSync(join(compiled, inner, name), bytes)
    }
    assert.deepEqual(await taken(copy), [])
    assert.deepEqual(await taken(copy), ['process', 'chunk'], 'compiled again')
    const program = join(folder, readdirSync(folder).find(name => name.startsWith('process-')) ?? '')
    writeFileSync(program, readFileSync(program, 'utf8').replace('stopping', 'Stopping'))
    assert.deepEqual(await taken(copy), ['chunk'])
    await start()
  })

  for (const mode of [0o755, 0o777, 0o770, 0o701]) {
    test(`uses no folder of mode ${mode.toString(8)}`, async () => {
      const { compiled, start } = installed('mode')
      mkdirSync(compiled)
      chmodSync(compiled, mode)
      await start()
      assert.deepEqual(readdirSync(compiled), [])
      // The same folder, for its owner alone.
      chmodSync(compiled, 0o700)
      await start()
      assert.equal(readdirSync(compiled).length, 1)
    })
  }

  test('follows no link', async () => {
    const { compiled, start } = installed('link')
    const elsewhere = folderFor('elsewhere')
    chmodSync(elsewhere, 0o700)
    symlinkSync(elsewhere, compiled)
    await start()
    assert.deepEqual(readdirSync(elsewhere), [])
  })

  test('takes a file in its place as it is', async () => {
    const { compiled, start } = installed('file')
    writeFileSync(compiled, '')
    await start()
    assert.equal(readFileSync(compiled, 'utf8'), '')
  })

  suite('of another user', { skip: !IS_ROOT && 'only root can be two users' }, () => {
    test('folder is not used', async () => {
      const { compiled, start } = installed('theirs')
      mkdirSync(compiled, { mode: 0o700 })
      chownSync(compiled, NOBODY, NOBODY)
      await start()
      assert.deepEqual(readdirSync(compiled), [])
    })

    test('program gets nothing from root that its owner could not remove', async () => {
      const { folder, compiled, start } = installed('their-program')
      chownSync(folder, NOBODY, NOBODY)
      await start()
      assert.equal(existsSync(compiled), false)
      await start({ uid: NOBODY })
      assert.equal(statSync(compiled).uid, NOBODY)
    })

    test("program, which is root's: nothing is kept, and what root has kept is not looked at", async () => {
      const { compiled, start } = installed('root')
      await start({ uid: NOBODY })
      assert.equal(existsSync(compiled), false)
      await start()
      const kept = snapshot(compiled)
      await start({ uid: NOBODY })
      assert.deepEqual(snapshot(compiled), kept)
    })

    test('own program in a folder that is for reading only', async () => {
      const { folder, compiled, start } = installed('read-only')
      chownSync(folder, NOBODY, NOBODY)
      chmodSync(folder, 0o555)
      await start({ uid: NOBODY })
      assert.equal(existsSync(compiled), false)
    })
  })

  test('own program without the right to write in its folder, which root would not need', async () => {
    const { folder, compiled, start } = installed('read-only-root')
    chmodSync(folder, 0o555)
    await start()
    assert.equal(existsSync(compiled), false)
    chmodSync(folder, 0o755)
    await start()
    assert.ok(existsSync(compiled))
  })

  test('starts where the program is in an archive that a package manager reads', async () => {
    const { compiled, start } = installed('archive')
    const refuse = `import fs from 'node:fs'; const { mkdirSync } = fs
      fs.mkdirSync = (path, ...rest) => {
        if (String(path).endsWith('compiled')) throw Object.assign(new Error('EROFS: read-only filesystem'), { code: 'EROFS' })
        return mkdirSync(path, ...rest)
      }`
    await start({ nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(refuse)}`] })
    assert.equal(existsSync(compiled), false)
  })

  test('lets its user choose another folder, or none', async () => {
    const { compiled, start } = installed('chosen')
    const chosen = folderFor('chosen')
    await start({ env: { NODE_COMPILE_CACHE: chosen } })
    assert.equal(readdirSync(chosen).length, 1)
    await start({ env: { NODE_COMPILE_CACHE: '/dev/null/none' } })
    for (const value of ['1', '']) await start({ env: { NODE_DISABLE_COMPILE_CACHE: value } })
    assert.equal(existsSync(compiled), false)
    await start()
    assert.ok(existsSync(compiled))
  })

  test('keeps nothing where Node may not write', async () => {
    const { compiled, start } = installed('permission')
    await start({ nodeArgs: READ_ONLY })
    assert.equal(existsSync(compiled), false)
  })
})

test('a program of which a part is missing ends as a defect, and not as a verdict', async () => {
  const { folder, run } = installed('missing')
  const part = readdirSync(folder).find(name => name.startsWith('process-')) ?? ''
  rmSync(join(folder, part))
  const { exit, stdout, stderr } = await run()
  assert.deepEqual({ exit, stdout }, { exit: 70, stdout: '' })
  assert.match(
    stderr,
    /^rlp: Cannot start: Cannot find module '\.\/process-\w+\.cjs'\nhint: Install it again\n$/,
  )
})
