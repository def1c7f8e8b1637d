// What a loaded bundle keeps in memory: what its holder may ask for, and nothing of what judging it took.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loadBundle } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'

process.env['RUNLOOP_HOME'] = temporary('kept')('home')

const TOOLS = Array.from({ length: 200 }, (_, index) => ({
  id: `text.sort${index}`,
  description: `Sort the lines of a text in way number ${index}, and give them back in one piece.`,
  transport: { kind: 'http', method: 'POST', url: `https://a.example/${index}?q={{input.q}}` },
  input_schema: {
    type: 'object',
    properties: {
      column: { type: 'integer', description: 'The column that decides, from one', minimum: 1, maximum: 99 },
      q: { type: 'string', description: 'The lines', maxLength: 10_000 },
    },
    required: ['column', 'q'],
    additionalProperties: false,
  },
  result_schema: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
}))
const BUNDLE = bundleOf(
  agentTree({
    files: {
      'tools.json': `${JSON.stringify({ version: 1, tools: TOOLS }, null, 2)}\n`,
      'policy.caps': '[capabilities]\nnet = ["a.example"]\n',
    },
  }),
)

test('a loaded bundle of 200 tools keeps at most three times its bytes in the heap', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const load = () => loadBundle(BUNDLE, { expect: 'mini', allowUnsigned: true })
  for (let warm = 0; warm < 4; warm++) await load()
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  const held: unknown[] = []
  for (let count = 0; count < 16; count++) held.push(await load())
  const kept = (used() - before) / held.length / BUNDLE.length
  assert.equal(held.length, 16)
  assert.ok(kept > 0.5, `${kept}: something is measured`)
  assert.ok(kept <= 3, `${kept} times its bytes`)
})
