// The binaries of fixtures/lint/wasm/, from which sources they are. `UPDATE_GOLDEN=1` with test/wasm/wasm.test.ts writes them.
import { componentOf, custom, I32, I64, leb, moduleOf, sized, type } from './wasm.ts'

const FD_WRITE = type([I32, I32, I32, I32], [I32])
const POINTER = type([I32, I32], [I32])
const CLOCK = type([I32, I64, I32], [I32])
const PRODUCERS = custom('producers', [
  1,
  ...sized('processed-by'),
  1,
  ...sized('rlp-fixture'),
  ...sized('1'),
])

const P1 = 'wasi_snapshot_preview1'
const DROP = 0x1a

/** `fd_write` of nothing to standard output, by the import with this index. */
function writeCall(index: number): number[] {
  return [0x41, 1, 0x41, 0, 0x41, 0, 0x41, 0, 0x10, index, DROP]
}

const writer = (text: string) =>
  moduleOf({
    types: [FD_WRITE],
    imports: [[P1, 'fd_write', 1]],
    code: writeCall(0),
    data: text,
    customSections: [PRODUCERS],
  })

/** By path below fixtures/lint/wasm/. */
export const WASM_FIXTURES: Readonly<Record<string, Uint8Array>> = {
  'component/agent/bin/price_watch.wasm': componentOf(writer('price_watch 0.4.0: ready\n')),
  'native-format/agent/bin/log_rotate': writer('log_rotate 1.1.0: ready\n'),
  'malformed/agent/bin/photo_index.wasm': writer('photo_index 2.0.3: ready\n').subarray(0, 120),
  // Its last section is announced here and filled by the `append:` line of expect.txt.
  'not-validated/agent/bin/tax_table': Uint8Array.from([
    ...writer('tax_table 3.2.0: ready\n'),
    0,
    ...leb(sized('rates').length + 70_000),
    ...sized('rates'),
  ]),
  'no-entry/agent/bin/spell_check.wasm': moduleOf({
    types: [FD_WRITE],
    imports: [[P1, 'fd_write', 1]],
    entry: '_initialize',
    code: writeCall(0),
    data: 'spell_check 0.9.1: ready\n',
  }),
  'no-memory/agent/bin/coin_flip.wasm': moduleOf({
    types: [POINTER],
    imports: [[P1, 'random_get', 1]],
    exportsMemory: false,
    code: [0x41, 0, 0x41, 1, 0x10, 0, DROP],
    data: 'coin_flip 0.1.0: ready\n',
  }),
  'unknown-import/agent/bin/link_checker.wasm': moduleOf({
    types: [FD_WRITE, POINTER],
    imports: [
      [P1, 'fd_write', 1],
      ['env', 'curl_easy_init'],
      ['env', 'curl_easy_perform', 2],
    ],
    code: [...writeCall(0), 0x10, 1, 0x41, 0, 0x41, 0, 0x10, 2, DROP],
    data: 'link_checker 1.0.0: ready\n',
  }),
  'import-not-granted/agent/bin/commit_notes.wasm': moduleOf({
    types: [FD_WRITE, POINTER],
    imports: [
      [P1, 'fd_write', 1],
      ['runloop', 'notify_ready'],
      ['runloop', 'model_complete', 1],
      ['runloop', 'exec_spawn', 2],
    ],
    code: [0x10, 1, ...writeCall(0), ...writeCall(2), 0x41, 0, 0x41, 12, 0x10, 3, DROP],
    data: '/usr/bin/git log',
  }),
  'clock-not-granted/agent/bin/tea_timer.wasm': moduleOf({
    types: [FD_WRITE, CLOCK],
    imports: [
      [P1, 'fd_write', 1],
      [P1, 'clock_time_get', 2],
    ],
    code: [...writeCall(0), 0x41, 0, 0x42, 0, 0x41, 16, 0x10, 1, DROP],
    data: 'tea_timer 1.3.0: ready\n',
  }),
}
