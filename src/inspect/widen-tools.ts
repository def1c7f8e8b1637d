// The tools of two bundles → what only calls of the second may do (docs/upgrades.md). Part of widen.ts.

import { CHANGE_KINDS, type Change, type ToolPermission, type Widening } from '../model/permissions.ts'
import { transportKind } from '../tools/transports/index.ts'
import { toldOtherwise } from './told.ts'
import { narrowerInputs, widerInputs } from './widen-inputs.ts'

type Tools = readonly ToolPermission[]

/** @param isFirst whether there is no version to compare with */
export function widenedTools(before: Tools, after: Tools, isFirst: boolean): Widening {
  const [was, is] = [running(before), running(after)]
  const old = new Map(was.map(tool => [tool.id, tool]))
  const now = new Map(is.map(tool => [tool.id, tool]))
  return {
    widened: [
      ...noLongerWithheld(before, is),
      ...is.flatMap(tool => inOrder(changedTool(old.get(tool.id), tool, isFirst))),
      ...newPairs(was, is),
    ],
    narrowed: [
      ...noLongerWithheld(after, was),
      ...was.flatMap(tool => inOrder(lostTool(tool, now.get(tool.id)))),
      ...newPairs(is, was),
    ],
    described: is.flatMap(tool => toldOtherwise(old.get(tool.id), tool)),
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

/** Under another id or of another kind a tool is a new one, whatever else is the same: its id and its words steer the model that calls it. */
function changedTool(before: ToolPermission | undefined, tool: ToolPermission, isFirst: boolean): Change[] {
  const changes: Change[] = []
  if (before?.kind !== tool.kind) {
    const asking = tool.confirm || isFirst ? '' : ', without asking'
    changes.push({ tool: tool.id, kind: 'tool', message: `${asTool(tool)}${asking}` })
    return changes
  }
  changes.push(...transportKind(tool).act.widened(before, tool))
  if (before.confirm && !tool.confirm)
    changes.push({ tool: tool.id, kind: 'confirmation', message: `calls ${tool.id} without asking` })
  changes.push(...widerInputs(before.fills, tool))
  return changes
}

function lostTool(tool: ToolPermission, now: ToolPermission | undefined): Change[] {
  const changes: Change[] = []
  if (now?.kind !== tool.kind) {
    changes.push({ tool: tool.id, kind: 'tool', message: asTool(tool) })
    return changes
  }
  changes.push(...transportKind(tool).act.narrowed(tool, now))
  if (now.confirm && !tool.confirm)
    changes.push({ tool: tool.id, kind: 'confirmation', message: `calls ${tool.id} without asking` })
  changes.push(...narrowerInputs(tool, now.fills))
  return changes
}

function asTool(tool: ToolPermission): string {
  return `${transportKind(tool).act.does(tool)} as the tool ${tool.id}`
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
