// The wizards with a scripted person in front of them: order, ways back, stopping, answers that are asked again.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { askAll } from '../../src/cli/wizard/ask.ts'
import { type Answers, answerProblem, type Question } from '../../src/cli/wizard/question.ts'
import type { Rule } from '../../src/lint/rules/rule.ts'
import type { RlpError } from '../../src/model/error.ts'
import { itemsOf } from '../../src/scaffold/wizard/answer.ts'
import { withSummary } from '../../src/scaffold/wizard/scaffold-plan.ts'
import {
  openingAnswersOf,
  type ScaffoldContext,
  scaffoldAnswersOf,
  scaffoldQuestions,
} from '../../src/scaffold/wizard/scaffold-questions.ts'
import {
  readFields,
  readSchema,
  readSchemaId,
  readSchemaJson,
  readSchemaPath,
} from '../../src/scaffold/wizard/schema-answer.ts'
import { readWords, writeWords } from '../../src/text/shell-words.ts'
import { anyText } from '../support/any-text.ts'
import { memoryFiles } from '../support/memory.ts'
import { slice } from '../support/runs.ts'
import { type Line, STOP, scripted } from '../support/scripted-prompter.ts'

const CONTEXT: ScaffoldContext = {
  name: 'mailer',
  description: undefined,
  model: undefined,
  modelSecret: undefined,
  existing: undefined,
}
const PLACE = { label: 'agents/mailer', opening: 'examples/openings/mailer.yaml' }

/** Everything that is asked of an agent without a tool. */
const BEGIN: Line[] = [
  ['Description', ''],
  ['Network hosts', ''],
]
const MORE: Line[] = [
  ['Model id', ''],
  ['Secret of the model', ''],
  ['Folders', ''],
  ['Knowledge-base domains it may read', ''],
  ['Knowledge-base domains it may write', ''],
  ['Write an opening', 'yes'],
  ['Goal', ''],
  ['Parameter', ''],
]
const EXEC_TOOL: Line[] = [
  ['Add a tool', 'yes'],
  ['Tool id', 'text.query'],
  ['Tool description', 'Run a jq filter'],
  ['Transport kind', 'exec'],
  ['Program', '/usr/bin/jq'],
  ['How does the program', ''],
  ['Arguments', `-r '.z, .a' -c`],
  ['Folders that it reads (', ''],
  ['Folders that it reads and writes', '/var/out'],
  ['Input', 'to:string, count:integer?'],
  ['Result', 'schema:text.result.v1'],
  ['More questions about this tool', 'yes'],
  ['Secrets', ''],
  ['What else it needs', 'kb_read:contacts'],
  ['Ask a person', 'yes'],
  ['Tokens', '2000'],
  ['US dollars', '0.05'],
  ['Tags', 'b, a,, b'],
]
const HTTP_TOOL: Line[] = [
  ['Add a tool', 'yes'],
  ['Tool id', 'mail.send'],
  ['Tool description', 'Send a mail'],
  ['Transport kind', 'http'],
  ['Url', 'https://api.mail.example/send'],
  ['HTTP method', ''],
  ['Input', '{"type":"object"}'],
  ['Result', 'none'],
  ['More questions about this tool', 'yes'],
  ['Secrets', 'runloop/mail/key'],
  ['Header that sends runloop/mail/key', 'Authorization: Bearer {{secret:runloop/mail/key}}'],
  ['What else it needs', ''],
  ['Ask a person', ''],
  ['Tokens', ''],
  ['US dollars', ''],
  ['Tags', ''],
]
const END: Line[] = [['Add a tool', 'no'], ['More questions (model', 'yes'], ...MORE, ['Write this?', 'yes']]
const SHORT_END: Line[] = [
  ['Add a tool', 'no'],
  ['More questions (model', ''],
  ['Write this?', 'yes'],
]

/** The program and its arguments are answered; what follows is as short as it may be. */
const EXEC_END: Line[] = [...EXEC_TOOL.slice(7, 11), ['More questions about', ''], ...SHORT_END]

async function run(lines: readonly Line[], given: Answers = new Map(), context: ScaffoldContext = CONTEXT) {
  const script = scripted(lines)
  const questions = (answers: Answers) =>
    withSummary(scaffoldQuestions(answers, context), answers, context, PLACE)
  const answers = await askAll(questions, script.prompter, given)
  assert.deepEqual(script.left, [], 'the wizard ended early')
  return { answers, log: script.log, said: scaffoldAnswersOf(answers, context) }
}

const CASES = '../shared/cases/runloop.json'
const cases = existsSync(CASES)
  ? (JSON.parse(readFileSync(CASES, 'utf8')).cases as { kind: string; input: unknown; reference: unknown }[])
  : undefined
const skip = cases === undefined && 'the cases are not here'

test('a whole run', async () => {
  const { answers, said, log } = await run([...BEGIN, ...EXEC_TOOL, ...HTTP_TOOL, ...END])
  assert.deepEqual(said, {
    name: 'mailer',
    description: 'Agent mailer',
    model: 'null:echo',
    modelSecret: undefined,
    fs: ['~/.runloop/artifacts/mailer'],
    net: [],
    kbRead: [],
    kbWrite: [],
    tools: [
      {
        id: 'text.query',
        description: 'Run a jq filter',
        transport: { kind: 'exec', command: '/usr/bin/jq', args: ['-r', '.z, .a', '-c'] },
        inputSchema: {
          type: 'object',
          properties: { to: { type: 'string' }, count: { type: 'integer' } },
          required: ['to'],
          additionalProperties: false,
        },
        resultSchema: { $ref: 'schema:text.result.v1' },
        schemaRefs: {},
        capabilities: ['fs_rw:/var/out', 'kb_read:contacts'],
        secrets: [],
        budget: { tokens: 2000, usd: 0.05 },
        requiresConfirmation: true,
        tags: ['a', 'b'],
        rlp: { stdin: false, timeoutMs: undefined, env: [] },
      },
      {
        id: 'mail.send',
        description: 'Send a mail',
        transport: {
          kind: 'http',
          method: 'POST',
          url: 'https://api.mail.example/send',
          headers: { Authorization: 'Bearer {{secret:runloop/mail/key}}' },
        },
        inputSchema: { type: 'object' },
        resultSchema: {
          type: 'object',
          properties: { text: { type: 'string', maxLength: 0 } },
          additionalProperties: false,
        },
        schemaRefs: {},
        capabilities: [],
        secrets: ['runloop/mail/key'],
        budget: undefined,
        requiresConfirmation: false,
        tags: [],
        rlp: { stdin: false, timeoutMs: undefined, env: [] },
      },
    ],
  })
  assert.deepEqual(openingAnswersOf(answers, CONTEXT), {
    agent: 'mailer',
    goal: 'run the mailer agent',
    param: 'prompt',
  })
  assert.equal(answers.get('write'), 'yes')
  assert.equal(
    log.findLast(line => line.startsWith('# What')),
    `# What will be written
agents/mailer
  manifest.toml
  policy.caps
  tools.json
  README.md
  bin/mailer.wasm
examples/openings/mailer.yaml
Tools
  text.query  /usr/bin/jq -r '.z, .a' -c  (asks first)
  mail.send  POST https://api.mail.example/send
Grants (policy.caps)
  fs = ["~/.runloop/artifacts/mailer"]
  fs_rw = ["/var/out"]
  net = ["api.mail.example"]
  kb_read = ["contacts"]
  secrets = ["runloop/mail/key"]
  model = true
  exec = ["/usr/bin/jq"]`,
  )
})

test('a person is asked four questions, and seven about a tool', async () => {
  const asked = (log: readonly string[]) => log.filter(line => line.startsWith('? ')).length
  const short = await run([...BEGIN, ...SHORT_END])
  assert.equal(asked(short.log), 5)
  const whole = await run([...BEGIN, ...END])
  assert.equal(asked(whole.log), 5 + MORE.length)
  // What was not asked is what an empty line would have answered.
  const {
    opening: _,
    'opening-goal': _goal,
    'opening-param': _param,
    ...rest
  } = Object.fromEntries(whole.answers)
  const { opening, ...others } = Object.fromEntries(short.answers)
  assert.deepEqual({ ...others, more: 'yes' }, rest)
  assert.equal(opening, 'no')
  const tool = await run([...BEGIN, ...HTTP_TOOL.slice(0, 8), ['More questions about', ''], ...SHORT_END])
  assert.equal(asked(tool.log), 5 + 9)
  assert.deepEqual(tool.said.tools[0]?.transport, {
    kind: 'http',
    method: 'POST',
    url: 'https://api.mail.example/send',
    headers: {},
  })
})

test('a placeholder has to be among the inputs', async () => {
  const url: Line = ['Url', 'https://users.example/users/{{input.id}}?q={{input.q}}']
  const begin = HTTP_TOOL.map((line): Line => (line[0] === 'Url' ? url : line)).slice(0, 6)
  const end = [...HTTP_TOOL.slice(7, 8), ['More questions about', ''] as Line, ...SHORT_END]
  const { said, log } = await run([
    ...BEGIN,
    ...begin,
    ['Input', 'id:string'],
    ['Input', '{"type":"object","properties":{"id":{}},"additionalProperties":false}'],
    ['Input', 'id:string, q:string?'],
    ...end,
  ])
  assert.deepEqual(said.tools.length, 1)
  assert.equal(log.filter(line => line.includes('there has to be a field q')).length, 2, log.join('\n'))
  // What leaves other fields open leaves this one open too.
  await run([...BEGIN, ...begin, ['Input', '{"type":"object"}'], ...end])
})

test('a no to more questions takes back what they were answered', async () => {
  const { said, log } = await run([
    ...BEGIN,
    ['Add a tool', 'no'],
    ['More questions (model', 'yes'],
    ['Model id', 'none'],
    ['Folders', '<'],
    ['Model id', '<'],
    ['More questions (model', '<'],
    ['Add a tool', ''],
    ['More questions (model', 'no'],
    ['Write this?', '<'],
    ['More questions (model', 'yes'],
    ['Model id', '<'],
    ['More questions (model', 'no'],
    ['Write this?', 'yes'],
  ])
  assert.equal(said.model, 'null:echo')
  // It is still known when the person comes back.
  assert.ok(log.findLast(line => line.startsWith('? Model'))?.endsWith('[none]'))
})

test('every question that need not be asked answers itself', () => {
  const answers = new Map([
    ['tool1', 'yes'],
    ['opening', 'yes'],
  ])
  for (const kind of ['http', 'exec']) {
    const questions = scaffoldQuestions(new Map([...answers, ['tool1.kind', kind]]), CONTEXT)
    const closed = questions.filter(({ behind }) => behind !== undefined)
    assert.ok(closed.length > 10)
    for (const question of closed)
      assert.equal(answerProblem(question, question.fallback ?? ''), undefined, question.id)
  }
})

test('what options have answered is not asked', async () => {
  const given = new Map([
    ['cap-fs', ''],
    ['cap-net', 'B.example, a.example:8443'],
    ['cap-kb-read', 'x'],
    ['cap-kb-write', 'y'],
  ])
  const context = { ...CONTEXT, description: 'Mails', model: 'm:1', modelSecret: 'runloop/m/k' }
  const { said, log } = await run([...BEGIN.slice(0, 1), ...SHORT_END], given, context)
  assert.deepEqual(said.net, ['a.example:8443', 'b.example'])
  assert.deepEqual([said.fs, said.kbRead, said.kbWrite], [[], ['x'], ['y']])
  assert.deepEqual([said.description, said.model, said.modelSecret], ['Mails', 'm:1', 'runloop/m/k'])
  assert.equal(log[0], '? Description (what the agent is for) [Mails]')
})

test('an agent without a model has no secret for it and no grant', async () => {
  const lines = [...BEGIN, ...END].filter(([question]) => question !== 'Secret of the model')
  lines[lines.findIndex(([question]) => question === 'Model id')] = ['Model id', 'none']
  const { said } = await run(lines)
  assert.deepEqual([said.model, said.modelSecret], [undefined, undefined])
})

describe('back', () => {
  test('leads to the question before, with its former answer', async () => {
    const { said, log } = await run([
      ['Description', 'Mails'],
      ['Network hosts', '<'],
      ['Description', ''],
      ['Network hosts', ''],
      ...END.slice(0, 3),
      ['Secret of the model', 'runloop/m/k'],
      ['Folders', '<'],
      ['Secret of the model', '-'],
      ['Folders', '-'],
      ...MORE.slice(3),
      ['Write this?', 'yes'],
    ])
    assert.equal(said.description, 'Mails')
    assert.deepEqual([said.modelSecret, said.fs], [undefined, []])
    assert.ok(log.includes('? Description (what the agent is for) [Mails]'))
    assert.ok(log.includes('? Secret of the model (the id of its key, blank for none) [runloop/m/k]'))
  })

  test('over a branch: exec becomes http, and nothing of exec is left', async () => {
    const { said, answers } = await run([
      ...BEGIN,
      ...EXEC_TOOL.slice(0, 9),
      ['Input', '<'],
      ['Folders that it reads and writes', '<'],
      ['Folders that it reads (', '<'],
      ['Arguments', '<'],
      ['How does the program', '<'],
      ['Program', '<'],
      ['Transport kind', 'http'],
      ['Url', 'https://h.example/'],
      ['HTTP method', 'get'],
      ...EXEC_END.slice(2),
    ])
    assert.deepEqual(said.tools[0]?.transport, {
      kind: 'http',
      method: 'GET',
      url: 'https://h.example/',
      headers: {},
    })
    assert.equal(answers.has('tool1.command'), false)
  })

  test('and forth: answers of the other branch are remembered', async () => {
    const { said, log } = await run([
      ...BEGIN,
      ...EXEC_TOOL.slice(0, 6),
      ['Arguments', '<'],
      ['How does the program', '<'],
      ['Program', '<'],
      ['Transport kind', 'http'],
      ['Url', '<'],
      ['Transport kind', 'exec'],
      ['Program', ''],
      ['How does the program', ''],
      ['Arguments', '-x'],
      ...EXEC_END,
    ])
    assert.deepEqual(said.tools[0]?.transport, { kind: 'exec', command: '/usr/bin/jq', args: ['-x'] })
    assert.ok(log.includes('? Program (absolute path) [/usr/bin/jq]'))
  })

  test('out of a tool that is not wanted after all', async () => {
    const { said } = await run([...BEGIN, ...EXEC_TOOL.slice(0, 1), ['Tool id', '<'], ...SHORT_END])
    assert.deepEqual(said.tools, [])
  })

  test('from the summary, and the summary is made anew', async () => {
    const { said, log } = await run([
      ...BEGIN,
      ...END.slice(0, -1),
      ['Write this?', '<'],
      ['Parameter', '<'],
      ['Goal', '<'],
      ['Write an opening', 'no'],
      ['Write this?', 'yes'],
    ])
    assert.equal(said.name, 'mailer')
    const summaries = log.filter(line => line.startsWith('# What will be written'))
    assert.deepEqual(
      summaries.map(text => text.includes(PLACE.opening)),
      [true, false],
    )
  })

  test('through the whole wizard to the first question, which has nothing before it', async () => {
    const all = [...BEGIN, ...EXEC_TOOL.slice(0, 7), ...EXEC_END.slice(0, -1)]
    const there = [...all].reverse().map(([question]): Line => [question, '<'])
    const again = all.map(([question]): Line => [question, ''])
    const lines: Line[] = [
      ...all,
      ['Write this?', '<'],
      ...there.slice(0, -1),
      ['Description', '<'],
      ...again,
      ['Write this?', 'yes'],
    ]
    const { said, log } = await run(lines)
    assert.deepEqual(said, (await run([...BEGIN, ...EXEC_TOOL.slice(0, 7), ...EXEC_END])).said)
    assert.ok(log.includes('! This is the first question; Ctrl-C stops'))
  })

  test('a second tool may not take the id that the first one is given later', async () => {
    const { said, log } = await run([
      ...BEGIN,
      ...EXEC_TOOL.slice(0, 7),
      ...EXEC_END.slice(0, 5),
      ['Add a tool', 'yes'],
      ['Tool id', 'text.query'],
      ['Tool id', 'mail.send'],
      ...HTTP_TOOL.slice(2, 8),
      ['More questions about', ''],
      ...SHORT_END,
    ])
    assert.deepEqual(
      said.tools.map(({ id }) => id),
      ['text.query', 'mail.send'],
    )
    assert.ok(log.includes('! another tool has this id'))
  })
})

test('stopping at any question ends with CANCELLED', async () => {
  const all = [...BEGIN, ...EXEC_TOOL, ...HTTP_TOOL, ...END]
  const isChoice = (at: number) => /^(?:Add|Ask|How|More|Transport|Write)/.test(all[at]?.[0] ?? '')
  for (const at of slice([...all.keys()], 18, at => String(isChoice(at)))) {
    const lines = [...all.slice(0, at), [all[at]?.[0] ?? '', STOP] as Line]
    await assert.rejects(run(lines), (error: RlpError) => error.code === 'CANCELLED')
  }
})

test('wrong answers are asked again', async () => {
  const wrong: [question: string, answers: string[]][] = [
    ['Description', ['-', 'a\u001b[31m']],
    ['Model id', ['-', 'two words']],
    ['Secret of the model', ['a,b', 'with space', 'runloop/*']],
    ['Folders', ['relative', '/a, ./b', '/a/../b']],
    ['Network hosts', ['*.example', 'https://a.example', 'a.example:0', 'a b']],
    ['Knowledge-base domains it may read', ['*', 'a b']],
    ['Knowledge-base domains it may write', ['x, *']],
    ['Tool id', ['', '-', 'a b', '../x', 'x'.repeat(129)]],
    ['Tool description', ['', '-']],
    ['Program', ['jq', './jq', '/usr/../bin/jq', '/bin//jq', '/bin/{{input.x}}', '']],
    ['Arguments', [`'open`, '"open', 'a | b', 'a > b', '$HOME', '"$HOME"', '`id`', 'a\\']],
    ['HTTP method', ['P0ST', 'GET /', 'two words']],
    [
      'Url',
      [
        '',
        'h.example',
        'ftp://h.example/',
        'https://u:p@h.example/',
        'https://{{input.h}}/',
        'https://H.example/',
        'https://h.example./',
      ],
    ],
    [
      'Input',
      ['', 'to', 'to:text', 'to:string, to:string', '__proto__:string', 'a b:string', 'schemas/nope.json'],
    ],
    ['Result', ['', 'schema:', '../x', 'schema:a/b', '{', '[]', '"x"', 'null', '{"a":1,"a":2}']],
    ['Secrets', ['a b', 'runloop/*', 'a{b}', '{agent}/key', 'runloop/mail/{{x}}']],
    [
      'What else it needs',
      ['nope', 'net', 'secrets', 'net:*', 'fs:relative', 'time:x', 'exec:jq', 'kb_read:x, model:y'],
    ],
    ['Tokens', ['many', '1.5', '-1', '1e3', '9007199254740993']],
    ['US dollars', ['0,05', '$1', '-1', '1e3', '.5', 'NaN', 'Infinity']],
    ['Goal', ['-']],
    ['Parameter', ['1a', 'a-b', 'a b', '}}']],
  ]
  const all = [...BEGIN, ...EXEC_TOOL, ...HTTP_TOOL, ...END]
  const lines = [...all]
  for (const [question, answers] of wrong) {
    const at = lines.findIndex(([other]) => other === question)
    assert.ok(at !== -1, question)
    lines.splice(at, 0, ...answers.map((answer): Line => [question, answer]))
  }
  const { said, log } = await run(lines)
  // A wrong answer that is taken, or a right one that is not, puts all later answers to other questions.
  assert.equal(
    log.filter(line => line.startsWith('! ')).length,
    wrong.flatMap(([, answers]) => answers).length,
  )
  assert.deepEqual(said, (await run(all)).said)
})

describe('lint judges an answer at its question', () => {
  const ghp = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
  const http = (lines: Line[]) => [
    ...BEGIN,
    ...HTTP_TOOL.slice(0, 4),
    ...lines,
    ['More questions about', ''] as Line,
    ...SHORT_END,
  ]
  const rest: Line[] = [
    ['Input', 'to:string (who gets it)'],
    ['Result', 'nothing'],
  ]

  test('an error is asked again, with the fix', async () => {
    const { said, log } = await run(
      http([
        ['Url', `https://api.mail.example/send?key=${ghp}`],
        ['Url', 'https://api.mail.example/{{inputs.to}}'],
        ['Url', 'http://localhost:8080/send'],
        ['Url', 'http://127.0.0.1:8080/send'],
        ['HTTP method', 'POTS'],
        ['HTTP method', 'POST'],
        ['Input', '{"type":"objekt"}'],
        ...rest,
      ]),
    )
    const problems = log.filter(line => line.startsWith('! '))
    assert.equal(problems.length, 5, log.join('\n'))
    assert.ok(problems[2]?.endsWith('write http://127.0.0.1:8080/send'), problems[2])
    assert.ok(problems[3]?.endsWith('Write "POST"'), problems[3])
    assert.deepEqual(said.tools[0]?.transport.kind, 'http')
  })

  test('a warning is said, and the answer is taken', async () => {
    const { log } = await run(
      http([
        ['Url', 'https://api.mail.example/list'],
        ['HTTP method', 'GET'],
        ['Input', 'q:string (what to look for)'],
        ['Result', 'anything'],
      ]),
    )
    assert.ok(
      log.some(line => /^~ "GET" sends no body, and no placeholder names "q"/.test(line)),
      log.join('\n'),
    )
    // The positive control: the same with a body says nothing.
    const silent = await run(http([HTTP_TOOL[4] as Line, ['HTTP method', ''], ...rest]))
    assert.deepEqual(
      silent.log.filter(line => /^[!~]/.test(line)),
      [],
    )
  })

  test('localhost is corrected where a host is asked for, too', async () => {
    const { said, log } = await run([
      ['Description', ''],
      ['Network hosts', 'Localhost:8080'],
      ['Network hosts', '127.0.0.1:8080'],
      ...SHORT_END,
    ])
    assert.deepEqual(said.net, ['127.0.0.1:8080'])
    assert.ok(
      log.some(line => line.startsWith('! ') && line.endsWith('write 127.0.0.1:8080')),
      log.join('\n'),
    )
  })
})

test('the ways of a program to its input are shown with the argv that each leads to', async () => {
  const tool = (way: string) =>
    run([
      ...BEGIN,
      ...EXEC_TOOL.slice(0, 5),
      ['How does the program', way],
      ['Arguments', "-c --arg to '{{input.to}}' .to"],
      ...EXEC_END,
    ])
  const shown: [way: string, argv: string, stdin: boolean][] = [
    ['', '/usr/bin/jq INPUT.json -c --arg to {{input.to}} .to', false],
    ['stdin', '/usr/bin/jq -c --arg to {{input.to}} .to < INPUT.json', true],
    ['arguments', '/usr/bin/jq -c --arg to {{input.to}} .to', true],
  ]
  for (const [way, argv, stdin] of shown) {
    const { said, log } = await tool(way)
    assert.ok(log.includes(`~ a call starts ${argv}`), log.join('\n'))
    assert.equal(said.tools[0]?.rlp.stdin, stdin)
  }
  const [, ask] = scaffoldQuestions(
    new Map([
      ['tool1', 'yes'],
      ['tool1.kind', 'exec'],
      ['tool1.command', '/usr/bin/jq'],
    ]),
    CONTEXT,
  ).filter(({ id }) => /^tool1\.(?:command|stdin)$/.test(id))
  assert.deepEqual(ask?.kind === 'choice' && ask.choices.map(({ hint }) => hint), [
    'a file of JSON is its first argument: /usr/bin/jq INPUT.json …',
    'JSON on standard input: /usr/bin/jq … < INPUT.json',
    '{{input.<field>}} in its arguments: /usr/bin/jq …',
  ])
})

test('of what cannot be written, Enter goes back to the answer at fault, and the right ones stay', async () => {
  const dislikes = (word: string): Rule => ({
    id: 'tools/x',
    severity: 'error',
    scope: 'bundle',
    step: 'schemas',
    summary: '',
    why: '',
    fix: '',
    looks: 'agent',
    needs: {},
    check({ agent: { tools } }, report) {
      if (tools?.tools.some(({ transport }) => 'url' in transport && transport.url.includes(word)))
        report({
          file: 'tools.json',
          place: { pointer: ['tools', 1, 'transport', 'url'] },
          message: 'It has a word',
          fix: 'Remove it',
        })
    },
  })
  const script = scripted([
    ...BEGIN,
    ...EXEC_TOOL.slice(0, 11),
    ['More questions about', ''],
    ...HTTP_TOOL.slice(0, 8),
    ['More questions about', ''],
    ...SHORT_END.slice(0, -1),
    ['This cannot be written', ''],
    ['Url', 'https://api.mail.example/other'],
    ['Write this?', '<'],
    ['More questions (model', ''],
    ['Write this?', 'yes'],
  ])
  const rules = [dislikes('send')]
  const answers = await askAll(
    answers => withSummary(scaffoldQuestions(answers, CONTEXT), answers, CONTEXT, PLACE, rules),
    script.prompter,
  )
  assert.deepEqual(script.left, [])
  assert.equal(answers.get('tool2.url'), 'https://api.mail.example/other')
  assert.equal(answers.get('tool2.method'), 'POST')
  assert.ok(
    script.log.includes('? This cannot be written. Go back and change an answer? [no/<]'),
    script.log.join('\n'),
  )
})

test('a plan that lint would refuse cannot be written, only changed', async () => {
  const { answers } = await run([...BEGIN, ...EXEC_TOOL.slice(0, 7), ...EXEC_END])
  const questions = scaffoldQuestions(answers, CONTEXT)
  const last = (rules?: readonly Rule[]) => withSummary(questions, answers, CONTEXT, PLACE, rules).at(-1)
  const offered = (question: Question | undefined) =>
    question?.kind === 'choice' && question.choices.map(({ value }) => value)
  assert.deepEqual(offered(last()), ['yes', 'no'])
  const dislikes: Rule = {
    id: 'tools/x',
    severity: 'error',
    scope: 'bundle',
    step: 'schemas',
    summary: '',
    why: '',
    fix: '',
    looks: 'agent',
    needs: {},
    check(_, report) {
      report({ file: 'tools.json', message: 'It has a tool', fix: 'Remove it' })
      report({ file: 'manifest.toml', message: 'This is not about answers', fix: 'Run rlp agent digest' })
    },
  }
  const bad = last([dislikes])
  assert.deepEqual(offered(bad), ['no'])
  assert.equal(bad?.kind === 'choice' && bad.fallback, '<')
  const text = bad?.kind === 'choice' ? bad.before?.text : undefined
  assert.ok(text?.endsWith('\nProblems\n  tools.json: It has a tool. Remove it'), text)
})

test('a tool may take its schema from a file that is there already', async () => {
  const existing = memoryFiles({ 'schemas/mail.json': '{"type":"object"}', 'notes.txt': 'x' })
  const from: Line[] = [
    ['Input', 'schemas/nope.json'],
    ['Input', 'schemas/mail.json'],
  ]
  const lines = [...BEGIN, ...EXEC_TOOL.slice(0, 9), ...from, ...EXEC_END.slice(3)]
  const { said, log } = await run(lines, new Map(), { ...CONTEXT, existing })
  assert.deepEqual(said.tools[0]?.inputSchema, { $ref: 'schemas/mail.json' })
  assert.ok(log.includes('! no such file in schemas/'))
})

test('secret ids of another form are taken, with a remark', async () => {
  const lines = [...BEGIN, ...END].map(
    (line): Line => (line[0] === 'Secret of the model' ? [line[0], 'mail.smtp.key'] : line),
  )
  const { said, log } = await run(lines)
  assert.equal(said.modelSecret, 'mail.smtp.key')
  assert.ok(log.includes('~ mail.smtp.key: secret ids usually read runloop/<scope>/<name>'))
})

test('lists', { skip }, () => {
  const lists = (cases ?? []).filter(({ kind }) => kind === 'promptList')
  assert.ok(lists.length > 0)
  for (const { input, reference } of lists) assert.deepEqual(itemsOf(String(input)), reference)
  assert.deepEqual(itemsOf(' b ,a,, b,a '), ['a', 'b'])
})

describe('exec args', () => {
  const read = (line: string) => {
    const reading = readWords(line)
    assert.ok('value' in reading, line)
    return reading.value
  }
  test('keep their order, repeats and commas', () => {
    assert.deepEqual(read('--z -a --z a,b ""'), ['--z', '-a', '--z', 'a,b', ''])
  })
  test('are read as a shell reads them', () => {
    assert.deepEqual(read(`a"b c"'d "e'\\ f\\'  "\\"\\\\\\n"\t*`), [`ab cd "e f'`, '"\\\\n', '*'])
    assert.deepEqual(read(''), [])
    assert.deepEqual(read('{{input.path}}'), ['{{input.path}}'])
  })
  test('a dash and a < alone mean something else, and can be quoted', async () => {
    const lines = (args: string, rest: Line[] = []) => [
      ...BEGIN,
      ...EXEC_TOOL.slice(0, 6),
      ['Arguments', args] as Line,
      ...rest,
    ]
    const argsOf = async (script: Line[]) => {
      const { said } = await run([...script, ...EXEC_END])
      const transport = said.tools[0]?.transport
      return transport?.kind === 'exec' && transport.args
    }
    assert.deepEqual(await argsOf(lines('-')), ['-'])
    assert.deepEqual(await argsOf(lines(`'<'`)), ['<'])
    const back: Line = ['Folders that it reads (', '<']
    assert.deepEqual(await argsOf(lines('a b', [back, ['Arguments', '-']])), [])
    assert.deepEqual(await argsOf(lines('a b', [back, ['Arguments', `'-'`]])), ['-'])
  })
  test('any words are written so that they read back', () => {
    fc.assert(
      fc.property(fc.array(anyText({ maxLength: 12 }), { maxLength: 5 }), words => {
        assert.deepEqual(read(writeWords(words)), words)
      }),
    )
  })
})

test('schemas', () => {
  assert.deepEqual(readFields('a?: string, b :number[]?,c:object,'), {
    value: {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'array', items: { type: 'number' } },
        c: { type: 'object' },
      },
      required: ['c'],
      additionalProperties: false,
    },
  })
  assert.deepEqual(readFields('to:string (who, or what, gets it), n:integer? (how many)'), {
    value: {
      type: 'object',
      properties: {
        to: { type: 'string', description: 'who, or what, gets it' },
        n: { type: 'integer', description: 'how many' },
      },
      required: ['to'],
      additionalProperties: false,
    },
  })
  for (const text of ['to:string who gets it', 'to:string (who', 'to (who):string'])
    assert.ok('problem' in readFields(text), text)
  assert.deepEqual(readSchema('anything', [], 'input'), { value: { type: 'object' } })
  assert.deepEqual(readSchema('anything', [], 'result'), { value: {} })
  assert.deepEqual(readSchema('nothing', [], 'input'), readFields('none'))
  // As a call answers for a program that prints nothing.
  assert.deepEqual(readSchema('nothing', [], 'result'), {
    value: {
      type: 'object',
      properties: { text: { type: 'string', maxLength: 0 } },
      additionalProperties: false,
    },
  })
  assert.deepEqual(readSchemaId('schema:a.v1'), { value: { $ref: 'schema:a.v1' } })
  assert.deepEqual(readSchemaPath('schemas/a.json', ['schemas/a.json']), {
    value: { $ref: 'schemas/a.json' },
  })
  assert.ok('problem' in readSchemaPath('schemas/b.json', ['schemas/a.json']))
  // A field may be called schema; an id with a dot, or that is no type, is an id.
  assert.deepEqual(readSchema('schema:string', [], 'input'), readFields('schema:string'))
  assert.deepEqual(readSchema('schema:list', [], 'input'), readSchemaId('schema:list'))
  assert.deepEqual(readSchema('schema:a.v1', [], 'input'), readSchemaId('schema:a.v1'))
  assert.deepEqual(readSchemaJson('true'), { value: true })
  fc.assert(
    fc.property(fc.string(), text => {
      for (const read of [readFields, readSchemaId, readSchemaJson]) read(text)
    }),
  )
})
