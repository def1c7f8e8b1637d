// Campaign 6c: regular expressions that take for ever. Ours are judged by their form, and tried one by one on long texts; those of a schema
// are judged by lint, in bounded time, and never run by the engine against a foreign text. (Long texts in every place are target `long`.)

import { Script } from 'node:vm'
import { read } from '../../src/agent/read-agent.ts'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { prepareLint } from '../../src/lint/lint-target.ts'
import { PatternProblem, readPattern } from '../../src/text/pattern-tree.ts'
import { repeatsRepetition } from '../../src/text/slow-pattern.ts'
import { verify } from '../../src/verify/verify.ts'
import { agentTree, bundleOf } from '../../test/support/agent.ts'
import { memoryFiles } from '../../test/support/memory.ts'
import type { Campaign, Session } from './campaign.ts'

export const campaign: Campaign = {
  name: 'patterns',
  summary: 'no regular expression of ours or of a schema takes for ever',
  isEndless: false,
  async run(session) {
    control(session)
    // The compiler takes a while to read all of src/.
    if (!session.isSlice) await ours(session)
    await theirs(session)
  },
}

/** Expressions of ours that repeat a group with a repetition in it, and why a text fits in one way only. */
const REPEATED: Readonly<Record<string, string>> = {
  'src/cli/render/layout.ts /(?:\'[^\']*\'|"[^"]*"|\\\\.|[^ ])+/g':
    'nothing follows, so nothing is tried again',
  'src/cli/render/help.ts /^( {2,6}(?:-\\w, )?)(--\\S+(?: \\S+)*)/gm': 'a blank begins each round',
  'src/cli/render/layout.ts /^((?:[^\\S\\n\\r\\u2028\\u2029]|\\u001b\\[[0-9;]*m)*):(?=:)/gm':
    'escape begins the round, and m ends it',
  'src/convert/servers/server-json.ts /^[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+$/': 'a dot begins each round',
  'src/evidence/bom.ts /^\\(?[A-Za-z0-9][A-Za-z0-9.+-]*(?: (?:AND|OR|WITH) \\(?[A-Za-z0-9][A-Za-z0-9.+-]*\\)?)*\\)?$/':
    'a blank begins each round',
  'src/agentcli/go-pattern.ts /\\[(?<not>\\^?)(?<members>\\]?(?:\\[:\\^?\\w+:\\]|\\\\.|[^\\]\\\\])*)\\]/':
    'a variable that its user set',
  'src/policy/folder.ts /^(?:\\/[^/\\0]+)+$/': 'a slash begins each round',
  'src/tools/template.ts /^input((?:\\.[A-Za-z0-9_-]+)+)$/': 'a dot begins each round',
  'src/version/version.ts /^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[A-Za-z-][\\dA-Za-z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[A-Za-z-][\\dA-Za-z-]*))*))?(?:\\+[\\dA-Za-z-]+(?:\\.[\\dA-Za-z-]+)*)?$/':
    'a dot begins each round',
  'src/model/secret.ts /^[a-z0-9_]+([./-][a-z0-9_]+)*$/': 'a sign begins each round',
}

/** Expressions of ours for which time grows faster than the text, and why nothing comes of it: their text is short, or our own. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/agentcli/audit.ts /\\.?0*Z$/': 'a date of ours',
  'src/secret/secret-mask.ts /=+$/': 'base64 of ours, which ends in two of them at most',
  'src/text/words.ts /\\B(?=(?:\\d{3})+$)/g': 'a number of ours',
  'src/text/match-pattern.ts /\\[[^\\]]*\\]/g': 'a pattern that is one: every bracket is closed',
  'src/lint/rules/caps/capability-syntax.ts /^\\s*([A-Za-z_ -]{1,40})\\s*(?:[:.=]\\s*(.*))?$/s':
    'two hundred characters at most',
}

/** Long enough that the square of it takes many seconds. */
const LENGTH = 100_000
/** By the clock, so that a busy machine needs room. */
const MOST_MATCHING_MS = 2000
const PIECES = ['a', 'A', '0', '_', ' ', '\t', '\n', '\0', 'é', 'a0', 'a ', 'a.', 'a-', 'a,', '\\a', '""']
const SCRIPT = new Script('expression.lastIndex = 0; expression.exec(text)')

/** Whether a text of one piece, again and again, keeps the engine busy. */
function isSlow(expression: RegExp): boolean {
  const pieces = new Set([...PIECES, ...expression.source])
  return [...pieces].some(piece => {
    const text = `${piece.repeat(LENGTH / piece.length)}\u0001`
    try {
      SCRIPT.runInNewContext({ expression, text }, { timeout: MOST_MATCHING_MS })
      return false
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      return true
    }
  })
}

/** What is found of an expression, by its form and by trying. */
function fault(expression: RegExp): 'repeated' | 'slow' | undefined {
  try {
    if (repeatsRepetition(readPattern(expression.source))) return 'repeated'
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error
  }
  return isSlow(expression) ? 'slow' : undefined
}

/** Both ways find what there is to find. */
function control(session: Session): void {
  if (!session.begin('control')) return
  for (const [expression, expected] of [
    [/(a+)+$/, 'repeated'],
    [/^(a|a)*$/, 'slow'],
    [/\s+$/, 'slow'],
    [/^a+$/, undefined],
  ] as const) {
    const found = fault(expression)
    if (found !== expected) session.defect({ case: 'control', what: `${expression} is said to be ${found}` })
  }
}

async function ours(session: Session): Promise<void> {
  const { SyntaxKind } = await import('typescript/unstable/ast')
  const { nodesIn, placeOf, readSources } = await import('../../test/support/source.ts')
  const sources = readSources()
  const used = new Set<string>()
  try {
    for (const module of sources.modules) {
      for (const node of nodesIn(module.tree)) {
        if (node.kind !== SyntaxKind.RegularExpressionLiteral) continue
        const text = node.getText(module.tree)
        const id = `${module.path} ${text}`
        if (!session.begin(id, 'ours')) continue
        const end = text.lastIndexOf('/')
        const expression = new RegExp(text.slice(1, end), text.slice(end + 1))
        const found = fault(expression)
        used.add(id)
        if (found === undefined || (found === 'slow' ? BOUNDED : REPEATED)[id] !== undefined) continue
        session.defect({ case: id, what: `${found}: ${placeOf(module, node)}` })
      }
    }
  } finally {
    sources.close()
  }
  if (session.only !== undefined) return
  for (const id of [...Object.keys(BOUNDED), ...Object.keys(REPEATED)].filter(id => !used.has(id)))
    session.skip(`${id} is no longer there: its line in patterns.ts can go`)
}

/** Lint has to say something of each. */
const SAID = [
  '^(a+)+$',
  '(.*a){20}',
  '^([a-zA-Z0-9]+\\s?)+$',
  '(\\w+\\d+)+!',
  '(?:x+x+)+y',
  '^(?=(a+))\\1*b$',
  'a{0,1000}{0,1000}',
]
/** Others that keep an engine busy, or look as if they did: they must not take long either. */
const QUIET = [
  '^(a|a)*$',
  '^(a|aa)+$',
  'a*a*a*a*a*b',
  '([^"]|\\\\")*"',
  `${'('.repeat(40)}a${')'.repeat(40)}*`,
  `^(?:${Array.from({ length: 60 }, (_, n) => `a{${n}}`).join('|')})*$`,
  `(?:${'a?'.repeat(30)})${'a'.repeat(30)}`,
  '^[^a]*a[^b]*b$',
]
/** In processor time, for a busy machine changes nothing about that. */
const MOST_MS = 3000

/** Patterns of a foreign schema. */
async function theirs(session: Session): Promise<void> {
  for (const pattern of session.some([...SAID, ...QUIET], 3)) {
    const id = `schema ${pattern.slice(0, 40)}`
    if (!session.begin(id, 'theirs')) continue
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', pattern } },
      patternProperties: { [pattern]: {} },
    }
    const tool = {
      id: 'a.b',
      description: 'Does it well',
      transport: { kind: 'exec', command: '/usr/bin/jq', args: [] },
      input_schema: schema,
      result_schema: schema,
    }
    const tree = agentTree({ files: { 'tools.json': JSON.stringify({ version: 1, tools: [tool] }) } })
    const begin = process.cpuUsage()
    const agent = read(memoryFiles(tree), 'mini')
    const rules = lintAgent(agent, await prepareLint(agent)).map(({ rule }) => rule)
    await verify(await outline(await readBundle(bundleOf(tree), { keep: 'parsed' })), { expect: 'any' })
    const { user, system } = process.cpuUsage(begin)
    if (user + system > MOST_MS * 1000)
      session.defect({
        case: id,
        what: `lint and verify take ${Math.round((user + system) / 1000)} ms`,
        input: pattern,
      })
    if (
      SAID.includes(pattern) &&
      !rules.some(rule => /^schema\/(?:slow-pattern|pattern|invalid)$/.test(rule))
    )
      session.defect({
        case: id,
        what: `lint says nothing of it, only ${[...new Set(rules)].join(', ')}`,
        input: pattern,
      })
  }
}
