// Cases of the commands: scaffold and its wizard, install, list.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { blake3Hex } from '../../../src/bundle/blake3.ts'
import { answerProblem, YES_NO } from '../../../src/cli/wizard/question.ts'
import { command } from '../../../src/scaffold/verbs/scaffold.ts'
import { itemsOf } from '../../../src/scaffold/wizard/answer.ts'
import { scaffoldQuestions } from '../../../src/scaffold/wizard/scaffold-questions.ts'
import { STUB_WASM } from '../../../src/wasm/stub.ts'
import { bundleOf, type Tree, writeTree } from '../../support/agent.ts'
import { archive, entry } from '../../support/archive.ts'
import { snapshot, temporary } from '../../support/folder.ts'
import { contents, made, madeTree, RELEASE, type World, world } from '../../support/install-world.ts'
import { type Checks, check } from '../case.ts'

const folderFor = temporary('cases-commands')

type Texts = Readonly<Record<string, string>>

export const commands: Checks = {
  scaffoldFiles: check<{ name: string }, Texts & { otherFiles: string[] }>(async ({ name }, expected) => {
    const here = world(folderFor('scaffold'))
    const { exit } = await here.say('agent', 'scaffold', name, '--non-interactive', '--opening')
    assert.equal(exit, 0)
    const files = contents(join(here.cwd, 'agents', name))
    assert.equal(files['policy.caps'], expected['policy.caps'])
    assert.equal(files['tools.json'], expected['tools.json'])
    // Two things more: the binary is a stub and no hole, and policy and README have digests, so that a new agent packs at once.
    const ours = files['manifest.toml'] ?? ''
    const [, more = ''] = /(\[artifacts\.policy\][\s\S]*?)\[schemas\.with\]\n/.exec(ours) ?? []
    const digestOf = (tree: Readonly<Record<string, unknown>>) =>
      blake3Hex(Buffer.from(`${tree['tools.json']}`))
    const theirs = (expected['manifest.toml'] ?? '')
      .replace('0'.repeat(64), blake3Hex(STUB_WASM))
      .replace(digestOf(expected), digestOf(files))
      .replace('[schemas.with]\n', `${more}[schemas.with]\n`)
    assert.equal(ours, theirs)
    const others = expected.otherFiles.map(path => (path === 'bin/.gitkeep' ? `bin/${name}.wasm` : path))
    for (const path of others) assert.ok(Object.hasOwn(files, path), path)
    assert.match(readFileSync(join(here.cwd, `examples/openings/${name}.yaml`), 'utf8'), /^version: 0\n/)
  }),

  scaffoldFlags: check<null, Readonly<Record<string, unknown>>>((_, { positional, ...flags }) => {
    assert.deepEqual(
      command.positionals?.map(({ name }) => name),
      positional,
    )
    const options: Readonly<Record<string, { readonly type: string }>> = command.options
    for (const [flag, meaning] of Object.entries(flags)) {
      const option = options[flag.slice(2)]
      assert.ok(option, flag)
      // No source code is written here: the flag is known, and says so.
      if (flag === '--crates-dir') assert.equal(option.type, 'refused')
      else if (meaning === false) assert.equal(option.type, 'boolean')
      else assert.equal(option.type, meaning === 'comma list' ? 'strings' : 'string')
    }
  }),

  wizard: check<null, readonly (readonly [question: string, answer: string])[]>((_, expected) => {
    const context = { name: '<name>', description: undefined, model: undefined, modelSecret: undefined }
    const answers = new Map([['opening', 'yes']])
    const questions = scaffoldQuestions(answers, { ...context, existing: undefined })
    // Fewer are asked here, in plainer words: everything that has a good default comes after a yes, in their order.
    const order = expected.map(([asked]) => ASKED.find(([theirs]) => asked.startsWith(theirs))?.[1])
    const behind = questions.flatMap(question => (question.behind === 'more' ? [question.id] : []))
    assert.deepEqual(
      behind,
      order.filter(id => id !== undefined && behind.includes(id)),
    )
    assert.deepEqual(new Set([...order, 'more']), new Set(questions.map(({ id }) => id)))
    // The answers that an empty line gives, where the case spells them. An opening is written only where it was asked for.
    for (const [at, [asked, theirs]] of expected.entries()) {
      const question = questions.find(({ id }) => id === order[at])
      const isSpelled = /^(?:Agent|run the|prompt$|~)/.test(theirs)
      if (isSpelled) assert.equal(question?.fallback, theirs.split(';')[0], asked)
      if (asked.endsWith('[y/N]')) assert.equal(question?.fallback, 'no')
    }
  }),

  promptList: check<string, readonly string[]>((text, expected) => assert.deepEqual(itemsOf(text), expected)),

  // Upstream takes whatever it does not understand for the default. Here it is asked again.
  promptBool: check<{ text: string; default: boolean }, boolean>(({ text, default: fallback }, expected) => {
    const choice = { kind: 'choice', id: 'x', message: 'x', choices: YES_NO } as const
    const question = { ...choice, fallback: fallback ? 'yes' : 'no' }
    assert.match(answerProblem(question, text) ?? '', /not one of yes, no/)
    assert.equal(question.fallback === 'yes', expected)
  }),

  bundleAudit: check<Texts & { wasm?: string | null }, { issues: string[]; status: string }>(
    async (input, { issues, status }) => {
      const here = world(folderFor('audit'))
      writeTree(join(here.cwd, 'root/mini'), spoiled(input))
      const [row] = await rowsOf(here)
      assert.equal(row?.status, status)
      // Each of their issues is one of ours, in our words: a file is missing, or its digest is another.
      const isChanged = issues.some(issue => issue.startsWith('tools.json digest mismatch'))
      for (const issue of issues) {
        // The case `tools-changed-and-invalid`. Content that differs from its digest comes from the one who changed it, and the content of
        // a stranger is not parsed. So the digest is told, and what the changed file says is not looked at.
        if (isChanged && issue.startsWith('tools.json failed schema validation')) continue
        const words = ISSUES.find(([theirs]) => issue.startsWith(theirs))?.[1]
        assert.ok(words, issue)
        assert.ok(
          row?.issues.some(line => words.test(line)),
          `${issue}: ${row?.issues.join('\n')}`,
        )
      }
    },
  ),

  installError: check<string, Refused>(async (source, expected) => {
    const here = world(folderFor('install'))
    const wanted = outcomeOf(expected)
    const args = await sourceOf(source, here)
    const before = snapshot(here.cwd)
    const { exit, envelope } = await here.install(...args)
    const { code, message } = envelope
    assert.deepEqual([exit, code], [wanted.exit, wanted.code], JSON.stringify(envelope))
    if (wanted.code === undefined) return
    if (wanted.says !== undefined) assert.match(String(message), wanted.says)
    // Nothing that was refused left anything, in the root or above it.
    assert.deepEqual(snapshot(here.cwd), before)
  }),

  listJson: check<null, { agents: [object] }>(async (_, { agents: [row] }) => {
    const here = await installed('list-json')
    const { envelope } = await here.rlp('agent', 'list', '--root', 'root')
    assert.deepEqual(envelope.result?.['search_dirs'], [join(here.cwd, 'root')])
    const [found] = await rowsOf(here)
    assert.deepEqual(
      Object.keys(row).filter(member => !Object.hasOwn(found ?? {}, member)),
      [],
    )
    assert.match(String(found?.digest), /^[0-9a-f]{64}$/)
    assert.equal(found?.status, 'ok')
    assert.equal(found?.manifest, join(here.cwd, 'root/mini/manifest.toml'))
    assert.deepEqual(found?.issues, [])
  }),

  listTable: check<null, Table>(
    async (_, { columns, digestChars, notesWhenAgents, notesWhenNone, separator }) => {
      const here = await installed('list-table')
      const { stdout, stderr } = await here.say('agent', 'list', '--root', 'root', '--table')
      const [head = '', first = ''] = stdout.split('\n')
      const cells = head.split(separator).map(cell => cell.trim())
      // One column more: what today’s policies say.
      assert.deepEqual(
        cells.filter(cell => cell !== 'trust'),
        columns,
      )
      assert.equal(first.split(separator)[cells.indexOf('digest')]?.length, digestChars)
      const notes = notesWhenAgents.filter(note => !note.includes('(only when'))
      assert.equal(stderr, `${notes.map(note => note.replace(/<dirs.*>/, 'root')).join('\n')}\n`)
      const none = await here.say('agent', 'list', '--root', 'nope', '--table')
      assert.equal(none.stderr, `${notesWhenNone[0]?.replace('<dirs>', 'nope')}\n`)
    },
  ),

  outputMode: check<{ tty?: boolean; json?: boolean; table?: boolean }, string>(async (input, expected) => {
    const here = await installed('mode')
    const flags = [...(input.json ? ['--json'] : []), ...(input.table ? ['--table'] : [])]
    const { exit, stdout } = await here.say('agent', 'list', '--root', 'root', ...flags)
    if (expected === 'usage error, exit 2') assert.equal(exit, 2)
    // Without a terminal rlp prints a table, as its other commands print text. JSON is there for a program that asks for it.
    else if (expected === 'table' || !input.json) assert.match(stdout, /^agent +\| variant/)
    else assert.equal(JSON.parse(stdout).ok, true)
  }),

  // The router is no part of rlp; what is no command is a usage error.
  exitCode: check<string, number>(async () => {
    const here = world(folderFor('exit'))
    assert.equal((await here.say('route', 'x')).exit, 2)
  }),
}

interface Table {
  readonly columns: readonly string[]
  readonly digestChars: number
  readonly notesWhenAgents: readonly string[]
  readonly notesWhenNone: readonly string[]
  readonly separator: string
}

/** Their issues → what ours say. */
const ISSUES: readonly (readonly [theirs: string, ours: RegExp])[] = [
  ['manifest missing entry_wasm/entry_native', /names no entry_wasm or entry_native/],
  ['wasm digest mismatch', /digest of bin\/mini\.wasm is/],
  ['missing wasm binary', /bin\/mini\.wasm.*(?:missing|not there)/],
  ['missing policy.caps', /policy\.caps is missing/],
  ['missing tools.json', /tools\.json is missing/],
  ['tools.json digest mismatch', /digest of tools\.json is/],
  ['tools.json failed schema validation', /^tools\.json:/],
]

/** Their questions and ours, by the beginnings of theirs. */
const ASKED = [
  ['Description', 'description'],
  ['Model id', 'model'],
  ['Secret id', 'model-secret'],
  ['Filesystem', 'cap-fs'],
  ['Network', 'cap-net'],
  ['KB read', 'cap-kb-read'],
  ['KB write', 'cap-kb-write'],
  ['Add a tool', 'tool1'],
  ['Generate', 'opening'],
  ['Opening goal', 'opening-goal'],
  ['Primary param', 'opening-param'],
] as const

/** A bundle of which something is missing or another, as a case says. */
function spoiled({ wasm, policy, tools }: Texts & { wasm?: string | null }): Tree {
  const {
    'policy.caps': caps = '',
    'tools.json': list = '',
    'bin/mini.wasm': module = '',
    ...tree
  } = madeTree()
  const manifest = String(tree['manifest.toml'])
  return {
    ...tree,
    ...(policy !== 'absent' && { 'policy.caps': caps }),
    ...(tools !== 'absent' && { 'tools.json': tools === undefined ? list : '{"version":1,"tools":{}}' }),
    ...(wasm?.includes('zeros') && {
      'manifest.toml': manifest.replace(blake3Hex(module as Uint8Array), '0'.repeat(64)),
    }),
    ...(!wasm?.startsWith('absent') &&
      wasm !== null && {
        'bin/mini.wasm':
          wasm === 'changed' ? Buffer.concat([module as Uint8Array, Buffer.of(0, 1, 0)]) : module,
      }),
    ...(wasm === null && {
      'manifest.toml': manifest
        .split('\n')
        .filter(line => !line.startsWith('entry_wasm'))
        .join('\n'),
    }),
  }
}

interface Row {
  readonly status: string
  readonly issues: readonly string[]
  readonly digest: string
  readonly manifest: string
}

async function rowsOf(here: World): Promise<readonly Row[]> {
  const { exit, envelope } = await here.rlp('agent', 'list', '--root', 'root')
  assert.equal(exit, 0)
  assert.ok(envelope.result)
  return envelope.result['agents'] as readonly Row[]
}

async function installed(name: string): Promise<World> {
  const here = world(folderFor(name))
  const { envelope } = await here.install(here.put('b', made({}, RELEASE)), '--yes', '--root', 'root')
  assert.ok(envelope.ok, JSON.stringify(envelope))
  return here
}

/** What upstream says, or in our own cases what we say. */
interface Refused {
  readonly error?: string
  readonly exit?: number
  readonly code?: string
  readonly says?: string
}

interface Outcome {
  readonly exit: number
  /** Undefined where it is installed. */
  readonly code?: string
  readonly says?: RegExp
}

function unverified(says: RegExp): Outcome {
  return { exit: 1, code: 'NOT_VERIFIED', says }
}

/** What upstream says of a source → what becomes of it here. Who is to blame decides the exit code. */
const REFUSALS: readonly (readonly [theirs: RegExp, ours: Outcome])[] = [
  [/bundle source not found/, { exit: 2, code: 'NOT_FOUND', says: /no such file or folder$/ }],
  // A bundle is told by its bytes, whatever it is called.
  [/unsupported bundle file/, { exit: 0 }],
  // Signatures are checked here; an unsigned bundle needs its flag.
  [/bundle signing required/, unverified(/: unsigned: /)],
  [/no manifest\.toml found/, unverified(/manifest\.toml is missing/)],
  [/archive entry has unsafe path/, unverified(/an entry's path (?:is absolute|has a "\.\." segment)/)],
  [/must be a single path segment/, unverified(/^Cannot install .*name .*found "/s)],
  [/path already exists/, { exit: 2, code: 'EXISTS', says: /and rlp did not put it there$/ }],
  // To install what is installed changes nothing, and is no error: the file in the root is only replaced as a whole.
  [/resolves to install destination/, { exit: 0 }],
]

function outcomeOf({ error, exit = 0, code, says }: Refused): Outcome {
  if (error === undefined)
    return {
      exit,
      ...(code !== undefined && { code }),
      ...(says !== undefined && { says: new RegExp(says) }),
    }
  const ours = REFUSALS.find(([theirs]) => theirs.test(error))?.[1]
  assert.ok(ours, `nothing is known of "${error}"`)
  return ours
}

/** The words that a case describes a source with, each with what it makes of what is behind it. */
const SOURCES: readonly (readonly [
  words: RegExp,
  make: (here: World, value: string) => string[] | Promise<string[]>,
])[] = [
  [/^(\/.*) \(a file\)$/, (here, path) => [here.put(basename(path), made({}, RELEASE)), '--yes']],
  [/^(\/.*)$/, (_, path) => [path]],
  [
    /^any, with allow_unsigned_agents=(true|false)$/,
    (here, allows) => [here.put('b', made()), ...unsignedIf(allows)],
  ],
  [/^tar entry (.+)$/, (here, path) => [here.put('b.tar', archive(entry(path, 'x')))]],
  [
    /^tar without (.+)$/,
    (here, path) => [here.put('b.tar', bundleOf(without(madeTree(), path))), '--allow-unsigned'],
  ],
  [
    /^manifest name (.+)$/,
    (here, name) => {
      const tree = madeTree()
      const manifest = String(tree['manifest.toml']).replace('name = "mini"', `name = "${name}"`)
      return [here.put('b', bundleOf({ ...tree, 'manifest.toml': manifest })), '--allow-unsigned']
    },
  ],
  [
    /^destination there, (no --force|--force)$/,
    (here, flag) => {
      writeTree(join(here.cwd, 'root/mini'), { 'own.txt': 'mine' })
      return [
        here.put('b', made({}, RELEASE)),
        '--yes',
        '--root',
        'root',
        ...(flag.startsWith('no') ? [] : [flag]),
      ]
    },
  ],
  [
    /^source is (destination)$/,
    async here => {
      const first = await here.install(here.put('b', made({}, RELEASE)), '--yes')
      assert.equal(first.exit, 0)
      return [join(here.root, 'mini.agent.bundle'), '--yes']
    },
  ],
]

function without(tree: Tree, path: string): Tree {
  return Object.fromEntries(
    Object.entries(tree).filter(([name]) => name !== path && !name.startsWith(`${path}.`)),
  )
}

function unsignedIf(allows: string): string[] {
  return allows === 'true' ? ['--allow-unsigned', '--yes'] : []
}

async function sourceOf(text: string, here: World): Promise<string[]> {
  for (const [words, make] of SOURCES) {
    const value = words.exec(text)?.[1]
    if (value !== undefined) return await make(here, value)
  }
  throw new Error(`no source is described like "${text}"`)
}
