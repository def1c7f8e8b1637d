// What a folder of bundles is: everything below it. What is in it is judged once, counted, or said to be unread; and every command that takes
// such a folder takes the same bundles.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { judgeOne, judgeWith } from '../../src/fleet/judge.ts'
import { findBundles } from '../../src/io/find/find-bundles.ts'
import { bundlesBelow } from '../../src/io/find/search-bundles.ts'
import { FOLDER_LIMITS } from '../../src/model/limits.ts'
import { nothingPassed } from '../../src/model/report.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { MORTAL, rlp } from '../support/run.ts'
import { POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('fleet-folders')
const TREE = signed(agentTree({ name: 'mini' }), 'release')
const BUNDLE = bundleOf(TREE)
const NAME = 'mini-1.0.0.agent.bundle'
const NOTHING = { links: 0, special: 0, files: 0, own: 0 }

/** A folder `all` with one trusted bundle, and the home that trusts it. */
function world(name: string) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'trust-policy.toml'), POLICY.replace(', agents = ["mini"]', ''), { mode: 0o600 })
  put(cwd, `all/${NAME}`)
  process.env['RUNLOOP_HOME'] = home
  return cwd
}

function put(cwd: string, path: string, bytes: Uint8Array = BUNDLE): void {
  mkdirSync(join(cwd, path, '..'), { recursive: true })
  writeFileSync(join(cwd, path), bytes)
}

interface Line {
  readonly type: string
  readonly target: string
  readonly verdict: string
  readonly reasons: readonly { readonly code: string; readonly message: string }[]
  readonly skipped: typeof NOTHING
}

async function verify(cwd: string, args: readonly string[] = ['all'], input = '') {
  const ran = await run(['agent', 'verify', ...args, '--format', 'ndjson'], undefined, { cwd, input })
  const lines = ran.stdout
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Line)
  const bundles = lines
    .slice(0, -1)
    .map(({ target, verdict, reasons }) => [target, verdict, reasons[0]?.code])
  return { ...ran, bundles, skipped: lines.at(-1)?.skipped }
}

const trusted = (path: string) => [path, 'trusted', undefined]
const unread = (path: string, code = 'unreadable') => [path, 'indeterminate', code]

describe('a folder', () => {
  test('is everything below it: folders, hidden ones, packages, compressed and unpacked bundles, each once', async () => {
    const cwd = world('below')
    const alone = await verify(cwd)
    assert.deepEqual([alone.exit, alone.bundles, alone.skipped], [0, [trusted(`all/${NAME}`)], NOTHING])
    const paths = [
      `all/.h/${NAME}`,
      `all/a/b/c/d/e/${NAME}`,
      `all/${NAME}`,
      `all/node_modules/${NAME}`,
      `all/odd\nname-1.0.0.agent.bundle`,
      `all/sub/${NAME}`,
    ]
    for (const path of paths) put(cwd, path)
    put(cwd, `all/sub/${NAME}.gz`, gzipSync(BUNDLE))
    writeTree(join(cwd, 'all/unpacked'), TREE)
    put(cwd, 'all/README.md')
    // Statements belong to the bundle beside them.
    put(cwd, `all/${NAME}.intoto.jsonl`, new Uint8Array())
    const { exit, bundles, skipped } = await verify(cwd)
    assert.deepEqual(bundles, [
      ...paths.slice(0, 4).map(trusted),
      ['all/odd\nname-1.0.0.agent.bundle', 'trusted', undefined],
      ...[`all/sub/${NAME}`, `all/sub/${NAME}.gz`, 'all/unpacked'].map(trusted),
    ])
    assert.deepEqual([exit, skipped], [0, { ...NOTHING, files: 1 }])
    // One that is altered, wherever it is, decides.
    for (const path of paths) {
      put(cwd, path, bundleOf(signed(agentTree({ name: 'mini' }), 'stranger')))
      assert.equal((await verify(cwd)).exit, 1, path)
      put(cwd, path)
    }
  })

  test('with links: those within it are counted, and what may hide a bundle elsewhere is not passed', async () => {
    const cwd = world('links')
    put(cwd, `all/sub/${NAME}`)
    put(cwd, 'all/data.bin')
    put(cwd, `elsewhere/${NAME}`)
    put(cwd, 'elsewhere/notes.txt')
    symlinkSync('sub', join(cwd, 'all/folder'))
    symlinkSync(`sub/${NAME}`, join(cwd, 'all/latest.agent.bundle'))
    symlinkSync('../elsewhere/notes.txt', join(cwd, 'all/notes'))
    symlinkSync('.', join(cwd, 'all/itself'))
    symlinkSync('nowhere', join(cwd, 'all/nowhere'))
    const within = await verify(cwd)
    assert.deepEqual(within.bundles, [trusted(`all/${NAME}`), trusted(`all/sub/${NAME}`)])
    assert.deepEqual([within.exit, within.skipped], [0, { ...NOTHING, links: 5, files: 1 }])
    for (const [name, to] of [
      ['out', '../elsewhere'],
      ['above', '..'],
      ['b.agent.bundle', `../elsewhere/${NAME}`],
      ['b', `../elsewhere/${NAME}`],
      ['c.agent.bundle', 'data.bin'],
      ['d.agent.bundle', 'nowhere'],
      ['e.agent.bundle', 'e.agent.bundle'],
    ] as const) {
      const at = join(cwd, 'all', name)
      symlinkSync(to, at)
      const ran = await verify(cwd)
      renameSync(at, join(cwd, `was-${name}`))
      assert.deepEqual(
        ran.bundles.filter(([, verdict]) => verdict !== 'trusted'),
        [unread(`all/${name}`, 'link_not_followed')],
      )
      assert.deepEqual([ran.exit, ran.skipped], [3, { ...NOTHING, links: 5, files: 1 }], name)
    }
  })

  test('with pipes, names that are no text, and depth: what cannot be read is said', async t => {
    const cwd = world('odd')
    if (spawnSync('mkfifo', [join(cwd, 'all/pipe')]).status !== 0) return t.skip('mkfifo is not installed')
    assert.deepEqual((await verify(cwd)).skipped, { ...NOTHING, special: 1 })
    assert.equal((await verify(cwd)).exit, 0)
    spawnSync('mkfifo', [join(cwd, 'all/pipe.agent.bundle')])
    mkdirSync(join(cwd, 'all', ...Array(130).fill('d')), { recursive: true })
    mkdirSync(Buffer.concat([Buffer.from(join(cwd, 'all/')), Buffer.from([0xff])]))
    const { exit, bundles } = await verify(cwd)
    assert.equal(exit, 3)
    assert.deepEqual(bundles, [
      unread(`all/${Array(129).fill('d').join('/')}`),
      trusted(`all/${NAME}`),
      unread('all/pipe.agent.bundle'),
      unread('all/\ufffd'),
    ])
  })

  test('that may not be entered', async () => {
    const cwd = world('closed')
    put(cwd, `all/closed/${NAME}`)
    for (const path of ['.', 'all', 'all/closed']) chmodSync(join(cwd, path), 0o755)
    const args = ['agent', 'verify', 'all', '--format', 'ndjson', '--trust-policy', 'policy.toml']
    writeFileSync(join(cwd, 'policy.toml'), POLICY, { mode: 0o644 })
    const options = { cwd, ...MORTAL, env: { RUNLOOP_HOME: join(cwd, 'none') } }
    const open = await rlp(args, options)
    assert.equal(open.stdout.match(/"verdict":"trusted"/g)?.length, 2, open.stdout + open.stderr)
    chmodSync(join(cwd, 'all/closed'), 0)
    const closed = await rlp(args, options)
    chmodSync(join(cwd, 'all/closed'), 0o755)
    assert.equal(closed.exit, 3, closed.stdout)
    assert.match(closed.stdout, /"target":"all\/closed","verdict":"indeterminate".*permission denied/)
  })

  test('in which a link takes the place of a file that was found', async () => {
    const cwd = world('swapped')
    const options = {
      allowUnsigned: false,
      allowDev: false,
      env: {},
      trustPolicy: undefined,
      attestations: undefined,
      locks: [],
    }
    const judge = await judgeWith(options, undefined)
    const task = { path: join(cwd, 'all', NAME), label: NAME, isBelow: true } as const
    assert.equal((await judgeOne(task, judge)).verdict, 'trusted')
    put(cwd, `elsewhere/${NAME}`)
    renameSync(task.path, join(cwd, 'moved'))
    symlinkSync(`../elsewhere/${NAME}`, task.path)
    const { verdict, line } = await judgeOne(task, judge)
    assert.deepEqual([verdict, /it is a symbolic link/.test(line)], ['indeterminate', true])
    // What a person names by itself is followed.
    const { isBelow: _, ...named } = task
    assert.equal((await judgeOne(named, judge)).verdict, 'trusted')
  })

  test('of more names than are sorted at once', async () => {
    const cwd = folder('many')
    for (let at = 0; at < 10_050; at++)
      writeFileSync(join(cwd, at % 200 === 0 ? `${at}.agent.bundle` : `${at}`), '')
    const passed = nothingPassed()
    const found = new Set<string>()
    for await (const { path } of bundlesBelow({ path: cwd, label: 'many' }, { passed, met: { entries: 0 } }))
      found.add(path)
    assert.deepEqual([found.size, passed], [51, { ...NOTHING, files: 9999 }])
  })

  test('with more entries than all folders of a call may have', async () => {
    const cwd = folder('too-many')
    for (const name of [NAME, 'other']) writeFileSync(join(cwd, name), '')
    const codes = async (left: number) => {
      const met = { entries: FOLDER_LIMITS.entries - left }
      const found: (string | undefined)[] = []
      for await (const { problem } of bundlesBelow(
        { path: cwd, label: 'x' },
        { passed: nothingPassed(), met },
      ))
        found.push(problem?.code)
      return found
    }
    assert.deepEqual(await codes(2), [undefined])
    assert.deepEqual(await codes(1), [undefined, 'too_many_entries'])
  })
})

describe('every format says what was passed over and what could not be read', () => {
  test('text and --json', async () => {
    const cwd = world('formats')
    put(cwd, 'all/README.md')
    symlinkSync('README.md', join(cwd, 'all/link'))
    const text = () => run(['agent', 'verify', 'all'], undefined, { cwd })
    const json = async () => {
      const { exit, stdout } = await run(['agent', 'verify', 'all', '--json'], undefined, { cwd })
      return { exit, ...JSON.parse(stdout).result }
    }
    // One bundle has a whole report; the rest is said all the same.
    assert.match((await text()).stderr, /^Passed over: 1 link, 1 file that is not called \*\.agent\.bundle$/m)
    const one = await json()
    assert.deepEqual([one.exit, one.passed, one.skipped], [0, true, { ...NOTHING, links: 1, files: 1 }])
    put(cwd, `all/sub/${NAME}`)
    symlinkSync(cwd, join(cwd, 'all/out'))
    const many = await text()
    assert.match(many.stderr, /^3 bundles: 2 trusted, 1 indeterminate\nPassed over: 1 link, 1 file/m)
    assert.match(many.stdout, /✗ indeterminate all\/out\n.*it is a link to a folder elsewhere/)
    const whole = await json()
    assert.deepEqual([many.exit, whole.exit, whole.passed], [3, 3, false])
    assert.deepEqual(whole.summary, { bundles: 3, trusted: 2, indeterminate: 1 })
    const out = whole.bundles.find(({ target }: Line) => target === 'all/out')
    assert.deepEqual([out.verdict, out.reasons.length], ['indeterminate', 1])
  })

  test('an install root: what rlp keeps there is counted, and everything else is judged', async () => {
    const cwd = world('root')
    const args = ['agent', 'install', `all/${NAME}`, '--root', 'root', '--yes']
    assert.equal((await run(args, undefined, { cwd })).exit, 0)
    const clean = await verify(cwd, ['root'])
    assert.deepEqual(clean.bundles, [trusted('root/mini.agent.bundle')])
    assert.deepEqual([clean.exit, clean.skipped], [0, { ...NOTHING, own: 2 }])
    put(cwd, `root/.h/a/b/c/d/${NAME}`)
    symlinkSync('../all', join(cwd, 'root/out'))
    const more = await verify(cwd, ['root'])
    assert.deepEqual(more.bundles.slice(1), [
      trusted(`root/.h/a/b/c/d/${NAME}`),
      unread('root/out', 'link_not_followed'),
    ])
    // A link in the place of an unpacked copy is not one.
    renameSync(join(cwd, 'root/mini'), join(cwd, 'was-mini'))
    symlinkSync('../was-mini', join(cwd, 'root/mini'))
    const linked = await verify(cwd, ['root'])
    assert.deepEqual(linked.bundles[2], unread('root/mini', 'link_not_followed'))
  })
})

describe('one rule', () => {
  test('each bundle is judged once, however often it is named', async () => {
    const cwd = world('once')
    put(cwd, `all/sub/${NAME}`)
    const args = [`all/${NAME}`, 'all/sub', 'all', './all/', `all/sub/../${NAME}`]
    const { bundles } = await verify(cwd, args)
    assert.deepEqual(bundles, [trusted(`all/${NAME}`), trusted(`all/sub/${NAME}`)])
    // A folder that adds nothing is no mistake if what it holds was named; an empty one is, before anything is judged.
    assert.equal((await verify(cwd, ['all/sub', `all/sub/${NAME}`])).exit, 0)
    mkdirSync(join(cwd, 'empty'))
    const empty = await verify(cwd, ['all', 'empty'])
    assert.deepEqual([empty.exit, empty.stdout], [2, ''])
  })

  test('sign, push and lock add take what verify takes, and nothing of a folder that cannot be read whole', async () => {
    const cwd = world('commands')
    put(cwd, 'all/.h/sub/other-1.0.0.agent.bundle', bundleOf(signed(agentTree({ name: 'other' }), 'release')))
    const paths = (await verify(cwd)).bundles.map(([path]) => path)
    assert.deepEqual(paths, ['all/.h/sub/other-1.0.0.agent.bundle', `all/${NAME}`])
    assert.deepEqual(
      (await findBundles(['all'], { cwd })).map(({ label }) => label),
      paths,
    )
    const commands = [
      ['lock', 'add', 'all'],
      ['agent', 'push', 'all', 'oci-layout:store/'],
    ]
    const told = async (args: readonly string[]) => {
      const { exit, stdout, stderr } = await run([...args, '--json'], undefined, { cwd })
      return { exit, text: stdout + stderr }
    }
    symlinkSync('../home', join(cwd, 'all/out'))
    for (const args of commands) {
      const { exit, text } = await told(args)
      assert.deepEqual([exit, /all\/out.*link to a folder elsewhere/.test(text)], [3, true], text)
    }
    renameSync(join(cwd, 'all/out'), join(cwd, 'out'))
    const locked = await told(commands[0] ?? [])
    assert.equal(locked.exit, 0, locked.text)
    for (const name of ['mini', 'other'])
      assert.match(readFileSync(join(cwd, 'rlp.lock'), 'utf8'), new RegExp(`agents.${name}`))
  })
})

describe('a list', () => {
  const list = (cwd: string, input: string, ...more: string[]) =>
    verify(cwd, ['--bundles-from', '-', ...more], input)

  test('by NUL holds any name; what a line cannot hold is an error of the call', async () => {
    const cwd = world('list')
    const odd = ['all/new\nline-1.0.0.agent.bundle', 'all/cr-1.0.0.agent.bundle\r', 'all/tab\t.agent.bundle']
    for (const name of odd) put(cwd, name)
    const names = [...odd, `all/${NAME}`]
    for (const end of ['', '\0']) {
      const { exit, bundles } = await list(cwd, names.join('\0') + end, '-0')
      assert.deepEqual([exit, bundles], [0, names.map(trusted)])
    }
    assert.deepEqual((await list(cwd, `all/${NAME}\n`)).exit, 0)
    assert.deepEqual((await list(cwd, `all/${NAME}\r\n`)).exit, 0)
    for (const [text, says] of [
      [`${odd[1]}\n`, /line 1 .* ends with a carriage return/],
      [`all/${NAME}\n${odd[2]}\n`, /line 2 .* has a control character/],
      [`all/${NAME}\n\nall/${NAME}\n`, /line 2 .* is empty/],
      [`all/${NAME}\0all/${NAME}`, /line 1 .* has a NUL byte/],
      [' \n', /line 1 .* is blank/],
    ] as const) {
      const { exit, stderr } = await list(cwd, text)
      assert.deepEqual([exit, says.test(stderr), /-print0.*-0/.test(stderr)], [2, true, true], stderr)
    }
    const twice = await list(cwd, `all/${NAME}\0\0`, '-0')
    assert.deepEqual([twice.exit, /name 2 .* is empty/.test(twice.stderr)], [2, true])
  })

  test('-0 without a list, and find -print0', async () => {
    const cwd = world('print0')
    put(cwd, 'all/a\n/x-1.0.0.agent.bundle')
    const alone = await run(['agent', 'verify', 'all', '-0'], undefined, { cwd })
    assert.deepEqual([alone.exit, /--null needs --bundles-from/.test(alone.stderr)], [2, true])
    const { stdout } = await run(['agent', 'verify', '--help'], undefined, { cwd })
    assert.match(stdout, /^ {2}-0, --null +with --bundles-from:/m)
    const found = spawnSync('find', ['all', '-name', '*.agent.bundle', '-print0'], { cwd, encoding: 'utf8' })
    const { bundles } = await list(cwd, found.stdout, '--null', '--expect', 'mini')
    assert.equal(bundles.filter(([, verdict]) => verdict === 'trusted').length, 2)
  })
})
