// rlp agent run: what a module gets, what it answers, and how it ends, as root and as an ordinary user.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import * as library from '../support/library.ts'
import { ATTACKS, fixture, type ModulePlace, modulePlace, open } from '../support/module-place.ts'
import { IS_ROOT, NO_HOME, shell } from '../support/run.ts'
import { LATE, slice, upTo } from '../support/runs.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'
import { componentOf, moduleOf } from '../support/wasm.ts'

const folder = grantable('agent-run')
const UNVERIFIED = 'warning: ./mini was not verified\n'

for (const who of ['root', 'user'] as const) {
  const skip =
    NO_SANDBOX_HERE ||
    (who === 'root' && !IS_ROOT && 'these tests do not run as root') ||
    (who === 'user' && IS_ROOT && LATE)
  describe(`run by ${who === 'root' ? 'root' : 'an ordinary user'}`, { skip }, () => {
    let place: ModulePlace
    let shared: string
    // A process of its own shows for the ordinary user alone what main() shows for root.
    const start = (args: readonly string[]) => (who === 'root' ? place.here(args) : place.run(args))
    before(() => {
      const cwd = folder(who)
      shared = open(join(cwd, 'shared'))
      place = modulePlace(cwd, { who, caps: `fs_rw = ["${shared}"]\n` })
    })

    test('it gets its arguments, its folders, and no variable', async () => {
      const ran = await place.run(['--', 'given', '--all', ''], {
        env: { ...place.options.env, CANARY: 'x' },
      })
      assert.deepEqual(
        [ran.exit, ran.stdout.split('\n').sort(), ran.stderr],
        [
          0,
          ['', 'argument ', 'argument --all', 'argument bin/mini.wasm', 'argument given', `folder ${shared}`],
          UNVERIFIED,
        ],
      )
    })

    test('its exit code is that of the command, and the audit line says what held it', async () => {
      const ran = await start(['--quiet', '--audit', 'log', '--', 'exit', '7'])
      assert.deepEqual([ran.exit, ran.stdout + ran.stderr], [7, ''])
      const { tool, argv, exit, enforced } = onlyLine(join(place.cwd, 'log'))
      assert.deepEqual(
        [tool, argv, exit, enforced.by],
        ['agent.run', ['./mini', 'bin/mini.wasm', 'exit', '7'], 7, 'bubblewrap'],
      )
    })

    test('what it writes to standard error is passed on as it is, and a mask of this user keeps nothing from it', async () => {
      const told = ['--quiet', '--', 'complain', '\u001b[31mnot\tours']
      const ran = await place.run(told, { umask: '077' })
      assert.deepEqual([ran.exit, ran.stdout, ran.stderr], [3, '', '\u001b[31mnot\tours'])
    })

    test('a file is its input', async () => {
      const bytes = randomBytes(300_000).toString('hex')
      writeFileSync(join(place.cwd, 'input'), bytes)
      const ran = await start(['--input', 'input', '--', 'copy'])
      assert.equal(ran.exit, 0, ran.stderr)
      assert.ok(ran.stdout === bytes)
    })

    test('--sandbox off runs it unheld, and says nothing of a folder that is there', async () => {
      const ran = await start(['--sandbox', 'off', '--audit', 'off.log', '--', 'list', shared])
      assert.deepEqual([ran.exit, ran.stdout], [0, 'open:\n'], ran.stderr)
      assert.equal(onlyLine(join(place.cwd, 'off.log')).enforced.by, 'none')
    })

    test('Ctrl-C ends it, and leaves nothing behind', async () => {
      const tmp = open(join(place.cwd, 'tmp'))
      const ran = await place.run(['--', 'begin'], {
        env: { ...place.options.env, TMPDIR: tmp },
        started: child =>
          child.stdout?.once('data', () => {
            assert.notDeepEqual([readdirSync(tmp), processesOf(tmp)], [[], []], 'it has begun')
            child.kill('SIGINT')
          }),
      })
      assert.deepEqual([ran.exit, ran.stdout], [130, 'begun\n'])
      assert.match(ran.stderr, /Cannot finish "rlp agent run": it was interrupted/)
      assert.deepEqual([readdirSync(tmp), processesOf(tmp)], [[], []])
    })
  })
}

describe('an end', { skip: NO_SANDBOX_HERE }, () => {
  test('with a code: it is passed on, and one that a process cannot have is no success', async () => {
    const place = modulePlace(folder('codes'))
    for (const code of slice([0, 1, 2, 130, 255], 2)) {
      const ran = await place.here(['--quiet', '--', 'exit', String(code)])
      assert.deepEqual([ran.exit, ran.stdout + ran.stderr], [code, ''])
    }
    for (const code of ['256', '4294967295'])
      assert.equal((await place.here(['--', 'raise', code])).exit, 255)
  })

  test('by a trap is recorded as one', async () => {
    const place = modulePlace(folder('trap'))
    assert.equal((await place.here(['--audit', 'log', '--', 'trap'])).exit, 134)
    assert.equal(onlyLine(join(place.cwd, 'log')).exit, -1)
  })
})

/** The only line of an audit log. */
function onlyLine(log: string) {
  return JSON.parse(readFileSync(log, 'utf8'))
}

/** Processes whose command line names a folder. */
function processesOf(folder: string): readonly string[] {
  return readdirSync('/proc').filter(pid => /^[0-9]+$/.test(pid) && commandLine(pid).includes(folder))
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    // It has ended since they were listed.
    return ''
  }
}

describe('a module of a compiler', { skip: NO_SANDBOX_HERE }, () => {
  test('counter-rust.wasm counts words', async () => {
    const place = modulePlace(folder('counter-rust'), { module: fixture('counter-rust') })
    writeFileSync(join(place.cwd, 'input'), 'a b  c')
    const ran = await place.here(['--input', 'input'])
    assert.deepEqual([ran.exit, ran.stdout, ran.stderr], [0, '{"words":3}\n', UNVERIFIED])
  })

  test('counter.wasm counts words from a pipe', async () => {
    const { cwd } = modulePlace(folder('counter'), { module: fixture('counter') })
    const ran = await shell(cwd, 'printf "a b  c" | "$@"', ['agent', 'run', './mini', '--unverified'])
    assert.deepEqual([ran.status, ran.stdout], [0, '{"words":3}\n'], ran.stderr)
    assert.equal(ran.stderr, UNVERIFIED)
  })

  const nodes = join(import.meta.dirname, '../../.nodes/node_modules')
  const names = existsSync(nodes) ? readdirSync(nodes).filter(name => name.startsWith('node')) : []
  for (const name of names)
    test(`the same on ${name}, every time`, { skip: LATE }, async () => {
      const place = modulePlace(folder(name), { module: fixture('counter') })
      writeFileSync(join(place.cwd, 'input'), 'a b')
      const program = join(nodes, name, 'bin/node')
      for (let times = 0; times < upTo(1, 8); times++) {
        const ran = await place.run(['--input', 'input', '--memory-mb', '16'], { node: program })
        assert.deepEqual([ran.exit, ran.stdout, ran.stderr], [0, '{"words":2}\n', UNVERIFIED])
      }
    })
})

describe('a reader that goes away', { skip: NO_SANDBOX_HERE }, () => {
  test('ends the module, without a word', async () => {
    const { cwd } = modulePlace(folder('gone'))
    const line = '{ "$@"; echo $? >code; } 2>said | head -1'
    const ran = await shell(cwd, line, ['agent', 'run', './mini', '--unverified', '--quiet', '--', 'flood'])
    assert.equal(ran.stdout, 'an output that has no end\n')
    assert.deepEqual(
      ['code', 'said'].map(name => readFileSync(join(cwd, name), 'utf8')),
      ['141\n', ''],
    )
  })

  test('an input that is not read keeps nothing waiting', async () => {
    const { cwd } = modulePlace(folder('unread'))
    const ran = await shell(cwd, 'yes | "$@"', ['agent', 'run', './mini', '--unverified', '--', 'exit', '5'])
    assert.equal(ran.status, 5, ran.stderr)
  })
})

describe('what is not started', () => {
  const refused = (name: string, module: Uint8Array, caps = '', ...args: string[]) =>
    modulePlace(folder(name), { module, caps }).here(args)

  const at = (cwd: string) => ({ cwd, env: { PATH: process.env['PATH'], RUNLOOP_HOME: NO_HOME } })

  test('a component is refused with the words of lint', async () => {
    const ran = await refused('component', componentOf(moduleOf()))
    assert.equal(ran.exit, 1)
    assert.match(
      ran.stderr,
      /bin\/mini\.wasm is a WebAssembly component; kind wasm32-wasip1 is a core module\nhint: Build for wasm32-wasip1 \(wasm32-wasip2 makes/,
    )
  })

  test('a native program', async () => {
    const cwd = folder('native')
    const tree = agentTree({ files: { 'bin/mini.wasm': '#!/bin/sh\n' } })
    const manifest = String(tree['manifest.toml'])
      .replace('wasm32-wasip1', 'native-shim')
      .replace('entry_wasm', 'entry_native')
    writeFileSync(join(cwd, 'mini-1.0.0.agent.bundle'), bundleOf({ ...tree, 'manifest.toml': manifest }))
    const ran = await run(['agent', 'run', 'mini-1.0.0.agent.bundle', '--allow-unsigned'], undefined, at(cwd))
    assert.equal(ran.exit, 1)
    assert.match(ran.stderr, /its entry is of kind native-shim, and only wasm32-wasip1 runs in the sandbox/)
  })

  test('a bundle that is not trusted, a folder without --unverified, a name that is not installed', async () => {
    const cwd = folder('untrusted')
    writeFileSync(join(cwd, 'mini-1.0.0.agent.bundle'), bundleOf(agentTree()))
    writeTree(join(cwd, 'mini'), agentTree())
    const unsigned = await run(['agent', 'run', 'mini-1.0.0.agent.bundle'], undefined, at(cwd))
    assert.match(unsigned.stderr, /Cannot run "mini-1\.0\.0\.agent\.bundle": unsigned/)
    const source = await run(['agent', 'run', './mini'], undefined, at(cwd))
    assert.match(source.stderr, /it is a source folder, which cannot be verified/)
    const name = await run(['agent', 'run', 'other'], undefined, at(cwd))
    assert.match(name.stderr, /no agent of this name is installed/)
    assert.deepEqual([unsigned.exit, source.exit, name.exit], [1, 1, 2])
  })

  test('a grant that cannot be opened, and what rlp keeps', { skip: NO_SANDBOX_HERE }, async () => {
    const ran = await refused('absent', moduleOf(), 'fs_ro = ["/srv/not-there"]\n')
    assert.equal(ran.exit, 3)
    assert.match(ran.stderr, /the granted "\/srv\/not-there" is not there/)
    const place = modulePlace(folder('kept'), { caps: 'fs_ro = ["~/.runloop/artifacts"]\n' })
    assert.equal((await place.here([])).stderr, UNVERIFIED)
    mkdirSync(join(place.cwd, 'home/.runloop/artifacts'), { recursive: true })
    const kept = await place.here([])
    assert.match(
      kept.stderr,
      /the module does not get ~\/\.runloop\/artifacts: no program reaches what rlp keeps/,
    )
    assert.deepEqual([kept.exit, kept.stdout], [0, 'argument bin/mini.wasm\n'])
  })

  test('a file that is granted is said, and is no folder', { skip: NO_SANDBOX_HERE }, async () => {
    const cwd = folder('file')
    writeFileSync(join(cwd, 'granted'), 'x')
    const ran = await modulePlace(cwd, { caps: `fs_ro = ["${cwd}/granted"]\n` }).here([])
    assert.match(
      ran.stderr,
      /the module does not get \/var\/tmp\/.*\/granted: WASI preview 1 opens folders alone/,
    )
    assert.equal(ran.exit, 0)
  })

  test('where a sandbox is required by config.toml, the flag does not leave it out', {
    skip: NO_SANDBOX_HERE,
  }, async () => {
    const place = modulePlace(folder('required'))
    mkdirSync(join(place.cwd, 'home/.runloop'), { mode: 0o700 })
    const config = join(place.cwd, 'home/.runloop/config.toml')
    writeFileSync(config, '[security]\nsandbox = "require"\n', { mode: 0o600 })
    await place.here(['--sandbox', 'off', '--audit', 'log', '--', 'exit', '0'])
    assert.equal(JSON.parse(readFileSync(join(place.cwd, 'log'), 'utf8')).enforced.by, 'bubblewrap')
  })

  test('an input that is not there', { skip: NO_SANDBOX_HERE }, async () => {
    const ran = await modulePlace(folder('input')).here(['--input', 'none', '--', 'copy'])
    assert.equal(ran.exit, 2)
    assert.match(ran.stderr, /Cannot read "none": no such file/)
  })

  test('--json, because standard output is that of the module', async () => {
    const ran = await modulePlace(folder('json')).here(['--json'])
    assert.equal(ran.exit, 2)
    assert.match(ran.stdout, /Cannot run with --json: standard output is that of the module/)
  })
})

describe('runAgent of the library', { skip: NO_SANDBOX_HERE }, () => {
  const loaded = (module: Uint8Array) =>
    library.loadBundle(bundleOf(agentTree({ files: { 'bin/mini.wasm': module } })), {
      expect: 'mini',
      allowUnsigned: true,
      home: false as const,
    })

  test('gives how the module ended, and hands on what it writes', async () => {
    let said = ''
    const output = (stream: string, bytes: Uint8Array) => {
      said += `${stream}: ${Buffer.from(bytes)}`
    }
    const given = { input: 'a b  c', output }
    const { end, enforced, left } = await library.runAgent(await loaded(fixture('counter')), given)
    assert.deepEqual(
      [end, said, enforced.by, left],
      [{ is: 'exited', code: 0 }, 'stdout: {"words":3}\n', 'bubblewrap', []],
    )
  })

  test('of one that does not end by itself', async () => {
    const bundle = await loaded(ATTACKS)
    const trapped = await library.runAgent(bundle, { args: ['trap'] })
    assert.deepEqual(trapped.end.is === 'trapped' && trapped.end.why, 'unreachable')
    assert.deepEqual((await library.runAgent(bundle, { args: ['spin'], timeoutMs: 300 })).end, { is: 'late' })
    const stop = new AbortController()
    const pending = library.runAgent(bundle, {
      args: ['begin'],
      signal: stop.signal,
      output: () => stop.abort(),
    })
    await assert.rejects(pending, { code: 'CANCELLED' })
  })

  test('what the caller’s ends of its streams throw ends it', async () => {
    const bundle = await loaded(ATTACKS)
    const broken = async function* () {
      yield Buffer.from('a')
      throw new TypeError('it broke off')
    }
    await assert.rejects(library.runAgent(bundle, { args: ['copy'], input: broken() }), /it broke off/)
    const output = () => {
      throw new TypeError('no room')
    }
    await assert.rejects(library.runAgent(bundle, { args: ['flood'], output }), /no room/)
  })

  test('of what was not loaded, and of what cannot be run', async () => {
    await assert.rejects(library.runAgent({} as library.LoadedBundle), { code: 'USAGE' })
    const imports = [['env', 'curl']] as const
    await assert.rejects(library.runAgent(await loaded(moduleOf({ imports }))), {
      code: 'LINT_FAILED',
      message: /imports env\.curl/,
    })
  })
})
