// What lint says of the binaries behind entry_wasm and entry_native: quiet about ordinary ones, exact about the others.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Files } from '../../src/model/files.ts'
import type { Finding } from '../../src/model/finding.ts'
import { familyOf, isOffered } from '../../src/wasm/host.ts'
import { STUB_WASM } from '../../src/wasm/stub.ts'
import { agentTree } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'
import {
  componentOf,
  exportOf,
  IMPORT_TYPES,
  importOf,
  leb,
  moduleOf,
  rawModule,
  section,
  type,
  vec,
} from '../support/wasm.ts'

const WASM_RULES = RULES.filter(({ id }) => id.startsWith('wasm/'))

function findings(
  entry: Uint8Array | string,
  policy = '',
  change: (files: Files) => Files = files => files,
): Finding[] {
  const bytes = typeof entry === 'string' ? Buffer.from(entry, 'latin1') : entry
  const tree = agentTree({ files: { 'policy.caps': `[capabilities]\n${policy}`, 'bin/mini.wasm': bytes } })
  return lintAgent(read(change(memoryFiles(tree)), 'mini'), UNPREPARED, WASM_RULES)
}
const short = ({ rule, message }: Finding) => `${rule.slice('wasm/'.length)}: ${message}`
const place = ({ file, line, column }: Finding) => `${file}:${line}:${column}`
const importing = (...names: string[]) =>
  moduleOf({
    imports: names.map(name => {
      const dot = name.lastIndexOf('.')
      return [name.slice(0, dot), name.slice(dot + 1)]
    }),
  })
const p1 = (...names: string[]) => names.map(name => `wasi_snapshot_preview1.${name}`)

/** What a Rust program with files, arguments, environment, maps and sleeping imports, whatever it does with them. */
const ORDINARY = p1(
  ...['args_get', 'args_sizes_get', 'environ_get', 'environ_sizes_get', 'fd_close', 'fd_fdstat_get'],
  ...[
    'fd_filestat_get',
    'fd_prestat_dir_name',
    'fd_prestat_get',
    'fd_read',
    'fd_readdir',
    'fd_seek',
    'fd_write',
  ],
  ...['path_create_directory', 'path_filestat_get', 'path_open', 'path_readlink', 'path_unlink_file'],
  ...['poll_oneoff', 'proc_exit', 'random_get', 'sched_yield'],
)

describe('an ordinary program', () => {
  test('has no findings, whatever its policy grants', () => {
    assert.deepEqual(findings(importing(...ORDINARY, 'runloop.notify_ready', 'runloop.mailbox_recv')), [])
    assert.deepEqual(findings(importing(...ORDINARY), 'fs_rw = ["/srv/data"]\n'), [])
    assert.deepEqual(findings(importing()), [])
  })

  test('with a clock has one warning until the policy grants time', () => {
    const bytes = importing(...ORDINARY, ...p1('clock_time_get', 'clock_res_get'))
    assert.deepEqual(findings(bytes, 'time = true\n'), [])
    const [finding, ...others] = findings(bytes)
    assert.deepEqual(others, [])
    assert.equal(finding?.severity, 'warning')
    assert.equal(
      finding && short(finding),
      'clock-not-granted: bin/mini.wasm imports wasi_snapshot_preview1.clock_time_get and wasi_snapshot_preview1.clock_res_get, and policy.caps does not grant time',
    )
  })

  test('of the scaffold has only the stub to be told of', () => {
    assert.deepEqual(
      findings(STUB_WASM).map(({ rule }) => rule),
      ['wasm/stub'],
    )
  })
})

describe('a host function', () => {
  const calls: readonly (readonly [name: string, grants: readonly string[], no: readonly string[]])[] = [
    ['time_now', ['time = true'], ['time = false']],
    [
      'http_request',
      ['net = ["a.example"]', 'net = { hosts = ["a.example"], allow_http = true }'],
      ['net = []', 'net = { hosts = [], allow_http = true }'],
    ],
    [
      'kb_read',
      ['kb_read = true', 'kb_read = ["a"]'],
      ['kb_read = false', 'kb_read = []', 'kb_write = true'],
    ],
    ['kb_write', ['kb_write = true', 'kb_write = ["a"]'], ['kb_write = []', 'kb_read = true']],
    ['model_complete', ['model = true'], ['model = false']],
    ['resolve_secret', ['secrets = ["a"]'], ['secrets = []']],
    ['exec_spawn', ['exec = true', 'exec = ["/usr/bin/jq"]'], ['exec = false', 'exec = []']],
    ['exec_spawn_capture', ['exec = true'], ['exec = false']],
  ]
  for (const [name, grants, refusals] of calls) {
    test(`runloop.${name} needs its grant`, () => {
      const bytes = importing(`runloop.${name}`)
      for (const line of grants) assert.deepEqual(findings(bytes, `${line}\n`), [], line)
      for (const line of ['', ...refusals]) {
        const [finding, ...others] = findings(bytes, `${line}\n`)
        assert.deepEqual(others, [], line)
        assert.equal(finding?.rule, 'wasm/import-not-granted', line)
        assert.equal(finding.severity, 'error')
        assert.match(
          finding.message,
          new RegExp(`^bin/mini\\.wasm imports runloop\\.${name}, and policy\\.caps does not grant \\w+$`),
        )
      }
    })
  }

  test('is told with the place and the line of its grant', () => {
    const bytes = importing('runloop.http_request')
    const [present] = findings(bytes, 'time = true\nnet = []\n')
    assert.equal(present && place(present), 'policy.caps:3:7')
    assert.equal(present?.fix, 'Build the module without the import, or write net = ["<host>"] here')
    const [absent] = findings(bytes, 'time = true\n')
    assert.equal(absent && place(absent), 'policy.caps:1:2')
  })

  test('is told once with all others of its family', () => {
    const all = importing(
      ...p1('sock_accept', 'sock_recv', 'sock_send', 'sock_shutdown'),
      'runloop.exec_spawn',
      'runloop.http_request',
    )
    assert.deepEqual(
      findings(all).map(({ message }) => message),
      [
        'bin/mini.wasm imports runloop.exec_spawn, and policy.caps does not grant exec',
        'bin/mini.wasm imports wasi_snapshot_preview1.sock_accept, wasi_snapshot_preview1.sock_recv and 3 more, and policy.caps does not grant net',
      ],
    )
  })

  test('is no finding where there is no policy to hold it against', () => {
    assert.deepEqual(findings(importing('runloop.exec_spawn'), 'exec = "yes"\n'), [])
  })

  test('of another WASI is held against the policy too', () => {
    const family = (module: string, name: string) => familyOf({ module, name, kind: 'function' })
    assert.equal(family('wasi_unstable', 'sock_send'), 'net')
    assert.equal(family('wasix_32v1', 'sock_connect'), 'net')
    assert.equal(family('wasix_32v1', 'proc_spawn2'), 'exec')
    assert.equal(family('wasix_64v1', 'proc_exec3'), 'exec')
    assert.equal(family('wasi_unstable', 'clock_time_get'), 'time')
    assert.equal(family('wasi_snapshot_preview1', 'path_open'), undefined)
    assert.equal(family('env', 'sock_send'), undefined)
    assert.equal(isOffered({ module: 'wasi_unstable', name: 'fd_write', kind: 'function' }), false)
  })

  test('does not hide behind a hundred thousand others', () => {
    const harmless = Buffer.from(importOf('runloop', 'notify_ready'))
    // Two megabytes: as bytes, because lists of so many numbers take seconds.
    const imports = Buffer.concat([
      Buffer.from(leb(100_000)),
      Buffer.alloc(99_999 * harmless.length, harmless),
      Buffer.from(importOf('runloop', 'exec_spawn')),
    ])
    const before = rawModule(section(1, vec([type([], [])])), [2, ...leb(imports.length)])
    const behind = [
      section(3, vec([[0]])),
      section(5, vec([[0, 1]])),
      section(7, vec([exportOf('memory', 'memory'), exportOf('_start', 'function', 100_000)])),
      section(10, vec([[2, 0, 0x0b]])),
    ]
    const bytes = Buffer.concat([before, imports, Buffer.from(behind.flat())])
    assert.deepEqual(
      findings(bytes)
        .map(({ rule }) => rule)
        .filter(rule => rule !== 'wasm/not-validated'),
      ['wasm/import-not-granted'],
    )
  })
})

describe('an import that no host offers', () => {
  const cases: readonly (readonly [imports: readonly string[], message: RegExp, fix: RegExp])[] = [
    [
      ['env.a', 'env.b', 'env.a', 'env.c'],
      /imports "a", "b" and "c" from "env", which no runtime offers$/,
      /^Link/,
    ],
    [['env.a', 'env.b', 'env.c', 'env.d'], /imports "a", "b" and 2 more from "env"/, /^Link/],
    [['runloop.fly'], /imports "fly" from "runloop"/, /^Correct the name/],
    [p1('fd_dup'), /imports "fd_dup" from "wasi_snapshot_preview1"/, /^Preview 1 has no such function/],
    [['wasi_unstable.fd_write'], /from "wasi_unstable"/, /before preview 1$/],
    [
      ['wasi:cli/stdout@0.2.0.get-stdout'],
      /imports "get-stdout" from "wasi:cli\/stdout@0\.2\.0"/,
      /wasm32-wasip2$/,
    ],
    [['wasi.thread-spawn'], /imports "thread-spawn" from "wasi"/, /without threads$/],
    [['wbg.__wbg_log'], /from "wbg"/, /wasm-bindgen/],
    [['./a_bg.js.log'], /from "\.\/a_bg\.js"/, /wasm-bindgen/],
    [['gojs.runtime.wasmExit'], /"gojs\.runtime"/, /^Build for wasm32-wasip1/],
    [['gojs.wasmExit'], /from "gojs"/, /GOOS=wasip1/],
  ]
  for (const [imports, message, fix] of cases) {
    test(imports.join(', '), () => {
      const [finding, ...others] = findings(importing(...imports))
      assert.deepEqual(others, [])
      assert.equal(finding?.rule, 'wasm/unknown-import')
      assert.match(finding.message, message)
      assert.match(finding.fix, fix)
    })
  }

  test('is one by its kind, too', () => {
    const memory = rawModule(
      section(1, vec([type([], [])])),
      section(2, vec([importOf('runloop', 'notify_ready', IMPORT_TYPES.memory)])),
      section(3, vec([[0]])),
      section(7, vec([exportOf('memory', 'memory'), exportOf('_start', 'function')])),
      section(10, vec([[2, 0, 0x0b]])),
    )
    assert.deepEqual(findings(memory).map(short), [
      'unknown-import: bin/mini.wasm imports "notify_ready" from "runloop", which no runtime offers',
    ])
  })

  test('has a name of any length and content', () => {
    const long = findings(importing(`env.${'x'.repeat(90_000)}\u001b[2J`))
    assert.equal(
      long[0]?.message,
      `bin/mini.wasm imports "${'x'.repeat(59)}…" from "env", which no runtime offers`,
    )
    const odd = findings(importing('wasi_unstable.sock_\u001b[2J'))
    assert.deepEqual(odd.map(({ message }) => message).sort(), [
      'bin/mini.wasm imports "sock_\\u001b[2J" from "wasi_unstable", which no runtime offers',
      'bin/mini.wasm imports "wasi_unstable.sock_\\u001b[2J", and policy.caps does not grant net',
    ])
  })
})

describe('an entry that is no module', () => {
  const cases: readonly (readonly [what: string, bytes: string, finding: string])[] = [
    ['nothing', '', 'not-wasm: bin/mini.wasm is not a WebAssembly module: it is empty'],
    [
      'ELF',
      '\x7fELF\x02\x01\x01\0',
      'not-wasm: bin/mini.wasm is not a WebAssembly module: it is a program for Linux (ELF)',
    ],
    [
      'Mach-O',
      '\xcf\xfa\xed\xfe\x0c\0\0\x01',
      'not-wasm: bin/mini.wasm is not a WebAssembly module: it is a program for macOS (Mach-O)',
    ],
    [
      'PE',
      'MZ\x90\0\x03\0\0\0',
      'not-wasm: bin/mini.wasm is not a WebAssembly module: it is a program for Windows (PE)',
    ],
    ['a script', '#!/bin/sh\n', 'not-wasm: bin/mini.wasm is not a WebAssembly module: it is a script'],
    [
      'text format',
      '(module)\n',
      'not-wasm: bin/mini.wasm is not a WebAssembly module: it does not begin with the bytes 00 61 73 6d',
    ],
    [
      'half a header',
      '\0asm\x01',
      'not-wasm: bin/mini.wasm is not a WebAssembly module: it ends within its first eight bytes',
    ],
    [
      'version 2',
      '\0asm\x02\0\0\0',
      'not-wasm: bin/mini.wasm is not a WebAssembly module: its version is not 1',
    ],
    [
      'a component',
      Buffer.from(componentOf(moduleOf())).toString('latin1'),
      'component: bin/mini.wasm is a WebAssembly component; kind wasm32-wasip1 is a core module',
    ],
    [
      'half a module',
      '\0asm\x01\0\0\0\x01',
      'malformed: bin/mini.wasm is malformed at byte 9: the size of the type section is cut off',
    ],
  ]
  for (const [what, bytes, expected] of cases) {
    test(what, () => {
      const [finding, ...others] = findings(bytes)
      assert.deepEqual(others, [])
      assert.equal(finding && short(finding), expected)
      assert.equal(finding?.severity, 'error')
      assert.equal(finding.undecidable, undefined)
    })
  }

  test('only as far as this build knows is undecided', () => {
    const [finding, ...others] = findings(rawModule(section(14, [0])))
    assert.deepEqual(others, [])
    assert.equal(finding?.undecidable, true)
    assert.equal(
      finding.message,
      'bin/mini.wasm holds what this build does not know at byte 8: a section has the id 14',
    )
  })
})

describe('a file that is not held', () => {
  const unheld = (files: Files): Files => {
    const list = files.list.map(({ bytes, ...file }) =>
      file.path.startsWith('bin/') || bytes === undefined ? file : { ...file, bytes },
    )
    return { ...files, list, get: path => list.find(file => file.path === path) }
  }
  test('is still judged by its first eight bytes', () => {
    assert.deepEqual(
      findings('#!/bin/sh\nexit', '', unheld).map(({ rule }) => rule),
      ['wasm/not-wasm'],
    )
    assert.deepEqual(
      findings(componentOf(moduleOf()), '', unheld).map(({ rule }) => rule),
      ['wasm/component'],
    )
  })
  test('is said not to have been looked into', () => {
    assert.deepEqual(findings(importing('runloop.exec_spawn'), '', unheld).map(short), [
      'not-validated: bin/mini.wasm was not looked into: a module has at most 32 MiB (33554432 bytes), all together 64 MiB (67108864 bytes)',
    ])
  })
})

test('the engine’s refusal names the version of Node', () => {
  const [finding, ...others] = findings(moduleOf({ code: [0x41, 0x00] }))
  assert.deepEqual(others, [])
  assert.equal(finding?.severity, 'warning')
  assert.equal(
    finding && short(finding),
    `not-validated: Node ${process.versions.node} does not accept bin/mini.wasm as valid WebAssembly`,
  )
})

test('an entry that cannot be started is told from a library', () => {
  const messages = (bytes: Uint8Array) => findings(bytes).map(short)
  assert.deepEqual(messages(moduleOf({ entry: 'main' })), [
    'no-entry: bin/mini.wasm exports no function _start',
  ])
  assert.deepEqual(messages(moduleOf({ entry: '_initialize' })), [
    'no-entry: bin/mini.wasm exports _initialize and no _start: it is a library (a WASI reactor), not a command',
  ])
  const memory = rawModule(section(5, vec([[0, 1]])), section(7, vec([exportOf('_start', 'memory')])))
  assert.deepEqual(messages(memory), [
    'no-entry: bin/mini.wasm exports _start as a memory, not as a function',
  ])
})

test('memory is asked for only by who needs it', () => {
  const closed = (module: string, name: string) =>
    findings(moduleOf({ imports: [[module, name]], exportsMemory: false })).map(short)
  assert.deepEqual(closed('wasi_snapshot_preview1', 'fd_write'), [
    'no-memory: bin/mini.wasm exports no memory called memory, which wasi_snapshot_preview1.fd_write works on',
  ])
  assert.deepEqual(closed('runloop', 'notify_ready'), [])
})

describe('a native entry', () => {
  const native = (bytes: Uint8Array) => {
    const tree = agentTree({ files: { 'bin/mini.wasm': bytes } })
    const manifest = String(tree['manifest.toml'])
      .replace('entry_wasm', 'entry_native')
      .replace('wasm32-wasip1', 'native-shim')
    return lintAgent(
      read(memoryFiles({ ...tree, 'manifest.toml': manifest }), 'mini'),
      UNPREPARED,
      WASM_RULES,
    )
  }
  test('that is a program is judged elsewhere', () => {
    assert.deepEqual(native(Buffer.from('#!/bin/sh\n')), [])
    assert.deepEqual(native(Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1')), [])
  })
  test('that is a module or a component is one at the wrong place', () => {
    for (const bytes of [importing('runloop.exec_spawn'), componentOf(moduleOf())]) {
      const [finding, ...others] = native(bytes)
      assert.deepEqual(others, [])
      assert.equal(finding && `${finding.rule} ${place(finding)}`, 'wasm/native-format manifest.toml:5:25')
    }
  })
})

test('a file that two entries name is judged once', () => {
  const tree = agentTree({ files: { 'bin/mini.wasm': moduleOf({ entry: 'main' }) } })
  const line = /entry_wasm = .*\n/.exec(String(tree['manifest.toml']))?.[0] ?? ''
  const twice = { ...tree, 'manifest.toml': `${line}\n${tree['manifest.toml']}` }
  assert.deepEqual(
    lintAgent(read(memoryFiles(twice), 'mini'), UNPREPARED, WASM_RULES).map(({ rule }) => rule),
    ['wasm/no-entry'],
  )
})
