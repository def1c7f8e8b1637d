// rlp agent scaffold with options: what is written where, what is refused, and that a refusal writes nothing.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { read } from '../../src/agent/read-agent.ts'
import { parse } from '../../src/cli/parse.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { writePolicy } from '../../src/policy/write.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'
import { command } from '../../src/scaffold/verbs/scaffold.ts'
import {
  eachItem,
  folderProblem,
  hostProblem,
  hostsOf,
  itemsOf,
  nameProblem,
} from '../../src/scaffold/wizard/answer.ts'
import { commandProblem } from '../../src/tools/transports/exec.ts'
import { agentTree } from '../support/agent.ts'
import { anyText } from '../support/any-text.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { memoryFiles } from '../support/memory.ts'
import { upTo } from '../support/runs.ts'
import { type Line, scripted } from '../support/scripted-prompter.ts'

const folder = temporary('scaffold')
const scaffold = (cwd: string, argv: readonly string[]) =>
  run(['agent', 'scaffold', ...argv], undefined, { cwd, env: {} })
const textAt = (cwd: string, file: string) => readFileSync(join(cwd, file), 'utf8')

test('every option', async () => {
  const cwd = folder('options')
  const argv =
    `demo --model m:1 --model-secret runloop/m/k --cap-fs /b,/a --cap-net B.example --cap-net a.example:8443
    --cap-kb-read x --cap-kb-write y,x --root bundles --opening-path o/demo.yaml --json --description`.split(
      /\s+/,
    )
  const ran = await scaffold(cwd, [...argv, 'A "demo"'])
  assert.deepEqual([ran.exit, ran.stderr], [0, ''])
  assert.deepEqual(JSON.parse(ran.stdout), {
    ok: true,
    tool: 'agent.scaffold',
    result: {
      agent: 'demo',
      path: join(cwd, 'bundles/demo'),
      files: ['manifest.toml', 'policy.caps', 'tools.json', 'README.md', 'bin/demo.wasm'],
      replaced: [],
      stub: 'bin/demo.wasm',
      opening: join(cwd, 'o/demo.yaml'),
      changed: true,
    },
  })
  assert.equal(
    textAt(cwd, 'bundles/demo/policy.caps'),
    `[capabilities]
fs = ["/a", "/b"]
net = ["a.example:8443", "b.example"]
time = false
kb_read = ["x"]
kb_write = ["x", "y"]
secrets = ["runloop/m/k"]
model = true
exec = false
`,
  )
  assert.match(
    textAt(cwd, 'bundles/demo/README.md'),
    /\nA "demo"\n\nModel: m:1, with the secret runloop\/m\/k\n/,
  )
  assert.match(textAt(cwd, 'o/demo.yaml'), /^version: 0\nname: "demo"\n/)
})

test('without a terminal there is no opening, unless it is asked for', async () => {
  for (const [argv, expected] of [
    [['demo'], false],
    [['demo', '--opening'], true],
    [['demo', '--no-opening'], false],
  ] as const) {
    const cwd = folder('opening')
    assert.equal((await scaffold(cwd, argv)).exit, 0)
    assert.equal(existsSync(join(cwd, 'examples/openings/demo.yaml')), expected)
  }
})

test('a dash is nothing; ~ is the home folder', async () => {
  const cwd = folder('home')
  const argv = ['demo', '--cap-fs', '-', '--model', 'none', '--root', '~/my agents', '-q']
  process.env['HOME'] = cwd
  const ran = await scaffold(cwd, argv)
  assert.deepEqual([ran.exit, ran.stdout], [0, `${cwd}/my agents/demo\n`])
  assert.match(textAt(cwd, 'my agents/demo/policy.caps'), /^fs = \[\]$[\s\S]*^model = false$/m)
})

test('the next commands can be copied', async () => {
  const ran = await scaffold(folder('next'), ['demo', '--root', 'my agents'])
  assert.match(ran.stdout, /\n {2}rlp agent digest 'my agents\/demo'\n {2}rlp agent lint 'my agents\/demo'\n/)
})

describe('refused, and nothing is written', () => {
  const cases: [name: string, argv: string[], exit: number, message: RegExp][] = [
    ['a bad name', ['1a'], 2, /^rlp: Cannot scaffold "1a": invalid agent name\nhint: Use lowercase letters/],
    ['a device name', ['nul'], 2, /Windows device name/],
    [
      '--crates-dir',
      ['demo', '--crates-dir', 'x'],
      2,
      /Cannot use --crates-dir: [\s\S]*hint: .*wasm32-wasip1/,
    ],
    [
      'a host with a wildcard',
      ['demo', '--cap-net', '*.example'],
      2,
      /--cap-net: "\*\.example" is refused: .*wildcards/,
    ],
    ['a relative folder', ['demo', '--cap-fs', '/a,b'], 2, /--cap-fs: .*absolute folder/],
    ['a domain with a wildcard', ['demo', '--cap-kb-read', '*'], 2, /--cap-kb-read/],
    [
      'a description that steers terminals',
      ['demo', '--description', 'a\u001b[2J'],
      2,
      /--description: "a\\u\{1b\}\[2J" is refused/,
    ],
    ['a model id of two words', ['demo', '--model', 'a b'], 2, /--model/],
    [
      'a secret for no model',
      ['demo', '--model', 'none', '--model-secret', 'x'],
      2,
      /--model-secret: it does not go with/,
    ],
    [
      'an opening that is not to be',
      ['demo', '--no-opening', '--opening-path', 'x'],
      2,
      /Cannot use --opening-path with --no-opening/,
    ],
    [
      'an opening in the agent',
      ['demo', '--opening-path', 'agents/demo/o.yaml'],
      2,
      /is in the agent’s folder/,
    ],
    [
      'an opening that is a folder',
      ['demo', '--opening-path', 'taken', '--force'],
      2,
      /Cannot write "taken": it is a folder/,
    ],
    ['an opening below a file', ['demo', '--opening-path', 'file/o.yaml'], 2, /a part of the path is a file/],
    [
      'an opening that is there',
      ['demo', '--opening-path', 'file'],
      2,
      /Cannot create "file": path already exists/,
    ],
    [
      'an agent that is there',
      ['there'],
      2,
      /Cannot create "agents\/there": path already exists\nhint: .*--force/,
    ],
    ['a root that is a file', ['demo', '--root', 'file'], 2, /Cannot /],
  ]
  for (const [name, argv, exit, message] of cases) {
    test(name, async () => {
      const cwd = folder('refused')
      mkdirSync(join(cwd, 'taken'))
      mkdirSync(join(cwd, 'agents/there/x'), { recursive: true })
      writeFileSync(join(cwd, 'file'), 'x')
      const before = snapshot(cwd)
      const ran = await scaffold(cwd, argv)
      assert.equal(ran.exit, exit, ran.stderr)
      assert.match(ran.stderr, message)
      assert.deepEqual(snapshot(cwd), before)
    })
  }
})

test('--force replaces what scaffold writes, and nothing else', async () => {
  const cwd = folder('force')
  assert.equal((await scaffold(cwd, ['demo', '--opening'])).exit, 0)
  writeFileSync(join(cwd, 'agents/demo/mine.txt'), 'x')
  writeFileSync(join(cwd, 'agents/demo/README.md'), 'mine')
  const ran = await scaffold(cwd, ['demo', '--opening', '--force', '--description', 'New'])
  assert.equal(ran.exit, 0)
  assert.match(ran.stdout, / {4}README\.md \(replaced\)\n/)
  assert.equal(textAt(cwd, 'agents/demo/mine.txt'), 'x')
  assert.match(textAt(cwd, 'agents/demo/README.md'), /\nNew\n/)
  const again = async (...argv: string[]) =>
    JSON.parse((await scaffold(cwd, ['demo', '--force', '--json', ...argv])).stdout).result
  const same = await again('--opening', '--description', 'New')
  assert.deepEqual([same.changed, same.replaced.length], [false, 5])
  writeFileSync(join(cwd, 'examples/openings/demo.yaml'), 'mine')
  assert.equal((await again('--no-opening', '--description', 'New')).changed, false)
  assert.equal((await again('--opening', '--description', 'New')).changed, true)
  assert.equal((await again('--description', 'Newer')).changed, true)
})

test('--force shows what it replaces, and asks a person', async () => {
  const cwd = folder('shown')
  await scaffold(cwd, ['demo'])
  const readme = textAt(cwd, 'agents/demo/README.md')
  const shown = await scaffold(cwd, ['demo', '--force', '--description', 'Another'])
  assert.match(shown.stderr, /^--- agents\/demo\/manifest\.toml\n/m)
  assert.match(shown.stderr, /^-Agent demo\n\+Another\n/m)
  assert.doesNotMatch(shown.stderr, /policy\.caps/)
  const isTTY = { stdin: true, stdout: true, stderr: true }
  const asked = async (answer: string, ...more: string[]) => {
    const args = ['agent', 'scaffold', 'demo', '--force', '--description', 'Agent demo', ...more]
    // The questions, that this is written, and that two files are replaced.
    const input = `${'\n'.repeat(8)}${answer}\n`
    return run(args, undefined, { cwd, input, isTTY, env: { TERM: 'dumb' } })
  }
  const refused = await asked('no')
  assert.equal(refused.exit, 130, refused.stdout + refused.stderr)
  assert.match(refused.stdout, /Replace 2 files\? \[y\/N\] /)
  assert.notEqual(textAt(cwd, 'agents/demo/README.md'), readme)
  assert.equal((await asked('', '--yes')).exit, 0)
  assert.equal(textAt(cwd, 'agents/demo/README.md'), readme)
})

test('--force leaves a build where it is', async () => {
  const cwd = folder('build')
  assert.equal((await scaffold(cwd, ['demo'])).exit, 0)
  // The placeholder itself is replaced without a word: it is no build.
  assert.doesNotMatch((await scaffold(cwd, ['demo', '--force'])).stdout, /stays/)
  writeFileSync(join(cwd, 'agents/demo/bin/demo.wasm'), 'my own build')
  const ran = await scaffold(cwd, ['demo', '--force'])
  assert.equal(ran.exit, 0)
  assert.match(ran.stdout, /bin\/demo\.wasm stays as it is/)
  assert.equal(textAt(cwd, 'agents/demo/bin/demo.wasm'), 'my own build')
})

test('an interrupted run writes nothing', async () => {
  const cwd = folder('abort')
  const stop = new AbortController()
  stop.abort(new DOMException('Received SIGINT', 'AbortError'))
  const ran = await run(['agent', 'scaffold', 'demo', '--opening'], undefined, { cwd, signal: stop.signal })
  assert.equal(ran.exit, 130)
  assert.deepEqual(snapshot(cwd), {})
})

test('questions need two terminals, and no agent that reads along', async () => {
  const tty = { stdin: true, stdout: true, stderr: true }
  const asked = async (argv: string[], isTTY: typeof tty) => {
    let opened = false
    const { terminal } = fakeTerminal({ cwd: folder('asks'), isTTY })
    const stop = new Error('asked')
    const done = command.run(parse(command, argv), { ...terminal, color: false }, async () => {
      opened = true
      throw stop
    })
    await done.catch(error => assert.equal(error, stop))
    return opened
  }
  assert.equal(await asked(['demo'], tty), true)
  assert.equal(await asked(['demo'], { ...tty, stderr: false }), true)
  assert.equal(await asked(['demo'], { ...tty, stdin: false }), false)
  assert.equal(await asked(['demo'], { ...tty, stdout: false }), false)
  assert.equal(await asked(['demo', '--non-interactive'], tty), false)
  assert.equal(await asked(['demo', '--json'], tty), false)
})

test('an opening that is there is not offered to a person who would be refused', async () => {
  const cwd = folder('offered')
  mkdirSync(join(cwd, 'examples/openings'), { recursive: true })
  writeFileSync(join(cwd, 'examples/openings/demo.yaml'), 'mine')
  const questions = ['Description', 'Network', 'Add a tool', 'More questions']
  const { prompter, left } = scripted([
    ...questions.map((question): Line => [question, '']),
    ['Write this?', 'yes'],
  ])
  const { terminal, written } = fakeTerminal({ cwd, isTTY: { stdin: true, stdout: true, stderr: true } })
  const exit = await command.run(
    parse(command, ['demo']),
    { ...terminal, color: false },
    async () => prompter,
  )
  assert.deepEqual([exit, left.length], [0, 0])
  assert.match(written.stderr, /examples\/openings\/demo\.yaml is there already and stays/)
  assert.equal(textAt(cwd, 'examples/openings/demo.yaml'), 'mine')
})

test('a name that is missing is asked first, and refused without a person', async () => {
  const cwd = folder('unnamed')
  const tty = { stdin: true, stdout: true, stderr: true }
  const make = (lines: readonly Line[]) => {
    const { prompter, log } = scripted(lines)
    const { terminal } = fakeTerminal({ cwd, isTTY: tty })
    return { log, done: command.run(parse(command, []), { ...terminal, color: false }, async () => prompter) }
  }
  const rest = ['Description', 'Network', 'Add a tool', 'More questions', 'Write'].map(
    (name): Line => [name, ''],
  )
  const { log, done } = make([['Name', '1a'], ['Name', 'nul'], ['Name', ' demo '], ...rest])
  assert.equal(await done, 0)
  assert.ok(existsSync(join(cwd, 'agents/demo/manifest.toml')))
  assert.deepEqual(log.slice(0, 6), [
    '# A new agent',
    '? Name (lowercase letters, digits and underscores)',
    '= 1a',
    '! Cannot scaffold "1a": invalid agent name. Use lowercase letters, digits, and underscores; must start with a letter',
    '= nul',
    '! Cannot scaffold "nul": the path bin/nul.wasm has a Windows device name. Choose another name',
  ])
  await assert.rejects(make([['Name', 'demo']]).done, { code: 'EXISTS' })
  const ran = await scaffold(cwd, [])
  assert.equal(ran.exit, 2)
  assert.match(ran.stderr, /^rlp: Cannot run "rlp agent scaffold": <name> is missing, and no person/)
  assert.match(ran.stderr, /\nhint: Write rlp agent scaffold <name> \[options\]\n/)
})

test('no question is asked about an agent that cannot be written', async () => {
  const cwd = folder('cannot')
  writeFileSync(join(cwd, 'file'), 'mine')
  const before = snapshot(cwd)
  for (const args of [
    ['--root', 'file'],
    ['--root', 'file/x'],
    ['--opening-path', 'file/o.yaml'],
  ]) {
    const { prompter } = scripted([])
    const { terminal } = fakeTerminal({ cwd, isTTY: { stdin: true, stdout: true, stderr: true } })
    const made = command.run(
      parse(command, ['demo', ...args]),
      { ...terminal, color: false },
      async () => prompter,
    )
    await assert.rejects(made, { code: 'WRONG_FILE_TYPE' }, args.join(' '))
    assert.deepEqual(snapshot(cwd), before)
  }
})

test('what a question about the policy accepts, lint accepts too', () => {
  const text = fc.oneof(
    fc.string({
      unit: fc.constantFrom('/', '.', '~', 'a', 'B', ':', '8', '[', ']', '*', '-', ' ', 'é', '%', '@'),
    }),
    anyText({ maxLength: 8 }),
  )
  const line = fc.array(text, { maxLength: 3 }).map(items => items.join(','))
  fc.assert(
    fc.property(line, line => {
      const accepted = (problemOf: (item: string) => string | undefined) =>
        eachItem(problemOf)(line) === undefined
      const policy = {
        ...NO_GRANTS,
        fs: accepted(folderProblem) ? itemsOf(line) : [],
        net: { hosts: accepted(hostProblem) ? hostsOf(line) : [], allowHttp: false },
        kbRead: accepted(nameProblem) ? itemsOf(line) : [],
        secrets: accepted(nameProblem) ? itemsOf(line) : [],
        exec: accepted(commandProblem) ? itemsOf(line) : [],
      }
      const agent = read(memoryFiles(agentTree({ files: { 'policy.caps': writePolicy(policy) } })), 'mini')
      const errors = lintAgent(agent, UNPREPARED).filter(
        ({ file, severity }) => file === 'policy.caps' && severity === 'error',
      )
      assert.deepEqual(errors, [])
    }),
    { numRuns: upTo(40, 100) },
  )
})

test('every file says where an editor finds its schema, in a project that has the package', async () => {
  const schemaOf = (cwd: string, agent: string) => {
    const { $schema } = JSON.parse(textAt(cwd, `${agent}/tools.json`)) as { $schema: string }
    for (const [file, name] of Object.entries({ 'manifest.toml': 'manifest', 'policy.caps': 'policy' }))
      assert.equal(
        textAt(cwd, `${agent}/${file}`).split('\n')[0],
        `#:schema ${$schema.replace('tools.v1', name)}`,
      )
    return $schema.replace('/tools.v1.schema.json', '')
  }
  const cwd = folder('editor')
  await scaffold(cwd, ['demo', '--root', 'a/b/c'])
  for (const file of ['manifest.toml', 'policy.caps', 'tools.json'])
    assert.doesNotMatch(textAt(cwd, `a/b/c/demo/${file}`), /schema\.json/)
  mkdirSync(join(cwd, 'a/node_modules/rlp-bundle/schemas'), { recursive: true })
  await scaffold(cwd, ['demo', '--root', 'a/b/c', '--force'])
  assert.equal(schemaOf(cwd, 'a/b/c/demo'), '../../../node_modules/rlp-bundle/schemas')
})
