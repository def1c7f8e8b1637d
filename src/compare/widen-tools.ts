// The tools of two bundles → what calling them may do now and could not before (DESIGN §4, "widened"). Part of widen.ts.
import type {
  Change,
  ExecPermission,
  HttpPermission,
  ToolPermission,
  Widening,
} from '../model/permissions.ts'
import { narrowerInputs, widerInputs } from './widen-inputs.ts'
import { changedRequest, laxerRequests } from './widen-requests.ts'

type Tools = readonly ToolPermission[]

export function changedTools(before: Tools, after: Tools): Widening {
  const old = new Map(before.map(tool => [tool.id, tool]))
  const now = new Map(after.map(tool => [tool.id, tool]))
  return {
    widened: [
      ...after.flatMap(tool => [...changedTool(old.get(tool.id), tool)]),
      ...laxerRequests(before, after),
      ...newPairs(before, after),
    ],
    narrowed: [...before.flatMap(tool => [...lostTool(tool, now.get(tool.id))]), ...newPairs(after, before)],
  }
}

/** What a program is given decides what it does as much as its name. */
function* changedTool(before: ToolPermission | undefined, tool: ToolPermission): Generator<Change> {
  const about = { tool: tool.id }
  if (tool.kind === 'exec') {
    if (before?.kind !== 'exec') {
      yield { ...about, kind: 'exec-tool', message: `may run ${commandLine(tool)} as the tool ${tool.id}` }
    } else {
      const { command } = tool
      if (before.command !== command)
        yield { ...about, kind: 'command', message: `runs ${command} as ${tool.id}, not ${before.command}` }
      if (JSON.stringify(before.args) !== JSON.stringify(tool.args))
        yield {
          ...about,
          kind: 'args',
          message: `runs ${commandLine(tool)} as ${tool.id}, with other arguments`,
        }
      if (before.stdin !== tool.stdin) {
        const way = tool.stdin ? 'on standard input' : 'in a file'
        yield { ...about, kind: 'stdin', message: `gives ${tool.id} its arguments ${way}` }
      }
    }
  }
  if (before?.confirm && !tool.confirm)
    yield { ...about, kind: 'confirmation', message: `calls ${tool.id} without asking` }
  if (before?.kind === 'http' && tool.kind === 'http') yield* changedRequest(before, tool)
  if (before?.kind === tool.kind) yield* widerInputs(before.fills, tool)
}

function* lostTool(tool: ToolPermission, now: ToolPermission | undefined): Generator<Change> {
  const about = { tool: tool.id }
  if (tool.kind === 'exec' && now?.kind !== 'exec')
    yield { ...about, kind: 'exec-tool', message: `may run ${commandLine(tool)} as the tool ${tool.id}` }
  if (now?.confirm && !tool.confirm)
    yield { ...about, kind: 'confirmation', message: `calls ${tool.id} without asking` }
  if (tool.kind === 'http' && now?.kind === 'http' && !isSafe(tool) && isSafe(now))
    yield { ...about, kind: 'method', message: `calls ${tool.id} with ${tool.method}, not ${now.method}` }
  if (tool.kind === now?.kind) yield* narrowerInputs(tool, now.fills)
}

/** Who gets which secret, and which program which variable. */
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
  const target = tool.kind === 'exec' ? tool.command : tool.target
  const secrets = tool.secrets.map(secret => ({
    pair: JSON.stringify(['secret', secret, target]),
    change: { kind: 'secret', tool: tool.id, message: `gives the secret ${secret} to ${target}` } as const,
  }))
  if (tool.kind === 'http') return secrets
  const env = tool.env.map(name => ({
    pair: JSON.stringify(['env', name, target]),
    change: { kind: 'env', tool: tool.id, message: `gives the variable ${name} to ${target}` } as const,
  }))
  return [...secrets, ...env]
}

/** Methods that change nothing where they are sent. */
function isSafe({ method }: HttpPermission): boolean {
  return method === 'GET' || method === 'HEAD'
}

function commandLine({ command, args }: ExecPermission): string {
  return [
    command,
    ...args.map(arg => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(arg) ? arg : JSON.stringify(arg))),
  ].join(' ')
}
