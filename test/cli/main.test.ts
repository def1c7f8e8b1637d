// One command line from words to exit code, in process, with commands made for the purpose.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Command, type CommandEntry, defineCommand, type Registry } from '../../src/cli/command.ts'
import { REGISTRY } from '../../src/cli/commands.ts'
import { OTHER_WORDS } from '../../src/cli/main.ts'
import { width, wrap } from '../../src/cli/render/layout.ts'
import { note, report } from '../../src/cli/render/report.ts'
import { createStyle, wantsColor } from '../../src/cli/render/style.ts'
import { nearest } from '../../src/cli/suggest.ts'
import { ERRORS, type ErrorCode, RlpError } from '../../src/model/error.ts'
import { EXIT, exitCodeOf } from '../../src/model/exit-code.ts'
import { editDistance } from '../../src/text/edit-distance.ts'
import { run } from '../support/fake-terminal.ts'

const lint = defineCommand({
  name: 'agent lint',
  summary: 'check an agent’s manifest, policy, tools and schemas, and that they agree with each other',
  positionals: [{ name: 'path', describe: 'an agent folder, a folder of agents, or a bundle', many: true }],
  options: {
    format: {
      type: 'string',
      describe: 'how findings are written',
      choices: ['text', 'sarif', 'github'],
      default: 'text',
    },
    'agents-dir': { type: 'string', describe: 'where names are looked up first', placeholder: 'DIR' },
    strict: { type: 'boolean', describe: 'warnings count as errors', alias: 's' },
    'secret-flag': { type: 'boolean', describe: 'not shown', hidden: true },
    'skip-verify': { type: 'refused', describe: 'not shown either', instead: 'do something else' },
  },
  examples: [['rlp agent lint agents/mailer', 'Check one agent']],
  notes:
    'First paragraph, which is long enough that it has to be wrapped somewhere on a narrow terminal.\n\nSecond one.',
  async run(args, io) {
    note(io, args, 'looking\u001b[2J')
    report(io, args, {
      tool: 'agent.lint',
      result: { paths: args.path, format: args.format, color: io.color, cwd: io.cwd },
      warnings: args.path.length === 0 ? ['nothing to do\u202e'] : [],
      text: () => `${createStyle(io.color).green('fine')} ${args.path.join(' ')}\n`,
    })
    return args.strict ? EXIT.bundle : EXIT.ok
  },
})

/** A command that throws what it is given. */
const thrower = (name: string, make: () => unknown): Command =>
  defineCommand({
    name,
    summary: `Throw in ${name}`,
    options: {},
    examples: [],
    async run() {
      throw make()
    },
  }) as Command

const loaded: string[] = []

const entry = (command: unknown): CommandEntry => {
  const { name, summary } = command as Command
  return {
    name,
    summary,
    load: async () => {
      loaded.push(name)
      return { command: command as Command }
    },
  }
}

function registry(...more: Command[]): Registry {
  return {
    groups: [
      { name: 'agent', summary: 'Author and verify agents' },
      { name: 'caps', summary: 'Show what an agent may do' },
      { name: 'key', summary: 'Signing keys' },
    ],
    commands: [
      lint,
      thrower('agent verify', () => new Error('boom\u001b[31m')),
      thrower('caps lint', () => new RlpError('IO', 'Cannot read "x": disk on fire')),
      thrower('caps show', () => 'a string'),
      thrower('key show', () => new Error('x')),
      thrower('version-of', () => new Error('x')),
      ...more,
    ].map(entry),
  }
}

const all = registry()

describe('finding the command', () => {
  test('only the command that is called is loaded', async () => {
    loaded.length = 0
    assert.deepEqual(await run(['agent', 'lint', 'a', 'b'], all), {
      exit: 0,
      stdout: 'fine a b\n',
      stderr: 'looking\\u{1b}[2J\n',
    })
    assert.deepEqual(loaded, ['agent lint'])
  })

  test('help for everything and for a group, and the version, load no command', async () => {
    loaded.length = 0
    for (const argv of [
      [],
      ['--help'],
      ['help'],
      ['help', '--all'],
      ['agent'],
      ['agent', '-h'],
      ['help', 'agent'],
      ['--version'],
      ['-V'],
    ]) {
      const { exit, stdout, stderr } = await run(argv, all)
      assert.equal(exit, 0, String(argv))
      assert.notEqual(stdout, '')
      assert.equal(stderr, '')
    }
    assert.deepEqual(loaded, [])
  })

  test('the version is that of package.json', async () => {
    const { default: packageJson } = await import('../../package.json', { with: { type: 'json' } })
    assert.equal((await run(['--version'], all)).stdout, `${packageJson.version}\n`)
    assert.equal((await run(['-q', '-V'], all)).stdout, `${packageJson.version}\n`)
  })

  test('switches of every command may be before and between its words', async () => {
    const { stdout } = await run(['--json', 'agent', '-q', 'lint', 'a'], all)
    assert.equal(JSON.parse(stdout).ok, true)
  })

  const UNKNOWN: readonly (readonly [
    argv: string[],
    message: string,
    hint: string | undefined,
    see: string,
  ])[] = [
    [['agnet'], 'Cannot run "rlp agnet": there is no such command', 'Did you mean rlp agent?', 'rlp --help'],
    [
      ['agent', 'lnt'],
      'Cannot run "rlp agent lnt": there is no such command',
      'Did you mean rlp agent lint?',
      'rlp --help',
    ],
    [
      ['lint'],
      'Cannot run "rlp lint": there is no such command',
      'Did you mean rlp agent lint or rlp caps lint?',
      'rlp --help',
    ],
    [
      ['agent', 'show'],
      'Cannot run "rlp agent show": there is no such command',
      'Did you mean rlp caps show or rlp key show?',
      'rlp --help',
    ],
    [
      ['verfiy'],
      'Cannot run "rlp verfiy": there is no such command',
      'Did you mean rlp agent verify?',
      'rlp --help',
    ],
    ...['', 'agent '].flatMap(group =>
      (
        [
          ['info', /^rlp agent inspect BUNDLE shows/],
          ['validate', /^rlp agent lint checks a folder/],
          ['unpack', /tar -xf FILE\.agent\.bundle/],
          ['watch', /^Run rlp agent lint after each change/],
          ...(group === '' ? [['test', /^rlp agent test AGENT runs/] as const] : []),
        ] as const
      ).map(([word, hint]): (typeof UNKNOWN)[number] => {
        const said = OTHER_WORDS[`${group}${word}`] ?? ''
        assert.match(said, hint)
        const argv = `${group}${word}`.split(' ')
        return [argv, `Cannot run "rlp ${group}${word}": there is no such command`, said, 'rlp --help']
      }),
    ),
    [['xyzzy'], 'Cannot run "rlp xyzzy": there is no such command', undefined, 'rlp --help'],
    [['__proto__'], 'Cannot run "rlp __proto__": there is no such command', undefined, 'rlp --help'],
    [
      ['help', 'agent', 'lnt'],
      'Cannot run "rlp agent lnt": there is no such command',
      'Did you mean rlp agent lint?',
      'rlp --help',
    ],
    [
      ['\u001b]0;x\u0007'],
      'Cannot run "rlp \\u{1b}]0;x\\u{7}": there is no such command',
      undefined,
      'rlp --help',
    ],
    [
      ['--verison'],
      'Cannot read "--verison": no command comes before it',
      'Did you mean --version?',
      'rlp --help',
    ],
    [
      ['--out', 'x', 'agent', 'lint'],
      'Cannot read "--out": no command comes before it',
      'Options follow the command: rlp <command> [options]',
      'rlp --help',
    ],
    [
      ['agent', '--out', 'lint'],
      'Cannot read "--out": no command comes before it',
      'Options follow the command: rlp agent <command> [options]',
      'rlp --help',
    ],
    [
      ['--', 'agent'],
      'Cannot read "--": no command comes before it',
      'Options follow the command: rlp <command> [options]',
      'rlp --help',
    ],
    [
      ['agent', 'lint', '--agnets-dir', 'x'],
      'Cannot read "--agnets-dir": "rlp agent lint" has no such option',
      'Did you mean --agents-dir?',
      'rlp agent lint --help',
    ],
  ]
  for (const [argv, message, hint, see] of UNKNOWN) {
    test(`refuses ${JSON.stringify(argv)}`, async () => {
      const lines = [`rlp: ${message}`, ...(hint === undefined ? [] : [`hint: ${hint}`]), `See ${see}`]
      assert.deepEqual(await run(argv, all), { exit: 2, stdout: '', stderr: `${lines.join('\n')}\n` })
      const json = await run(
        [...argv.slice(0, argv.indexOf('--') >>> 0), '--json', ...argv.slice(argv.indexOf('--') >>> 0)],
        all,
      )
      assert.equal(json.exit, 2)
      assert.equal(json.stderr, '')
      const { kind, ok, ...rest } = JSON.parse(json.stdout)
      assert.deepEqual([kind, ok, rest.message, rest.hint], ['invalid_args', false, message, hint])
    })
  }

  test('a program that leaves out the command gets an error, not help', async () => {
    const { exit, stdout } = await run(['agent', '--json'], all)
    assert.equal(exit, 2)
    assert.equal(
      stdout,
      '{"code":"USAGE","kind":"invalid_args","message":"Cannot run \\"rlp agent\\": the command is missing","ok":false,"retryable":true}\n',
    )
  })
})

describe('help', () => {
  const HELP = `Usage: rlp agent lint [path..] [options]

Check an agent’s manifest, policy, tools and schemas, and that they agree with
each other

Arguments:
  path  an agent folder, a folder of agents, or a bundle

Options:
      --format FORMAT   how findings are written (text, sarif, github; default:
                        text)
      --agents-dir DIR  where names are looked up first
  -s, --strict          warnings count as errors

Options of every command:
      --json        print one line of JSON: the tool contract’s envelope
  -q, --quiet       print results and errors only
      --[no-]color  colour, even without a terminal; --no-color for none
  -h, --help        show this help

Examples:
  # Check one agent
  rlp agent lint agents/mailer

First paragraph, which is long enough that it has to be wrapped somewhere on a
narrow terminal.

Second one.
`
  for (const argv of [
    ['agent', 'lint', '--help'],
    ['agent', 'lint', '-h', '--nonsense'],
    ['agent', 'lint', '--out', '-h'],
    ['agent', 'lint', '-sh'],
    ['help', 'agent', 'lint'],
    ['--help', 'agent', 'lint', '--json'],
  ]) {
    test(`rlp ${argv.join(' ')}`, async () => {
      assert.deepEqual(await run(argv, all), { exit: 0, stdout: HELP, stderr: '' })
    })
  }

  test('of everything has the main job first, on one screen, and names every group and command', async () => {
    const { stdout } = await run(['--help'], REGISTRY)
    assert.ok(stdout.split('\n').length <= 24)
    assert.ok(stdout.split('\n').every(line => line.length <= 80))
    const names = new Set(REGISTRY.commands.map(({ name }) => name))
    for (const name of REGISTRY.mainJob ?? []) assert.ok(names.has(name) && stdout.includes(name), name)
    for (const name of REGISTRY.groups.map(one => one.name))
      assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
    for (const name of names)
      if (!name.includes(' ')) assert.match(stdout, new RegExp(`Also .*\\b${name}\\b`))
    const whole = (await run(['help', '--all'], REGISTRY)).stdout
    for (const name of names) assert.match(whole, new RegExp(`^  ${name} `, 'm'))
    // In a group, and before help was asked for, it is no option.
    for (const argv of [['--all'], ['help', 'agent', '--all']])
      assert.equal((await run(argv, REGISTRY)).exit, 2)
  })

  test('after -- it is an argument', async () => {
    assert.match((await run(['agent', 'lint', '--', '--help'], all)).stdout, /^fine --help/)
  })

  test('at every width from 40 columns on, no line is wider than the terminal', async () => {
    for (const columns of [40, 50, 80, 200]) {
      for (const argv of [['help'], ['help', 'agent'], ['help', 'agent', 'lint']]) {
        const { stdout } = await run(argv, all, { columns })
        const widest = Math.max(...stdout.split('\n').map(width))
        assert.ok(widest <= Math.min(columns, 100), `${argv.join(' ')} at ${columns}: ${widest}`)
      }
    }
  })

  test('50 columns', async () => {
    const { stdout } = await run(['help', 'agent', 'lint'], all, { columns: 50 })
    assert.match(
      stdout,
      new RegExp(
        [
          'Options:',
          '      --format FORMAT   how findings are written',
          '                        \\(text, sarif, github;',
          '                        default: text\\)',
          '      --agents-dir DIR  where names are looked up',
          '                        first',
        ].join('\n'),
      ),
    )
  })

  test('all of rlp, group by group', async () => {
    const { stdout } = await run(['help', '--all'], all)
    assert.match(stdout, /^Usage: rlp <command> \[options\]\n/)
    assert.match(stdout, /\nShow what an agent may do:\n {2}caps lint {2}Throw in caps lint\n {2}caps show/)
    assert.match(stdout, /\nMore:\n {2}version-of/)
    assert.match(stdout, /-V, --version/)
  })

  test('colour only where it is wanted', async () => {
    const tty = { stdin: false, stdout: true, stderr: false }
    assert.ok((await run(['help', 'agent', 'lint'], all, { isTTY: tty })).stdout.includes('\u001b[1m'))
    assert.ok(
      !(await run(['help', 'agent', 'lint'], all, { isTTY: tty, env: { NO_COLOR: '1' } })).stdout.includes(
        '\u001b',
      ),
    )
    assert.ok(
      !(await run(['help', 'agent', 'lint', '--no-color'], all, { isTTY: tty })).stdout.includes('\u001b'),
    )
  })
})

describe('errors', () => {
  test('each code ends in the exit code of the one to blame', async () => {
    const EXITS = { call: 2, bundle: 1, machine: 3, user: 130 }
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      const failing = registry(thrower('fail', () => new RlpError(code, 'Cannot x: y', { hint: 'do z' })))
      const { exit, stdout, stderr } = await run(['fail'], failing)
      assert.equal(exit, EXITS[ERRORS[code].blame], code)
      assert.equal(stdout, '')
      const see = code === 'USAGE' ? 'See rlp fail --help\n' : ''
      assert.equal(stderr, `rlp: Cannot x: y\nhint: do z\n${see}`)
    }
    assert.equal(exitCodeOf(new Error('x')), 70)
  })

  test('with --json the error is the envelope on one line, and standard error is empty', async () => {
    const failing = registry(
      thrower(
        'agent pack',
        () => new RlpError('NOT_FOUND', 'Cannot read "a/b": no such file', { hint: 'check the path\u202e' }),
      ),
    )
    assert.deepEqual(await run(['agent', 'pack', '--json'], failing), {
      exit: 2,
      stdout:
        '{"code":"NOT_FOUND","hint":"check the path\\\\u{202e}","kind":"not_found","message":"Cannot read \\"a/b\\": no such file","ok":false,"retryable":false,"tool":"agent.pack"}\n',
      stderr: '',
    })
  })

  test('a usage error names the argument', async () => {
    const { exit, stdout } = await run(['agent', 'lint', '--format', 'xml', '--json'], all)
    assert.equal(exit, 2)
    assert.deepEqual(JSON.parse(stdout), {
      ok: false,
      kind: 'invalid_args',
      code: 'USAGE',
      message: 'Cannot use --format: "xml" is not one of text, sarif, github',
      field: 'format',
      expected: 'one of text, sarif, github',
      retryable: true,
      tool: 'agent.lint',
    })
  })

  test('anything else is our bug: a stack, and a request to report it', async () => {
    const { exit, stdout, stderr } = await run(['agent', 'verify'], all)
    assert.equal(exit, 70)
    assert.equal(stdout, '')
    assert.match(stderr, /^rlp: Internal error: boom\\u\{1b\}\[31m\nError: boom\\u\{1b\}\[31m\n {4}at /)
    assert.match(stderr, /This is a bug in rlp \d+\.\d+\.\d+ .*Please report it/)
    assert.ok(!stderr.includes('\u001b'))
  })

  test('with --json the bug is an envelope too, and the stack stays on standard error', async () => {
    const { exit, stdout, stderr } = await run(['agent', 'verify', '--json'], all)
    assert.equal(exit, 70)
    assert.deepEqual(JSON.parse(stdout), {
      ok: false,
      kind: 'execution_error',
      code: 'INTERNAL',
      message: 'Internal error: boom\\u{1b}[31m',
      retryable: false,
      tool: 'agent.verify',
    })
    assert.match(stderr, /please report it/i)
  })

  test('what is thrown need not be an error', async () => {
    assert.match((await run(['caps', 'show'], all)).stderr, /^rlp: Internal error: a string\n/)
  })

  test('a command that cannot be loaded is a bug', async () => {
    const broken: Registry = {
      groups: [],
      commands: [{ name: 'x', summary: '', load: () => Promise.reject(new Error('no module')) }],
    }
    assert.equal((await run(['x'], broken)).exit, 70)
  })

  test('on a terminal, lines are wrapped under their label and coloured; elsewhere they stay whole', async () => {
    const message = `Cannot read "x": ${'word '.repeat(30).trim()}`
    const failing = registry(thrower('fail', () => new RlpError('IO', message, { hint: 'short' })))
    const isTTY = { stdin: false, stdout: false, stderr: true }
    const narrow = await run(['fail'], failing, { isTTY, columns: 40, env: { NO_COLOR: '1' } })
    const lines = narrow.stderr.trimEnd().split('\n')
    assert.ok(lines.length > 3)
    assert.ok(lines.every(line => width(line) <= 40))
    assert.ok(lines.slice(1, -1).every(line => line.startsWith('     word')))
    assert.equal((await run(['fail'], failing, { columns: 40 })).stderr, `rlp: ${message}\nhint: short\n`)
    assert.ok((await run(['fail'], failing, { isTTY })).stderr.startsWith('\u001b[31m\u001b[1mrlp:'))
  })

  test('what a signal stopped is cancelled, and a bug after a signal is still a bug', async () => {
    const stop = new AbortController()
    stop.abort(new DOMException('Received SIGINT', 'AbortError'))
    const { signal } = stop
    const stopped = registry(thrower('wait', () => signal.reason))
    assert.deepEqual(await run(['wait'], stopped, { signal }), {
      exit: 130,
      stdout: '',
      stderr: 'rlp: Cannot finish "rlp wait": it was interrupted\n',
    })
    assert.equal(JSON.parse((await run(['wait', '--json'], stopped, { signal })).stdout).kind, 'user_denied')
    assert.equal((await run(['key', 'show'], all, { signal })).exit, 70)
    assert.equal((await run(['wait'], stopped)).exit, 70)
  })
})

describe('results', () => {
  test('--json prints one envelope line; what a terminal would obey is escaped and reads back', async () => {
    const { exit, stdout, stderr } = await run(['agent', 'lint', '--json', '--', 'a\u202e/b\u009b'], all)
    assert.equal(exit, 0)
    assert.equal(
      stdout,
      '{"ok":true,"result":{"color":false,"cwd":"/nowhere","format":"text","paths":["a\\u202e/b\\u009b"]},"tool":"agent.lint"}\n',
    )
    assert.equal(JSON.parse(stdout).result.paths[0], 'a\u202e/b\u009b')
    assert.equal(stderr, '')
  })

  test('warnings are in the envelope, or on standard error, or left out', async () => {
    assert.deepEqual(JSON.parse((await run(['agent', 'lint', '--json'], all)).stdout).warnings, [
      'nothing to do\u202e',
    ])
    assert.equal(
      (await run(['agent', 'lint'], all)).stderr,
      'looking\\u{1b}[2J\nwarning: nothing to do\\u{202e}\n',
    )
    assert.deepEqual(await run(['agent', 'lint', '--quiet'], all), { exit: 0, stdout: 'fine \n', stderr: '' })
  })

  test('the exit code is the command’s', async () => {
    assert.equal((await run(['agent', 'lint', '-s'], all)).exit, 1)
  })

  const tty = { stdin: true, stdout: true, stderr: true }
  const COLOR: readonly (readonly [
    flags: string[],
    env: Record<string, string>,
    onTerminal: boolean,
    color: boolean,
  ])[] = [
    [[], {}, true, true],
    [[], {}, false, false],
    [[], { TERM: 'dumb' }, true, false],
    [[], { NO_COLOR: '1' }, true, false],
    [[], { NO_COLOR: '' }, true, true],
    [[], { FORCE_COLOR: '1' }, false, true],
    [[], { FORCE_COLOR: '0' }, true, false],
    [[], { FORCE_COLOR: '' }, false, false],
    [[], { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [['--color'], { NO_COLOR: '1' }, false, true],
    [['--no-color'], { FORCE_COLOR: '1' }, true, false],
    [['--color=false'], {}, true, false],
  ]
  for (const [flags, env, onTerminal, color] of COLOR) {
    test(`colour with ${JSON.stringify({ flags, env, onTerminal })}: ${color}`, async () => {
      const overrides = onTerminal ? { env, isTTY: tty } : { env }
      const { stdout } = await run(['agent', 'lint', 'a', ...flags], all, overrides)
      assert.equal(stdout.includes('\u001b[32m'), color)
      const json = await run(['agent', 'lint', 'a', '--json', ...flags], all, overrides)
      assert.equal(JSON.parse(json.stdout).result.color, color)
    })
  }

  test('each stream has its own colour', () => {
    assert.equal(wantsColor(undefined, {}, true), true)
    assert.equal(wantsColor(undefined, {}, false), false)
  })
})

describe('words', () => {
  test('nearest words', () => {
    assert.deepEqual(nearest('lnit', ['lint', 'pack', 'list']), ['lint'])
    assert.deepEqual(nearest('li', ['lint', 'pack', 'list']), ['lint', 'list'])
    assert.deepEqual(nearest('x', ['a', 'b']), [])
    assert.deepEqual(nearest('', ['a']), [])
    assert.deepEqual(nearest('x'.repeat(1e6), ['x']), [])
    assert.equal(editDistance('abcd', 'abdc', 3), 1)
    assert.equal(editDistance('kitten', 'sitting', 3), 3)
    assert.equal(editDistance('kitten', 'sitting', 2), 3)
    assert.equal(editDistance('', 'abc', 3), 3)
  })

  test('wrapping counts columns, not characters, and keeps long words whole', () => {
    assert.deepEqual(wrap('one two three', 7), ['one two', 'three'])
    assert.deepEqual(wrap('漢字 漢字 漢字', 9), ['漢字 漢字', '漢字'])
    assert.deepEqual(wrap('a /very/long/path/indeed b', 8), ['a', '/very/long/path/indeed', 'b'])
    assert.deepEqual(wrap(' ', 8), [])
    assert.equal(width('\u001b[1m漢字\u001b[22m'), 4)
  })
})
