// Compiled code beside the program: for whoever owns it alone, and never in the way.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
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
import { snapshot, temporary } from './support/folder.ts'
import { IS_ROOT, NOBODY } from './support/run.ts'

const folderFor = temporary('compiled-code')
const { version: VERSION } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const HAS_CACHE = 'enableCompileCache' in nodeModule
const without = !HAS_CACHE && `Node ${process.version} has no compile cache`

interface Start {
  readonly env?: Readonly<Record<string, string>>
  readonly umask?: string
  readonly uid?: number
  readonly nodeArgs?: readonly string[]
}

/** A copy of what is installed: the program's folder, and where its compiled code would be. */
function installed(part: string): { folder: string; compiled: string; start: (how?: Start) => string } {
  const folder = join(folderFor(part), 'program')
  cpSync(resolve('dist/program'), folder, {
    recursive: true,
    filter: path => !path.endsWith('compiled'),
  })
  const program = join(folder, 'rlp.cjs')
  const start = ({ env = {}, umask = '022', uid, nodeArgs = [] }: Start = {}) => {
    const line = [
      '-c',
      `umask ${umask}; exec "$@"`,
      'sh',
      process.execPath,
      ...nodeArgs,
      program,
      '--version',
    ]
    const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...outside } = process.env
    const { stdout, stderr, status } = spawnSync('/bin/sh', line, {
      encoding: 'utf8',
      env: { ...outside, ...env },
      ...(uid !== undefined && { uid, gid: uid }),
    })
    assert.deepEqual({ stdout, stderr, status }, { stdout: `${VERSION}\n`, stderr: '', status: 0 })
    return stdout
  }
  return { folder, compiled: join(folder, 'compiled'), start }
}

/** The names of the files that Node takes compiled. */
function taken(folder: string): readonly string[] {
  const { stderr, status } = spawnSync(process.execPath, [join(folder, 'rlp.cjs'), '--version'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
  })
  assert.equal(status, 0)
  return [...stderr.matchAll(/cache for (?:CommonJS )?\S+\/([a-z]+)\S*\.cjs was accepted/g)].map(
    ([, name]) => name ?? '',
  )
}

test('a Node that cannot keep it keeps nothing', { skip: HAS_CACHE && 'this one can' }, () => {
  const { compiled, start } = installed('old')
  start()
  assert.equal(existsSync(compiled), false)
})

suite('a Node that can', { skip: without }, () => {
  test('keeps it in a folder for its owner alone, whatever the umask, and takes it from there', () => {
    const { folder, compiled, start } = installed('own')
    start({ umask: '000' })
    assert.equal(statSync(compiled).mode & 0o7777, 0o700)
    const [inner = ''] = readdirSync(compiled)
    assert.ok(readdirSync(join(compiled, inner)).length >= 2, 'what the program begins with')
    assert.deepEqual(taken(folder), ['process', 'chunk'])
  })

  test('changes nothing that is there when it comes again', () => {
    const { compiled, start } = installed('again')
    start()
    const first = snapshot(compiled)
    assert.ok(Object.keys(first).length > 1)
    start()
    assert.deepEqual(snapshot(compiled), first)
  })

  test('may be started many times at once', async () => {
    const { folder, compiled } = installed('at-once')
    const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...env } = process.env
    const starts = Array.from({ length: 12 }, async () => {
      const child = spawn(process.execPath, [join(folder, 'rlp.cjs'), '--version'], { env, stdio: 'ignore' })
      return (await once(child, 'close'))[0]
    })
    assert.deepEqual(new Set(await Promise.all(starts)), new Set([0]))
    const [inner = ''] = readdirSync(compiled)
    const names = readdirSync(join(compiled, inner))
    assert.ok(names.length >= 2 && names.every(name => /^[0-9a-f]{8}$/.test(name)), `left over: ${names}`)
    assert.deepEqual(taken(folder), ['process', 'chunk'])
  })

  test('compiles what was changed, and what was damaged', () => {
    const { folder, compiled, start } = installed('damaged')
    start()
    const [inner = ''] = readdirSync(compiled)
    for (const name of readdirSync(join(compiled, inner))) {
      const bytes = readFileSync(join(compiled, inner, name))
      bytes[bytes.length >> 1] = 255 - (bytes[bytes.length >> 1] ?? 0)
      writeFileSync(join(compiled, inner, name), bytes)
    }
    assert.deepEqual(taken(folder), [])
    assert.deepEqual(taken(folder), ['process', 'chunk'], 'compiled again')
    const program = join(folder, readdirSync(folder).find(name => name.startsWith('process-')) ?? '')
    writeFileSync(program, readFileSync(program, 'utf8').replace('stopping', 'Stopping'))
    assert.deepEqual(taken(folder), ['chunk'])
    start()
  })

  for (const mode of [0o755, 0o777, 0o770, 0o701]) {
    test(`uses no folder of mode ${mode.toString(8)}`, () => {
      const { compiled, start } = installed('mode')
      mkdirSync(compiled)
      chmodSync(compiled, mode)
      start()
      assert.deepEqual(readdirSync(compiled), [])
      // The same folder, for its owner alone.
      chmodSync(compiled, 0o700)
      start()
      assert.equal(readdirSync(compiled).length, 1)
    })
  }

  test('follows no link', () => {
    const { compiled, start } = installed('link')
    const elsewhere = folderFor('elsewhere')
    chmodSync(elsewhere, 0o700)
    symlinkSync(elsewhere, compiled)
    start()
    assert.deepEqual(readdirSync(elsewhere), [])
  })

  test('takes a file in its place as it is', () => {
    const { compiled, start } = installed('file')
    writeFileSync(compiled, '')
    start()
    assert.equal(readFileSync(compiled, 'utf8'), '')
  })

  suite("somebody else's", { skip: !IS_ROOT && 'only root can be two users' }, () => {
    test('folder is not used', () => {
      const { compiled, start } = installed('theirs')
      mkdirSync(compiled, { mode: 0o700 })
      chownSync(compiled, NOBODY, NOBODY)
      start()
      assert.deepEqual(readdirSync(compiled), [])
    })

    test('program gets nothing from root that its owner could not remove', () => {
      const { folder, compiled, start } = installed('their-program')
      chownSync(folder, NOBODY, NOBODY)
      start()
      assert.equal(existsSync(compiled), false)
      start({ uid: NOBODY })
      assert.equal(statSync(compiled).uid, NOBODY)
    })

    test("program, which is root's: nothing is kept, and what root has kept is not looked at", () => {
      const { compiled, start } = installed('root')
      start({ uid: NOBODY })
      assert.equal(existsSync(compiled), false)
      start()
      const kept = snapshot(compiled)
      start({ uid: NOBODY })
      assert.deepEqual(snapshot(compiled), kept)
    })

    test('own program in a folder that is for reading only', () => {
      const { folder, compiled, start } = installed('read-only')
      chownSync(folder, NOBODY, NOBODY)
      chmodSync(folder, 0o555)
      start({ uid: NOBODY })
      assert.equal(existsSync(compiled), false)
    })
  })

  test('own program without the right to write in its folder, which root would not need', () => {
    const { folder, compiled, start } = installed('read-only-root')
    chmodSync(folder, 0o555)
    start()
    assert.equal(existsSync(compiled), false)
    chmodSync(folder, 0o755)
    start()
    assert.ok(existsSync(compiled))
  })

  test('starts where the program lies in an archive that a package manager reads', () => {
    const { compiled, start } = installed('archive')
    const refuse = `import fs from 'node:fs'; const { mkdirSync } = fs
      fs.mkdirSync = (path, ...rest) => {
        if (String(path).endsWith('compiled')) throw Object.assign(new Error('EROFS: read-only filesystem'), { code: 'EROFS' })
        return mkdirSync(path, ...rest)
      }`
    start({ nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(refuse)}`] })
    assert.equal(existsSync(compiled), false)
  })

  test('lets whoever runs it choose another folder, or none', () => {
    const { compiled, start } = installed('chosen')
    const chosen = folderFor('chosen')
    start({ env: { NODE_COMPILE_CACHE: chosen } })
    assert.equal(readdirSync(chosen).length, 1)
    start({ env: { NODE_COMPILE_CACHE: '/dev/null/none' } })
    for (const value of ['1', '']) start({ env: { NODE_DISABLE_COMPILE_CACHE: value } })
    assert.equal(existsSync(compiled), false)
    start()
    assert.ok(existsSync(compiled))
  })

  test('keeps nothing where Node may not write', () => {
    const { compiled, start } = installed('permission')
    const flag = process.allowedNodeEnvironmentFlags.has('--permission')
      ? '--permission'
      : '--experimental-permission'
    start({ nodeArgs: ['--no-warnings', flag, '--allow-fs-read=*'] })
    assert.equal(existsSync(compiled), false)
  })
})

test('a program of which a part is missing ends as a defect, and not as a verdict', () => {
  const { folder } = installed('missing')
  const part = readdirSync(folder).find(name => name.startsWith('process-')) ?? ''
  rmSync(join(folder, part))
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'rlp.cjs'), '--version'], {
    encoding: 'utf8',
  })
  assert.deepEqual({ status, stdout }, { status: 70, stdout: '' })
  assert.match(
    stderr,
    /^rlp: Cannot start: Cannot find module '\.\/process-\w+\.cjs'\nhint: Install it again\n$/,
  )
})
