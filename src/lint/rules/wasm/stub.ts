import { isStub } from '../../../wasm/stub.ts'
import type { Rule } from '../rule.ts'

export const wasmStub: Rule = {
  id: 'wasm/stub',
  severity: 'warning',
  scope: 'source',
  summary: 'the entry is still the placeholder that scaffold wrote',
  why: 'The placeholder starts, does nothing and reports success, so an agent shipped with it looks as if it worked.',
  fix: 'Build the agent for wasm32-wasip1, put it at bin/<name>.wasm, then run rlp agent digest.',
  looks: 'artifact',
  check({ agent, artifact: { path, role } }, report) {
    if (role !== 'entry') return
    const bytes = agent.files.get(path)?.bytes
    if (bytes === undefined || !isStub(bytes)) return
    report({
      file: path,
      message: `${path} is the placeholder that scaffold wrote; it does nothing`,
      fix: `Build your agent for wasm32-wasip1 and put it at ${path}, then run rlp agent digest`,
    })
  },
}
