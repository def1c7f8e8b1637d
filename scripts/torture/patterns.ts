// Campaign 6c: regular expressions that take for ever. Ours are judged one by one by a checker; those of a schema are judged by lint, in
// bounded time, and never run by the engine against a foreign text. (Long texts in every place are target `long`.)

import { outline, read } from '../../src/format/agent/read-agent.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { lint } from '../../src/lint/lint.ts'
import { prepareLint } from '../../src/lint/lint-target.ts'
import { verify } from '../../src/verify/verify-at-once.ts'
import { agentTree, bundleOf } from '../../test/support/agent.ts'
import { memoryFiles } from '../../test/support/memory.ts'
import type { Campaign, Session } from './campaign.ts'

export const campaign: Campaign = {
  name: 'patterns',
  summary: 'no regular expression of ours or of a schema takes for ever',
  isEndless: false,
  async run(session) {
    const check = await checker()
    control(session, check)
    // The compiler takes a while to read all of src/, and the checker a while for each.
    if (!session.isSlice) await ours(session, check)
    await theirs(session)
  },
}

/**
 * Expressions of ours for which time grows faster than the text, and why nothing comes of it: their text is short, or our own. What is
 * not in this table must be linear.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/format/text/counts.ts /\\B(?=(?:\\d{3})+$)/g': 'a number of ours',
  "src/scaffold/wizard/header-lines.ts /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \\t]*(.*)$/":
    'an option that its user wrote',
  'src/scaffold/wizard/unasked.ts /\\..*$/': 'an option that its user wrote',
  'src/format/agentcli/audit.ts /\\.?0*Z$/': 'a date of ours',
  'src/format/agentcli/go-pattern.ts /\\\\Q(?<quoted>.*?)(?:\\\\E|$)/': 'a variable that its user set',
  'src/format/agentcli/go-pattern.ts /\\[(?<not>\\^?)(?<members>\\]?(?:\\[:\\^?\\w+:\\]|\\\\.|[^\\]\\\\])*)\\]/':
    'a variable that its user set',
  'src/format/secret/credential.ts /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,400}\\.eyJ[A-Za-z0-9_-]{10}/':
    'begins anew only behind its own letters',
  'src/format/secret/credential.ts /(?<![A-Za-z0-9])SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{20}/':
    'of a fixed length',
  'src/format/secret/credential.ts /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30}/': 'of a fixed length',
  'src/format/secret/credential.ts /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})/':
    'of a fixed length',
  'src/format/secret/credential.ts /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/': 'of a fixed length',
  'src/format/secret/packed-secret.ts /PRIVATE KEY-----|MC4CAQAwBQYDK2VwBCIEI|A(?:KIA|SIA)[A-Z2-7]{16}|gh[pousr]_[A-Za-z0-9]|github_pat_|glpat-|xox[abeoprs]-|[rs]k_live_|(?<![A-Za-z0-9_-])sk-|AIza|npm_[A-Za-z0-9]{9}|pypi-AgE|hf_[A-Za-z0-9]{9}|SG\\./':
    'of a fixed length',
  'src/format/version/reference.ts /^([a-z][a-z0-9_]*)(?:@([a-z0-9][a-z0-9_-]*))?-([0-9]+\\.[0-9]+\\.[0-9]+[^/\\\\]*)\\.agent\\.bundle$/':
    'the name of a file',
  'src/format/secret/secret-forms.ts /=+$/': 'base64 of ours, which ends in two of them at most',
  'src/format/text/plain-pattern.ts /[*+?|]|\\{([0-9]+)(,?)([0-9]*)\\}/g':
    'a pattern that is one: every brace is closed',
  'src/format/text/plain-pattern.ts /\\[[^\\]]*\\]/g': 'a pattern that is one: every bracket is closed',
  'src/registry/http/warnings.ts /(?:^|,\\s*)299 \\S{1,255} "((?:[^"\\\\\\u0000-\\u001f]|\\\\["\\\\])*)"/g':
    'eight thousand characters of a header',
  'src/lint/rules/caps/capability-syntax.ts /^\\s*([A-Za-z_ -]{1,40})\\s*(?:[:.=]\\s*(.*))?$/s':
    'two hundred characters at most',
}

interface Verdict {
  readonly status: 'safe' | 'vulnerable' | 'unknown'
  readonly complexity?: { readonly type: string; readonly degree?: number } | undefined
}
type Check = (source: string, flags: string) => Verdict

async function checker(): Promise<Check> {
  const module = await import('recheck/lib/browser.js')
  const checkSync = module.checkSync ?? module.default?.checkSync
  if (checkSync === undefined) throw new TypeError('the checker has another form than it had')
  return (source, flags) => checkSync(source, flags, { timeout: 5000 }) as Verdict
}

/** The checker finds what there is to find. */
function control(session: Session, check: Check): void {
  if (!session.begin('control')) return
  const words = [
    ['(a+)+$', 'exponential'],
    ['a*a*b', 'polynomial'],
    ['^a+$', undefined],
  ] as const
  for (const [source, type] of words) {
    const found = check(source, '').complexity?.type
    if ((found === 'exponential' || found === 'polynomial' ? found : undefined) !== type)
      session.defect({ case: 'control', what: `${source} is said to be ${found}` })
  }
}

async function ours(session: Session, check: Check): Promise<void> {
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
        const { status, complexity } = check(
          text.slice(1, text.lastIndexOf('/')),
          text.slice(text.lastIndexOf('/') + 1),
        )
        used.add(id)
        if (status === 'safe') continue
        if (BOUNDED[id] !== undefined && complexity?.type !== 'exponential') continue
        if (complexity === undefined) {
          session.skip(`${id}: the checker did not come to an end`)
          continue
        }
        session.defect({
          case: id,
          what: `time grows faster than the text (${complexity.type} ${complexity.degree ?? ''}): ${placeOf(module, node)}`,
        })
      }
    }
  } finally {
    sources.close()
  }
  if (session.only !== undefined) return
  for (const id of Object.keys(BOUNDED).filter(id => !used.has(id)))
    session.skip(`${id} is no longer there: its line in patterns.ts can go`)
}

/** Lint has to say something of each. */
const SLOW = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(.*a){20}',
  '^([a-zA-Z0-9]+\\s?)+$',
  '(\\w+\\d+)+!',
  '(?:x+x+)+y',
  'a*a*a*a*a*b',
  '([^"]|\\\\")*"',
  `${'('.repeat(40)}a${')'.repeat(40)}*`,
  'a{0,1000}{0,1000}',
  `^(?:${Array.from({ length: 60 }, (_, n) => `a{${n}}`).join('|')})*$`,
]
/** Slow only for a text of one length, so that a checker of growth finds nothing, or not slow at all: they must not take long either. */
const QUIET = ['^(?=(a+))\\1*b$', `(?:${'a?'.repeat(30)})${'a'.repeat(30)}`, '^[^a]*a[^b]*b$']
/** Lint gives all patterns of an agent some five seconds; in processor time, for a busy machine changes nothing about that. */
const MOST_MS = 9000

/** Patterns of a foreign schema. */
async function theirs(session: Session): Promise<void> {
  for (const pattern of session.some([...SLOW, ...QUIET], 3)) {
    const id = `schema ${pattern.slice(0, 40)}`
    if (!session.begin(id, 'theirs')) continue
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', pattern } },
      patternProperties: { [pattern]: {} },
    }
    const tool = {
      ...{
        id: 'a.b',
        description: 'Does it well',
        transport: { kind: 'exec', command: '/usr/bin/jq', args: [] },
      },
      ...{ input_schema: schema, result_schema: schema },
    }
    const tree = agentTree({ files: { 'tools.json': JSON.stringify({ version: 1, tools: [tool] }) } })
    const begin = process.cpuUsage()
    const agent = read(memoryFiles(tree), 'mini')
    const rules = lint(agent, await prepareLint(agent)).map(({ rule }) => rule)
    verify(outline(await readBundle(bundleOf(tree), { keep: 'parsed' })), { expect: 'any' })
    const { user, system } = process.cpuUsage(begin)
    if (user + system > MOST_MS * 1000)
      session.defect({
        case: id,
        what: `lint and verify take ${Math.round((user + system) / 1000)} ms`,
        input: pattern,
      })
    if (
      SLOW.includes(pattern) &&
      !rules.some(rule => /^schema\/(?:slow-pattern|pattern|pattern-undecided|invalid)$/.test(rule))
    )
      session.defect({
        case: id,
        what: `lint says nothing of it, only ${[...new Set(rules)].join(', ')}`,
        input: pattern,
      })
  }
}
