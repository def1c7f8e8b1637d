// Compiled code beside the program: for its owner alone, and never in the way. Two of six changed sectors and two of four modes of its folder
// are tried here, all of them in `.ci/run`. A start of the program takes a tenth of a second, so no test starts it without need.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
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
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { builtProgram } from '../support/built.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { IS_ROOT, NOBODY, READ_ONLY, type RunOptions, rlp } from '../support/run.ts'
import { IN_CI, LATE, slice } from '../support/runs.ts'

const folderFor = temporary('compiled-code')
const { version: VERSION } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

type Start = Pick<RunOptions, 'env' | 'umask' | 'uid' | 'nodeArgs'>

/** What a user may have chosen for other programs. */
const NOT_CHOSEN = {
  NODE_COMPILE_CACHE: undefined,
  NODE_DISABLE_COMPILE_CACHE: undefined,
  NODE_V8_COVERAGE: undefined,
}

const DIST = dirname(builtProgram())
/** What each start loads. */
const BEGINNING = ['fast-string-width', 'rolldown-runtime', 'start']

/** A part of the program and the parts that it begins with. */
function partsFrom(name: string): readonly string[] {
  const needed = readFileSync(join(DIST, name), 'utf8').matchAll(
    /^(?:(?:const|let) \w+ = )?require\("\.\/([^"]+)"\)/gm,
  )
  return [name, ...[...needed].flatMap(([, other = '']) => partsFrom(other))]
}

/** What starts and what shows help: the tests use no more of the program. */
const PARTS = readdirSync(DIST).filter(name => /^(?:rlp|start|help)\b.*\.cjs$/.test(name))

/** A copy of what is installed: the program's folder, and where its compiled code would be. */
function installed(name: string, folderName = 'program') {
  const folder = join(folderFor(name), folderName)
  mkdirSync(folder)
  for (const one of new Set(PARTS.flatMap(partsFrom))) copyFileSync(join(DIST, one), join(folder, one))
  const program = join(folder, 'rlp.cjs')
  const run = ({ env, umask = '022', ...how }: Start = {}) =>
    rlp(['--version'], { cwd: folder, program, umask, ...how, env: { ...NOT_CHOSEN, ...env } })
  const start = async (how?: Start) => {
    const { stdout, stderr, exit } = await run(how)
    assert.deepEqual({ stdout, stderr, exit }, { stdout: `${VERSION}\n`, stderr: '', exit: 0 })
  }
  // What the rest begins with, below its name of this build.
  const part = join(folder, readdirSync(folder).find(name => name.startsWith('start-')) ?? '')
  /** Another command, which loads further parts. */
  const other = async () => {
    const { exit } = await rlp(['agent', '--help'], { cwd: folder, program, env: NOT_CHOSEN })
    assert.equal(exit, 0)
  }
  return { folder, compiled: join(folder, 'compiled'), part, run, start, other }
}

let first: Promise<string> | undefined

/** The same after its first start. What that kept is taken from a program that was started once, for all tests. */
async function started(name: string) {
  first ??= (async () => {
    const { compiled, start } = installed('first')
    await start()
    return compiled
  })()
  const copy = installed(name)
  cpSync(await first, copy.compiled, { recursive: true })
  return copy
}

/** Says at the end which files the engine took compiled. */
const TELLING = `const vm = require('node:vm'); const taken = []
  vm.Script = class extends vm.Script {
    constructor(source, options) {
      super(source, options)
      if (this.cachedDataRejected === false) taken.push(options.filename)
    }
  }
  process.once('exit', () => process.stderr.write(taken.join('\\n')))`

/** The names of the files that are taken compiled. */
async function taken(
  { folder, run }: ReturnType<typeof installed>,
  nodeArgs: readonly string[] = [],
): Promise<readonly string[]> {
  const hook = join(folder, '..', 'telling.cjs')
  writeFileSync(hook, TELLING)
  const { stdout, stderr, exit } = await run({ nodeArgs: [...nodeArgs, '--require', hook] })
  assert.deepEqual({ exit, stdout }, { exit: 0, stdout: `${VERSION}\n` }, stderr)
  return [...stderr.matchAll(/\/([a-z-]+?)(?:-[0-9a-f]{8})?\.cjs$/gm)].map(([, name]) => name ?? '').sort()
}

suite('compiled code', () => {
  test('is kept in a folder for its owner alone, whatever the umask and its name, and taken from there', async () => {
    const copy = installed('own', 'a b#c%20d\u00e9')
    const { compiled, start } = copy
    await start({ umask: '000' })
    assert.equal(statSync(compiled).mode & 0o7777, 0o700)
    const kept = readdirSync(compiled)
    assert.deepEqual(
      kept.map(name => name.replace(/(?:-[0-9a-f]{8})?\.cjs.*/, '')),
      BEGINNING,
      'what the program begins with',
    )
    for (const name of kept) assert.equal(statSync(join(compiled, name)).mode & 0o7777, 0o600)
    assert.deepEqual(await taken(copy), BEGINNING)
  })

  test('grows in the first starts of each command by what they called, and then stays as it is', async () => {
    const copy = installed('again')
    const { compiled, start, other } = copy
    await start()
    await start()
    // Another command may load further chunks.
    const chunk = readdirSync(compiled).find(name => name.startsWith('start-')) ?? ''
    const size = () => statSync(join(compiled, chunk)).size
    const first = size()
    await other()
    const more = size()
    assert.ok(more > 1.1 * first, `${more} after ${first}`)
    await other()
    await start()
    assert.ok(size() >= more, 'what another command called is still there')
    const learned = snapshot(compiled)
    assert.deepEqual(await taken(copy), BEGINNING)
    await other()
    assert.deepEqual(snapshot(compiled), learned)
  })

  test('whatever the words of a command line are, at most a hundred starts add to it', {
    skip: LATE,
  }, async () => {
    const { compiled, start, other } = installed('words')
    await start()
    const parts = readdirSync(compiled).map(name => join(compiled, name))
    for (const part of parts) appendFileSync(part, ',agent lint'.repeat(98))
    const commands = (part: string) => readFileSync(part, 'latin1').split('\n').at(-1)?.split(',').slice(1)
    await start()
    for (const part of parts) assert.deepEqual(commands(part)?.length, 100)
    await other()
    for (const part of parts) assert.deepEqual(commands(part)?.length, 100)
  })

  test('is kept whole by many at once', { skip: LATE }, async () => {
    const copy = installed('at-once')
    const { compiled, start } = copy
    await Promise.all(Array.from({ length: 4 }, () => start()))
    const names = readdirSync(compiled)
    assert.ok(
      names.length === BEGINNING.length && names.every(name => name.endsWith(process.arch)),
      `left over: ${names}`,
    )
    assert.deepEqual(await taken(copy), BEGINNING)
  })

  test('of another source is not taken', async () => {
    const copy = await started('changed')
    const { part } = copy
    // As long as before: the engine compares lengths.
    writeFileSync(part, readFileSync(part, 'utf8').replace('stopping', 'Stopping'))
    assert.deepEqual(
      await taken(copy),
      BEGINNING.filter(name => name !== 'start'),
    )
    assert.deepEqual(await taken(copy), BEGINNING, 'kept again')
  })

  test('of other flags is not taken', async () => {
    const copy = await started('flags')
    assert.deepEqual(await taken(copy, ['--no-opt']), [])
    assert.deepEqual(await taken(copy, ['--no-opt']), BEGINNING)
  })

  /** In bytes. Disks lose no less at once. */
  const SECTOR = 512
  // The engine itself notices hardly any damage, and ends the process.
  const DAMAGES: readonly (readonly [what: string, damaged: (bytes: Buffer) => Buffer])[] = [
    ...[0, 0.1, 0.3, 0.5, 0.7, 0.9].map(
      part =>
        [
          `with another sector after ${part * 100} % of it`,
          (bytes: Buffer) => {
            const at = Math.floor(bytes.length * part)
            for (const [offset, byte] of bytes.subarray(at, at + SECTOR).entries())
              bytes[at + offset] = 255 - byte
            return bytes
          },
        ] as const,
    ),
    ['cut off', bytes => bytes.subarray(0, bytes.length >> 1)],
    ['one byte short', bytes => bytes.subarray(1)],
    ['empty', bytes => bytes.subarray(0, 0)],
    ['of zeros', bytes => bytes.fill(0)],
    ['with the source alone', bytes => bytes.subarray(-2000)],
  ]
  test('that is damaged is not taken', async () => {
    const copy = await started('damaged')
    const { compiled } = copy
    const kept = readdirSync(compiled).map(
      name => [join(compiled, name), readFileSync(join(compiled, name))] as const,
    )
    const isSector = ([what]: (typeof DAMAGES)[number]) => /^with another sector/.test(what)
    const damages = slice(DAMAGES, 3, one => (isSector(one) ? 'sector' : one[0]))
    // One for each file in a start.
    for (let at = 0; at < damages.length; at += kept.length) {
      const tried = kept.map((_, index) => damages[(at + index) % damages.length] as (typeof DAMAGES)[number])
      for (const [index, [, damaged]] of tried.entries()) {
        const [path, bytes] = kept[index] as (typeof kept)[number]
        writeFileSync(path, damaged(Buffer.from(bytes)))
      }
      assert.deepEqual(await taken(copy), [], tried.map(([what]) => what).join(', '))
    }
    assert.deepEqual(await taken(copy), BEGINNING, 'kept again')
  })

  test('is not kept in a folder that others may enter', async () => {
    const { compiled, start } = installed('mode')
    mkdirSync(compiled)
    for (const mode of slice([0o755, 0o777, 0o770, 0o701], 4)) {
      chmodSync(compiled, mode)
      await start()
      assert.deepEqual(readdirSync(compiled), [], mode.toString(8))
    }
    // The same folder, for its owner alone.
    chmodSync(compiled, 0o700)
    await start()
    assert.equal(readdirSync(compiled).length, BEGINNING.length)
  })

  test('is not kept behind a link', async () => {
    const { compiled, start } = installed('link')
    const elsewhere = folderFor('elsewhere')
    chmodSync(elsewhere, 0o700)
    symlinkSync(elsewhere, compiled)
    await start()
    assert.deepEqual(readdirSync(elsewhere), [])
  })

  test('leaves a file in its place as it is', async () => {
    const { compiled, start } = installed('file')
    writeFileSync(compiled, '')
    await start()
    assert.equal(readFileSync(compiled, 'utf8'), '')
  })

  suite('and another user', { skip: !IS_ROOT && 'only root can be two users' }, () => {
    test('whose folder is not used', async () => {
      const { compiled, start } = installed('theirs')
      mkdirSync(compiled, { mode: 0o700 })
      chownSync(compiled, NOBODY, NOBODY)
      await start()
      assert.deepEqual(readdirSync(compiled), [])
    })

    test('whose program gets nothing from root that its owner could not remove', async () => {
      const { folder, compiled, start } = installed('their-program')
      chownSync(folder, NOBODY, NOBODY)
      await start()
      assert.equal(existsSync(compiled), false)
      await start({ uid: NOBODY })
      assert.equal(statSync(compiled).uid, NOBODY)
    })

    test("who runs root's program: nothing is kept, and what root has kept is not looked at", {
      skip: LATE,
    }, async () => {
      const { compiled, start } = installed('root')
      await start({ uid: NOBODY })
      assert.equal(existsSync(compiled), false)
      await start()
      const kept = snapshot(compiled)
      await start({ uid: NOBODY })
      assert.deepEqual(snapshot(compiled), kept)
    })

    test('whose own program is in a folder for reading only', async () => {
      const { folder, compiled, start } = installed('read-only')
      chownSync(folder, NOBODY, NOBODY)
      chmodSync(folder, 0o555)
      await start({ uid: NOBODY })
      assert.equal(existsSync(compiled), false)
    })
  })

  test('is not kept in a folder for reading only, in which root could write', async () => {
    const { folder, compiled, start } = installed('read-only-root')
    chmodSync(folder, 0o555)
    await start()
    assert.equal(existsSync(compiled), false)
    chmodSync(folder, 0o755)
    await start()
    assert.ok(existsSync(compiled))
  })

  test('is not kept where the program is in an archive that a package manager reads', async () => {
    const { compiled, start } = installed('archive')
    const refuse = `import fs from 'node:fs'; const { mkdirSync } = fs
      fs.mkdirSync = (path, ...rest) => {
        if (String(path).endsWith('compiled')) throw Object.assign(new Error('EROFS: read-only filesystem'), { code: 'EROFS' })
        return mkdirSync(path, ...rest)
      }`
    await start({ nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(refuse)}`] })
    assert.equal(existsSync(compiled), false)
  })

  test('is kept by Node alone where its user chose another folder, or none', { skip: LATE }, async () => {
    const { compiled, start } = installed('chosen')
    const chosen = folderFor('chosen')
    await start({ env: { NODE_COMPILE_CACHE: chosen } })
    // Node 20 has no compile cache.
    if ('enableCompileCache' in nodeModule) assert.equal(readdirSync(chosen).length, 1)
    await start({ env: { NODE_COMPILE_CACHE: '/dev/null/none' } })
    for (const value of IN_CI ? ['1', ''] : ['']) await start({ env: { NODE_DISABLE_COMPILE_CACHE: value } })
    assert.equal(existsSync(compiled), false)
    await start()
    assert.ok(existsSync(compiled))
  })

  test('is not kept where coverage is measured', async () => {
    const { compiled, start } = installed('coverage')
    await start({ env: { NODE_V8_COVERAGE: folderFor('covered') } })
    assert.equal(existsSync(compiled), false)
  })

  const hasPolicies = process.allowedNodeEnvironmentFlags.has('--experimental-policy')
  test('is not taken for a file that a policy refuses', {
    skip: !hasPolicies && 'this Node has no policies',
  }, async () => {
    const { folder, part, start, run } = await started('policy')
    const integrityOf = (name: string) =>
      `sha384-${createHash('sha384')
        .update(readFileSync(join(folder, name)))
        .digest('base64')}`
    const names = readdirSync(folder).filter(name => name.endsWith('.cjs'))
    const resources = Object.fromEntries(
      names.map(name => [`./${name}`, { integrity: integrityOf(name), dependencies: true }]),
    )
    writeFileSync(join(folder, 'policy.json'), JSON.stringify({ resources }))
    const nodeArgs = ['--no-warnings', '--experimental-policy', join(folder, 'policy.json')]
    await start({ nodeArgs })
    appendFileSync(part, '\n')
    const { exit, stderr } = await run({ nodeArgs })
    assert.deepEqual({ exit, isRefused: stderr.includes('integrity') }, { exit: 70, isRefused: true })
    const byVariable = await run({ env: { NODE_OPTIONS: nodeArgs.join(' ') } })
    assert.equal(byVariable.exit, 70)
  })

  test('is not kept where Node may not write', async () => {
    const { compiled, start } = installed('permission')
    await start({ nodeArgs: READ_ONLY })
    assert.equal(existsSync(compiled), false)
  })
})

test('a program of which a part is missing, or empty, ends as a defect, and not as a verdict', async () => {
  const { part, run } = installed('missing')
  const ended = async () => {
    const { exit, stdout, stderr } = await run()
    assert.deepEqual({ exit, stdout }, { exit: 70, stdout: '' })
    return stderr
  }
  writeFileSync(part, '')
  assert.match(await ended(), /^rlp: Cannot start: .+\nhint: Install it again\n$/)
  rmSync(part)
  assert.match(
    await ended(),
    /^rlp: Cannot start: Cannot find module '\.\/start-\w+\.cjs'\nhint: Install it again\n$/,
  )
})
