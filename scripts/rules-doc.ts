// Writes docs/rules.md from src/lint/rules and fixtures/lint, as `npm run docs`. A test compares.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createStyle } from '../src/cli/render/style.ts'
import { renderFindings } from '../src/lint/render.ts'
import { AGENTCLI_RULES } from '../src/lint/rules/agentcli.ts'
import { RULES } from '../src/lint/rules/index.ts'
import type { Rule } from '../src/lint/rules/rule.ts'
import type { Agent } from '../src/model/agent.ts'
import type { Finding } from '../src/model/finding.ts'
import { withoutCredentials } from '../src/secret/credential.ts'
import {
  LINT_FIXTURES,
  lintPlaced,
  placeLintFixture,
  ROOT,
  readExpectation,
} from '../test/support/lint-fixtures.ts'
import { writeGenerated } from './generated-file.ts'
import { fence, plain, sentence } from './markdown.ts'

export const RULES_DOC = 'docs/rules.md'

const INTRO = `<!-- Made by npm run docs from src/lint/rules/ and fixtures/lint/. Change those and run it again. -->

# Lint rules

What \`rlp agent lint\` looks for. \`rlp agent lint --rules\` prints the same list, with \`--json\` for programs.

- **error**: \`rlp agent pack\` refuses the agent. **warning**: only \`--strict\` does. **info**: nothing does.
- **Bundles too**: \`rlp agent verify\` applies the rule again to the packed bundle, which is \`invalid\` if it breaks the rule. **Sources
  only**: for the author; a packed bundle is never judged by the rule.
- Each example is a whole agent with this one mistake. They are in \`${LINT_FIXTURES}/\`, under the id of the rule.
`

/** Lines of an example before and after the place that is wrong. */
const AROUND = 5
const WIDEST = 110

export interface Linted {
  readonly agent: Agent
  readonly findings: readonly Finding[]
}

/** @param lintedAs what lint says of the fixture of a rule, for a caller that knows it */
export async function rulesDoc(
  lintedAs: (id: string) => Linted | undefined = () => undefined,
): Promise<string> {
  const sections: string[] = []
  for (const rule of RULES) sections.push(section(rule, lintedAs(rule.id) ?? (await lintFixture(rule.id))))
  return [INTRO, table(), ...sections, agentcli()].join('\n')
}

const AGENTCLI = `## tools.json of agentcli

\`rlp agent lint some/tools.json\` checks a file of agentcli, a system whose file has the same name and another meaning: its content tells.
The one error is agentcli’s own, in its words, because it stops at the first; the rest is advice. Bundles are never judged by these rules.
`

/** Rules for another system's file: they have no agents as fixtures. */
function agentcli(): string {
  const rows = Object.values(AGENTCLI_RULES).map(
    ({ id, severity, summary, why, fix }) =>
      `| ${id} | ${severity} | ${plain(sentence(summary))} ${plain(why)} | ${plain(fix)} |\n`,
  )
  return `${AGENTCLI}\n| rule | severity | finds | fix |\n|---|---|---|---|\n${rows.join('')}`
}

function table(): string {
  const rows = RULES.map(({ id, severity, summary }) => {
    const anchor = id.replace('/', '')
    return `| [${id}](#${anchor}) | ${severity} | ${plain(summary)} |\n`
  })
  return `| rule | severity | finds |\n|---|---|---|\n${rows.join('')}`
}

async function lintFixture(id: string): Promise<Linted> {
  const placed = await placeLintFixture(id)
  try {
    const isSparse = readExpectation(id).made.some(({ kind }) => kind === 'sparse')
    return await lintPlaced(placed, isSparse ? 'held' : 'all', id)
  } finally {
    await placed.remove()
  }
}

function section(rule: Rule, { agent, findings }: Linted): string {
  const { id, severity, scope, summary, why, fix, autofix, isOptIn } = rule
  const [first] = findings
  if (first === undefined) throw new Error(`${LINT_FIXTURES}/${id}/ fires nothing`)
  const lines = [
    `## ${id}`,
    `**${severity}** · ${scope === 'bundle' ? 'bundles too' : 'sources only'}${autofix ? ' · `--fix` can correct it' : ''}${isOptIn ? ` · only with \`--rule ${id}=${severity}\`` : ''}`,
    plain(`${sentence(summary)} ${why}`),
    `*Fix:* ${plain(fix)}`,
    `*For example* ([whole agent](../${LINT_FIXTURES}/${id}/)): ${plain(sentence(readExpectation(id).comment))}`,
    example(agent, first),
    fence('text', renderFindings({ agent, findings }, createStyle(false), 100)),
  ]
  return `${lines.join('\n\n')}\n`
}

/** The lines around the place, or for a finding about a whole file what is in the folder. */
function example(agent: Agent, { file, line, endLine }: Finding): string {
  const document = agent.documents.get(file)
  const unreadable = agent.unreadable.find(({ path }) => path === file)
  const text = document?.text ?? unreadable?.text
  const syntax = document?.syntax ?? unreadable?.syntax ?? 'text'
  if (endLine === undefined || text === undefined) return fence('text', listing(agent))
  const all = withoutCredentials(text)
    .split('\n')
    .map(one => one.replace(/\r$/, ''))
  const from = Math.max(0, line - 1 - AROUND)
  const to = Math.min(all.length, Math.min(endLine, line + AROUND) + AROUND)
  const shown = all.slice(from, to).map(one => (one.length > WIDEST ? `${one.slice(0, WIDEST)}…` : one))
  return fence(syntax, dedent(shown).join('\n'))
}

function listing({ label, files }: Agent): string {
  const rows = [
    ...files.list.map(({ path, size }) => ({ path, what: `${size.toLocaleString('en-US')} bytes` })),
    ...files.oddities.map(({ path, what, detail }) => ({ path, what: detail ?? what.replace('-', ' ') })),
  ].sort((a, b) => (a.path < b.path ? -1 : 1))
  const wide = Math.max(...rows.map(({ path }) => path.length))
  return rows.map(({ path, what }) => `${label}/${path.padEnd(wide)}  ${what}`).join('\n')
}

function dedent(lines: readonly string[]): string[] {
  const first = lines.findIndex(line => line.trim() !== '')
  const last = lines.findLastIndex(line => line.trim() !== '')
  const kept = lines.slice(first, last + 1)
  const depth = Math.min(
    ...kept.filter(line => line !== '').map(line => line.length - line.trimStart().length),
  )
  return kept.map(line => line.slice(depth))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeGenerated(join(ROOT, RULES_DOC), await rulesDoc())
}
