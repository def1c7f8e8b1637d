// Powers → the boxes and lines of a picture: the agent, its tools in groups, and what they reach. Pure.
import { plural } from '../../text/words.ts'
import { type Box, counted, type Part, type Picture } from './page.ts'
import { keyOf, type Power } from './powers.ts'
import { INSIDE, isDangerous, isInsideAlone, powerWords } from './sections/permissions.ts'

/** More boxes in a column would not be legible. */
const MOST = 16

/** @param before the powers of the other version; undefined where nothing is compared */
export function makePicture(
  agent: string,
  powers: readonly Power[],
  before: readonly Power[] | undefined,
): Picture {
  const old = before && new Map(before.map(power => [keyOf(power), power]))
  const isNewTool = newTools(powers, before)
  const isNewPower = (power: Power) => old !== undefined && !old.has(keyOf(power))
  const reached = boxes(powers, isNewPower, power => ({
    label: plain(powerWords(power)),
    detail: detailOf(power),
    isDangerous: isDangerous(power),
  }))
  const groups = groupsOf(powers)
  const shown = boxes(
    groups,
    ({ tools }) => tools.some(isNewTool),
    ({ tools, isDenied }) => ({
      label: tools.length === 1 ? (tools[0] ?? '') : plural(tools.length, 'tool'),
      detail: [
        ...(isDenied ? ['not exposed'] : []),
        ...(tools.length === 1 ? [] : [tools.slice(0, 3).join(', ')]),
      ].join(': '),
    }),
  )
  const lines = [...linesOf(groups)].map(line => {
    const isNew = (reached[line.to]?.isNew ?? false) || (shown[line.from]?.isNew ?? false)
    return { ...line, isNew }
  })
  return { agent, groups: shown, reached, lines }
}

interface Group {
  readonly tools: string[]
  /** No call of them runs here. */
  readonly isDenied: boolean
  /** Indexes of the powers that it reaches. */
  readonly reached: readonly number[]
}

/** Tools that reach the same are one box. What no tool uses, the agent's own program may. */
function groupsOf(powers: readonly Power[]): Group[] {
  const reachedBy = new Map<string, number[]>()
  const unused: number[] = []
  const denied = new Set<string>()
  for (const [index, power] of powers.entries()) {
    if (isInsideAlone(power)) unused.push(index)
    for (const { tool, isDenied } of power.uses) {
      if (isDenied) denied.add(tool)
      const known = reachedBy.get(tool)
      if (known === undefined) reachedBy.set(tool, [index])
      else if (known.at(-1) !== index) known.push(index)
    }
  }
  const groups = new Map<string, Group>()
  for (const [tool, reached] of reachedBy) {
    const isDenied = denied.has(tool)
    const same = JSON.stringify([isDenied, reached])
    const group = groups.get(same)
    if (group === undefined) groups.set(same, { tools: [tool], isDenied, reached })
    else group.tools.push(tool)
  }
  const inside = unused.length === 0 ? [] : [{ tools: [INSIDE], isDenied: false, reached: unused }]
  return [...groups.values(), ...inside]
}

/** Each pair of boxes that are shown, once: in the order of what is reached, then of the groups. */
function linesOf(groups: readonly Group[]): Iterable<{ readonly from: number; readonly to: number }> {
  const lines = new Map<number, { readonly from: number; readonly to: number }>()
  for (const [index, { reached }] of groups.entries()) {
    const from = Math.min(index, MOST - 1)
    for (const power of reached) {
      const to = Math.min(power, MOST - 1)
      lines.set(to * MOST + from, { from, to })
    }
  }
  return [...lines].sort(([a], [b]) => a - b).map(([, line]) => line)
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
function boxes<T, B extends Omit<Box, 'isNew'>>(
  list: readonly T[],
  isNew: (one: T) => boolean,
  box: (one: T) => B,
): (B & Pick<Box, 'isNew'>)[] {
  if (list.length <= MOST) return list.map(one => ({ ...box(one), isNew: isNew(one) }))
  const shown = list.slice(0, MOST)
  const rest = list.slice(MOST - 1)
  return shown.map((one, index) =>
    index < MOST - 1
      ? { ...box(one), isNew: isNew(one) }
      : { ...box(one), label: `${rest.length} more`, detail: 'in the list', isNew: rest.some(isNew) },
  )
}

function detailOf({ kind, uses, left }: Power): string {
  if (left?.length === 0) return 'taken away by an override'
  if (uses.length === 0) return ''
  const verbs = uses.flatMap(({ verb }) => verb ?? [])
  if (kind === 'host' && verbs.length === uses.length) return counted(verbs)
  return plural(new Set(uses.map(({ tool }) => tool)).size, 'tool')
}

function plain(words: readonly Part[]): string {
  return words.map(part => (typeof part === 'string' ? part : part.text)).join('')
}
