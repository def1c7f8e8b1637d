// The bytes of an entry → why they cannot be run under WASI preview 1; undefined if nothing is against it.

import { printable } from '../../text/printable.ts'
import { isOffered, PREVIEW1_MODULE } from '../../wasm/host.ts'
import { readWasm, type WasmModule } from '../../wasm/read.ts'

export interface ModuleProblem {
  /** Continues a sentence. */
  readonly problem: string
  readonly hint: string
}

const REBUILD = 'Build it for wasm32-wasip1 (docs/wasm.md), then run rlp agent digest'
/** Enough to see which library is missing. */
const MOST_NAMED = 5

export function moduleProblem(bytes: Uint8Array, path: string): ModuleProblem | undefined {
  const read = readWasm(bytes)
  if (!read.ok)
    return { problem: `${path} is malformed at byte ${read.offset}: ${read.reason}`, hint: REBUILD }
  const { module } = read
  if (module.isComponent)
    return {
      problem: `${path} is a WebAssembly component; kind wasm32-wasip1 is a core module`,
      hint: 'Build for wasm32-wasip1 (wasm32-wasip2 makes components), then run rlp agent digest',
    }
  const [lacks] = ENTRIES.filter(({ name, kind }) => !exports(module, name, kind))
  if (lacks !== undefined)
    return { problem: `${path} exports no ${lacks.kind} ${lacks.name}`, hint: lacks.hint }
  return importProblem(module, path)
}

const ENTRIES = [
  {
    name: '_start',
    kind: 'function',
    hint: 'Build it as a program with a main function, then run rlp agent digest',
  },
  { name: 'memory', kind: 'memory', hint: 'Link it with --export-memory, then run rlp agent digest' },
] as const

function exports({ exports: list }: WasmModule, name: string, kind: string): boolean {
  return list.some(one => one.name === name && one.kind === kind)
}

function importProblem({ imports }: WasmModule, path: string): ModuleProblem | undefined {
  const foreign = imports.filter(one => one.module !== PREVIEW1_MODULE || !isOffered(one))
  if (foreign.length === 0) return undefined
  const names = [...new Set(foreign.map(({ module, name }) => printable(`${module}.${name}`)))]
  const named = names.slice(0, MOST_NAMED).join(', ')
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : ''
  return {
    problem: `${path} imports ${named}${more}, and only functions of WASI preview 1 are offered here`,
    hint: foreign.some(({ module }) => module === 'runloop')
      ? 'A runtime of these agents offers the functions of runloop. Here, a module has files, standard input and output'
      : REBUILD,
  }
}
