// What an agent may do, grant by grant and tool by tool → text for people.

import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { cut, pad, width } from '../cli/render/layout.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import type { Family, Policy, PolicyValue } from '../model/policy.ts'
import { FAMILIES } from '../policy/families/index.ts'
import { withReadableHosts } from '../policy/readable-host.ts'
import { policyValue } from '../policy/write.ts'
import { type Expecting, sandboxLines } from '../sandbox/reach.ts'
import { printable } from '../text/printable.ts'
import { grantRowLines } from './render-grants.ts'
import { isExposed, type ShownCaps, type ShownTool, startsProgram } from './shown.ts'

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
