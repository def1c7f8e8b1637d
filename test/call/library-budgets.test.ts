// Budgets in the library: one ledger for a loaded bundle, or the one that the caller hands in.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import {
  type BudgetLedger,
  callTool,
  loadBundle,
  newLedger,
  serveTools,
} from '../../src/library/generated/index.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { world } from '../support/install-world.ts'
import { clientEnd, Pipe } from '../support/mcp.ts'
import { leaveUnheld } from '../support/unheld.ts'

const folder = temporary('library-budgets')
/** It answers what it is given, so that the caller of the test says what was used. */
const tool = (id: string, budget?: object) => ({
  id,
  description: 'Says it again.',
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object' },
  result_schema: true,
  'x-rlp': { stdin: true },
  ...(budget && { budget }),
})
const TOOLS = [tool('a', { tokens: 5 }), tool('b', { tokens: 5 }), tool('free')]
const BYTES = bundleOf(
  agentTree({
    files: {
      'tools.json': JSON.stringify({ version: 1, tools: TOOLS }),
      'policy.caps': '[capabilities]\nexec = ["/bin/cat"]\n',
    },
  }),
)
const load = () => loadBundle(BYTES, { expect: 'any', allowUnsigned: true })
const using = (tokens: number) => ({ ok: true, result: 'ran', usage: { tokens } })

type Loaded = Awaited<ReturnType<typeof load>>

async function reasonOf(bundle: Loaded, id: string, tokens: number, ledger?: BudgetLedger): Promise<unknown> {
  const { envelope } = await callTool(bundle, id, using(tokens), ledger && { ledger })
  return envelope.ok ? envelope.result : envelope['reason']
}

describe('one loaded bundle', () => {
  test('runs a tool until its budget is used up, and not beyond', async () => {
    const bundle = await load()
    assert.equal(await reasonOf(bundle, 'a', 4), 'ran')
    const { envelope } = await callTool(bundle, 'a', using(1))
    const warnings = envelope.ok ? envelope.warnings : assert.fail()
    assert.deepEqual(warnings, ['The tool has used 5 of 5 tokens: it will not be called again in this run'])
    // The warning is true.
    assert.equal(await reasonOf(bundle, 'a', 1), 'budget_exceeded')
    const plan = await callTool(bundle, 'a', {}, { dryRun: true })
    assert.equal(plan.is === 'refused' && plan.envelope['reason'], 'budget_exceeded')
    // Another tool has its own, and one without a budget has no limit.
    assert.equal(await reasonOf(bundle, 'b', 5), 'ran')
    for (let turn = 0; turn < 2; turn++) assert.equal(await reasonOf(bundle, 'free', 99), 'ran')
  })

  test('of calls that begin together, one takes the last tokens', async () => {
    const bundle = await load()
    const together = (id: string) => Promise.all([1, 2, 3].map(() => reasonOf(bundle, id, 5)))
    assert.deepEqual((await together('a')).sort(), ['budget_exceeded', 'budget_exceeded', 'ran'])
    assert.deepEqual(await together('free'), ['ran', 'ran', 'ran'])
  })
})

describe('a ledger', () => {
  test('is a new one for each load, unless one is handed in', async () => {
    const shared = newLedger()
    const [one, other] = [await load(), await load()]
    assert.equal(await reasonOf(one, 'a', 5), 'ran')
    assert.equal(await reasonOf(other, 'a', 5), 'ran')
    assert.equal(await reasonOf(one, 'a', 5, shared), 'ran')
    assert.equal(await reasonOf(other, 'a', 5, shared), 'budget_exceeded')
    assert.equal(await reasonOf(one, 'b', 5, shared), 'ran')
  })

  test('is shared by callTool and a server', async () => {
    const here = world(folder('served'))
    leaveUnheld(here.home)
    const path = join(here.cwd, here.put('mini.agent.bundle', BYTES))
    const served = async (id: string, ledger?: BudgetLedger) => {
      const [up, down] = [new Pipe(), new Pipe()]
      const serving = serveTools([path], {
        input: up,
        output: down,
        home: false,
        allowUnsigned: true,
        expect: ['any'],
        ...(ledger && { ledger }),
      })
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(clientEnd(up, down).transport)
      const { content } = (await client.callTool({ name: id, arguments: using(5) })) as CallToolResult
      await client.close()
      await serving
      const [item] = content
      const envelope = item?.type === 'text' ? JSON.parse(item.text) : assert.fail()
      return envelope.ok ? envelope.result : envelope.reason
    }
    const ledger = newLedger()
    const bundle = await load()
    assert.equal(await reasonOf(bundle, 'a', 5, ledger), 'ran')
    assert.equal(await served('a', ledger), 'budget_exceeded')
    assert.equal(await served('a'), 'ran')
    assert.equal(await served('b', ledger), 'ran')
    assert.equal(await reasonOf(bundle, 'b', 5, ledger), 'budget_exceeded')
  })

  test('is one that newLedger has made', async () => {
    const bundle = await load()
    const wrong = { is: 'ledger' } as const
    await assert.rejects(callTool(bundle, 'a', {}, { ledger: wrong }), {
      code: 'USAGE',
      message: 'Cannot use ledger: it is not one that newLedger has made',
    })
  })
})
