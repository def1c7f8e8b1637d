// Powers → the boxes and lines of a picture: the agent, its tools in groups, and what they reach. Pure.

import { plural } from '../format/text/counts.ts'
import type { Box, Part, Picture } from './page.ts'
import { keyOf, type Power } from './powers.ts'
import { isDangerous, powerWords } from './sections/may.ts'
import { counted } from './words.ts'

/** More boxes in a column would not be legible. */
const MOST = 16

/** @param before the powers of the other version; undefined where nothing is compared */
export function makePicture(
  agent: string,
  powers: readonly Power[],
  before: readonly Power[] | undefined,
): Picture | undefined {
  if (powers.length === 0) return undefined
  const old = before && new Map(before.map(power => [keyOf(power), power]))
  const isNewTool = newTools(powers, before)
  const reached = boxes(powers, power => ({
    label: plain(powerWords(power)),
    detail: power.uses.length === 0 ? '' : detailOf(power),
    isNew: old !== undefined && !old.has(keyOf(power)),
    isDangerous: isDangerous(power),
  }))
  const groups = [...groupsOf(powers), ...inside(powers)]
  const shown = boxes(groups, ({ tools }) => ({
    label: tools.length === 1 ? (tools[0] ?? '') : plural(tools.length, 'tool'),
    detail: tools.length === 1 ? '' : tools.slice(0, 3).join(', '),
    isNew: tools.some(isNewTool),
  }))
  const lines = new Map<string, Picture['lines'][number]>()
  for (const [to, power] of powers.entries()) {
    for (const [from, { keys }] of groups.entries()) {
      if (!keys.has(keyOf(power))) continue
      const line = { from: Math.min(from, MOST - 1), to: Math.min(to, MOST - 1) }
      const isNew = (reached[line.to]?.isNew ?? false) || (shown[line.from]?.isNew ?? false)
      lines.set(JSON.stringify(line), { ...line, isNew })
    }
  }
  return { agent, groups: shown, reached, lines: [...lines.values()] }
}

/** What no tool uses, the agent's own program may. */
function inside(powers: readonly Power[]): ReturnType<typeof groupsOf> {
  const keys = new Set(powers.filter(({ uses }) => uses.length === 0).map(keyOf))
  return keys.size === 0 ? [] : [{ tools: ['the program inside'], keys }]
}

/** Tools that reach the same are one box. */
function groupsOf(powers: readonly Power[]) {
  const keys = new Map<string, Set<string>>()
  for (const power of powers)
    for (const { tool } of power.uses) keys.set(tool, (keys.get(tool) ?? new Set()).add(keyOf(power)))
  const groups = new Map<string, { tools: string[]; keys: ReadonlySet<string> }>()
  for (const [tool, reached] of keys) {
    const same = JSON.stringify([...reached])
    const group = groups.get(same) ?? { tools: [], keys: reached }
    group.tools.push(tool)
    groups.set(same, group)
  }
  return [...groups.values()]
}

function newTools(powers: readonly Power[], before: readonly Power[] | undefined): (tool: string) => boolean {
  if (before === undefined) return () => false
  const uses = (list: readonly Power[]) =>
    new Set(
      list.flatMap(power => power.uses.map(({ tool, how }) => JSON.stringify([tool, keyOf(power), how]))),
    )
  const old = uses(before)
  const changed = new Set(
    powers.flatMap(power =>
      power.uses.flatMap(({ tool, how }) =>
        old.has(JSON.stringify([tool, keyOf(power), how])) ? [] : [tool],
      ),
    ),
  )
  return tool => changed.has(tool)
}

/** At most {@link MOST}; the last one stands for those that are left. */
function boxes<T, B extends Box>(list: readonly T[], box: (one: T) => B): B[] {
  if (list.length <= MOST) return list.map(box)
  const rest = list.slice(MOST - 1).map(box)
  const [first] = rest
  if (first === undefined) return []
  const last = {
    ...first,
    label: `${rest.length} more`,
    detail: 'in the list',
    isNew: rest.some(({ isNew }) => isNew),
  }
  return [...list.slice(0, MOST - 1).map(box), last]
}

function detailOf({ kind, uses }: Power): string {
  const verbs = uses.flatMap(({ verb }) => verb ?? [])
  if (kind === 'host' && verbs.length > 0) return counted(verbs)
  return plural(new Set(uses.map(({ tool }) => tool)).size, 'tool')
}

function plain(words: readonly Part[]): string {
  return words.map(part => (typeof part === 'string' ? part : part.text)).join('')
}
