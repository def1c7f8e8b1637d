import { isOffered, PREVIEW1_MODULE, RUNLOOP_MODULE } from '../../../wasm/host.ts'
import type { WasmImport } from '../../../wasm/read.ts'
import { listText, quoteName } from '../../message-words.ts'
import type { Rule } from '../rule.ts'
import { moduleOf } from '../wasm-entries.ts'

export const wasmUnknownImport: Rule = {
  id: 'wasm/unknown-import',
  severity: 'warning',
  scope: 'source',
  summary: 'the module imports what no runtime of these agents offers',
  why: 'One import that the runtime cannot link is enough, and the module is not started at all. No grant covers it either: nothing says what it may do.',
  fix: 'Build for wasm32-wasip1, whose imports come from wasi_snapshot_preview1 and runloop.',
  looks: 'entry',
  check({ entry }, report) {
    const module = moduleOf(entry)
    const unknown = module?.imports.filter(imported => !isOffered(imported)) ?? []
    if (unknown.length === 0) return
    const { path } = entry
    for (const [from, names] of byModule(unknown))
      report({
        file: path,
        message: `${path} imports ${listText(names)} from ${quoteName(from)}, which no runtime offers`,
        fix: ADVICE.find(([pattern]) => pattern.test(from))?.[1] ?? USUAL,
      })
  },
}

const USUAL = 'Build for wasm32-wasip1, whose imports come from wasi_snapshot_preview1 and runloop'

/** Other module names show how the file was built. */
const ADVICE: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [new RegExp(`^${RUNLOOP_MODULE}$`), 'Correct the name, or update rlp if the runtime is newer than it'],
  [
    new RegExp(`^${PREVIEW1_MODULE}$`),
    'Preview 1 has no such function; build without the extension that adds it',
  ],
  [/^wasi_unstable$/, 'Build with a newer toolchain for wasm32-wasip1; this is WASI from before preview 1'],
  [/^env$/, 'Link what defines these names: env is where a linker leaves what it did not find'],
  [/^wasi:/, 'Build for wasm32-wasip1; these are imports of wasm32-wasip2'],
  [/^wasi$/, 'Build for wasm32-wasip1 without threads'],
  [/^wasix_/, 'Build for wasm32-wasip1; these are imports of WASIX'],
  [
    /^(?:wbg|__wbindgen.*|.*_bg\.js)$/,
    'Build for wasm32-wasip1 without wasm-bindgen, which is for JavaScript',
  ],
  [/^(?:go|gojs)$/, 'Build with GOOS=wasip1; GOOS=js is for JavaScript'],
]

function byModule(imports: readonly WasmImport[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { module, name } of imports) {
    const names = found.get(module) ?? new Set()
    found.set(module, names.add(quoteName(name)))
  }
  return found
}
