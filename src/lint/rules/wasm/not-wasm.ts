import type { BundleRule } from '../rule.ts'
import { formOf, hasMagic, knownHead } from '../wasm-entries.ts'

export const wasmNotWasm: BundleRule = {
  id: 'wasm/not-wasm',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'entry_wasm is not a WebAssembly module',
  why: 'A runtime cannot start it; one that falls back to something else would run code that was not reviewed.',
  fix: 'Build the agent for wasm32-wasip1, put it at bin/<name>.wasm, then run rlp agent digest.',
  looks: 'entry',
  check({ entry }, report) {
    const { path, file } = entry
    // A file that was not read yet is judged when it is read.
    const head = formOf(entry) === 'other' ? knownHead(file) : undefined
    if (head === undefined) return
    const native = nativeFormat(head)
    report({
      file: path,
      message: `${path} is not a WebAssembly module: ${native ? `it is ${native}` : headProblem(head)}`,
      fix: native
        ? 'Build it for wasm32-wasip1, or write entry_native and kind = "native-shim" if a native program is meant'
        : `Build your agent for wasm32-wasip1 and put it at ${path}, then run rlp agent digest`,
    })
  },
}

/** The first bytes of native programs. */
const NATIVE: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^7f454c46/, 'a program for Linux (ELF)'],
  [/^(?:feedface|feedfacf|cefaedfe|cffaedfe|cafebabe)/, 'a program for macOS (Mach-O)'],
  [/^4d5a/, 'a program for Windows (PE)'],
  [/^2321/, 'a script'],
]

function nativeFormat(head: Uint8Array): string | undefined {
  const hex = Buffer.from(head).toString('hex')
  return NATIVE.find(([pattern]) => pattern.test(hex))?.[1]
}

function headProblem(head: Uint8Array): string {
  if (head.length === 0) return 'it is empty'
  if (!hasMagic(head)) return 'it does not begin with the bytes 00 61 73 6d'
  return head.length < 8 ? 'it ends within its first eight bytes' : 'its version is not 1'
}
