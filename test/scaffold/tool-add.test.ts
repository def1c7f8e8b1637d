// One more tool in an agent's files: what is written, what is refused, and what was not agreed to.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { parse } from '../../src/cli/parse.ts'
import type { Tool } from '../../src/model/tools.ts'
import { notGranted } from '../../src/policy/containment.ts'
import { editPolicy } from '../../src/policy/edit.ts'
import { readPolicy } from '../../src/policy/read.ts'
import { addOneTool } from '../../src/scaffold/add-tool.ts'
import { grant } from '../../src/scaffold/grant.ts'
import { command as scaffoldCommand } from '../../src/scaffold/verbs/scaffold.ts'
import { command as addCommand } from '../../src/scaffold/verbs/tool-add.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { agentTree, EMPTY_TOOLS, writeTree } from '../support/agent.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { memoryFiles } from '../support/memory.ts'
import { slice } from '../support/runs.ts'
import { type Line, STOP, scripted } from '../support/scripted-prompter.ts'

const folder = temporary('tool-add')

const TOOL: Tool = {
  id: 'mail.send',
  description: 'Send a mail',
  transport: { kind: 'http', method: 'POST', url: 'https://api.mail.example/send', headers: {} },
  inputSchema: { type: 'object' },
  resultSchema: { type: 'object' },
  schemaRefs: {},
  capabilities: [],
  secrets: ['runloop/mail/key'],
  budget: undefined,
  requiresConfirmation: false,
  tags: [],
  rlp: { stdin: false, timeoutMs: undefined, env: [] },
}
const EXEC: Tool = {
  ...TOOL,
  id: 'text.query',
  secrets: [],
  transport: { kind: 'exec', command: '/usr/bin/jq', args: [] },
}

const agentWith = (files: Record<string, string>) => read(memoryFiles(agentTree({ files })), 'agents/mini')

describe('the texts', () => {
  test('tools.json keeps its layout, policy.caps its comments', () => {
    const agent = agentWith({
      'tools.json': '{\n    "$schema": "x.json",\n    "version": 1,\n    "tools": []\n}\n',
      'policy.caps':
        '# reviewed\n[capabilities] # all of it\nnet = [\n  "a.example", # first\n]\ntime = false # never\n',
    })
    const { tools, policy } = addOneTool(agent, TOOL)
    assert.match(
      tools,
      /^\{\n {4}"\$schema": "x\.json",\n {4}"version": 1,\n {4}"tools": \[\n {8}\{\n {12}"id": "mail\.send",\n/,
    )
    assert.ok(tools.endsWith('\n}\n'))
    assert.equal(
      policy?.text,
      '# reviewed\n[capabilities] # all of it\nnet = [\n  "a.example",\n  "api.mail.example", # first\n]\ntime = false # never\nsecrets = ["runloop/mail/key"]\n',
    )
    assert.deepEqual(policy?.removed, ['  "a.example", # first'])
    assert.deepEqual(policy?.added, [
      '  "a.example",',
      '  "api.mail.example", # first',
      'secrets = ["runloop/mail/key"]',
    ])
  })

  test('a policy that grants enough stays as it is', () => {
    const agent = agentWith({
      'policy.caps': '[capabilities]\nnet = ["api.mail.example"]\nsecrets = ["runloop/mail/key"]\n',
    })
    assert.equal(addOneTool(agent, TOOL).policy, undefined)
  })

  test('a missing tools.json is made as the existing tooling makes it', () => {
    const { 'tools.json': _, ...tree } = agentTree()
    const agent = read(memoryFiles(tree), 'agents/mini')
    assert.match(
      addOneTool(agent, TOOL).tools,
      /^\{\n {2}"version": 1,\n {2}"tools": \[\n {4}\{\n[\s\S]*\n {4}\}\n {2}\]\n\}$/,
    )
  })

  test('every form of a policy gets its grant, and nothing else changes', () => {
    const plainHttp: Tool = {
      ...TOOL,
      transport: { ...TOOL.transport, url: 'http://old.example/' } as Tool['transport'],
    }
    const forms = [
      '[capabilities]\n',
      'capabilities = { net = [], exec = false }\n',
      '[capabilities]\nnet = []\nexec = false\nsecrets = []\n',
      '[capabilities]\nnet = { hosts = ["a.example"] }\n',
      '[capabilities]\nnet = { allow_http = false }\n',
      '[capabilities]\nnet.hosts = [ "a.example" , ]\nnet.allow_http = true\n',
      '[capabilities]\nexec = true\n\n[capabilities.net]\nhosts = []\n',
      '[capabilities]\r\nsecrets = ["a", "b"]\r\nkb_read = ["x"]\r\n',
      '[capabilities]\nsecrets = [\n\t"a"\n]\n',
    ]
    for (const text of forms) {
      for (const tool of [
        TOOL,
        EXEC,
        plainHttp,
        { ...EXEC, capabilities: ['kb_read:y', 'time', 'fs_rw:/out', 'model'] },
      ]) {
        const before = parseToml('policy.caps', Buffer.from(text))
        assert.ok(before.ok, text)
        const { policy } = grant(readPolicy(before.document.value), [tool])
        const after = parseToml('policy.caps', Buffer.from(editPolicy(before.document, policy)))
        assert.ok(after.ok)
        assert.deepEqual(readPolicy(after.document.value), policy, text)
        assert.deepEqual(notGranted(tool, policy), [])
      }
    }
  })

  test('refused: an id that is taken, a file that cannot be read, a tool that lint would refuse', () => {
    const one = agentWith({ 'tools.json': addOneTool(agentWith({}), TOOL).tools })
    assert.throws(() => addOneTool(one, TOOL), { code: 'EXISTS', message: /has a tool of this id$/ })
    addOneTool(one, EXEC)
    const broken: [file: string, text: string, message: RegExp][] = [
      ['tools.json', '{', /tools\.json:1: /],
      ['tools.json', '{"version":2,"tools":[]}', /tools\.json:1: Version 2 is newer/],
      ['tools.json', '{"version":1,"tools":{}}', /tools\.json:1: /],
      ['tools.json', '{"version":1,"version":1}', /tools\.json:1: /],
      ['policy.caps', '[capabilities', /policy\.caps:1: /],
      ['policy.caps', '[capabilities]\nnet = "x"\n', /policy\.caps:2: /],
    ]
    for (const [file, text, message] of broken) {
      assert.throws(() => addOneTool(agentWith({ [file]: text }), TOOL), {
        code: 'LINT_FAILED',
        message,
        hint: /^Run rlp agent lint agents\/mini/,
      })
    }
    const wrong: Tool = { ...EXEC, transport: { kind: 'exec', command: '/usr//jq', args: [] } }
    assert.throws(() => addOneTool(agentWith({}), wrong), { code: 'LINT_FAILED' })
    assert.throws(() => addOneTool(agentWith({}), { ...EXEC, capabilities: ['net'] }), { code: 'USAGE' })
  })
})

const REQUIRED = [
  ['--id', 'mail.send'],
  ['--description', 'Send a mail'],
  ['--url', 'https://api.mail.example/send'],
  ['--input-schema', '{"type":"object"}'],
  ['--result-schema', 'schema:mail.v1'],
]

/** A folder with agents/mini in it. */
function withAgent(name: string, files: Record<string, string> = {}): string {
  const cwd = folder(name)
  writeTree(join(cwd, 'agents/mini'), agentTree({ files }))
  return cwd
}

const textAt = (cwd: string, file: string) => readFileSync(join(cwd, 'agents/mini', file), 'utf8')
const toolsAt = (cwd: string) => JSON.parse(textAt(cwd, 'tools.json')).tools

describe('without a terminal', () => {
  test('every option', async () => {
    const cwd = withAgent('options')
    writeFileSync(join(cwd, 'in.json'), '{"type":"object","properties":{"n":{"type":"integer"}}}')
    const argv =
      `tool add mini --id text.query --kind exec --command /usr/bin/jq --arg=-r --arg=.z,.a --arg=-r --stdin --timeout-ms 5000
      --env TZ --env TZ --input-schema @in.json --result-schema true --secret b,a --secret a --capability time --requires-confirmation
      --budget-tokens 20 --budget-usd 0.5 --tag x --grant --json --description`.split(/\s+/)
    const ran = await run([...argv, 'Run a filter'], undefined, { cwd })
    assert.deepEqual([ran.exit, ran.stderr], [0, ''])
    assert.deepEqual(JSON.parse(ran.stdout), {
      ok: true,
      tool: 'tool.add',
      result: {
        agent: 'agents/mini',
        tool: 'text.query',
        files: ['policy.caps', 'tools.json'],
        granted: ['time = true', 'secrets = ["a", "b"]', 'exec = ["/usr/bin/jq"]'],
        missing: [],
        changed: true,
      },
    })
    assert.deepEqual(toolsAt(cwd), [
      {
        id: 'text.query',
        description: 'Run a filter',
        transport: { kind: 'exec', command: '/usr/bin/jq', args: ['-r', '.z,.a', '-r'] },
        input_schema: { type: 'object', properties: { n: { type: 'integer' } } },
        result_schema: true,
        capabilities: ['time', 'exec:/usr/bin/jq'],
        secrets: ['a', 'b'],
        budget: { tokens: 20, usd: 0.5 },
        requires_confirmation: true,
        observability: { tags: ['x'] },
        'x-rlp': { stdin: true, timeout_ms: 5000, env: ['TZ'] },
      },
    ])
  })

  test('headers', async () => {
    const cwd = withAgent('headers')
    const header = ['--header', 'Authorization: Bearer {{secret:runloop/mail/key}}', '--header', 'X-A:b, c']
    const ran = await run(
      ['tool', 'add', 'mini', ...REQUIRED.flat(), ...header, '--secret', 'runloop/mail/key'],
      undefined,
      { cwd },
    )
    assert.equal(ran.exit, 0)
    assert.deepEqual(toolsAt(cwd)[0].transport.headers, {
      Authorization: 'Bearer {{secret:runloop/mail/key}}',
      'X-A': 'b, c',
    })
  })

  test('policy.caps is left alone, and the exact lines are named', async () => {
    const cwd = withAgent('no-grant', { 'policy.caps': '[capabilities]\nnet = []\n' })
    const ran = await run(['tool', 'add', 'agents/mini', ...REQUIRED.flat()], undefined, { cwd })
    assert.equal(ran.exit, 0)
    assert.equal(
      ran.stderr,
      'warning: agents/mini/policy.caps does not grant what mail.send needs; write there: net = ["api.mail.example"], or run rlp tool edit agents/mini mail.send --grant\n',
    )
    assert.match(ran.stdout, /rlp agent digest agents\/mini/)
    assert.equal(textAt(cwd, 'policy.caps'), '[capabilities]\nnet = []\n')
    assert.equal(toolsAt(cwd).length, 1)
    // The same is an error for lint until the line is written, so what was said is not only advice.
    const agent = read(memoryFiles(agentTree({ files: { 'tools.json': textAt(cwd, 'tools.json') } })), 'mini')
    assert.ok(agent.tools && agent.policy)
    assert.equal(
      agent.tools.tools.flatMap(tool => (agent.policy ? notGranted(tool, agent.policy) : [])).length,
      1,
    )
  })

  for (const [flag = ''] of REQUIRED) {
    test(`${flag} must be there`, async () => {
      const cwd = withAgent('missing')
      const before = snapshot(cwd)
      const given = REQUIRED.filter(([other]) => other !== flag).flat()
      const named = flag === '--url' ? '--kind' : flag
      const ran = await run(['tool', 'add', 'mini', ...given, '--json'], undefined, { cwd })
      const { ok, code, message } = JSON.parse(ran.stdout)
      assert.deepEqual([ran.exit, ok, code], [2, false, 'NEEDS_ANSWER'])
      assert.equal(
        message,
        `Cannot add a tool to "agents/mini": ${named} is missing, and no person can be asked`,
      )
      assert.deepEqual(snapshot(cwd), before)
    })
  }

  const refused: [name: string, more: string[], code: string, exit: number][] = [
    ['an id that is taken', ['--id', 'taken'], 'EXISTS', 2],
    ['a url that reaches nothing', ['--url', 'ftp://h.example/'], 'USAGE', 2],
    ['an option of the other transport', ['--command', '/usr/bin/jq'], 'USAGE', 2],
    ['an invalid header', ['--header', 'x'], 'USAGE', 2],
    ['a header twice', ['--header', 'A: b', '--header', 'a: c'], 'USAGE', 2],
    ['standard input for http', ['--stdin'], 'USAGE', 2],
    ['an environment for http', ['--env', 'TZ'], 'USAGE', 2],
    ['a budget that is no number', ['--budget-usd', 'much'], 'USAGE', 2],
    ['an unknown capability', ['--capability', 'nope'], 'USAGE', 2],
    ['a schema that is no JSON', ['--input-schema', '{'], 'USAGE', 2],
    ['a schema file that is not there', ['--input-schema', '@nowhere.json'], 'NOT_FOUND', 2],
    ['a path that is not in schemas/', ['--input-schema', 'schemas/nope.json'], 'USAGE', 2],
  ]
  for (const [name, more, code, exit] of refused) {
    test(`refused: ${name}`, async () => {
      const taken = addOneTool(agentWith({}), { ...EXEC, id: 'taken' }).tools
      const cwd = withAgent('refused', { 'tools.json': taken })
      const before = snapshot(cwd)
      const given = REQUIRED.filter(([flag]) => !more.includes(flag ?? '')).flat()
      const ran = await run(['tool', 'add', 'mini', ...given, ...more, '--json'], undefined, { cwd })
      assert.deepEqual([JSON.parse(ran.stdout).code, ran.exit], [code, exit])
      assert.deepEqual(snapshot(cwd), before)
    })
  }

  test('a refusal names the option that is the way out', async () => {
    const cwd = withAgent('way-out')
    const given = REQUIRED.filter(([flag]) => flag !== '--url').flat()
    const hintOf = async (...more: string[]) => {
      const ran = await run(['tool', 'add', 'mini', ...given, ...more, '--json'], undefined, { cwd })
      assert.equal(ran.exit, 2, ran.stdout)
      return JSON.parse(ran.stdout).hint
    }
    const exec = REQUIRED.filter(([flag]) => flag !== '--url' && flag !== '--kind').flat()
    const command = ['--command', '/usr/bin/jq -c .']
    const ran = await run(['tool', 'add', 'mini', ...exec, ...command, '--json'], undefined, { cwd })
    assert.match(JSON.parse(ran.stdout).message, /"\/usr\/bin\/jq -c \." is a program with its arguments/)
    assert.equal(JSON.parse(ran.stdout).hint, 'Write --command /usr/bin/jq --arg=-c --arg .')
    const header = [
      '--url',
      'https://api.mail.example/',
      '--header',
      'Authorization: Bearer {{secret:mail/key}}',
    ]
    assert.equal(await hintOf(...header), 'Add --secret mail/key')
    const local = await run(
      ['tool', 'add', 'mini', ...given, '--url', 'http://LOCALHOST:1/'.toLowerCase()],
      undefined,
      { cwd },
    )
    assert.match(local.stderr, /write http:\/\/127\.0\.0\.1:1\//)
    // The positive control: with the way out each is taken.
    const ok = [
      [...exec, '--command', '/usr/bin/jq', '--arg=-c', '--arg', '.'],
      [...given, ...header, '--secret', 'mail/key'],
      [...given, '--url', 'http://127.0.0.1:1/'],
    ]
    for (const argv of ok) {
      const { exit, stderr } = await run(['tool', 'add', 'mini', ...argv, '-q'], undefined, {
        cwd: withAgent('ok'),
      })
      assert.equal(exit, 0, stderr)
    }
  })

  test('a tools.json that cannot be read is refused with the command that explains it', async () => {
    const cwd = withAgent('broken', { 'tools.json': '{"version":9}' })
    const before = snapshot(cwd)
    const ran = await run(['tool', 'add', 'mini', ...REQUIRED.flat()], undefined, { cwd })
    assert.equal(ran.exit, 1)
    assert.match(ran.stderr, /tools\.json:1: Version 9 is newer[\s\S]*hint: Run rlp agent lint agents\/mini/)
    assert.deepEqual(snapshot(cwd), before)
  })

  test('a tools.json that is a link is not followed', async () => {
    const cwd = withAgent('link')
    const file = join(cwd, 'agents/mini/tools.json')
    rmSync(file)
    writeFileSync(join(cwd, 'elsewhere.json'), EMPTY_TOOLS)
    symlinkSync('../../elsewhere.json', file)
    const ran = await run(['tool', 'add', 'mini', ...REQUIRED.flat()], undefined, { cwd })
    assert.equal(ran.exit, 1)
    assert.equal(readFileSync(join(cwd, 'elsewhere.json'), 'utf8'), EMPTY_TOOLS)
  })

  test('a missing tools.json is made; modes stay', async () => {
    const cwd = withAgent('mode')
    rmSync(join(cwd, 'agents/mini/tools.json'))
    writeFileSync(join(cwd, 'agents/mini/policy.caps'), '[capabilities]\n', { mode: 0o644 })
    const ran = await run(['tool', 'add', 'mini', ...REQUIRED.flat(), '--grant', '-q'], undefined, { cwd })
    assert.deepEqual([ran.exit, ran.stdout], [0, 'mail.send\n'])
    assert.equal(toolsAt(cwd).length, 1)
    assert.equal(textAt(cwd, 'policy.caps'), '[capabilities]\nnet = ["api.mail.example"]\n')
    assert.equal(statSync(join(cwd, 'agents/mini/policy.caps')).mode & 0o777, 0o644)
  })

  test('a folder of several agents', async () => {
    const cwd = withAgent('many')
    writeTree(join(cwd, 'agents/other'), agentTree({ name: 'other' }))
    const ran = await run(['tool', 'add', 'agents', ...REQUIRED.flat()], undefined, { cwd })
    assert.equal(ran.exit, 2)
    assert.match(
      ran.stderr,
      /Cannot add a tool to "agents": it holds 2 agents\nhint: Name one of them: agents\/mini, agents\/other/,
    )
  })
})

const TTY = { stdin: true, stdout: true, stderr: true }

/** Runs `tool add` in front of a scripted person. */
async function add(cwd: string, argv: readonly string[], lines: readonly Line[], during?: () => void) {
  const script = scripted(lines)
  const { terminal, written } = fakeTerminal({ cwd, isTTY: TTY })
  let opened = 0
  const exit = await addCommand.run(parse(addCommand, argv), { ...terminal, color: false }, async () => {
    opened++
    during?.()
    return script.prompter
  })
  assert.deepEqual(script.left, [])
  return { exit, opened, log: script.log, ...written }
}

const ANSWERS: Line[] = [
  ['Tool id', 'mail.send'],
  ['Tool description', 'Send a mail'],
  ['Transport kind', 'http'],
  ['Url', 'https://api.mail.example/send'],
  ['HTTP method', ''],
  ['Input', 'to:string'],
  ['Result', 'none'],
  ['More questions', 'yes'],
  ['Secrets', ''],
  ['What else it needs', ''],
  ['Ask a person', ''],
  ['Tokens', ''],
  ['US dollars', ''],
  ['Tags', ''],
  ['Grant this in policy.caps?', 'yes'],
  ['Write this?', 'yes'],
]

describe('what an author says is kept', () => {
  const LINT = async (cwd: string) => {
    await run(['agent', 'digest', 'mini'], undefined, { cwd })
    const { stdout } = await run(['agent', 'lint', 'mini', '--json'], undefined, { cwd })
    return JSON.stringify(JSON.parse(stdout))
  }

  test('capabilities of a request and of a program are whole: lint has nothing to say of them', async () => {
    for (const [name, words, capabilities] of [
      ['url', ['--url', 'https://api.mail.example/x'], ['time', 'net:api.mail.example']],
      ['port', ['--url', 'https://api.mail.example:8443/x'], ['time', 'net:api.mail.example:8443']],
      ['clear', ['--url', 'http://127.0.0.1:9911/x'], ['time', 'net:127.0.0.1:9911']],
      ['program', ['--command', '/usr/bin/jq'], ['time', 'exec:/usr/bin/jq']],
    ] as const) {
      const cwd = withAgent(`implied-${name}`)
      const rest = [
        '--id',
        'x.y',
        '--description',
        'Does it',
        '--input-schema',
        'nothing',
        '--result-schema',
        'anything',
      ]
      const ran = await run(
        ['tool', 'add', 'mini', ...rest, ...words, '--capability', 'time', '--grant', '--json'],
        undefined,
        { cwd },
      )
      assert.equal(ran.exit, 0, ran.stdout)
      assert.deepEqual(toolsAt(cwd).at(-1).capabilities, capabilities, name)
      assert.doesNotMatch(await LINT(cwd), /caps\/(?:undeclared-need|not-granted)/, name)
    }
  })

  test('hosts have their ports where plain http is granted, so that a rule can name them', async () => {
    const cwd = withAgent('ports')
    const add = (id: string, url: string) =>
      run(
        ['tool', 'add', 'mini', '--id', id, '--description', 'Does it', '--url', url, '--grant'].concat([
          '--input-schema',
          'nothing',
          '--result-schema',
          'anything',
        ]),
        undefined,
        { cwd },
      )
    await add('a.clear', 'http://127.0.0.1:9911/x')
    await add('a.safe', 'https://notes.example/x')
    await add('a.plain', 'http://plain.example/x')
    assert.match(
      textAt(cwd, 'policy.caps'),
      /net = \{ hosts = \["127\.0\.0\.1:9911", "notes\.example:443", "plain\.example:80"\], allow_http = true \}/,
    )
    const rule = await run(['agent', 'lint', 'mini', '--json'], undefined, { cwd })
    assert.doesNotMatch(rule.stdout, /caps\/(?:not-granted|unused-grant)/)
  })

  test('an id of a secret that no list can grant is refused where it is said, not where it is written', async () => {
    const cwd = withAgent('secret-id')
    const model = ['agent', 'scaffold', 'next', '--non-interactive', '--model-secret']
    assert.equal((await run([...model, 'runloop/m/key'], undefined, { cwd })).exit, 0)
    const bad = await run([...model, '{agent}/key', '--force', '--yes'], undefined, { cwd })
    assert.equal(bad.exit, 2)
    assert.match(bad.stderr, /Cannot use --model-secret: .* has a brace/)
    const tool = await run(['tool', 'add', 'mini', ...REQUIRED.flat(), '--secret', 'a{b}'], undefined, {
      cwd,
    })
    assert.match(tool.stderr, /Cannot use --secret: .* has a brace/)
  })

  test('without --capability there is no list', async () => {
    const cwd = withAgent('no-list')
    const words = ['--url', 'https://a.example/', '--input-schema', 'nothing', '--result-schema', 'anything']
    await run(['tool', 'add', 'mini', '--id', 'x.y', '--description', 'Does it', ...words], undefined, {
      cwd,
    })
    assert.equal('capabilities' in toolsAt(cwd).at(-1), false)
  })
})

describe('on a terminal', () => {
  test('all questions, and the grant with its exact line', async () => {
    const cwd = withAgent('asked')
    const { exit, log } = await add(cwd, ['mini'], ANSWERS)
    assert.equal(exit, 0)
    assert.ok(log.includes('# policy.caps does not grant what the tool needs\n+ net = ["api.mail.example"]'))
    assert.equal(textAt(cwd, 'policy.caps'), '[capabilities]\nnet = ["api.mail.example"]\n')
    assert.equal(toolsAt(cwd)[0].id, 'mail.send')
  })

  test('a no to the grant leaves policy.caps alone', async () => {
    const cwd = withAgent('no')
    const lines = ANSWERS.map((line): Line => (line[0].startsWith('Grant') ? [line[0], 'no'] : line))
    const { exit, stderr } = await add(cwd, ['mini'], lines)
    assert.equal(exit, 0)
    assert.match(stderr, /write there: net = \["api\.mail\.example"\]/)
    assert.equal(textAt(cwd, 'policy.caps'), '[capabilities]\n')
    assert.equal(toolsAt(cwd).length, 1)
  })

  test('with every option only the grant is asked; with --grant, or none needed, nothing', async () => {
    const grantLine = ANSWERS.slice(-2, -1)
    assert.equal((await add(withAgent('grant'), ['mini', ...REQUIRED.flat()], grantLine)).opened, 1)
    assert.equal((await add(withAgent('granted'), ['mini', ...REQUIRED.flat(), '--grant'], [])).opened, 0)
    const enough = withAgent('enough', { 'policy.caps': '[capabilities]\nnet = ["api.mail.example"]\n' })
    assert.equal((await add(enough, ['mini', ...REQUIRED.flat()], [])).opened, 0)
  })

  test('what options say is not asked', async () => {
    const cwd = withAgent('some')
    const lines = ANSWERS.filter(([question]) => !/^(?:Tool|Transport|Url)/.test(question))
    const { exit } = await add(cwd, ['mini', ...REQUIRED.slice(0, 3).flat()], lines)
    assert.equal(exit, 0)
    assert.equal(toolsAt(cwd)[0].description, 'Send a mail')
  })

  test('going back over the grant changes what is asked', async () => {
    const cwd = withAgent('back')
    const lines: Line[] = [
      ...ANSWERS.slice(0, -2),
      ['Grant this in policy.caps?', '<'],
      ...ANSWERS.slice(9, 14)
        .reverse()
        .map(([question]): Line => [question, '<']),
      ['Secrets', 'runloop/mail/key'],
      ['Header that sends runloop/mail/key', ''],
      ...ANSWERS.slice(9),
    ]
    const { log } = await add(cwd, ['mini'], lines)
    assert.ok(
      log.some(line => line.endsWith('+ net = ["api.mail.example"]\n+ secrets = ["runloop/mail/key"]')),
    )
  })

  test('stopping at any question, or a last no, writes nothing', async () => {
    const cwd = withAgent('stop')
    const before = snapshot(cwd)
    for (const at of slice([...ANSWERS.keys()], 5)) {
      const lines = [...ANSWERS.slice(0, at), [ANSWERS[at]?.[0] ?? '', STOP] as Line]
      await assert.rejects(add(cwd, ['mini'], lines), { code: 'CANCELLED' })
      assert.deepEqual(snapshot(cwd), before)
    }
    await assert.rejects(add(cwd, ['mini'], [...ANSWERS.slice(0, -1), ['Write this?', 'no']]), {
      code: 'CANCELLED',
    })
    assert.deepEqual(snapshot(cwd), before)
  })

  test('tools.json edited while the questions were answered: the edit stays', async () => {
    const cwd = withAgent('meanwhile')
    const other = addOneTool(agentWith({}), EXEC).tools
    await add(cwd, ['mini'], ANSWERS, () => writeFileSync(join(cwd, 'agents/mini/tools.json'), other))
    assert.deepEqual(
      toolsAt(cwd).map(({ id }: { id: string }) => id),
      ['text.query', 'mail.send'],
    )
  })

  test('policy.caps edited meanwhile: what was agreed to is no longer what would be written', async () => {
    const cwd = withAgent('policy-meanwhile')
    const file = join(cwd, 'agents/mini/policy.caps')
    const run = add(cwd, ['mini'], ANSWERS, () =>
      writeFileSync(file, '[capabilities]\nnet = ["a.example"]\n'),
    )
    await assert.rejects(run, { code: 'CHANGED_WHILE_READING' })
    assert.equal(readFileSync(file, 'utf8'), '[capabilities]\nnet = ["a.example"]\n')
    assert.deepEqual(toolsAt(cwd), [])
  })

  test('scaffold: stopping anywhere writes nothing; the end writes all', async () => {
    const cwd = folder('scaffold')
    const lines: Line[] = [
      ['Description', ''],
      ['Network hosts', ''],
      ['Add a tool', 'yes'],
      ...ANSWERS.slice(0, -2),
      ['Add a tool', 'no'],
      ['More questions', 'yes'],
      ['Model id', ''],
      ['Secret of the model', ''],
      ['Folders', ''],
      ['Knowledge-base domains it may read', ''],
      ['Knowledge-base domains it may write', ''],
      ['Write an opening', 'yes'],
      ['Goal', ''],
      ['Parameter', ''],
      ['Write this?', 'yes'],
    ]
    const make = async (script: readonly Line[]) => {
      const { terminal } = fakeTerminal({ cwd, isTTY: TTY })
      const { prompter } = scripted(script)
      return scaffoldCommand.run(
        parse(scaffoldCommand, ['demo']),
        { ...terminal, color: false },
        async () => prompter,
      )
    }
    for (const at of slice([...lines.keys()], 9)) {
      const script = [...lines.slice(0, at), [lines[at]?.[0] ?? '', STOP] as Line]
      await assert.rejects(make(script), { code: 'CANCELLED' })
    }
    await assert.rejects(make([...lines.slice(0, -1), ['Write this?', 'no']]), { code: 'CANCELLED' })
    assert.deepEqual(snapshot(cwd), {})
    assert.equal(await make(lines), 0)
    assert.deepEqual(Object.keys(snapshot(cwd)).sort(), [
      'agents',
      'agents/demo',
      'agents/demo/README.md',
      'agents/demo/bin',
      'agents/demo/bin/demo.wasm',
      'agents/demo/manifest.toml',
      'agents/demo/policy.caps',
      'agents/demo/tools.json',
      'examples',
      'examples/openings',
      'examples/openings/demo.yaml',
    ])
  })
})
