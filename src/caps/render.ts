// Renders for people what an agent may do, grant by grant and tool by tool.
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { cut, pad, width } from '../cli/render/layout.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { blocks } from '../cli/render/table.ts'
import { withReadableHosts } from '../policy/readable-host.ts'
import { type Expecting, sandboxLines } from '../sandbox/reach.ts'
import { printable } from '../text/printable.ts'
import {
  type GrantRow,
  isExposed,
  type Left,
  type ShownCaps,
  type ShownTool,
  startsProgram,
} from './permissions.ts'

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
    ...grantRowLines(rows, overrides.length, style, columns),
    ...toolLines(shown.tools ?? [], style, columns),
    ...(sandbox === undefined ? [] : sandboxBlocks(shown.tools ?? [], sandbox, style)),
  ]
  return `${lines.join('\n')}\n`
}

/** Every tool; under a tool that is not exposed, each capability that it lacks. */
function toolLines(tools: readonly ShownTool[], style: Style, columns: number): string[] {
  if (tools.length === 0) return []
  const wide = Math.max(...tools.map(({ id }) => width(cut(id, 40))))
  return [
    '',
    ...tools.flatMap(shown => {
      const { id, missing, withheld } = shown
      const isUsable = isExposed(shown)
      const mark = isUsable ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
      const reasons = [
        ...(withheld === undefined ? [] : [`kept back by ${INTERFACES_FILE}: ${withheld}`]),
        ...(missing?.map(denialText) ?? ['not exposed: an override cannot be used']),
      ]
      const [first = 'exposed', ...more] = reasons
      const label = `  ${mark} ${pad(cut(id, 40), wide)}  `
      if ([first, ...more].some(text => width(label) + width(text) > columns))
        return [label.trimEnd(), ...reasons.map(text => `      ${text}`)]
      return [
        `${label}${isUsable ? style.dim(first) : first}`,
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
  return tools
    .filter(startsProgram)
    .flatMap(({ tool }) => [
      '',
      `  ${style.bold(printable(tool.id))}`,
      ...sandboxLines(tool, sandbox).map(([label, value]) => `    ${pad(label, 8)}  ${printable(value)}`),
    ])
}

/** The widest cell that still lets a table of five columns fit. */
const WIDEST_CELL = 28
/** More hosts or tools of one grant are counted. */
const MOST_NAMES = 3

/** @param overrides how many there are */
function grantRowLines(
  rows: readonly GrantRow[],
  overrides: number,
  style: Style,
  columns: number,
): string[] {
  if (rows.length === 0) return ['  policy.caps grants nothing']
  const numbers = Array.from({ length: overrides }, (_, index) => String(index + 1))
  const head = ['grant', ...(overrides === 0 ? [] : ['policy.caps', ...numbers, 'effective']), 'tools']
  const effectiveAt = head.indexOf('effective')
  const cells = rows.map(row => [
    printable(grantText(row)),
    ...(overrides === 0 ? [] : ['yes', ...[...row.overrides, row.effective].map(leftText)]),
    toolsText(row),
  ])
  const wide = head.map((text, at) => Math.max(...[text, ...cells.map(row => row[at] ?? '')].map(width)))
  const total = wide.reduce((sum, one) => sum + one + 2)
  if (total > columns) return blocks([head, ...cells], style).map(line => `  ${line}`)
  const line = (row: readonly string[], paint: (text: string, at: number) => string) =>
    `  ${row.map((text, at) => paint(at === row.length - 1 ? text : pad(text, wide[at] ?? 0), at)).join('  ')}`
  return [
    line(head, text => style.dim(text)),
    ...cells.map((row, index) =>
      line(row, (text, at) => (at === effectiveAt ? paintLeft(rows[index]?.effective, text, style) : text)),
    ),
  ]
}

function grantText({ key, entry, hosts }: GrantRow): string {
  if (entry === undefined) return key
  if (hosts !== undefined) return withReadableHosts(`plain http to ${fewOf(hosts)}`)
  return `${key} ${entry === '*' ? 'all' : withReadableHosts(entry)}`
}

function toolsText({ tools }: GrantRow): string {
  if (tools === null) return '?'
  return tools.length === 0 ? 'none' : fewOf(tools.map(id => cut(id, WIDEST_CELL)))
}

function fewOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  return [...names.slice(0, MOST_NAMES), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
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
