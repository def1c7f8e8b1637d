// What an agent may do, grant by grant and tool by tool → text for people.
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { blocks } from '../cli/render/table.ts'
import { cut, pad, width } from '../cli/render/wrap.ts'
import { FAMILIES } from '../format/capability/families/index.ts'
import { withReadableHosts } from '../format/capability/readable-host.ts'
import { policyValue } from '../format/policy/write.ts'
import { printable } from '../format/text/printable.ts'
import type { Family, Policy, PolicyValue } from '../model/policy.ts'
import { programsOf } from '../sandbox/programs.ts'
import { type Expecting, sandboxLines } from '../sandbox/told.ts'
import type { ShownCaps, ShownTool } from './shown.ts'
import type { GrantRow, Left } from './table.ts'

/** As in policy.caps: each key with its value. */
export type CapabilitiesTable = Readonly<Record<string, PolicyValue>>

/** A policy as its `[capabilities]` table, with every key, or the requested keys. */
export function capabilities(
  policy: Policy,
  keys: ReadonlySet<Family> = new Set(FAMILIES),
): CapabilitiesTable {
  return Object.fromEntries(FAMILIES.filter(key => keys.has(key)).map(key => [key, policyValue(policy, key)]))
}

/** @param sandbox undefined where it is not asked for */
export function renderCaps(
  shown: ShownCaps,
  sandbox: Expecting | undefined,
  style: Style,
  columns: number,
): string {
  const { agent, overrides, rows } = shown
  const { name = '?', variant, version = '' } = agent.manifest ?? {}
  const lines = [
    `${style.bold(printable(agent.label))}  ${printable(`${name}${variant ? `@${variant}` : ''} ${version}`)}`,
    ...overrides.map(
      ({ label, says }, index) =>
        `  ${index + 1}  ${printable(label)}${says ? '' : style.red('  cannot be used: what is left is unknown')}`,
    ),
    ...(overrides.length === 0 ? [style.dim('  no overrides on this host')] : []),
    '',
    ...grantLines(rows, overrides.length, style, columns),
    ...toolLines(shown.tools ?? [], style, columns),
    ...(sandbox === undefined ? [] : sandboxBlocks(shown.tools ?? [], sandbox, style)),
  ]
  return `${lines.join('\n')}\n`
}

/** The widest cell that still lets a table of five columns fit. */
const WIDEST_CELL = 28
const WIDEST_GRANT = 60

function grantLines(rows: readonly GrantRow[], overrides: number, style: Style, columns: number): string[] {
  if (rows.length === 0) return ['  policy.caps grants nothing']
  if (overrides === 0) return rows.map(row => `  ${printable(grantText(row))}`)
  const numbers = Array.from({ length: overrides }, (_, index) => String(index + 1))
  const head = ['grant', 'policy.caps', ...numbers, 'effective']
  const cells = rows.map(row => [
    cut(grantText(row), WIDEST_GRANT),
    'yes',
    ...[...row.overrides, row.effective].map(leftText),
  ])
  const wide = head.map((text, at) => Math.max(...[text, ...cells.map(row => row[at] ?? '')].map(width)))
  const total = wide.reduce((sum, one) => sum + one + 2)
  if (total > columns) return blocks([head, ...cells], style).map(line => `  ${line}`)
  const line = (row: readonly string[], paint: (text: string, at: number) => string) =>
    `  ${row.map((text, at) => paint(at === row.length - 1 ? text : pad(text, wide[at] ?? 0), at)).join('  ')}`
  return [
    line(head, text => style.dim(text)),
    ...cells.map((row, index) =>
      line(row, (text, at) =>
        at === row.length - 1 ? paintLeft(rows[index]?.effective, text, style) : text,
      ),
    ),
  ]
}

function grantText({ key, entry }: GrantRow): string {
  if (entry === undefined) return key
  return `${key} ${entry === '*' ? 'all' : withReadableHosts(entry)}`
}

function leftText(left: Left): string {
  switch (left.is) {
    case 'all':
      return 'yes'
    case 'nothing':
      return 'no'
    case 'silent':
      return '-'
    case 'unknown':
      return '?'
    case 'some':
      return cut(left.entries.join(', '), WIDEST_CELL)
  }
}

function paintLeft(left: Left | undefined, text: string, style: Style): string {
  if (left?.is === 'all') return style.green(text)
  return left?.is === 'some' ? style.yellow(text) : style.red(text)
}

/** Every tool; under a tool that is not exposed, each capability that it lacks. */
function toolLines(tools: readonly ShownTool[], style: Style, columns: number): string[] {
  if (tools.length === 0) return []
  const wide = Math.max(...tools.map(({ id }) => width(cut(id, 40))))
  return [
    '',
    ...tools.flatMap(({ id, missing }) => {
      const isExposed = missing?.length === 0
      const mark = isExposed ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
      const reasons = missing?.map(denialText) ?? ['not exposed: an override cannot be used']
      const [first = 'exposed', ...more] = reasons
      const label = `  ${mark} ${pad(cut(id, 40), wide)}  `
      if ([first, ...more].some(text => width(label) + width(text) > columns))
        return [label.trimEnd(), ...reasons.map(text => `      ${text}`)]
      return [
        `${label}${isExposed ? style.dim(first) : first}`,
        ...more.map(text => `    ${' '.repeat(wide)}  ${text}`),
      ]
    }),
  ]
}

function denialText({ need, by }: NonNullable<ShownTool['missing']>[number]): string {
  const what = printable(withReadableHosts(need.capability), 100)
  if (by === 'policy.caps') return `${what} is not granted by policy.caps`
  return by === undefined
    ? `${what}: the overrides together leave nothing of it`
    : `${what} is taken away by ${printable(by)}`
}

/** What the program of each granted tool may reach. */
function sandboxBlocks(tools: readonly ShownTool[], sandbox: Expecting, style: Style): string[] {
  const held = tools.filter(({ tool, missing }) => missing?.length === 0 && programsOf([tool]).length > 0)
  return held.flatMap(({ tool }) => [
    '',
    `  ${style.bold(printable(tool.id))}`,
    ...sandboxLines(tool, sandbox).map(([label, value]) => `    ${pad(label, 8)}  ${printable(value)}`),
  ])
}
