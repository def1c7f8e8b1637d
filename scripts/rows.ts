// Carries out five rows of CONTRIBUTING.md, "Where a change goes", step by step in a copy of the checkout, and shows what the compiler and the
// tests ask for after each step. Fails where nothing is asked for before the last step, or where something is left after it.
// Usage: npm run rows [-- --only "a lint rule"]
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MOST_LINES = 12

interface Step {
  readonly what: string
  /** Path → its text, or what is put after places in what is there. */
  readonly write: Readonly<Record<string, string | readonly Put[]>>
  /** A copied folder. */
  readonly copy?: readonly [from: string, to: string]
}

interface Put {
  readonly after: string
  readonly put: string
}

interface Row {
  readonly change: string
  readonly tests: readonly string[]
  readonly steps: readonly Step[]
}

const RULE = 'tools/adds'
const SAID = 'The description begins with Add'

const ROWS: readonly Row[] = [
  {
    change: 'a lint rule',
    tests: ['test/lint/rules.test.ts'],
    steps: [
      {
        what: 'the rule',
        write: {
          [`src/lint/rules/${RULE}.ts`]: `import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const toolsAdds: Rule = {
  id: '${RULE}',
  severity: 'warning',
  scope: 'source',
  isOptIn: true,
  summary: 'a description that begins with Add',
  why: 'A model chooses tools by what they do.',
  fix: 'Say in a sentence what the tool does.',
  looks: 'tool',
  check({ at, tool: { description } }, report) {
    if (!description.startsWith('Add ')) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'description'] },
      message: '${SAID}',
      fix: 'Say in a sentence what the tool does',
    })
  },
}
`,
        },
      },
      {
        what: 'its fixture, and npm run docs',
        // Its own rule is only asked for by name, so nothing else is found.
        copy: ['fixtures/lint/schema/no-description', `fixtures/lint/${RULE}`],
        write: {
          [`fixtures/lint/${RULE}/expect.txt`]: `comment: Every tool adds something\nfinding: warning ${RULE} tools.json:6:22 ${SAID}\n`,
        },
      },
    ],
  },
  {
    change: 'an option of a command',
    tests: ['test/verb/functions.test.ts', 'test/verb/wrong-values.test.ts'],
    steps: [
      {
        what: 'the input of the verb',
        write: {
          'src/registry/verbs/pull.ts': [
            {
              after: '  inputs: {\n',
              put: "    /** The name of the file. */\n    named: text('the name of the file', { placeholder: 'NAME' }),\n",
            },
          ],
        },
      },
      {
        what: 'what npm run functions writes, and the page',
        write: {
          'src/library/generated/registry.ts': [
            {
              after: 'export interface PullOptions extends LongOptions, TrustOptions {\n',
              put: '  /** The name of the file. */\n  readonly named?: string | undefined\n',
            },
          ],
          'docs/registries.md': [{ after: '# ', put: '--named ' }],
        },
      },
    ],
  },
  {
    change: 'a format of the report on many bundles',
    tests: ['test/product/contributing.test.ts'],
    steps: [
      {
        what: 'the format',
        write: {
          'src/fleet/formats/csv.ts': `// A row for each bundle.
import type { FleetFormat } from './format.ts'

export const csv = {
  name: 'csv',
  describe: 'a row for each bundle',
  isData: true,
  isSigned: false,
  open: ({ write }) => ({
    judged: ({ verdict }) => write(\`\${verdict}\\r\\n\`),
    end() {},
  }),
} as const satisfies FleetFormat
`,
        },
      },
      {
        what: 'its line in the list',
        write: {
          'src/fleet/formats/index.ts': [
            {
              after: "import type { FleetFormat } from './format.ts'\n",
              put: "import { csv } from './csv.ts'\n",
            },
            { after: 'FLEET_FORMATS = [', put: 'csv, ' },
          ],
        },
      },
      {
        what: 'the page',
        write: { 'docs/fleet.md': [{ after: '# ', put: '--format csv ' }] },
      },
    ],
  },
  {
    change: 'a code of a reason',
    tests: ['test/product/reason-codes.test.ts'],
    steps: [
      {
        what: 'the word',
        write: { 'src/model/reason-codes.ts': [{ after: "    'no_bytes',\n", put: "    'too_warm',\n" }] },
      },
      {
        what: 'a row of the page',
        write: {
          'docs/verdicts.md': [
            {
              after:
                '| | `no_bytes` | of the gate: an unpacked bundle, whose bytes the answer could not name |\n',
              put: '| | `too_warm` | the machine is too warm |\n',
            },
          ],
        },
      },
      {
        what: 'the test that has it as its answer',
        write: {
          'test/product/reason-codes.test.ts': [
            {
              after: "  no_bytes: 'gate',\n",
              put: "  too_warm: 'gate',\n",
            },
          ],
          'test/gate/gate.test.ts': [{ after: '\n', put: '// `too_warm`\n' }],
        },
      },
    ],
  },
  {
    change: 'a capability family',
    tests: ['test/caps/families.test.ts'],
    steps: [
      {
        what: 'the types',
        write: {
          'src/model/policy.ts': [
            { after: 'interface Policy {\n', put: '  readonly queue: boolean\n' },
            { after: 'interface FamilyMembers {\n', put: "  readonly queue: 'queue'\n" },
          ],
        },
      },
      {
        what: 'the family, and its word in the list',
        write: {
          'src/policy/families/queue.ts': `// queue: the queue of the host.
import { switchOf } from './switch.ts'

export const queue = switchOf('queue', 'queue', {
  may: 'may write to the queue',
  whole: 'writes to the queue',
  synonyms: undefined,
  secretPlace: undefined,
  imports: { runloop: [], wasi: undefined },
})
`,
          'src/policy/families/index.ts': [
            { after: "import { net } from './net.ts'\n", put: "import { queue } from './queue.ts'\n" },
            { after: '  exec,\n', put: '  queue,\n' },
          ],
        },
      },
      {
        what: 'a scope that it takes and one that it refuses, in its test',
        write: {
          'test/caps/families.test.ts': [
            { after: "  exec: ['/usr/bin/jq', 'jq'],\n", put: "  queue: [undefined, 'x'],\n" },
          ],
        },
      },
      {
        what: 'the schemas',
        write: {
          'schemas/policy.schema.json': [
            {
              after: '      "properties": {\n',
              put: '"queue": {"title": "Queue", "description": "true: the agent may write to the queue.", "default": false, "examples": [true], "type": "boolean"},\n',
            },
            { after: '"model": true,\n', put: '"queue": true,\n' },
          ],
          'schemas/tools.v1.schema.json': [{ after: '"pattern": "^(?:time|model|', put: 'queue|' }],
          'schemas/trust-policy.schema.json': [
            { after: '"pattern": "^(?:time|', put: 'queue|' },
            { after: '"pattern": "^(?:time|model|', put: 'queue|' },
          ],
        },
      },
      {
        what: 'the specification, with the second reader',
        write: {
          'docs/spec/policy.md': [{ after: '| `time`, ', put: '`queue`, ' }],
          'docs/spec/trust-policy.md': [{ after: '`fs_rw`, `time`, ', put: '`queue`, ' }],
          'docs/spec/reader.py': [{ after: '"secrets", "net", "time", ', put: '"queue", ' }],
        },
      },
    ],
  },
]

const { only } = parseArgs({ options: { only: { type: 'string' } } }).values
const rows = ROWS.filter(({ change }) => only === undefined || change === only)
if (rows.length === 0) throw new Error(`no row ${only}: ${ROWS.map(({ change }) => change).join(', ')}`)
let failed = 0
for (const row of rows) failed += carriedOut(row) ? 0 : 1
process.exitCode = failed === 0 ? 0 : 1

function carriedOut({ change, tests, steps }: Row): boolean {
  const tree = mkdtempSync(join(tmpdir(), 'rlp-rows-'))
  try {
    copyTo(tree)
    console.log(`\n${change}`)
    return steps.every((step, index) => {
      take(step, tree)
      const asked = asks(tree, tests)
      console.log(`  ${index + 1}. ${step.what}: ${asked.length === 0 ? 'nothing is asked for' : ''}`)
      for (const line of asked.slice(0, MOST_LINES)) console.log(`     ${line}`)
      if (asked.length > MOST_LINES) console.log(`     … ${asked.length - MOST_LINES} more`)
      return (asked.length === 0) === (index === steps.length - 1)
    })
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

function copyTo(tree: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: ROOT })
  for (const path of listed.toString().split('\0').filter(Boolean))
    cpSync(join(ROOT, path), join(tree, path), { verbatimSymlinks: true })
  for (const made of ['src/schema/generated', 'src/lint/generated', 'src/cli/generated'])
    cpSync(join(ROOT, made), join(tree, made), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
}

function take({ write, copy }: Step, tree: string): void {
  if (copy !== undefined) cpSync(join(tree, copy[0]), join(tree, copy[1]), { recursive: true })
  for (const [path, text] of Object.entries(write)) {
    const file = join(tree, path)
    mkdirSync(dirname(file), { recursive: true })
    const made = typeof text === 'string' ? text : text.reduce(putAfter(path), readFileSync(file, 'utf8'))
    writeFileSync(file, made)
  }
}

function putAfter(path: string) {
  return (text: string, { after, put }: Put): string => {
    const at = text.indexOf(after)
    if (at < 0) throw new Error(`${path} has no ${JSON.stringify(after)} any more`)
    return text.slice(0, at + after.length) + put + text.slice(at + after.length)
  }
}

/** What the change still lacks. */
function asks(tree: string, tests: readonly string[]): string[] {
  const run = (program: string, args: readonly string[]) =>
    spawnSync(program, args, { cwd: tree, encoding: 'utf8', maxBuffer: 1 << 28 })
  for (const lists of ['compile-schemas', 'list-rules', 'list-commands'])
    run(process.execPath, ['--import', 'tsx', `scripts/${lists}.ts`])
  const tsc = run(process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit'])
  const errors = tsc.stdout.split('\n').filter(line => / error TS/.test(line))
  if (tests.includes('test/lint/rules.test.ts'))
    run(process.execPath, ['--import', 'tsx', 'scripts/rules-doc.ts'])
  const tap = run(process.execPath, ['--import', 'tsx', '--test', '--test-reporter=tap', ...tests])
  const failures = [...tap.stdout.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, name = '']) => `test: ${name}`)
  return [...errors.map(line => `compiler: ${line}`), ...failures]
}
