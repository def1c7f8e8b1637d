import type { WasmModule } from '../../../wasm/read.ts'
import type { BundleRule } from '../rule.ts'
import { moduleOf } from '../wasm-entries.ts'

export const wasmNoEntry: BundleRule = {
  id: 'wasm/no-entry',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'the module exports no function _start',
  why: 'A WASI command is started by calling _start. The existing runtime calls nothing when it is missing and reports that the agent runs.',
  fix: 'Build a program with a main function, not a library, then run rlp agent digest.',
  looks: 'entry',
  check({ entry }, report) {
    const module = moduleOf(entry)
    const problem = module && entryProblem(module)
    if (problem === undefined) return
    const { path } = entry
    report({
      file: path,
      message: `${path} ${problem}`,
      fix: 'Build it as a program with a main function, not as a library, then run rlp agent digest',
    })
  },
}

function entryProblem({ exports }: WasmModule): string | undefined {
  const start = exports.find(({ name }) => name === '_start')
  if (start?.kind === 'function') return undefined
  if (start !== undefined) return `exports _start as a ${start.kind}, not as a function`
  return exports.some(({ name }) => name === '_initialize')
    ? 'exports _initialize and no _start: it is a library (a WASI reactor), not a command'
    : 'exports no function _start'
}
