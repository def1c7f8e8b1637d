// The command line, row by row: what is accepted and as what, what is refused and in which words.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { defineCommand } from '../../src/cli/command.ts'
import { GLOBAL_OPTIONS } from '../../src/cli/option.ts'
import { parse, spellOut } from '../../src/cli/parse.ts'
import { UsageError } from '../../src/model/error.ts'
import { compiled } from '../support/compile.ts'
import { runs } from '../support/runs.ts'

const lint = defineCommand({
  name: 'agent lint',
  summary: 'Check an agent',
  positionals: [{ name: 'path', describe: 'an agent folder', many: true }],
  options: {
    'agents-dir': { type: 'string', describe: 'where agents are', placeholder: 'DIR' },
    out: { type: 'string', describe: 'where to write', placeholder: 'FILE', alias: 'o' },
    args: { type: 'string', describe: 'JSON, or - for standard input' },
    description: { type: 'string', describe: 'what it does', allowEmpty: true },
    format: {
      type: 'string',
      describe: 'how to write',
      choices: ['text', 'sarif', 'github'],
      default: 'text',
    },
    n: { type: 'integer', describe: 'how many', min: 0, max: 99, default: 3 },
    budget: { type: 'number', describe: 'how much' },
    strict: { type: 'boolean', describe: 'warnings count', alias: 's' },
    unpack: { type: 'boolean', describe: 'unpack too', negatable: true, default: true },
    caps: { type: 'strings', describe: 'capabilities' },
    header: { type: 'strings', describe: 'headers', commas: false },
    'skip-verify': { type: 'refused', describe: 'old', instead: 'use --allow-unsigned for one bundle' },
    since: { type: 'string', describe: 'since when', alias: 'v' },
    completion: { type: 'string', describe: 'how' },
    'x.y': { type: 'string', describe: 'a dot in its name' },
  },
  examples: [],
  run: async () => 0,
})

const diff = defineCommand({
  name: 'agent diff',
  summary: 'Compare',
  positionals: [
    { name: 'old', describe: 'a bundle', required: true },
    { name: 'new-one', describe: 'a bundle', required: true },
    { name: 'mode', describe: 'how', choices: ['short', 'long'] },
  ],
  options: { key: { type: 'string', describe: 'a key', required: true, placeholder: 'NAME' } },
  examples: [],
  run: async () => 0,
})

const DEFAULTS = {
  path: [],
  agentsDir: undefined,
  out: undefined,
  args: undefined,
  description: undefined,
  format: 'text',
  n: 3,
  budget: undefined,
  strict: false,
  unpack: true,
  caps: [],
  header: [],
  since: undefined,
  completion: undefined,
  'x.y': undefined,
  json: false,
  quiet: false,
  color: undefined,
  help: false,
}

/** What `rlp agent lint` makes of these words, as a difference to no words at all. */
const ACCEPTED: readonly (readonly [argv: string[], values: object])[] = [
  [[], {}],
  [['a', 'b c', '5'], { path: ['a', 'b c', '5'] }],
  [['--out', 'f'], { out: 'f' }],
  [['--out=f'], { out: 'f' }],
  [['-o', 'f'], { out: 'f' }],
  [['-o=f'], { out: 'f' }],
  [['-o', 'sarif'], { format: 'sarif' }],
  [['-o=sarif'], { format: 'sarif' }],
  [['-o', './sarif'], { out: './sarif' }],
  [['-o', 'json'], { json: true }],
  [['-o', 'json', '-o', './json'], { json: true, out: './json' }],
  [['--out', '5'], { out: '5' }],
  [['--out=a=b'], { out: 'a=b' }],
  [['--out=-x'], { out: '-x' }],
  [['--out=--strict'], { out: '--strict' }],
  [['--out="f"'], { out: '"f"' }],
  [["--out='f'"], { out: "'f'" }],
  [['--out', 'a\nb=c'], { out: 'a\nb=c' }],
  [['--out', 'true'], { out: 'true' }],
  [['--out=a.b.c'], { out: 'a.b.c' }],
  [['--x.y', '1.5'], { 'x.y': '1.5' }],
  [['-v', '1', '--completion=2'], { since: '1', completion: '2' }],
  // A lone dash is a value and a positional, not an option.
  [['--args', '-'], { args: '-' }],
  [['--args=-'], { args: '-' }],
  [['-'], { path: ['-'] }],
  [['--args', '-', '-'], { args: '-', path: ['-'] }],
  [['--args', '{"a":1}'], { args: '{"a":1}' }],
  [['--description', ''], { description: '' }],
  [['--description='], { description: '' }],
  [['--format', 'sarif'], { format: 'sarif' }],
  [['--n', '7'], { n: 7 }],
  [['--n=0'], { n: 0 }],
  [['--n=-0'], { n: 0 }],
  [['--budget', '0.25'], { budget: 0.25 }],
  [['--budget=-2'], { budget: -2 }],
  [['--strict'], { strict: true }],
  [['-s'], { strict: true }],
  [['--strict=true'], { strict: true }],
  [['--strict=false'], { strict: false }],
  [['-sq'], { strict: true, quiet: true }],
  // A switch takes no word with it, not even one that reads like its value.
  [['--strict', 'false'], { strict: true, path: ['false'] }],
  [['--no-unpack'], { unpack: false }],
  [['--unpack=false'], { unpack: false }],
  [['--no-unpack=false'], { unpack: true }],
  [['--no-color'], { color: false }],
  [['--color'], { color: true }],
  [['--json', '-q'], { json: true, quiet: true }],
  // Lists repeat, split at commas, and leave positionals alone.
  [['--caps', 'a', 'b'], { caps: ['a'], path: ['b'] }],
  [['--caps', 'a,b', 'c', '--caps=d'], { caps: ['a', 'b', 'd'], path: ['c'] }],
  [['--caps', '-'], { caps: ['-'] }],
  [['--caps="a"'], { caps: ['"a"'] }],
  [['--header', 'A: 1, 2', '--header', 'B: 3'], { header: ['A: 1, 2', 'B: 3'] }],
  // `--` ends options, and only the first one means that.
  [['--', '--out', '-x', '--'], { path: ['--out', '-x', '--'] }],
  [['--strict', '--', '--strict'], { strict: true, path: ['--strict'] }],
  [['a', '--strict', 'b'], { path: ['a', 'b'], strict: true }],
]

for (const [argv, values] of ACCEPTED) {
  test(`accepts ${JSON.stringify(argv)}`, () => {
    assert.deepEqual(parse(lint, argv), { ...DEFAULTS, ...values })
  })
}

const UNKNOWN = '"rlp agent lint" has no such option'

/** The message, and the hint where there is one. */
const REFUSED: readonly (readonly [argv: string[], message: string, hint?: string])[] = [
  [['--agnets-dir', 'x'], `Cannot read "--agnets-dir": ${UNKNOWN}`, 'Did you mean --agents-dir?'],
  [['--agnets-dir=x'], `Cannot read "--agnets-dir": ${UNKNOWN}`, 'Did you mean --agents-dir?'],
  [['--stict'], `Cannot read "--stict": ${UNKNOWN}`, 'Did you mean --strict?'],
  [['--no-unpakc'], `Cannot read "--no-unpakc": ${UNKNOWN}`, 'Did you mean --no-unpack?'],
  [['--nothing-like-it'], `Cannot read "--nothing-like-it": ${UNKNOWN}`],
  // Abbreviations and other spellings.
  [['--agents', 'x'], `Cannot read "--agents": ${UNKNOWN}`, 'Did you mean --agents-dir?'],
  [['--agentsDir', 'x'], `Cannot read "--agentsDir": ${UNKNOWN}`, 'Did you mean --agents-dir?'],
  [['--no-strict'], `Cannot read "--no-strict": ${UNKNOWN}`, 'Did you mean --strict?'],
  [['--no-out'], `Cannot read "--no-out": ${UNKNOWN}`],
  [
    ['-of'],
    `Cannot read "-of": ${UNKNOWN}`,
    'An argument that begins with a dash comes after --, a value as --option=-of',
  ],
  [
    ['-x'],
    `Cannot read "-x": ${UNKNOWN}`,
    'An argument that begins with a dash comes after --, a value as --option=-x',
  ],
  [
    ['-5'],
    `Cannot read "-5": ${UNKNOWN}`,
    'An argument that begins with a dash comes after --, a value as --option=-5',
  ],
  [['---'], `Cannot read "---": ${UNKNOWN}`],
  [['--='], `Cannot read "--": ${UNKNOWN}`],
  // What every object has is no option.
  [['--__proto__', 'x'], `Cannot read "--__proto__": ${UNKNOWN}`],
  [['--__proto__.polluted=x'], `Cannot read "--__proto__.polluted": ${UNKNOWN}`],
  [['--constructor'], `Cannot read "--constructor": ${UNKNOWN}`],
  [['--toString'], `Cannot read "--toString": ${UNKNOWN}`],
  [['--hasOwnProperty=1'], `Cannot read "--hasOwnProperty": ${UNKNOWN}`],
  // What yargs knows by itself is no option.
  [['--version'], `Cannot read "--version": ${UNKNOWN}`],
  [['--get-yargs-completions'], `Cannot read "--get-yargs-completions": ${UNKNOWN}`],
  [['--_', 'x'], `Cannot read "--_": ${UNKNOWN}`],
  [['--$0', 'x'], `Cannot read "--$0": ${UNKNOWN}`],
  // Dots do not nest.
  [['--out.a', 'x'], `Cannot read "--out.a": ${UNKNOWN}`, 'Did you mean --out?'],
  [['--n', 'abc'], 'Cannot use --n: "abc" is not a whole number from 0 to 99'],
  [['--n', '1.5'], 'Cannot use --n: "1.5" is not a whole number from 0 to 99'],
  [['--n', '0x10'], 'Cannot use --n: "0x10" is not a whole number from 0 to 99'],
  [['--n', '1e1'], 'Cannot use --n: "1e1" is not a whole number from 0 to 99'],
  [['--n', '+1'], 'Cannot use --n: "+1" is not a whole number from 0 to 99'],
  [['--n', ' 1'], 'Cannot use --n: " 1" is not a whole number from 0 to 99'],
  [['--n', '1_0'], 'Cannot use --n: "1_0" is not a whole number from 0 to 99'],
  [['--n', '٣'], 'Cannot use --n: "٣" is not a whole number from 0 to 99'],
  [['--n=-1'], 'Cannot use --n: "-1" is not a whole number from 0 to 99'],
  [['--n', '100'], 'Cannot use --n: "100" is not a whole number from 0 to 99'],
  [['--n='], 'Cannot use --n: its value is empty'],
  [['--n', ''], 'Cannot use --n: its value is empty'],
  [['--budget', 'Infinity'], 'Cannot use --budget: "Infinity" is not a number'],
  [['--budget', '.5'], 'Cannot use --budget: ".5" is not a number'],
  [['--strict=maybe'], 'Cannot use --strict: "maybe" is neither true nor false'],
  [['--strict='], 'Cannot use --strict: "" is neither true nor false'],
  [['--strict=1'], 'Cannot use --strict: "1" is neither true nor false'],
  [['--strict=TRUE'], 'Cannot use --strict: "TRUE" is neither true nor false'],
  [['-s=no'], 'Cannot use -s: "no" is neither true nor false'],
  [['--out', 'a', '--out', 'b'], 'Cannot use --out: it is given twice'],
  [['--out=a', '-o', 'b'], 'Cannot use --out: it is given twice'],
  [['--n', '1', '--n', '1'], 'Cannot use --n: it is given twice'],
  [['--strict', '--strict'], 'Cannot use --strict: it is given twice'],
  [['--unpack', '--no-unpack'], 'Cannot use --unpack: it is given twice'],
  [['-ss'], 'Cannot use --strict: it is given twice'],
  [['--out'], 'Cannot use --out: its FILE is missing'],
  [
    ['--out', '--strict'],
    'Cannot use --out: its FILE is missing',
    'Write --out=--strict if --strict is meant as its value',
  ],
  [['--out', '-x'], 'Cannot use --out: its FILE is missing', 'Write --out=-x if -x is meant as its value'],
  [['--out', '--'], 'Cannot use --out: its FILE is missing'],
  [['--n', '-5'], 'Cannot use --n: its value is missing', 'Write --n=-5 if -5 is meant as its value'],
  [['--caps'], 'Cannot use --caps: its value is missing'],
  [
    ['--caps', '--strict'],
    'Cannot use --caps: its value is missing',
    'Write --caps=--strict if --strict is meant as its value',
  ],
  [['--out='], 'Cannot use --out: its value is empty'],
  [['--out', ''], 'Cannot use --out: its value is empty'],
  [['--caps', 'a,,b'], 'Cannot use --caps: an item of "a,,b" is empty'],
  [['--caps', 'a,'], 'Cannot use --caps: an item of "a," is empty'],
  [
    ['--format', 'sraif'],
    'Cannot use --format: "sraif" is not one of text, sarif, github',
    'Did you mean sarif?',
  ],
  [['--format', 'xml'], 'Cannot use --format: "xml" is not one of text, sarif, github'],
  [
    ['--format', 'SARIF'],
    'Cannot use --format: "SARIF" is not one of text, sarif, github',
    'Did you mean sarif?',
  ],
  [['--skip-verify'], 'Cannot use --skip-verify: it is not supported', 'use --allow-unsigned for one bundle'],
  [
    ['--skip-verify=false'],
    'Cannot use --skip-verify: it is not supported',
    'use --allow-unsigned for one bundle',
  ],
  [[''], 'Cannot use [path..]: it is empty', 'Write rlp agent lint [path..] [options]'],
  // What would steer the terminal is shown, not sent.
  [['--\u001b[31m'], `Cannot read "--\\u{1b}[31m": ${UNKNOWN}`],
]

for (const [argv, message, hint] of REFUSED) {
  test(`refuses ${JSON.stringify(argv)}`, () => {
    assertUsage(() => parse(lint, argv), message, hint)
  })
}

const DIFF_USAGE = 'Write rlp agent diff <old> <new-one> [mode] [options]'

test('a word of other programs behind --color is named', () => {
  for (const [word, hint] of [
    ['never', 'Write --no-color; '],
    ['always', 'Write --color alone; '],
    ['auto', 'Write neither --color nor --no-color; '],
  ] as const) {
    const read = () => spellOut(['a', '--color', word], GLOBAL_OPTIONS, { name: 'agent lint' })
    assert.throws(read, (error: UsageError) => {
      assert.equal(error.message, `Cannot use --color ${word}: it takes no word`)
      return error.hint === `${hint}what is called ${word} is named ./${word}`
    })
  }
  assert.deepEqual(spellOut(['--color', './never'], GLOBAL_OPTIONS, { name: 'agent lint' }), [
    '--color=true',
    './never',
  ])
})

test('positionals: each has its name, and there are neither too few nor too many', () => {
  assert.deepEqual(parse(diff, ['a', '-', 'long', '--key', 'k']), {
    old: 'a',
    newOne: '-',
    mode: 'long',
    key: 'k',
    json: false,
    quiet: false,
    color: undefined,
    help: false,
  })
  const key = ['--key', 'k']
  assertUsage(
    () => parse(diff, ['a', ...key]),
    'Cannot run "rlp agent diff": <new-one> is missing',
    DIFF_USAGE,
  )
  assertUsage(() => parse(diff, key), 'Cannot run "rlp agent diff": <old> is missing', DIFF_USAGE)
  assertUsage(
    () => parse(diff, ['a', 'b', 'short', 'd', ...key]),
    'Cannot run "rlp agent diff": unexpected argument "d"',
    DIFF_USAGE,
  )
  assertUsage(
    () => parse(diff, ['a', 'b', 'shrot', ...key]),
    'Cannot use [mode]: "shrot" is not one of short, long',
    'Did you mean short?',
  )
})

test('a required option is asked for', () => {
  assertUsage(
    () => parse(diff, ['a', 'b']),
    'Cannot run "rlp agent diff": --key is missing',
    'Add --key NAME: a key',
  )
})

test('a command may have options with the names that yargs uses itself', () => {
  const scaffold = defineCommand({
    name: 'x',
    summary: '',
    options: {
      version: { type: 'string', describe: '' },
      config: { type: 'string', describe: '' },
      'show-hidden': { type: 'boolean', describe: '' },
    },
    examples: [],
    run: async () => 0,
  })
  const args = parse(scaffold, ['--version', '0.1.0', '--config', 'c.json', '--show-hidden', '--help'])
  assert.deepEqual([args.version, args.config, args.showHidden, args.help], ['0.1.0', 'c.json', true, true])
})

test('texts stay as they are, with quotes, dots and signs', () => {
  for (const text of [
    '"quoted"',
    "'quoted'",
    '"',
    '""',
    `'"x"'`,
    '1.50',
    '0x1',
    ' a ',
    '$HOME',
    'a=b',
    'true',
    '-',
  ]) {
    assert.equal(parse(lint, ['--out', text]).out, text)
    assert.equal(parse(lint, [`--out=${text}`]).out, text)
    assert.deepEqual(parse(lint, [text]).path, [text])
    assert.deepEqual(parse(lint, ['--header', text, `--header=${text}`]).header, [text, text])
    assert.deepEqual(parse(lint, ['--strict', '--', text, '--out']).path, [text, '--out'])
  }
})

test('an error names the argument at fault and what it should be', () => {
  assert.throws(() => parse(lint, ['--format', 'xml']), {
    field: 'format',
    expected: 'one of text, sarif, github',
  })
  assert.throws(() => parse(lint, ['--n', 'x']), { field: 'n', expected: 'a whole number from 0 to 99' })
  assert.throws(() => parse(lint, ['--out']), { field: 'out', expected: 'FILE' })
})

test('language, environment and configuration files change nothing', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'rlp-parse-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const config = { out: 'configured', strict: true, 'dot-notation': true }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'x', yargs: config, rlp: config }))
  writeFileSync(join(folder, '.rlprc'), JSON.stringify(config))
  const script = `
    import { parse } from './src/cli/parse.ts'
    const command = { name: 'x', options: { out: { type: 'string' }, strict: { type: 'boolean' } } }
    const { out, strict } = parse(command, [])
    let message
    try { parse(command, ['--out']) } catch (error) { message = error.message }
    console.log(JSON.stringify({ out, strict, message }))`
  const output = execFileSync(process.execPath, [await compiled(script, folder)], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'de_DE.UTF-8',
      OUT: 'e',
      RLP_OUT: 'e',
      RLP_STRICT: '1',
    },
  })
  assert.deepEqual(JSON.parse(output), { strict: false, message: 'Cannot use --out: its value is missing' })
})

test('any words are either parsed or refused with a usage error, and no object is polluted', () => {
  const word = fc.oneof(
    fc.constantFrom(
      '--out',
      '--out=',
      '-o',
      '-',
      '--',
      '--caps',
      '--n',
      '5',
      '-5',
      '--strict',
      '-sq',
      '--no-color',
      'true',
    ),
    fc.constantFrom(
      '--__proto__',
      '--__proto__.a',
      '--constructor.prototype.a=1',
      '--x.y',
      '--no-',
      '-=',
      '--=x',
    ),
    fc.string({ maxLength: 6 }).map(text => `-${text}`),
    fc.string({ maxLength: 6 }),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), argv => {
      try {
        const values = parse(lint, argv)
        assert.deepEqual(Object.keys(values).sort(), Object.keys(DEFAULTS).sort())
        // Every word that is not an option, and every word after `--`, arrives exactly once: as a positional or a value.
        const { path, caps, out, args } = values
        const end = argv.includes('--') ? argv.indexOf('--') : argv.length
        assert.deepEqual(path.slice(path.length - argv.slice(end + 1).length), argv.slice(end + 1))
        for (const text of [...path, ...caps, out, args]) assert.equal(typeof (text ?? ''), 'string')
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
      }
      assert.equal(Object.hasOwn(Object.prototype, 'a'), false)
    }),
    { numRuns: runs(300), seed: 7 },
  )
})

function assertUsage(call: () => unknown, message: string, hint?: string): void {
  assert.throws(call, (error: unknown) => {
    assert.ok(error instanceof UsageError, String(error))
    assert.equal(error.message, message)
    assert.equal(error.hint, hint)
    return true
  })
}

// Types: checked by `tsc`, never run.
export const typed = defineCommand({
  name: 'x',
  summary: 'types',
  positionals: [
    { name: 'old-path', describe: '', required: true },
    { name: 'rest', describe: '', many: true },
  ],
  options: {
    'agents-dir': { type: 'string', describe: '' },
    format: { type: 'string', describe: '', choices: ['text', 'sarif'], default: 'text' },
    n: { type: 'integer', describe: '', default: 1 },
    max: { type: 'integer', describe: '' },
    caps: { type: 'strings', describe: '', choices: ['a', 'b'] },
    unpack: { type: 'boolean', describe: '', negatable: true },
    'skip-verify': { type: 'refused', describe: '', instead: '' },
  },
  examples: [],
  async run(args) {
    const exact: [
      string,
      readonly string[],
      string | undefined,
      'text' | 'sarif',
      number,
      number | undefined,
      boolean,
    ] = [args.oldPath, args.rest, args.agentsDir, args.format, args.n, args.max, args.json]
    const caps: readonly ('a' | 'b')[] = args.caps
    const unpack: boolean | undefined = args.unpack
    // @ts-expect-error: not declared
    args.typo
    // @ts-expect-error: declared in kebab-case, given in camelCase
    args['agents-dir']
    // @ts-expect-error: a refused option has no value
    args.skipVerify
    // @ts-expect-error: not one of the choices
    if (args.format === 'xml') return 0
    // @ts-expect-error: may be absent
    args.agentsDir.length
    // @ts-expect-error: may be absent
    args.max.toFixed()
    // @ts-expect-error: not a boolean, because it may be neither
    const always: boolean = args.unpack
    // @ts-expect-error: arguments are read-only
    args.n = 2
    return exact && caps && unpack && always ? 0 : 1
  },
})

export const wrongExit = defineCommand({
  name: 'x',
  summary: '',
  options: {},
  examples: [],
  // @ts-expect-error: 5 is no exit code
  run: async () => 5,
})
