// tool edit and tool remove: what changes in place, what stays, and what is said of the policy.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parse } from '../../src/cli/parse.ts'
import { changeValue, removeElements } from '../../src/json/change.ts'
import { parseJson } from '../../src/json/parse.ts'
import { command } from '../../src/scaffold/verbs/tool-edit.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { runs } from '../support/runs.ts'
import { type Line, scripted } from '../support/scripted-prompter.ts'

const folder = temporary('tool-change')

const TOOLS = `{
\t"version": 1,
\t"tools": [
\t\t{ "id": "a.one", "description": "One", "transport": { "kind": "exec", "command": "/bin/a", "args": ["-x", "y"] },
\t\t\t"input_schema": {"type":"object"}, "result_schema": true, "secrets": ["z", "b"], "x-team": {"by": "me"},
\t\t\t"x-inferred": ["result_schema", "description"] },
\t\t{
\t\t\t"id": "a.two",
\t\t\t"description": "Two",
\t\t\t"transport": {
\t\t\t\t"kind": "http",
\t\t\t\t"method": "GET",
\t\t\t\t"url": "https://a.example/x",
\t\t\t\t"headers": {"X-A": "1"}
\t\t\t},
\t\t\t"input_schema": true,
\t\t\t"result_schema": true
\t\t}
\t]
}
`
const POLICY = '[capabilities]\nnet = ["a.example"]\nsecrets = ["z", "b"]\nexec = ["/bin/a"]\n'
const RECORDS =
  '[\n  {"schema_version":"0.2.0","interface_id":"tool_interface:a.one","tool_id":"a.one","summary":"x"},\n  {"schema_version":"0.2.0","interface_id":"tool_interface:a.two","tool_id":"a.two","summary":"y"}\n]\n'

function world(name: string, files: Record<string, string> = {}) {
  const cwd = folder(name)
  writeTree(
    join(cwd, 'agents/mini'),
    agentTree({ files: { 'tools.json': TOOLS, 'policy.caps': POLICY, ...files } }),
  )
  const textAt = (file: string) => readFileSync(join(cwd, 'agents/mini', file), 'utf8')
  const rlp = async (...args: string[]) => {
    const ran = await run(['tool', ...args, '--json'], undefined, { cwd })
    return { exit: ran.exit, ...JSON.parse(ran.stdout) }
  }
  return { cwd, textAt, rlp }
}

describe('the list of capabilities stays whole', () => {
  const list = (textAt: (file: string) => string) => JSON.parse(textAt('tools.json')).tools[1].capabilities
  const withList = (...capabilities: string[]) => {
    const tools = JSON.parse(TOOLS)
    tools.tools[1].capabilities = capabilities
    return { 'tools.json': JSON.stringify(tools) }
  }

  test('where the author begins one or replaces it', async () => {
    const { textAt, rlp } = world('list-begun')
    assert.equal((await rlp('edit', 'mini', 'a.two', '--capability', 'time')).exit, 0)
    assert.deepEqual(list(textAt), ['time', 'net:a.example'])
    await rlp('edit', 'mini', 'a.two', '--capability', 'model')
    assert.deepEqual(list(textAt), ['model', 'net:a.example'])
    await rlp('edit', 'mini', 'a.two', '--capability', '-')
    assert.equal(list(textAt), undefined)
  })

  test('where the tool goes to another host: what the old one implied goes', async () => {
    for (const stated of [[], ['time']]) {
      const { textAt, rlp } = world(`list-follows-${stated.length}`, withList(...stated, 'net:a.example'))
      assert.equal((await rlp('edit', 'mini', 'a.two', '--url', 'https://b.example/x', '--grant')).exit, 0)
      assert.deepEqual(list(textAt), [...stated, 'net:b.example'])
    }
  })

  test('a fact beside it leaves the list as it is', async () => {
    const { textAt, rlp } = world('list-left', withList('time'))
    assert.equal((await rlp('edit', 'mini', 'a.two', '--description', 'Two, again')).exit, 0)
    assert.deepEqual(list(textAt), ['time'])
  })
})

describe('edit --id', () => {
  test('renames the tool and its records; every other tool and record stays', async () => {
    const { textAt, rlp } = world('rename', { 'interfaces.json': RECORDS })
    const ran = await rlp('edit', 'mini', 'a.one', '--id', 'b.one')
    assert.equal(ran.exit, 0, JSON.stringify(ran))
    assert.deepEqual([ran.result.tool, ran.result.keys], ['b.one', ['id']])
    assert.equal(textAt('tools.json'), TOOLS.replace('"a.one"', '"b.one"'))
    const records = JSON.parse(textAt('interfaces.json'))
    const known = JSON.parse(RECORDS.replaceAll('a.one', 'b.one'))
    assert.deepEqual(records, known)
    assert.equal((await rlp('edit', 'mini', 'a.one', '--id', 'c')).code, 'NOT_FOUND')
    assert.deepEqual((await rlp('edit', 'mini', 'b.one', '--id', 'b.one')).result.files, [])
  })

  test('refuses an id that is taken or no id, and writes nothing', async () => {
    const { cwd, rlp } = world('rename-refused')
    const before = snapshot(cwd)
    for (const [id, says] of [
      ['a.two', /another tool has this id/],
      ['a b', /write a name of letters, digits/],
    ] as const) {
      const ran = await rlp('edit', 'mini', 'a.one', '--id', id)
      assert.notEqual(ran.exit, 0)
      assert.match(ran.message, says)
      assert.deepEqual(snapshot(cwd), before)
    }
  })
})

describe('edit', () => {
  test('one fact: every other byte stays', async () => {
    const { textAt, rlp } = world('fact')
    const ran = await rlp('edit', 'mini', 'a.one', '--description', 'First')
    assert.equal(ran.exit, 0)
    assert.deepEqual([ran.result.keys, ran.result.changed], [['description'], true])
    const expected = TOOLS.replace('"One"', '"First"').replace(
      '["result_schema", "description"]',
      '["result_schema"]',
    )
    assert.equal(textAt('tools.json'), expected)
    assert.deepEqual(ran.result.files, ['tools.json'])
    const again = await rlp('edit', 'mini', 'a.one', '--description', 'First')
    assert.deepEqual(
      [again.exit, again.result.keys, again.result.files, again.result.changed],
      [0, [], [], false],
    )
  })

  test('what no option speaks of stays, whatever it is', async () => {
    const whole = {
      id: 'a.whole',
      description: 'Whole',
      transport: { kind: 'exec', command: '/bin/a', args: ['-x'] },
      input_schema: { type: 'object' },
      result_schema: true,
      schema_refs: { r: { type: 'string' } },
      capabilities: ['exec:/bin/a', 'time'],
      secrets: ['z'],
      budget: { tokens: 5, usd: 0.5 },
      requires_confirmation: true,
      observability: { tags: ['t'] },
      'x-team': 1,
      'x-rlp': { stdin: true, timeout_ms: 500, memory_mb: 64, env: ['LANG', 'TZ'] },
    }
    for (const [words, path, value] of [
      [['--description', 'Other words'], ['description'], 'Other words'],
      [['--timeout-ms', '9'], ['x-rlp', 'timeout_ms'], 9],
      [['--memory-mb', '32'], ['x-rlp', 'memory_mb'], 32],
      [['--env', 'TZ'], ['x-rlp', 'env'], ['TZ']],
      [['--tag', 'u'], ['observability', 'tags'], ['u']],
      [['--secret', 'y'], ['secrets'], ['y']],
      [['--capability', 'time'], ['capabilities'], ['time', 'exec:/bin/a']],
      [['--budget-tokens', '7'], ['budget', 'tokens'], 7],
      [['--no-requires-confirmation'], ['requires_confirmation'], false],
    ] as const) {
      const tools = JSON.stringify({ version: 1, tools: [whole] })
      const { textAt, rlp } = world(`stays-${path.join('-')}`, { 'tools.json': tools })
      const ran = await rlp('edit', 'mini', 'a.whole', ...words)
      assert.equal(ran.exit, 0, JSON.stringify(ran))
      const wanted = structuredClone(whole) as Record<string, unknown>
      const [last = '', ...up] = path.toReversed()
      const table = up.toReversed().reduce((at, step) => at[step] as Record<string, unknown>, wanted)
      table[last] = value
      assert.deepEqual(JSON.parse(textAt('tools.json')).tools, [wanted], words.join(' '))
    }
  })

  test('lists, headers and numbers; a dash empties', async () => {
    const { textAt, rlp } = world('lists')
    await rlp(
      'edit',
      'mini',
      'a.one',
      '--secret',
      '-',
      '--timeout-ms',
      '50',
      '--arg=-z',
      '--requires-confirmation',
    )
    await rlp('edit', 'mini', 'a.one', '--no-requires-confirmation', '--tag', 'q')
    await rlp('edit', 'mini', 'a.two', '--method', 'head')
    const [one, two] = JSON.parse(textAt('tools.json')).tools
    assert.deepEqual(one.transport, { kind: 'exec', command: '/bin/a', args: ['-z'] })
    assert.deepEqual(
      [one.secrets, one['x-rlp'], one['x-team']],
      [undefined, { timeout_ms: 50 }, { by: 'me' }],
    )
    assert.deepEqual([one.requires_confirmation, one.observability], [false, { tags: ['q'] }])
    assert.deepEqual(two.transport, {
      kind: 'http',
      method: 'HEAD',
      url: 'https://a.example/x',
      headers: { 'X-A': '1' },
    })
  })

  test('another kind: nothing of the old one is left, and what is not needed any more is said', async () => {
    const { textAt, rlp } = world('kind')
    const ran = await rlp('edit', 'mini', 'a.one', '--url', 'https://a.example/', '--grant')
    assert.equal(ran.exit, 0, ran.message)
    assert.deepEqual(JSON.parse(textAt('tools.json')).tools[0].transport, {
      kind: 'http',
      method: 'POST',
      url: 'https://a.example/',
    })
    assert.deepEqual(ran.result.unused, ['exec:/bin/a'])
    assert.match(ran.warnings[0], /policy\.caps still grants exec:\/bin\/a, and no tool needs it now/)
    assert.equal(textAt('policy.caps'), POLICY)
  })

  test('a missing grant is said, asked for on a terminal, and written with --grant alone', async () => {
    const { cwd, textAt, rlp } = world('grant')
    const ran = await rlp('edit', 'mini', 'a.two', '--url', 'https://b.example/')
    assert.deepEqual(ran.result.missing, ['net = ["a.example", "b.example"]'])
    assert.equal(textAt('policy.caps'), POLICY)
    const answer = async (grant: string) => {
      const lines: Line[] = [['Grant this', grant]]
      const { prompter } = scripted(lines)
      const { terminal } = fakeTerminal({ cwd, isTTY: { stdin: true, stdout: true, stderr: true } })
      const args = parse(command, ['mini', 'a.two', '--tag', grant])
      return command.run(args, { ...terminal, color: false }, async () => prompter)
    }
    await answer('no')
    assert.equal(textAt('policy.caps'), POLICY)
    await answer('yes')
    assert.match(textAt('policy.caps'), /net = \["a\.example", "b\.example"\]/)
    const other = world('grant-alone', { 'policy.caps': '[capabilities]\n' })
    const granted = await other.rlp('edit', 'mini', 'a.two', '--grant')
    assert.deepEqual([granted.result.keys, granted.result.files], [[], ['policy.caps', 'tools.json']])
    assert.equal(other.textAt('tools.json'), TOOLS)
    assert.match(other.textAt('policy.caps'), /net = \["a\.example"\]/)
  })

  test('refused, and nothing is written', async () => {
    const { cwd, rlp } = world('refused')
    const before = snapshot(cwd)
    const cases: [string[], number, RegExp][] = [
      [['a.one'], 2, /no option says what to change/],
      [['a.onee', '--tag', 'x'], 2, /there is no such tool/],
      [['a.one', '--command', 'jq'], 2, /--command: "jq" is refused/],
      [['a.one', '--header', 'A: b'], 2, /--url is missing/],
      [['a.two', '--url', 'https://a.example/{{secret:x}}'], 1, /a\.two/],
      [['a.two', '--command', '/bin/a', '--url', 'https://a.example/'], 2, /--url|--command/],
    ]
    for (const [args, exit, message] of cases) {
      const ran = await rlp('edit', 'mini', ...args)
      assert.equal(ran.exit, exit, JSON.stringify(ran))
      assert.match(ran.message, message)
      assert.deepEqual(snapshot(cwd), before)
    }
    assert.equal((await rlp('edit', 'mini', 'a.onee', '--tag', 'x')).hint, 'Did you mean a.one?')
  })
})

test('remove: entry and records go, the policy stays and is spoken of', async () => {
  const { textAt, rlp } = world('remove', { 'interfaces.json': RECORDS })
  const ran = await rlp('remove', 'mini', 'a.one')
  assert.equal(ran.exit, 0, ran.message)
  assert.deepEqual(ran.result.files, ['interfaces.json', 'tools.json'])
  assert.deepEqual(ran.result.unused, ['exec:/bin/a', 'secrets:z', 'secrets:b'])
  assert.equal(textAt('policy.caps'), POLICY)
  const [first, ...rest] = TOOLS.split('\t\t{ "id": "a.one"')
  assert.ok(textAt('tools.json').startsWith(first ?? ''))
  assert.ok(
    textAt('tools.json').endsWith((rest[0] ?? '').slice((rest[0] ?? '').indexOf('{\n\t\t\t"id": "a.two"'))),
  )
  assert.deepEqual(
    JSON.parse(textAt('interfaces.json')).map(({ tool_id }: { tool_id: string }) => tool_id),
    ['a.two'],
  )
  assert.equal((await rlp('remove', 'mini', 'a.one')).code, 'NOT_FOUND')
  assert.deepEqual((await rlp('remove', 'mini', 'a.two')).result.unused, ['net:a.example:443'])
  assert.deepEqual(JSON.parse(textAt('tools.json')), { version: 1, tools: [] })
})

describe('texts', () => {
  const documentOf = (text: string) => {
    const parsed = parseJson('x.json', Buffer.from(text))
    assert.ok(parsed.ok, text)
    return parsed.document
  }
  test('any value becomes any other, in every layout', () => {
    // What strict JSON refuses, numbers beyond 2^53 and some names, is in no document.
    const value = fc
      .jsonValue({ maxDepth: 3 })
      .filter(value => parseJson('x', Buffer.from(JSON.stringify(value))).ok)
    fc.assert(
      fc.property(value, value, fc.constantFrom(undefined, 2, '\t'), (before, after, unit) => {
        const document = documentOf(JSON.stringify({ keep: 1, at: before }, null, unit))
        const text = changeValue(document, ['at'], after)
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify({ keep: 1, at: after })))
      }),
      { numRuns: runs(200) },
    )
  })
  test('any elements go', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.constantFrom(undefined, 2),
        (list, mask, unit) => {
          const indexes = list.flatMap((_, index) => ((mask >> index) & 1 ? [index] : []))
          const text = removeElements(documentOf(JSON.stringify({ a: list }, null, unit)), ['a'], indexes)
          assert.deepEqual(JSON.parse(text), { a: list.filter((_, index) => !indexes.includes(index)) })
        },
      ),
      { numRuns: runs(200) },
    )
  })
})
