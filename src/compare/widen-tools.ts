// The tools of two bundles → what only calls of the second may do (docs/upgrades.md). Part of widen.ts.
import { transportKind } from '../format/transports/index.ts'
import { CHANGE_KINDS, type Change, type ToolPermission, type Widening } from '../model/permissions.ts'
import { narrowerInputs, widerInputs } from './widen-inputs.ts'
import { laxerRequests } from './widen-requests.ts'

type Tools = readonly ToolPermission[]

export function widenedTools(before: Tools, after: Tools): Widening {
  const [was, is] = [running(before), running(after)]
  const old = new Map(was.map(tool => [tool.id, tool]))
  const now = new Map(is.map(tool => [tool.id, tool]))
  return {
    widened: [
      ...noLongerWithheld(before, is),
      ...is.flatMap(tool => inOrder(changedTool(old.get(tool.id), tool))),
      ...laxerRequests(was, is),
      ...newPairs(was, is),
    ],
    narrowed: [
      ...noLongerWithheld(after, was),
      ...was.flatMap(tool => inOrder(lostTool(tool, now.get(tool.id)))),
      ...newPairs(is, was),
    ],
  }
}

/** A tool that a record withholds does nothing, whatever tools.json says of it. */
function running(tools: Tools): Tools {
  return tools.filter(({ isWithheld }) => isWithheld !== true)
}

/** Tools that run in one bundle, and that a record of the other withholds. */
function noLongerWithheld(other: Tools, tools: Tools): Change[] {
  const withheld = new Set(other.flatMap(({ id, isWithheld }) => (isWithheld ? id : [])))
  return tools
    .filter(({ id }) => withheld.has(id))
    .map(({ id }) => ({
      kind: 'withheld',
      tool: id,
      message: `may call ${id}, which the records of the other version withhold`,
    }))
}

function inOrder(changes: Iterable<Change>): Change[] {
  return [...changes].sort((a, b) => CHANGE_KINDS.indexOf(a.kind) - CHANGE_KINDS.indexOf(b.kind))
}

function* changedTool(before: ToolPermission | undefined, tool: ToolPermission): Generator<Change> {
  const same = before?.kind === tool.kind ? before : undefined
  yield* transportKind(tool).act.widened(same, tool)
  if (before?.confirm && !tool.confirm)
    yield { tool: tool.id, kind: 'confirmation', message: `calls ${tool.id} without asking` }
  if (same !== undefined) yield* widerInputs(same.fills, tool)
}

function* lostTool(tool: ToolPermission, now: ToolPermission | undefined): Generator<Change> {
  const same = now?.kind === tool.kind ? now : undefined
  yield* transportKind(tool).act.narrowed(tool, same)
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
  const { act } = transportKind(tool)
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
