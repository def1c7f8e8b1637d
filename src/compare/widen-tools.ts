// The tools of two bundles → what only calls of the second may do (docs/trust.md). Part of widen.ts.
import { kindOf } from '../format/transports/index.ts'
import { CHANGE_KINDS, type Change, type ToolPermission, type Widening } from '../model/permissions.ts'
import { narrowerInputs, widerInputs } from './widen-inputs.ts'
import { laxerRequests } from './widen-requests.ts'

type Tools = readonly ToolPermission[]

export function changedTools(before: Tools, after: Tools): Widening {
  const old = new Map(before.map(tool => [tool.id, tool]))
  const now = new Map(after.map(tool => [tool.id, tool]))
  return {
    widened: [
      ...after.flatMap(tool => inOrder(changedTool(old.get(tool.id), tool))),
      ...laxerRequests(before, after),
      ...newPairs(before, after),
    ],
    narrowed: [
      ...before.flatMap(tool => inOrder(lostTool(tool, now.get(tool.id)))),
      ...newPairs(after, before),
    ],
  }
}

function inOrder(changes: Iterable<Change>): Change[] {
  return [...changes].sort((a, b) => CHANGE_KINDS.indexOf(a.kind) - CHANGE_KINDS.indexOf(b.kind))
}

function* changedTool(before: ToolPermission | undefined, tool: ToolPermission): Generator<Change> {
  const same = before?.kind === tool.kind ? before : undefined
  yield* kindOf(tool).act.widened(same, tool)
  if (before?.confirm && !tool.confirm)
    yield { tool: tool.id, kind: 'confirmation', message: `calls ${tool.id} without asking` }
  if (same !== undefined) yield* widerInputs(same.fills, tool)
}

function* lostTool(tool: ToolPermission, now: ToolPermission | undefined): Generator<Change> {
  const same = now?.kind === tool.kind ? now : undefined
  yield* kindOf(tool).act.narrowed(tool, same)
  if (now?.confirm && !tool.confirm)
    yield { tool: tool.id, kind: 'confirmation', message: `calls ${tool.id} without asking` }
  if (same !== undefined) yield* narrowerInputs(tool, same.fills)
}

/** New pairs of tool and secret, and of program and variable. */
function newPairs(before: Tools, after: Tools): Change[] {
  const old = new Set(before.flatMap(pairsOf).map(({ pair }) => pair))
  const found = new Map(
    after
      .flatMap(pairsOf)
      .filter(({ pair }) => !old.has(pair))
      .map(({ pair, change }) => [pair, change]),
  )
  return [...found.values()]
}

function pairsOf(tool: ToolPermission): { readonly pair: string; readonly change: Change }[] {
  const { act } = kindOf(tool)
  const target = act.receiver(tool)
  const secrets = tool.secrets.map(secret => ({
    pair: JSON.stringify(['secret', secret, target]),
    change: { kind: 'secret', tool: tool.id, message: `gives the secret ${secret} to ${target}` } as const,
  }))
  const env = act.env(tool).map(name => ({
    pair: JSON.stringify(['env', name, target]),
    change: { kind: 'env', tool: tool.id, message: `gives the variable ${name} to ${target}` } as const,
  }))
  return [...secrets, ...env]
}
