// Every wizard ends with the command line of what it has written: in a fresh copy it makes the same bytes.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parse } from '../../src/cli/parse.ts'
import { command as scaffoldCommand } from '../../src/scaffold/verbs/scaffold.ts'
import { command as addCommand } from '../../src/scaffold/verbs/tool-add.ts'
import { readWords } from '../../src/text/shell-words.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { type Line, scripted } from '../support/scripted-prompter.ts'

const folder = temporary('wizard-line')
const TTY = { stdin: true, stdout: true, stderr: true }

/** Every file with its mode and its bytes. */
function treeOf(cwd: string): Record<string, string> {
  const files = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter(one => one.isFile())
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map(path => [
        path.slice(cwd.length),
        `${statSync(path).mode.toString(8)} ${readFileSync(path).toString('latin1')}`,
      ]),
  )
}

/** The line at the end, as a shell joins it. */
function lineIn(stdout: string): string {
  const [, line] = /\nThe same without questions:\n\n {2}(.*)\n$/s.exec(stdout) ?? []
  assert.ok(line !== undefined, stdout)
  return line.replace(/ \\\n +/g, ' ')
}

/** Runs the line's commands one after the other, without a person. */
async function repeat(line: string, cwd: string): Promise<void> {
  for (const part of line.split(/ && (?=rlp )/)) {
    const words = readWords(part)
    assert.ok('value' in words, part)
    const { exit, stdout, stderr } = await run(words.value.slice(1), undefined, { cwd })
    assert.equal(exit, 0, `${part}\n${stdout}${stderr}`)
  }
}

async function added(argv: readonly string[], lines: readonly Line[], files: Record<string, string> = {}) {
  const [asked, again] = [folder('asked'), folder('again')]
  for (const cwd of [asked, again]) writeTree(`${cwd}/agents/mini`, agentTree({ files }))
  const before = treeOf(again)
  const script = scripted(lines)
  const { terminal, written } = fakeTerminal({ cwd: asked, isTTY: TTY })
  const open = async () => script.prompter
  assert.equal(await addCommand.run(parse(addCommand, argv), { ...terminal, color: false }, open), 0)
  assert.deepEqual(script.left, [])
  const line = lineIn(written.stdout)
  await repeat(line, again)
  assert.deepEqual(treeOf(again), treeOf(asked), line)
  assert.notDeepEqual(treeOf(again), before)
  return line
}

async function scaffolded(argv: readonly string[], lines: readonly Line[]) {
  const [asked, again] = [folder('asked'), folder('again')]
  const script = scripted(lines)
  const { terminal, written } = fakeTerminal({ cwd: asked, isTTY: TTY })
  const open = async () => script.prompter
  assert.equal(
    await scaffoldCommand.run(parse(scaffoldCommand, argv), { ...terminal, color: false }, open),
    0,
  )
  assert.deepEqual(script.left, [])
  const line = lineIn(written.stdout)
  await repeat(line, again)
  assert.deepEqual(treeOf(again), treeOf(asked), line)
  return line
}

const HTTP: Line[] = [
  ['Tool id', 'mail.send'],
  ['Tool description', "Send a person's mail && more"],
  ['Transport kind', 'http'],
  ['Url', 'https://api.mail.example/send?to={{input.to}}'],
  ['HTTP method', 'get'],
  ['Input', 'to:string (who gets it, by name), tags:string[]?'],
  ['Result', 'anything'],
]
const EXEC: Line[] = [
  ['Tool id', 'text.words'],
  ['Tool description', '-d is no option'],
  ['Transport kind', 'exec'],
  ['Program', '/usr/bin/jq'],
  ['How does the program', 'stdin'],
  ['Arguments', `-c '.a, "b c"' '' -`],
  ['Folders that it reads (', '/srv/mail, ~/notes'],
  ['Folders that it reads and writes', '/var/more'],
  ['Input', 'nothing'],
  ['Result', '{"type":"object"}'],
]
const ALL: Line[] = [
  ['More questions about', 'yes'],
  ['Secrets', 'runloop/mail/key , b'],
  ['What else it needs', 'kb_read:contacts, fs_rw:/var/out'],
  ['Ask a person', 'yes'],
  ['Tokens', '2000'],
  ['US dollars', '0.05'],
  ['Tags', 'b, a'],
]
/** Each secret of a request is asked for its header. */
const SENT: Line[] = [
  ['Header that sends b', 'X-B: {{secret:b}}'],
  ['Header that sends runloop/mail/key', 'Authorization: Bearer {{secret:runloop/mail/key}}'],
]
const NO_MORE: Line[] = [['More questions about', '']]
const GRANTED: Line[] = [
  ['Grant this', 'yes'],
  ['Write this?', ''],
]

/** It follows from an option. */
const withoutKind = (lines: readonly Line[]) => lines.filter(([question]) => question !== 'Transport kind')

describe('tool add', () => {
  test('a request, and a program with everything', async () => {
    assert.match(
      await added(['mini'], [...HTTP, ...NO_MORE, ...GRANTED]),
      /^rlp tool add agents\/mini --id mail\.send /,
    )
    await added(['agents/mini'], [...EXEC, ...ALL, ...GRANTED])
    const policy = '[capabilities]\n# by hand\nnet = [\n  "z.example", # kept\n]\n'
    const line = await added(['mini'], [...HTTP, ...ALL.slice(0, 2), ...SENT, ...ALL.slice(2), ...GRANTED], {
      'policy.caps': policy,
    })
    assert.match(line, / --header 'X-B: \{\{secret:b\}\}' --header 'Authorization: /)
    // One header for both, and one that an option has given.
    const both = [SENT[0]?.[0] ?? '', 'X-B: {{secret:b}} {{secret:runloop/mail/key}}'] as Line
    await added(['mini'], [...HTTP, ...ALL.slice(0, 2), both, ...ALL.slice(2), ...GRANTED])
  })

  test('without the grant, and without a need for one', async () => {
    const line = await added(['mini'], [...HTTP, ...NO_MORE, ['Grant this', 'no'], ['Write this?', '']])
    assert.doesNotMatch(line, /--grant/)
    const enough = { 'policy.caps': '[capabilities]\nnet = ["api.mail.example"]\n' }
    await added(['mini'], [...HTTP, ...NO_MORE, ['Write this?', '']], enough)
  })

  test('with options that are not asked', async () => {
    const header = ['--header', 'X-A: b', '--timeout-ms', '100']
    await added(['mini', ...header], [...withoutKind(HTTP), ...NO_MORE, ...GRANTED])
    const env = ['--env', 'TZ', '--memory-mb', '64', '--id', 'other']
    await added(['mini', ...env], [...withoutKind(EXEC.slice(1)), ...NO_MORE, ...GRANTED])
  })

  test('it is pasted into a shell as it is printed', async () => {
    const line = await added(['mini'], [...EXEC, ...ALL, ...GRANTED])
    const words = execFileSync('/bin/sh', ['-c', `set -- ${line}; for word do printf '%s\\0' "$word"; done`])
    const read = readWords(line)
    assert.deepEqual('value' in read && read.value, String(words).split('\0').slice(0, -1))
  })
})

const BEGIN: Line[] = [
  ['Description', ''],
  ['Network hosts', ''],
]
const NO_TOOL: Line[] = [['Add a tool', 'no']]
const SHORT: Line[] = [
  ['More questions (model', ''],
  ['Write this?', ''],
]

describe('agent scaffold', () => {
  test('every default, and the name asked', async () => {
    assert.equal(
      await scaffolded([], [['Name', 'demo'], ...BEGIN, ...NO_TOOL, ...SHORT]),
      'rlp agent scaffold demo --non-interactive',
    )
  })

  test('tools of both kinds: each is added, and the digests are written', async () => {
    const line = await scaffolded(
      ['demo'],
      [
        ['Description', 'Mails, "quoted"'],
        ['Network hosts', 'z.example:8443, B.example'],
        ['Add a tool', 'yes'],
        ...EXEC,
        ...ALL,
        ['Add a tool', 'yes'],
        ...HTTP,
        ...NO_MORE,
        ...NO_TOOL,
        ...SHORT,
      ],
    )
    assert.match(line, / && rlp tool add agents\/demo .* && rlp agent digest agents\/demo$/)
  })

  test('every question, and options', async () => {
    const more = (answers: string[]): Line[] =>
      [
        'Model id',
        'Secret of the model',
        'Folders',
        'Knowledge-base domains it may read',
        'Knowledge-base domains it may write',
        'Write an opening',
        'Goal',
        'Parameter',
      ].map((question, at): Line => [question, answers[at] ?? ''])
    const end: Line[] = [['Write this?', '']]
    const begin: Line[] = [...BEGIN, ...NO_TOOL, ['More questions (model', 'yes']]
    await scaffolded(
      ['demo'],
      [...begin, ...more(['m:1', 'runloop/m/k', '-', 'x, a', 'y', 'yes', 'go on', 'text']), ...end],
    )
    await scaffolded(
      ['demo', '--root', 'my agents', '--opening-path', 'o.yaml', '--description', 'Said'],
      [
        ...begin,
        ...more(['', '', '/a, ~/b']).filter(([question]) => question !== 'Write an opening'),
        ...end,
      ],
    )
    const none = more(['none', '', '', '', '', 'no']).filter(
      ([question]) => !/^(?:Secret|Goal|Param)/.test(question),
    )
    await scaffolded(['demo', '--model', 'm:2'], [...begin, ...none, ...end])
  })

  test('any texts', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(text, fc.subarray(['/a', '/b c', '~/d', "/e'f"]), async (description, folders) => {
        const typed = description.replace(/[\0-\x1f\x7f-\x9f]/g, '').trim()
        fc.pre(!['', '-', '<'].includes(typed))
        await scaffolded(
          ['demo'],
          [
            ['Description', typed],
            ['Network hosts', ''],
            ...NO_TOOL,
            ['More questions (model', 'yes'],
            ['Model id', ''],
            ['Secret of the model', ''],
            ['Folders', folders.join(',') || '-'],
            ['Knowledge-base domains it may read', ''],
            ['Knowledge-base domains it may write', ''],
            ['Write an opening', ''],
            ['Write this?', ''],
          ],
        )
      }),
      { numRuns: 25 },
    )
  })
})
