import { usesMemory } from '../../../wasm/host.ts'
import { importText } from '../grants.ts'
import type { Rule } from '../rule.ts'
import { moduleOf } from '../wasm-entries.ts'

export const wasmNoMemory: Rule = {
  id: 'wasm/no-memory',
  severity: 'warning',
  scope: 'source',
  summary: 'the module imports host functions and exports no memory',
  why: 'Arguments and results of host functions pass through the memory that is exported under the name memory. Without it the first call fails, long after the agent has started.',
  fix: 'Export the module’s memory as memory; toolchains do so unless they are told otherwise.',
  looks: 'entry',
  check({ entry }, report) {
    const module = moduleOf(entry)
    const first = module?.imports.find(usesMemory)
    if (module === undefined || first === undefined) return
    if (module.exports.some(({ name, kind }) => name === 'memory' && kind === 'memory')) return
    const { path } = entry
    report({
      file: path,
      message: `${path} exports no memory called memory, which ${importText(first)} works on`,
      fix: 'Link without --import-memory or with --export-memory, then run rlp agent digest',
    })
  },
}
