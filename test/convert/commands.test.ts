// rlp tool export and rlp tool import: what is written, what is printed where, what is refused, and what was not agreed to.
import assert from 'node:assert/strict'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from '../../src/cli/parse.ts'
import { conversionLines } from '../../src/convert/render.ts'
import { command as importCommand } from '../../src/convert/verbs/import.ts'
import type { ConversionChange } from '../../src/model/conversion.ts'
import { writeToolsV1 } from '../../src/tools/v1.ts'
import { agentTree, type Tree, writeTree } from '../support/agent.ts'
import { HTTP, PLAIN } from '../support/conversion.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { made, RELEASE, STRANGER, world } from '../support/install-world.ts'
import { type Line, STOP, scripted } from '../support/scripted-prompter.ts'

const folder = temporary('convert')
const TOOLS = { 'tools.json': writeToolsV1([PLAIN, { ...HTTP, requiresConfirmation: true }]) }
const FACTS = { caps: 'exec = ["/usr/bin/jq"]\nnet = ["api.mail.example"]\n', files: TOOLS }

/** A folder with agents/mini in it. */
function withAgent(name: string, files: Tree = {}): string {
  const cwd = folder(name)
  writeTree(join(cwd, 'agents/mini'), agentTree({ files }))
  return cwd
}

const textAt = (cwd: string, file: string) => readFileSync(join(cwd, file), 'utf8')
const ELSEWHERE = join(import.meta.dirname, '../../fixtures/tools-elsewhere')

describe('export', () => {
  const exportIn = (cwd: string, ...args: string[]) => run(['tool', 'export', ...args], undefined, { cwd })

  test('the document alone on standard output, everything else on standard error', async () => {
    const cwd = withAgent('stdout', TOOLS)
    const { exit, stdout, stderr } = await exportIn(cwd, 'agents/mini', '--to', 'openai')
    assert.equal(exit, 0)
    assert.deepEqual(
      JSON.parse(stdout).map((one: { function: { name: string } }) => one.function.name),
      ['text__query', 'mail__send'],
    )
    assert.ok(stdout.startsWith('[\n  {\n') && stdout.endsWith('\n]\n'))
    assert.deepEqual(stderr.trim().split('\n'), [
      'warning: inferred: strict of text.query, mail.send: true: every object is closed and requires all its properties',
      'warning: lost: requires_confirmation of mail.send: OpenAI has no field for it: the host that runs the call has to ask',
      'warning: renamed: text.query is text__query there, mail.send is mail__send there',
      'no part of openai: command, http; the host that runs the calls keeps it',
    ])
  })

  test('what a terminal could be steered by is escaped, and reads back', async () => {
    const description = 'a\u202e\u001b[31mb\u2028c'
    const cwd = withAgent('bidi', { 'tools.json': writeToolsV1([{ ...PLAIN, id: 'a', description }]) })
    const { stdout } = await exportIn(cwd, 'agents/mini', '--to', 'mcp')
    assert.doesNotMatch(stdout, /[\u001b\u2028\u202e]/)
    assert.equal(JSON.parse(stdout).tools[0].description, description)
  })

  test('--json has everything, and nothing is on standard error', async () => {
    const cwd = withAgent('json', TOOLS)
    const { exit, stdout, stderr } = await exportIn(cwd, 'agents/mini', 'mail.send', '--to', 'mcp', '--json')
    const { ok, tool, result, warnings } = JSON.parse(stdout)
    assert.deepEqual([exit, ok, tool, stderr], [0, true, 'tool.export', ''])
    assert.deepEqual(
      { ...result, document: result.document.tools.length },
      {
        target: 'agents/mini',
        verdict: 'source',
        format: 'mcp',
        tools: 1,
        names: {},
        changes: [
          {
            tool: 'mail.send',
            field: 'requires_confirmation',
            what: 'lost',
            message: 'MCP has no field for it: the runtime behind the server asks, not the client',
          },
        ],
        apart: ['http'],
        files: [],
        changed: false,
        document: 1,
      },
    )
    assert.equal(warnings.length, 1)
  })

  test('--out and --names; the same again changes nothing; something else is not replaced without --force', async () => {
    const cwd = withAgent('out', TOOLS)
    const args = ['agents/mini', '--to', 'openai', '--out', 'tools.out.json', '--names', 'names.json']
    const { exit, stdout } = await exportIn(cwd, ...args)
    assert.deepEqual([exit, stdout], [0, '✓ tools.out.json  2 tools\n'])
    assert.deepEqual(JSON.parse(textAt(cwd, 'names.json')), {
      text__query: 'text.query',
      mail__send: 'mail.send',
    })
    const before = snapshot(cwd)
    assert.equal((await exportIn(cwd, ...args)).exit, 0)
    assert.deepEqual(snapshot(cwd), before)
    const other = ['agents/mini', '--to', 'mcp', '--out', 'tools.out.json']
    const refused = await exportIn(cwd, ...other, '--json')
    assert.deepEqual([refused.exit, JSON.parse(refused.stdout).code], [2, 'EXISTS'])
    assert.deepEqual(snapshot(cwd), before)
    assert.equal((await exportIn(cwd, ...other, '--force')).exit, 0)
    assert.ok(JSON.parse(textAt(cwd, 'tools.out.json')).tools)
  })

  test('neither a link nor a folder is written to, and one file is not two things', async () => {
    const cwd = withAgent('places', TOOLS)
    symlinkSync('agents/mini/tools.json', join(cwd, 'link.json'))
    const before = snapshot(cwd)
    for (const [args, code] of [
      [['--out', 'link.json', '--force'], 'WRONG_FILE_TYPE'],
      [['--out', 'agents'], 'WRONG_FILE_TYPE'],
      [['--out', 'a.json', '--names', 'a.json'], 'USAGE'],
      [['--out', 'nowhere/a.json'], 'NOT_FOUND'],
      [['--out', 'nowhere/a.json', '--names', 'n.json'], 'NOT_FOUND'],
      [['--out', 'link.json/a.json', '--names', 'n.json'], 'WRONG_FILE_TYPE'],
    ] as const) {
      const { exit, stdout } = await exportIn(cwd, 'agents/mini', '--to', 'mcp', '--json', ...args)
      assert.deepEqual([exit, JSON.parse(stdout).code], [2, code], args.join(' '))
      assert.deepEqual(snapshot(cwd), before)
    }
  })

  test('--fail-on-loss: exit 1, everything said, nothing written; an inference or another name is no loss', async () => {
    const cwd = withAgent('loss', TOOLS)
    const before = snapshot(cwd)
    const lossy = await exportIn(cwd, 'agents/mini', '--to', 'mcp', '--out', 'a.json', '--fail-on-loss')
    assert.deepEqual([lossy.exit, lossy.stdout], [1, ''])
    assert.match(
      lossy.stderr,
      /^warning: lost: requires_confirmation of mail\.send: .*\n.*\nnothing was written: --fail-on-loss\n$/,
    )
    const json = await exportIn(cwd, 'agents/mini', '--to', 'mcp', '--fail-on-loss', '--json')
    const { result } = JSON.parse(json.stdout)
    assert.deepEqual([json.exit, result.files, result.document, result.changes.length], [1, [], undefined, 1])
    assert.deepEqual(snapshot(cwd), before)
    const whole = await exportIn(
      cwd,
      'agents/mini',
      'text.query',
      '--to',
      'openai',
      '--out',
      'a.json',
      '--fail-on-loss',
    )
    assert.equal(whole.exit, 0)
  })

  test('--fail-on-loss: a pattern that OpenAI refuses is lost there, and kept for MCP', async () => {
    const inputSchema = { type: 'object', properties: { day: { type: 'string', pattern: '^(?!0)' } } }
    const cwd = withAgent('pattern', { 'tools.json': writeToolsV1([{ ...PLAIN, inputSchema }]) })
    const to = (format: string) => exportIn(cwd, 'agents/mini', '--to', format, '--fail-on-loss')
    const lossy = await to('openai')
    assert.equal(lossy.exit, 1)
    assert.match(
      lossy.stderr,
      /lost: input_schema of text\.query: the pattern of "day", because OpenAI refuses a pattern that looks ahead or behind\n/,
    )
    const whole = await to('mcp')
    assert.deepEqual([whole.exit, /\^\(\?!0\)/.test(whole.stdout)], [0, true])
  })

  test('a tools.json alone: an agent’s, or one of agentcli', async () => {
    const cwd = withAgent('alone', TOOLS)
    const names = (stdout: string) =>
      JSON.parse(stdout).map((one: { function: { name: string } }) => one.function.name)
    const ours = await exportIn(cwd, 'agents/mini/tools.json', '--to', 'openai')
    assert.deepEqual([ours.exit, names(ours.stdout)], [0, ['text__query', 'mail__send']])
    const tool = { name: 'clock', command: ['./tools/bin/clock'], timeoutSec: 5 }
    writeFileSync(
      join(cwd, 'cli.json'),
      JSON.stringify({ tools: [tool, { name: 'other', command: ['/bin/o'] }] }),
    )
    const theirs = await exportIn(cwd, 'cli.json', '--to', 'openai')
    assert.deepEqual([theirs.exit, names(theirs.stdout)], [0, ['clock', 'other']])
    assert.match(theirs.stderr, /inferred: command of clock: \.\/tools\/bin\/ is taken to lie in /)
    const one = await exportIn(cwd, 'cli.json', 'clock', '--to', 'agentcli', '--json')
    const { result } = JSON.parse(one.stdout)
    assert.deepEqual(
      [result.verdict, result.document.tools],
      [
        'source',
        [
          {
            name: 'clock',
            description: 'clock',
            schema: { type: 'object', properties: {} },
            command: [join(cwd, 'tools/bin/clock')],
            timeoutSec: 5,
          },
        ],
      ],
    )
    assert.ok(result.changes.every(({ tool }: ConversionChange) => tool === 'clock'))
    writeFileSync(join(cwd, 'empty.json'), '{"tools":[]}')
    assert.deepEqual((await exportIn(cwd, 'empty.json', '--to', 'openai')).stdout, '[]\n')
  })

  test('a file that is no tools.json is refused by its kind, and a broken one by its place', async () => {
    const cwd = withAgent('not-alone', TOOLS)
    for (const [text, code, message] of [
      ['{"tools":[{"name":"a","inputSchema":{}}]}', 'WRONG_FILE_TYPE', /it is no tools\.json$/],
      ['{"version":1,"tools":[{"command":["a"]}]}', 'WRONG_FILE_TYPE', /it is no tools\.json$/],
      ['{"version":1,', 'LINT_FAILED', /tools\.json:1/],
      ['{"version":1,"tools":[{"id":"a"}]}', 'LINT_FAILED', /tools\.json:1: /],
    ] as const) {
      writeFileSync(join(cwd, 'x.json'), text)
      const { stdout } = await exportIn(cwd, 'x.json', '--to', 'mcp', '--json')
      const failure = JSON.parse(stdout)
      assert.equal(failure.code, code, text)
      assert.match(failure.message, message)
    }
  })

  test('--fail-on-loss: a restriction that only a record states is a loss', async () => {
    const plain = withAgent('plain-record', TOOLS)
    const argv = ['agents/mini', 'text.query', '--to', 'openai', '--fail-on-loss'] as const
    assert.equal((await exportIn(plain, ...argv)).exit, 0)
    const record = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'text.query', is_enabled: false }
    writeFileSync(join(plain, 'agents/mini/interfaces.json'), JSON.stringify([record]))
    const lossy = await exportIn(plain, ...argv)
    assert.equal(lossy.exit, 1)
    assert.match(lossy.stderr, /lost: record of text\.query: is_enabled: OpenAI has no word for it\n/)
  })

  test('what is not there', async () => {
    const cwd = withAgent('absent', TOOLS)
    for (const [args, code, exit] of [
      [['nobody', '--to', 'mcp'], 'NOT_FOUND', 2],
      [['agents/mini', 'nope', '--to', 'mcp'], 'NOT_FOUND', 2],
      [['agents/mini', '--to', 'yaml'], 'USAGE', 2],
      [['agents/mini'], 'USAGE', 2],
    ] as const) {
      const ran = await exportIn(cwd, ...args, '--json')
      assert.deepEqual([JSON.parse(ran.stdout).code, ran.exit], [code, exit], args.join(' '))
    }
  })
})

describe('export of a bundle', () => {
  test('it is verified first: only what may be used is exported, by its verdict’s exit code', async () => {
    const here = world(folder('bundle'))
    const trusted = here.put('mini-1.0.0.agent.bundle', made(FACTS, RELEASE))
    const { exit, envelope } = await here.rlp('tool', 'export', trusted, '--to', 'mcp')
    assert.deepEqual([exit, envelope.result?.['verdict'], envelope.result?.['tools']], [0, 'trusted', 2])
    const strange = here.put('strange.bundle', made(FACTS, STRANGER))
    const unsigned = here.put('unsigned.bundle', made(FACTS))
    const broken = here.put('broken.bundle', made(FACTS, RELEASE).fill(0x41, 5000, 5001))
    for (const [name, verdict, code] of [
      [strange, 'untrusted', 1],
      [unsigned, 'unsigned', 1],
      [broken, 'invalid', 1],
    ] as const) {
      const ran = await here.rlp('tool', 'export', name, '--to', 'mcp', '--out', 'x.json')
      assert.deepEqual([ran.exit, ran.envelope.ok, ran.envelope['verdict']], [code, false, verdict])
    }
    const allowed = await here.rlp('tool', 'export', unsigned, '--to', 'mcp', '--allow-unsigned')
    assert.deepEqual([allowed.exit, allowed.envelope.result?.['verdict']], [0, 'unsigned'])
    const other = await here.rlp('tool', 'export', trusted, '--to', 'mcp', '--expect', 'other')
    assert.deepEqual([other.exit, other.envelope['verdict']], [1, 'untrusted'])
  })

  test('an installed agent by its name gives the same as the bundle', async () => {
    const here = world(folder('installed'))
    const bundle = here.put('mini-1.0.0.agent.bundle', made(FACTS, RELEASE))
    assert.equal((await here.install(bundle, '--yes')).exit, 0)
    const [one, other] = [
      await here.rlp('tool', 'export', bundle, '--to', 'agent-tool'),
      await here.rlp('tool', 'export', 'mini', '--to', 'agent-tool'),
    ]
    assert.deepEqual(one.envelope.result?.['document'], other.envelope.result?.['document'])
  })
})

describe('import', () => {
  const importIn = (cwd: string, ...args: string[]) => run(['tool', 'import', ...args], undefined, { cwd })
  const AGENTCLI = join(ELSEWHERE, 'agentcli.tools.json')
  const MCP = join(ELSEWHERE, 'mcp.tools-list.json')

  test('tools that lint refuses are named at once, and left out with --only-good', async () => {
    const cwd = withAgent('bad')
    const tool = (name: string, type: string) => ({ name, inputSchema: { type } })
    const list = [tool('a', 'strng'), tool('good', 'object'), tool('b', 'objct'), { name: 'c' }]
    writeFileSync(join(cwd, 'list.json'), JSON.stringify({ tools: list.slice(0, 3) }))
    const refused = await importIn(cwd, 'mini', 'list.json', '--command', '/usr/bin/call')
    assert.equal(refused.exit, 1)
    assert.match(refused.stderr, /^rlp: Cannot add 2 of 3 tools to "agents\/mini": "a": type .*; "b": type /m)
    assert.doesNotMatch(textAt(cwd, 'agents/mini/tools.json'), /good/)
    writeFileSync(join(cwd, 'list.json'), JSON.stringify({ tools: list }))
    const args = ['mini', 'list.json', '--command', '/usr/bin/call', '--only-good']
    const lossy = await importIn(cwd, ...args, '--fail-on-loss')
    assert.deepEqual([lossy.exit, lossy.stdout], [1, ''])
    const { exit, stdout, stderr } = await importIn(cwd, ...args)
    assert.equal(exit, 0)
    assert.match(stdout, /^✓ 1 tool in agents\/mini\/tools\.json\n {4}good /)
    for (const [name, why] of [
      ['a', 'type must be'],
      ['b', 'type must be'],
      ['c', String.raw`tools\[3\]\.inputSchema is missing`],
    ])
      assert.match(stderr, new RegExp(`lost: other of ${name}: left out: ${why}`))
  })

  test('into an agent: entries with their marks, policy.caps left alone and its lines named', async () => {
    const cwd = withAgent('agent')
    const { exit, stdout, stderr } = await importIn(cwd, 'mini', AGENTCLI, '--install-dir', '/opt/clock')
    assert.equal(exit, 0)
    assert.deepEqual(stdout.split('\n'), [
      '✓ 2 tools in agents/mini/tools.json',
      '    clock  /opt/clock/tools/bin/clock --json',
      '    probe  /usr/local/bin/probe',
      '',
      'agents/mini/policy.caps has to say:',
      '',
      '    exec = ["/opt/clock/tools/bin/clock", "/usr/local/bin/probe"]',
      '',
      'The digests in manifest.toml are stale now. Next:',
      '',
      '  rlp agent digest agents/mini',
      '',
    ])
    assert.equal(
      stderr.split('\n').at(-2),
      'warning: agents/mini/policy.caps does not grant what they need: no runtime exposes them until it does; rlp tool edit agents/mini TOOL --grant writes it for one of them',
    )
    assert.deepEqual(JSON.parse(textAt(cwd, 'agents/mini/tools.json')).tools[1], {
      id: 'probe',
      description: 'probe',
      transport: { kind: 'exec', command: '/usr/local/bin/probe' },
      input_schema: { type: 'object' },
      result_schema: {},
      'x-rlp': { stdin: true },
      'x-inferred': ['description', 'input_schema', 'result_schema'],
    })
    assert.equal(textAt(cwd, 'agents/mini/policy.caps'), '[capabilities]\n')
  })

  test('--grant, and facts in interfaces.json; afterwards lint has no error', async () => {
    const cwd = withAgent('grant')
    const { exit, stdout } = await importIn(
      cwd,
      'agents/mini',
      MCP,
      '--command',
      '/usr/bin/call',
      '--grant',
      '--json',
    )
    const { result, warnings } = JSON.parse(stdout)
    assert.equal(exit, 0)
    assert.deepEqual(
      { ...result, changes: result.changes.length },
      {
        file: MCP,
        format: 'mcp',
        to: 'agents/mini',
        tools: ['notes/search', 'notes-delete'],
        files: ['policy.caps', 'interfaces.json', 'tools.json'],
        granted: ['exec = ["/usr/bin/call"]'],
        missing: [],
        changed: true,
        changes: 5,
      },
    )
    assert.equal(warnings.length, 5)
    const [tool] = JSON.parse(textAt(cwd, 'agents/mini/interfaces.json'))
    assert.deepEqual(tool, {
      schema_version: '0.2.0',
      interface_id: 'tool_interface:notes/search',
      tool_id: 'notes/search',
      user_facing_name: 'Search notes',
      is_read_only: true,
      is_open_world: false,
    })
    assert.equal((await run(['agent', 'digest', 'agents/mini'], undefined, { cwd })).exit, 0)
    const lint = JSON.parse(
      (await run(['agent', 'lint', 'agents/mini', '--json'], undefined, { cwd })).stdout,
    )
    assert.equal(lint.result.summary.errors, 0)
  })

  test('every record of an interfaces.json that is there stays', async () => {
    const record = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'other' }
    for (const value of [[record], { records: [record] }]) {
      const cwd = withAgent('records', { 'interfaces.json': JSON.stringify(value) })
      assert.equal((await importIn(cwd, 'mini', MCP, '--command', '/usr/bin/call')).exit, 0)
      const now = JSON.parse(textAt(cwd, 'agents/mini/interfaces.json'))
      const records = Array.isArray(now) ? now : now.records
      assert.deepEqual([records[0], records.length], [record, 3])
    }
    const taken = withAgent('taken', {
      'interfaces.json': JSON.stringify([{ ...record, tool_id: 'notes-delete' }]),
    })
    const before = snapshot(taken)
    const { exit, stdout } = await importIn(taken, 'mini', MCP, '--command', '/usr/bin/call', '--json')
    assert.deepEqual([exit, JSON.parse(stdout).code], [2, 'EXISTS'])
    assert.deepEqual(snapshot(taken), before)
  })

  test('--out writes a tools.json of its own, and says that facts have no place there', async () => {
    const cwd = folder('own')
    const { exit, stderr } = await importIn(
      cwd,
      MCP,
      'notes-delete',
      '--out',
      'new.json',
      '--url',
      'https://h.example/{name}',
      '--header',
      'A: {{secret:runloop/a/b}}',
    )
    assert.equal(exit, 0)
    assert.match(
      stderr,
      /warning: lost: record of notes-delete: user_facing_name, is_read_only, is_destructive: only an agent has an interfaces\.json; use --agent\n/,
    )
    assert.doesNotMatch(stderr, /policy\.caps/)
    assert.deepEqual(
      JSON.parse(textAt(cwd, 'new.json')).tools.map(
        ({ id, transport, secrets }: { id: string; transport: object; secrets: string[] }) => [
          id,
          transport,
          secrets,
        ],
      ),
      [
        [
          'notes-delete',
          {
            kind: 'http',
            method: 'POST',
            url: 'https://h.example/notes-delete',
            headers: { A: '{{secret:runloop/a/b}}' },
          },
          ['runloop/a/b'],
        ],
      ],
    )
    const again = await importIn(cwd, AGENTCLI, '--out', 'new.json', '--json')
    assert.deepEqual([again.exit, JSON.parse(again.stdout).code], [2, 'EXISTS'])
  })

  test('there and back: names and transports of the agent that was exported', async () => {
    const cwd = withAgent('back', TOOLS)
    await run(
      ['tool', 'export', 'agents/mini', '--to', 'openai', '--out', 'o.json', '--names', 'n.json'],
      undefined,
      { cwd },
    )
    const args = [
      'o.json',
      '--names',
      'n.json',
      '--transport-from',
      'agents/mini/tools.json',
      '--out',
      'new.json',
    ]
    assert.equal((await importIn(cwd, ...args)).exit, 0)
    const [before, after] = ['agents/mini/tools.json', 'new.json'].map(
      file => JSON.parse(textAt(cwd, file)).tools,
    )
    for (const [index, tool] of before.entries()) {
      const { 'x-inferred': inferred, requires_confirmation: asks = false, ...entry } = after[index]
      assert.deepEqual(
        { ...entry, requires_confirmation: asks },
        { ...tool, requires_confirmation: tool.requires_confirmation },
      )
      assert.deepEqual(inferred, ['result_schema'])
    }
  })

  for (const format of ['openai', 'mcp', 'agent-tool'])
    test(`the example of the help, with what --to ${format} wrote of ids with dots`, async () => {
      const cwd = withAgent(`example-${format}`, TOOLS)
      const exported = ['tool', 'export', 'agents/mini', '--to', format, '--out', 'functions.json']
      assert.equal((await run(exported, undefined, { cwd })).exit, 0)
      // Word for word, with the name of the agent here.
      const example = importCommand.examples.at(-1)?.[0] ?? ''
      assert.match(example, / --transport-from agents\/mailer\/tools\.json$/)
      const args = example.replaceAll('mailer', 'mini').split(' ').slice(1)
      const { exit, stderr } = await run(args, undefined, { cwd })
      assert.equal(exit, 0, stderr)
      const ids = (file: string) => JSON.parse(textAt(cwd, file)).tools.map(({ id }: { id: string }) => id)
      assert.deepEqual(ids('new.json'), ids('agents/mini/tools.json'))
      assert.ok(ids('new.json').some((id: string) => id.includes('.')))
    })

  test('from standard input', async () => {
    const cwd = withAgent('stdin')
    const terminal = { cwd, input: readFileSync(AGENTCLI, 'utf8') }
    const ran = await run(['tool', 'import', 'mini', '-', 'probe', '--json'], undefined, terminal)
    assert.deepEqual([ran.exit, JSON.parse(ran.stdout).result.tools], [0, ['probe']])
  })

  test('--dry-run and --fail-on-loss write nothing', async () => {
    const cwd = withAgent('dry')
    const before = snapshot(cwd)
    const dry = await importIn(cwd, 'mini', MCP, '--command', '/usr/bin/call', '--dry-run', '--grant')
    assert.deepEqual([dry.exit, dry.stdout.split('\n')[0]], [0, '+ 2 tools for agents/mini/tools.json'])
    assert.match(
      dry.stdout,
      /\+ agents\/mini\/policy\.caps grants what they need:\n {4}exec = \["\/usr\/bin\/call"\]\n/,
    )
    const lossy = await importIn(cwd, 'mini', MCP, '--command', '/usr/bin/call', '--fail-on-loss')
    assert.deepEqual([lossy.exit, lossy.stdout], [1, ''])
    assert.match(lossy.stderr, /nothing was written: --fail-on-loss\n$/)
    assert.deepEqual(snapshot(cwd), before)
  })

  for (const none of ['{"tools":[]}', '{"tools":null}']) {
    test(`an empty list is valid, ${none}: an agent stays as it is, and a file gets no tools`, async () => {
      const cwd = withAgent('nothing')
      writeFileSync(join(cwd, 'none.json'), none)
      const before = snapshot(cwd)
      assert.equal((await run(['agent', 'lint', 'none.json'], undefined, { cwd })).exit, 0)
      const into = await importIn(cwd, 'mini', 'none.json')
      assert.equal(into.exit, 0, into.stderr)
      assert.deepEqual(snapshot(cwd), before)
      const out = await importIn(cwd, 'none.json', '--out', 'out.json')
      assert.equal(out.exit, 0, out.stderr)
      assert.deepEqual(JSON.parse(textAt(cwd, 'out.json')), { version: 1, tools: [] })
    })
  }

  test('Agent Tool records, with --command', async () => {
    const cwd = withAgent('records')
    const record = {
      schema_version: '0.2.0',
      interface_id: 'i',
      tool_id: 'note.find',
      description: 'Finds.',
      model_input_schema: { type: 'object' },
      output_schema: {},
      is_enabled: false,
    }
    writeFileSync(join(cwd, 'records.json'), JSON.stringify([record]))
    const argv = ['mini', 'records.json', '--command', '/usr/bin/call', '--grant'] as const
    const done = await importIn(cwd, ...argv)
    assert.equal(done.exit, 0, done.stderr)
    assert.match(textAt(cwd, 'agents/mini/tools.json'), /"note\.find"/)
    const [kept] = JSON.parse(textAt(cwd, 'agents/mini/interfaces.json'))
    assert.deepEqual([kept.tool_id, kept.is_enabled], ['note.find', false])
  })

  const refused: [what: string, args: string[], code: string, exit: number][] = [
    ['nowhere to go', [AGENTCLI], 'USAGE', 2],
    ['two places', ['mini', AGENTCLI, '--out', 'x.json'], 'USAGE', 2],
    ['--force without --out', ['mini', AGENTCLI, '--force'], 'USAGE', 2],
    ['--grant without an agent', [AGENTCLI, '--out', 'x.json', '--grant'], 'USAGE', 2],
    ['no way to run', ['mini', MCP], 'USAGE', 2],
    ['two ways to run', ['mini', MCP, '--command', '/a', '--url', 'https://h.example/{name}'], 'USAGE', 2],
    ['--method without --url', ['mini', MCP, '--command', '/a', '--method', 'GET'], 'USAGE', 2],
    ['an invalid header', ['mini', MCP, '--url', 'https://h.example/{name}', '--header', 'x'], 'USAGE', 2],
    ['a url that does not tell tools apart', ['mini', MCP, '--url', 'https://h.example/'], 'USAGE', 2],
    ['no such file', ['mini', 'nope.json'], 'NOT_FOUND', 2],
    ['a folder', ['mini', 'agents'], 'WRONG_FILE_TYPE', 2],
    ['no such agent', ['nobody', AGENTCLI], 'NOT_FOUND', 2],
    ['no such tool', ['mini', AGENTCLI, 'nope'], 'NOT_FOUND', 2],
    ['another system’s file', ['mini', 'agents/mini/tools.json'], 'WRONG_FILE_TYPE', 2],
    [
      'an invalid file to take transports from',
      ['mini', MCP, '--transport-from', AGENTCLI],
      'WRONG_FILE_TYPE',
      2,
    ],
    ['invalid names', ['mini', AGENTCLI, '--names', MCP], 'WRONG_FILE_TYPE', 2],
    ['a relative program', ['mini', MCP, '--command', 'bin/call'], 'LINT_FAILED', 1],
    ['a url of this machine by name', ['mini', MCP, '--url', 'http://localhost:8080/{name}'], 'USAGE', 2],
    ['a url that reaches nothing', ['mini', MCP, '--url', 'ftp://h.example/{name}'], 'USAGE', 2],
    [
      'a host that the tool’s name would decide',
      ['mini', MCP, '--url', 'https://{name}.example/'],
      'USAGE',
      2,
    ],
  ]
  for (const [what, args, code, exit] of refused) {
    test(`refused: ${what}`, async () => {
      const cwd = withAgent('refused')
      const before = snapshot(cwd)
      const ran = await importIn(cwd, ...args, '--json')
      assert.deepEqual([JSON.parse(ran.stdout).code, ran.exit], [code, exit], ran.stdout)
      assert.deepEqual(snapshot(cwd), before)
    })
  }

  test('localhost is told the address to write, as by the wizard', async () => {
    const cwd = withAgent('localhost')
    const ran = await importIn(cwd, 'mini', MCP, '--url', 'http://localhost:8080/{name}', '--json')
    const { message, hint } = JSON.parse(ran.stdout)
    assert.match(message, /^Cannot use --url: no call is ever sent to localhost: it is this host/)
    assert.equal(hint, 'Write http://127.0.0.1:8080/{name}')
    assert.equal((await importIn(cwd, 'mini', MCP, '--url', 'http://127.0.0.1:8080/{name}')).exit, 0)
  })

  test('the order of before is told, with the line to write', async () => {
    const cwd = withAgent('order')
    const hintOf = async (...args: string[]) => {
      const ran = await importIn(cwd, ...args, '--json')
      const { code, hint } = JSON.parse(ran.stdout)
      assert.deepEqual([ran.exit, code], [2, 'USAGE'], ran.stdout)
      return hint
    }
    writeFileSync(join(cwd, 'tools.json'), readFileSync(AGENTCLI))
    const first = 'The agent comes first, as with the other commands: rlp tool import AGENT FILE'
    assert.equal(await hintOf('tools.json', '--agent', 'mini'), first)
    const own = ', or add --out FILE for a tools.json of its own'
    assert.equal(await hintOf('tools.json', 'mini'), `Write rlp tool import mini tools.json${own}`)
    assert.equal(await hintOf('tools.json'), `Write rlp tool import AGENT tools.json${own}`)
    assert.equal(await hintOf('-', 'mini'), `Write rlp tool import mini -${own}`)
    assert.match(await hintOf('mini'), /^Write rlp tool import <agent> <file>/)
    // The positive control: what the hint says.
    assert.equal((await importIn(cwd, 'mini', 'tools.json', '--install-dir', '/opt/clock')).exit, 0)
  })

  test('an id that is taken, by the tool’s name; lint has the last word, and says of which tool', async () => {
    const cwd = withAgent('lint', TOOLS)
    const bad = {
      tools: [
        { name: 'fine', command: ['/bin/x'] },
        { name: 'odd', command: ['/bin/../x'] },
      ],
    }
    writeFileSync(join(cwd, 'bad.json'), JSON.stringify(bad))
    const odd = await importIn(cwd, 'mini', 'bad.json')
    assert.match(
      odd.stderr,
      /^rlp: Cannot add the tool "odd" to "agents\/mini": The command has an empty, "\." or "\.\." segment\n/,
    )
    writeFileSync(
      join(cwd, 'taken.json'),
      JSON.stringify({ tools: [{ name: PLAIN.id, command: ['/bin/x'] }] }),
    )
    const taken = await importIn(cwd, 'mini', 'taken.json', '--json')
    assert.equal(JSON.parse(taken.stdout).code, 'EXISTS')
    writeFileSync(
      join(cwd, 'env.json'),
      JSON.stringify({ tools: [{ name: 'e', command: ['/bin/x'], envPassthrough: ['LD_PRELOAD'] }] }),
    )
    const env = await importIn(cwd, 'mini', 'env.json')
    assert.match(env.stderr, /"LD_PRELOAD" changes which code the program runs/)
  })
})

describe('on a terminal', () => {
  const TTY = { stdin: true, stdout: true, stderr: true }
  const ARGS = ['mini', join(ELSEWHERE, 'agentcli.tools.json'), '--install-dir', '/opt/clock']

  async function importAt(cwd: string, argv: readonly string[], lines: readonly Line[], during?: () => void) {
    const script = scripted(lines)
    const { terminal, written } = fakeTerminal({ cwd, isTTY: TTY })
    let opened = 0
    const exit = await importCommand.run(
      parse(importCommand, argv),
      { ...terminal, color: false },
      async () => {
        opened++
        during?.()
        return script.prompter
      },
    )
    assert.deepEqual(script.left, [])
    return { exit, opened, log: script.log, ...written }
  }

  test('the grant is asked for with its exact lines; a no leaves policy.caps alone', async () => {
    const yes = withAgent('yes')
    const { log, stdout } = await importAt(yes, ARGS, [['Grant this in policy.caps?', 'yes']])
    const line = 'exec = ["/opt/clock/tools/bin/clock", "/usr/local/bin/probe"]'
    assert.ok(log.some(said => said.endsWith(`\n+ ${line}`)))
    assert.equal(textAt(yes, 'agents/mini/policy.caps'), `[capabilities]\n${line}\n`)
    assert.match(stdout, /✓ agents\/mini\/policy\.caps grants what they need:/)
    const no = withAgent('no')
    await importAt(no, ARGS, [['Grant this in policy.caps?', 'no']])
    assert.equal(textAt(no, 'agents/mini/policy.caps'), '[capabilities]\n')
    assert.equal(JSON.parse(textAt(no, 'agents/mini/tools.json')).tools.length, 2)
  })

  test('nothing is asked with --grant, --non-interactive, --dry-run, or where nothing is missing', async () => {
    for (const more of [['--grant'], ['--non-interactive'], ['--dry-run']])
      assert.equal((await importAt(withAgent('quiet'), [...ARGS, ...more], [])).opened, 0)
    const enough = withAgent('enough', { 'policy.caps': '[capabilities]\nexec = true\n' })
    assert.equal((await importAt(enough, ARGS, [])).opened, 0)
  })

  test('stopping writes nothing; a policy that changed meanwhile is left as it is', async () => {
    const cwd = withAgent('stop')
    const before = snapshot(cwd)
    await assert.rejects(importAt(cwd, ARGS, [['Grant this in policy.caps?', STOP]]), { code: 'CANCELLED' })
    assert.deepEqual(snapshot(cwd), before)
    const policy = join(cwd, 'agents/mini/policy.caps')
    const change = () => writeFileSync(policy, '[capabilities]\nexec = ["/bin/other"]\n')
    await assert.rejects(importAt(cwd, ARGS, [['Grant this in policy.caps?', 'yes']], change), {
      code: 'CHANGED_WHILE_READING',
    })
    assert.equal(readFileSync(policy, 'utf8'), '[capabilities]\nexec = ["/bin/other"]\n')
    assert.deepEqual(JSON.parse(textAt(cwd, 'agents/mini/tools.json')).tools, [])
  })
})

describe('lines about changes', () => {
  const change = (
    tool: string | undefined,
    field: ConversionChange['field'],
    what: ConversionChange['what'],
    message: string,
  ): ConversionChange => ({ tool, field, what, message })

  test('what is true of several tools and fields is said once', () => {
    assert.deepEqual(
      conversionLines([
        change('a', 'budget', 'lost', 'no word'),
        change('b', 'budget', 'lost', 'no word'),
        change('a', 'tags', 'lost', 'no word'),
        change('b', 'tags', 'lost', 'no word'),
        change('a', 'capabilities', 'lost', 'no word'),
        change('a', 'id', 'renamed', 'a is b there'),
        change(undefined, 'other', 'lost', 'more pages'),
      ]),
      [
        'lost: budget, tags of a, b: no word',
        'lost: capabilities of a: no word',
        'lost: other: more pages',
        'renamed: a is b there',
      ],
    )
  })

  test('many inferences are one line, with what was made up and of how many tools', () => {
    const tools = Array.from({ length: 20 }, (_, at) => `t${at}`)
    const change = (tool: string, field: 'command' | 'description', message: string) =>
      ({ what: 'inferred', tool, field, message }) as const
    const each = tools.map(tool => change(tool, 'command', `the program of ${tool}`))
    const lines = conversionLines([
      ...each,
      change('t3', 'description', 'its name'),
      { ...change('t0', 'command', 'the program of t0'), what: 'lost' as const },
    ])
    assert.deepEqual(lines, [
      'lost: command of t0: the program of t0',
      'inferred: command of 20 tools, description of t3: the source does not state them; --json says what each is',
    ])
    // The positive control: a few are said one by one.
    assert.equal(conversionLines(each.slice(0, 4)).length, 4)
  })

  test('a thousand tools are one line', () => {
    const many = Array.from({ length: 1000 }, (_, at) => change(`t${at}`, 'tags', 'lost', 'no word'))
    assert.deepEqual(conversionLines(many), ['lost: tags of t0, t1, t2, t3, t4, t5 and 994 more: no word'])
  })
})
