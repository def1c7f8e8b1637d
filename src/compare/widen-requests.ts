// The requests of two bundles → those that only the second may send (docs/upgrades.md). Part of widen.ts.
import { transportKind } from '../format/transports/index.ts'
import type { Change, ToolPermission } from '../model/permissions.ts'
import { areInputsWithin } from './widen-inputs.ts'

type Tools = readonly ToolPermission[]

/** The most requests to compare with a new tool: a stranger's bundle may have thousands that are alike. */
const MOST_ALIKE = 16

/**
 * Tools under a new id, at a target that had tools before: an old tool must send the same request and be as free in it. Otherwise
 * renaming a tool would get rid of a confirmation, a path or a schema.
 */
export function* laxerRequests(before: Tools, after: Tools): Generator<Change> {
  const old = new Map(before.map(tool => [tool.id, tool]))
  const known = new Map<string, ToolPermission[]>()
  const note = (key: string, tool: ToolPermission) => known.set(key, [...(known.get(key) ?? []), tool])
  for (const tool of before)
    for (const { key } of keysOf(tool)) if ((known.get(key)?.length ?? 0) < MOST_ALIKE) note(key, tool)
  for (const tool of after) {
    const keys = keysOf(tool)
    const [target] = keys
    if (target === undefined || old.get(tool.id)?.kind === tool.kind || !known.has(target.key)) continue
    const others = known.get(keys.at(-1)?.key ?? '') ?? []
    if (others.some(other => isAsFree(other, tool))) continue
    const kind =
      keys.find(({ key }) => !known.has(key))?.differs ??
      (others.every(({ confirm }) => confirm && !tool.confirm) ? 'confirmation' : 'input')
    const asking = tool.confirm ? '' : ' without asking'
    yield {
      kind,
      tool: tool.id,
      message: `${transportKind(tool).act.request(tool) ?? 'is called'} as the new tool ${tool.id}${asking}`,
    }
  }
}

/** From the widest to the narrowest, for tools of one kind. */
function keysOf(tool: ToolPermission) {
  return transportKind(tool)
    .act.alike(tool)
    .map(([differs, ...parts]) => ({ differs, key: JSON.stringify([tool.kind, parts]) }))
}

function isAsFree(other: ToolPermission, tool: ToolPermission): boolean {
  return (tool.confirm || !other.confirm) && areInputsWithin(tool.fills, other.fills)
}
