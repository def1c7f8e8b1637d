// What records say beside restrictions: the words for people, in questions, on pages and as progress; and what no output means.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { EMPTY_RESULTS } from '../../src/agent-tool/vocabulary.ts'
import { questionLines } from '../../src/call/ask-pages.ts'
import { wordsIn } from '../../src/caps/interface-records.ts'
import { inspect, serveTools } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { answers, stage } from '../support/calling.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { execTool } from '../support/host.ts'
import { world } from '../support/install-world.ts'
import { clientEnd, Pipe } from '../support/mcp.ts'

const folder = temporary('record-words')
const FACE = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'text.run' }
const WORDS = { ui_summary: 'Finds \u202enotes', activity_description: 'Looking through the notes' }
const TOOL = execTool('/bin/cat', [], { id: 'text.run', requiresConfirmation: true })
const FILES = {
  'tools.json': JSON.stringify({
    version: 1,
    tools: [
      {
        id: 'text.run',
        description: 'Runs',
        transport: { kind: 'exec', command: '/bin/cat' },
        input_schema: { type: 'object' },
        result_schema: true,
        'x-rlp': { stdin: true },
      },
    ],
  }),
  'policy.caps': '[capabilities]\nexec = ["/bin/cat"]\n',
  'interfaces.json': JSON.stringify([{ ...FACE, ...WORDS }]),
}

test('ui_summary is in the question, without control characters and not too long', async () => {
  const words = wordsIn(() => [{ ...FACE, ...WORDS }])
  const here = stage({ tools: [TOOL] })
  await here.call('text.run', {})
  const [question] = here.questions
  assert.ok(question)
  assert.equal(
    questionLines(question)?.some(line => line.startsWith('in short')),
    false,
  )
  const asked = questionLines({ ...question, agent: { ...question.agent, words } })
  assert.equal(asked?.[0], 'in short: Finds \\u{202e}notes')
  const long = wordsIn(() => [{ ...FACE, ui_summary: 'x'.repeat(9000) }])('text.run').summary ?? ''
  assert.ok(long.length > 100 && long.length <= 230, `${long.length}`)
  for (const odd of ['', ' ', 7, null, ['x']])
    assert.deepEqual(wordsIn(() => [{ ...FACE, ui_summary: odd }])('text.run'), {})
})

test('both are on the page of inspect, as JSON too', async () => {
  const here = world(folder('page'))
  const bundle = here.put('a.agent.bundle', bundleOf(agentTree({ files: FILES })))
  const { exit, stdout } = await run(['agent', 'inspect', bundle], undefined, {
    cwd: here.cwd,
    env: { RUNLOOP_HOME: here.home },
  })
  assert.equal(exit, 0)
  assert.match(stdout, /in short: Finds \\u\{202e\}notes/)
  const { tools } = await inspect(join(here.cwd, bundle), { home: false })
  const { uiSummary, activityDescription } = tools?.[0] ?? {}
  assert.deepEqual([uiSummary, activityDescription], ['Finds \\u{202e}notes', WORDS.activity_description])
})

test('activity_description is the progress of a served call', async () => {
  const here = world(folder('served'))
  const heard = async (records: readonly object[]) => {
    const files = { ...FILES, 'interfaces.json': JSON.stringify(records) }
    const bundle = here.put('a.agent.bundle', bundleOf(agentTree({ files })))
    const [up, down] = [new Pipe(), new Pipe()]
    const serving = serveTools([join(here.cwd, bundle)], {
      input: up,
      output: down,
      home: false,
      allowUnsigned: true,
      expect: ['any'],
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(clientEnd(up, down).transport)
    const messages: (string | undefined)[] = []
    const onprogress = ({ message }: { message?: string | undefined }) => void messages.push(message)
    await client.callTool({ name: 'text.run', arguments: {} }, undefined, { onprogress })
    await client.close()
    await serving
    return messages
  }
  assert.deepEqual(await heard([FACE]), ['running'])
  assert.deepEqual(await heard([{ ...FACE, ...WORDS }]), [WORDS.activity_description])
})

describe('no output', () => {
  const called = async (policy: unknown, output: string) => {
    const records = [{ ...FACE, empty_result_policy: policy }]
    const here = stage({
      tools: [TOOL],
      outcome: answers(output),
      files: { 'interfaces.json': records },
    })
    const record = await here.call('text.run', {})
    const { envelope } = record
    return envelope.ok ? envelope.result : [envelope.kind, envelope['reason' as never], record.by]
  }
  const rows = [
    ['error', ['execution_error', 'empty_result', 'rlp']],
    ['empty_list', []],
    ['empty_object', {}],
    ['empty_text', { text: '' }],
    ['null', null],
    ['another word', { text: '' }],
    [7, { text: '' }],
    [undefined, { text: '' }],
  ] as const
  for (const [policy, expected] of rows)
    test(`${policy}`, async () => {
      assert.deepEqual(await called(policy, ''), expected)
      // The record speaks of nothing else than no output.
      assert.deepEqual(await called(policy, '[]'), [])
      assert.deepEqual(await called(policy, '{"a":1}'), { a: 1 })
    })

  test('white space is no output', async () => assert.equal(await called('null', ' \n'), null))
  test('each word is tried here', () => {
    const tried = rows.map(([policy]) => policy)
    assert.deepEqual(
      EMPTY_RESULTS.filter(word => !tried.includes(word as never)),
      [],
    )
  })
})
