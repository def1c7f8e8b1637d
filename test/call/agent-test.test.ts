// `rlp agent test`: what counts as right, what a file of cases may hold, and cases that are recorded.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readCases, writeCase } from '../../src/call/cases.ts'
import { ReadProblem } from '../../src/json/read.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { PATH } from '../support/host.ts'
import { leaveUnheld } from '../support/unheld.ts'

const folderFor = temporary('agent-test')
const tool = (id: string, more: object = {}) => ({
  id,
  description: `Tool ${id}`,
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
  result_schema: true,
  'x-rlp': { stdin: true },
  ...more,
})
const TOOLS = [
  tool('text.echo'),
  tool('text.ask', { requires_confirmation: true }),
  tool('text.other', { transport: { kind: 'exec', command: '/bin/echo' } }),
]

function world(name: string, cases?: unknown, tools: readonly object[] = TOOLS) {
  const cwd = folderFor(name)
  mkdirSync(join(cwd, 'home'))
  leaveUnheld(join(cwd, 'home'))
  process.env['RUNLOOP_HOME'] = join(cwd, 'home')
  const files = {
    'policy.caps': '[capabilities]\nexec = ["/bin/cat"]\n',
    'tools.json': JSON.stringify({ version: 1, tools }),
    'schemas/echo.json': '{"type":"object","required":["q"]}',
  }
  writeTree(join(cwd, 'mini'), agentTree({ files }))
  const put = (file: string, value: unknown) => {
    mkdirSync(join(cwd, 'mini/tests'), { recursive: true })
    writeFileSync(join(cwd, 'mini/tests', file), typeof value === 'string' ? value : JSON.stringify(value))
  }
  if (cases !== undefined) put('a.json', { cases })
  const env = { PATH, HOME: cwd, RUNLOOP_HOME: join(cwd, 'home') }
  const said = (...args: string[]) => run(['agent', 'test', ...args], undefined, { cwd, env })
  const rlp = (...args: string[]) => run(args, undefined, { cwd, env })
  return { cwd, put, said, rlp }
}

const echo = (more: object) => ({ tool: 'text.echo', arguments: { q: 'x' }, ...more })
const RIGHT = [
  echo({ name: 'exact', answer: { q: 'x' } }),
  echo({ answer_schema: { required: ['q'] } }),
  echo({ answer_schema: { $ref: 'schema:echo' } }),
  { tool: 'text.echo', arguments: { z: 1 }, failure: { kind: 'invalid_args', field: 'z' } },
  { tool: 'text.ask', failure: { kind: 'user_denied', reason: 'nobody_to_ask' } },
  { tool: 'text.other', failure: { kind: 'rejected', reason: 'cap_missing' } },
  { tool: 'none', failure: { kind: 'tool_not_found' } },
]
const WRONG: readonly (readonly [object, RegExp])[] = [
  [echo({ answer: { q: 'y' } }), /it answered \{"q":"x"\}, expected is \{"q":"y"\}/],
  [echo({ answer: { q: 'x', z: null } }), /expected is/],
  [echo({ answer_schema: { required: ['z'] } }), /its answer \{.*\} does not fit answer_schema/],
  [echo({ answer_schema: { type: 'nothing' } }), /answer_schema cannot be used/],
  [echo({ failure: { kind: 'timeout' } }), /it answered \{"q":"x"\}, and a failure is expected/],
  [{ tool: 'text.echo', arguments: { z: 1 }, answer: {} }, /it failed \(invalid_args\)/],
  [{ tool: 'text.ask', failure: { kind: 'rejected' } }, /the kind "user_denied", expected is "rejected"/],
  [{ tool: 'text.ask', failure: { kind: 'user_denied', field: 'q' } }, /the field nothing, expected is "q"/],
]

describe('rlp agent test', () => {
  test('cases that are fulfilled', async () => {
    const { said } = world('right', RIGHT)
    const { exit, stdout, stderr } = await said('mini')
    assert.equal(exit, 0, stdout + stderr)
    assert.match(stdout, /^✓ exact {2}mini\/tests\/a\.json\n✓ text\.echo 2 {2}/)
    assert.match(stdout, /\n7 cases\n$/)
    assert.equal((await said('mini', '--quiet')).stdout, '')
  })

  for (const [index, [one, problem]] of WRONG.entries())
    test(`a case that is not fulfilled: ${problem.source}`, async () => {
      const { said } = world(`wrong-${index}`, [echo({ answer: { q: 'x' } }), one])
      const { exit, stdout } = await said('mini')
      assert.equal(exit, 1)
      assert.match(stdout, problem)
      assert.match(stdout, /^✓ text\.echo 1 /)
      assert.match(stdout, /^1 of 2 cases failed$/m)
    })

  test('--yes confirms, and a budget and a time limit count as in every call', async () => {
    const { said } = world('yes', [{ tool: 'text.ask', arguments: { q: 'x' }, answer: { q: 'x' } }])
    assert.deepEqual([(await said('mini')).exit, (await said('mini', '--yes')).exit], [1, 0])
  })

  test('is told as JUnit, in which nothing of a case is markup, and as JSON', async () => {
    const name = '<b>"&\u0007\u202e'
    const { said } = world('junit', [echo({ name, answer: '</failure>' }), RIGHT[0]])
    const { exit, stdout } = await said('mini', '--format', 'junit')
    assert.equal(exit, 1)
    assert.match(stdout, /<testsuite name="mini" tests="2" failures="1" errors="0">/)
    assert.match(stdout, /name="&lt;b&gt;&quot;&amp;/)
    // XML takes no control character.
    assert.doesNotMatch(stdout, /<\/failure>"|[\u0000-\u0009\u000b-\u001f\u202e]/)
    const { result } = JSON.parse((await said('mini', '--json')).stdout)
    assert.deepEqual(
      result.agents[0].results.map(({ problem }: { problem?: string }) => problem === undefined),
      [false, true],
    )
    assert.equal((await said('mini', '--json', '--format', 'junit')).exit, 2)
  })

  test('an agent without cases, and a file that holds none, are refused', async () => {
    const { said, put, cwd } = world('none')
    const first = async () => {
      const { exit, stderr } = await said('mini')
      return [exit, stderr.split('\n')[0]]
    }
    assert.deepEqual(await first(), [2, 'rlp: Cannot test "mini": there is no case in tests/'])
    for (const [text, problem] of [
      ['{', /tests\/a\.json": /],
      ['[]', /the file is no object/],
      ['{"cases":[{"tool":"a"}]}', /cases\[0\] has to have one of answer, answer_schema, failure/],
      ['{"cases":[{"tool":"a","answer":1,"failure":{"kind":"x"}}]}', /has to have one of/],
      ['{"cases":[{"tool":"a","answer":1,"more":1}]}', /cases\[0\] has the unknown member "more"/],
      ['{"cases":[{"tool":"a","failure":{}}]}', /cases\[0\]\.failure\.kind is missing/],
      ['{"cases":[],"cases":[]}', /tests\/a\.json": /],
    ] as const) {
      put('a.json', text)
      const [exit, line] = await first()
      assert.equal(exit, 1, text)
      assert.match(String(line), problem)
    }
    writeFileSync(join(cwd, 'outside.json'), '{"cases":[]}')
    put('a.json', '{"cases":[]}')
    symlinkSync(join(cwd, 'outside.json'), join(cwd, 'mini/tests/b.json'))
    assert.match(String((await first())[1]), /it is a symbolic link/)
  })

  test('records a call, once, and never outside of the folder', async () => {
    const { said, cwd } = world('record')
    const args = ['mini', '--record', 'text.echo', '--args', '{"q":"x"}']
    assert.match(
      (await said(...args, '--name', 'first')).stdout,
      /^mini\/tests\/text\.echo\.json: 1 case added\n/,
    )
    const again = await said(...args)
    assert.match(again.stdout, /has this case already/)
    assert.equal(again.stderr, '')
    const failed = await said('mini', '--record', 'text.ask')
    assert.equal(failed.exit, 0)
    assert.match(
      failed.stderr,
      /^warning: text\.ask did not answer but failed \(user_denied, nobody_to_ask\), and its case expects this failure; --yes confirms the call\n$/,
    )
    const json = JSON.parse((await said('mini', '--record', 'text.ask', '--json')).stdout)
    assert.equal(json.result.changed, false)
    assert.deepEqual(json.result.failures, [
      { tool: 'text.ask', kind: 'user_denied', reason: 'nobody_to_ask' },
    ])
    const { stdout, exit } = await said('mini')
    assert.equal(exit, 0)
    assert.match(stdout, /^✓ text\.ask 1 .*\n✓ first /)
    await said('mini', '--record', '../../x')
    assert.deepEqual(readdirSync(join(cwd, 'mini/tests')).sort(), [
      'recorded.json',
      'text.ask.json',
      'text.echo.json',
    ])
    assert.equal((await said('mini', '--record', 'text.echo', '--args', 'no')).exit, 2)
    const { said: linked, cwd: other } = world('linked')
    mkdirSync(join(other, 'elsewhere'))
    symlinkSync(join(other, 'elsewhere'), join(other, 'mini/tests'))
    assert.notEqual((await linked('mini', '--record', 'text.echo')).exit, 0)
    assert.deepEqual(readdirSync(join(other, 'elsewhere')), [])
  })

  test('records the calls of a trace, of the tools that the agent has', async () => {
    const { said, rlp, cwd } = world('trace')
    const call = (id: string, args: string) =>
      rlp('tool', 'call', id, './mini', '--unverified', '--args', args, '--trace', 't.ndjson')
    await call('text.echo', '{"q":"one"}')
    await call('text.echo', '{"q":"one"}')
    await call('text.echo', '{"z":1}')
    await call('none', '{}')
    assert.match((await said('mini', '--record', '@t.ndjson')).stdout, /text\.echo\.json: 2 cases added\n$/)
    assert.equal((await said('mini')).exit, 0)
    const text = readFileSync(join(cwd, 't.ndjson'), 'utf8')
    writeFileSync(join(cwd, 't.ndjson'), text.replace('one', 'two'))
    assert.equal((await said('mini', '--record', '@t.ndjson')).exit, 2)
  })

  test('cases are neither packed nor found by lint', async () => {
    const { rlp, cwd } = world('packed', RIGHT, TOOLS.slice(0, 2))
    assert.equal((await rlp('agent', 'lint', 'mini')).exit, 0)
    assert.match((await rlp('agent', 'digest', 'mini', '--check')).stdout, /all digests are right/)
    assert.equal((await rlp('agent', 'pack', 'mini')).exit, 0)
    const inside = await rlp('agent', 'inspect', 'dist/mini-1.0.0.agent.bundle')
    assert.doesNotMatch(inside.stdout, /tests/)
    assert.ok(existsSync(join(cwd, 'dist/mini-1.0.0.agent.bundle')))
  })
})

test('a case is read as it was written, and nothing else is thrown than what a person is told', () => {
  const expected = fc.oneof(
    fc.jsonValue().map(value => ({ is: 'answer', value }) as const),
    fc.boolean().map(schema => ({ is: 'answer_schema', schema }) as const),
    fc.string().map(kind => ({ is: 'failure', members: { kind } }) as const),
  )
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.jsonValue(), expected, (name, tool, given, expected) => {
      const one = { tool, arguments: given, expected }
      const text = JSON.stringify({ cases: [writeCase(one, name)] })
      assert.equal(
        JSON.stringify(readCases(JSON.parse(text))),
        JSON.stringify([{ name, tool, arguments: given, expected }]),
      )
    }),
  )
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      try {
        readCases({ cases: [value] })
      } catch (error) {
        assert.ok(error instanceof ReadProblem)
      }
    }),
  )
})
