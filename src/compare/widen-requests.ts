// The requests of two bundles → which the second may send that the first could not (DESIGN §4, "widened"). Part of widen.ts.
import { shortText } from '../format/text/quote.ts'
import type { Change, HttpPermission, ToolPermission } from '../model/permissions.ts'
import { areInputsWithin } from './widen-inputs.ts'

type Tools = readonly ToolPermission[]

/** Of one tool. No method, path or header is known to do less than another. */
export function* changedRequest(before: HttpPermission, tool: HttpPermission): Generator<Change> {
  const { id, method } = tool
  const about = { tool: id }
  if (before.method !== method)
    yield { ...about, kind: 'method', message: `calls ${id} with ${method}, not ${before.method}` }
  if (placeOf(before) !== placeOf(tool))
    yield { ...about, kind: 'path', message: `calls ${id} at ${placeOf(tool)}, not ${placeOf(before)}` }
  const [old, now] = [new Map(before.headers), new Map(tool.headers)]
  for (const [name, value] of now) {
    if (old.get(name) === value) continue
    const was = old.has(name) ? `, not ${shortText(old.get(name) ?? '')}` : ''
    yield { ...about, kind: 'header', message: `calls ${id} with ${name}: ${shortText(value)}${was}` }
  }
  for (const name of old.keys())
    if (!now.has(name)) yield { ...about, kind: 'header', message: `calls ${id} without the header ${name}` }
}

/** As many as are compared with a new tool: a stranger's bundle may have thousands that send the same request. */
const MOST_ALIKE = 16

/**
 * Tools under a new id, at a target that had tools before: one of those has to send the same request and be as free in it. Otherwise a
 * confirmation, a path or a schema could be got rid of by calling the tool something else.
 */
export function* laxerRequests(before: Tools, after: Tools): Generator<Change> {
  const isRequest = new Set(before.filter(({ kind }) => kind === 'http').map(({ id }) => id))
  const known = new Map<string, HttpPermission[]>()
  const note = (key: string, tool: HttpPermission) => known.set(key, [...(known.get(key) ?? []), tool])
  for (const tool of before) {
    if (tool.kind !== 'http') continue
    for (const key of keysOf(tool)) if ((known.get(key)?.length ?? 0) < MOST_ALIKE) note(key, tool)
  }
  for (const tool of after) {
    if (tool.kind !== 'http' || isRequest.has(tool.id)) continue
    const [target, sent, place, whole] = keysOf(tool)
    if (!known.has(target)) continue
    const others = known.get(whole) ?? []
    if (others.some(other => isAsFree(other, tool))) continue
    const kind = !known.has(sent)
      ? 'method'
      : !known.has(place)
        ? 'path'
        : others.length === 0
          ? 'header'
          : others.every(({ confirm }) => confirm && !tool.confirm)
            ? 'confirmation'
            : 'input'
    const asking = tool.confirm ? '' : ' without asking'
    yield {
      kind,
      tool: tool.id,
      message: `calls ${tool.method} ${placeOf(tool)} as the new tool ${tool.id}${asking}`,
    }
  }
}

/** From the widest to the narrowest. */
function keysOf({ target, method, path, headers }: HttpPermission): [string, string, string, string] {
  const keys = [[target], [target, method], [target, method, path], [target, method, path, headers]]
  return keys.map(key => JSON.stringify(key)) as [string, string, string, string]
}

function isAsFree(other: HttpPermission, tool: HttpPermission): boolean {
  return (tool.confirm || !other.confirm) && areInputsWithin(tool.fills, other.fills)
}

function placeOf({ target, path }: HttpPermission): string {
  return `${target}${path}`
}
