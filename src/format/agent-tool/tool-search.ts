// A search over tools that are not loaded → the answer to it (systems reference §2a, "Deferred tools"). A tool that is not loaded must
// not run: calling it ends in `schema_not_loaded`.
import type { DeferredTool } from '../generated/record-types.ts'

/** The record, and what the tool's declaration says of it where that is known. */
export interface SearchableTool extends DeferredTool {
  readonly description?: string
}

/** The answer to a search. No schema is published for it. */
export interface ToolSearchResult {
  readonly schema_version: '0.2.0'
  readonly query: string
  /** `select`: exact names were asked for; `search`: words. */
  readonly query_type: 'select' | 'search'
  /** Ids of tools, the best first. */
  readonly matches: readonly string[]
  readonly total_deferred_tools: number
  /** Providers that have not answered yet: more tools may come. */
  readonly pending_providers?: readonly string[]
  /** Names that were asked for and that no tool has. */
  readonly missing_names?: readonly string[]
  readonly next_action: 'load_schema_then_call' | 'wait_for_providers' | 'search_again'
}

const SELECT = 'select:'

/**
 * `select:<name>` finds a tool by its name or id, several with commas between; anything else finds those in whose names, hints and
 * descriptions all of its words stand.
 *
 * @param tools all that there are; those that are loaded need no search
 */
export function searchTools(query: string, tools: readonly SearchableTool[]): ToolSearchResult {
  const deferred = tools.filter(({ loading_state }) => loading_state !== 'loaded')
  const pending = deferred.filter(({ loading_state }) => loading_state === 'pending_provider')
  const findable = deferred.filter(
    ({ loading_state }) => loading_state === 'deferred' || loading_state === 'discoverable',
  )
  const isSelect = query.startsWith(SELECT)
  const { matches, missing } = isSelect ? select(query, findable) : search(query, findable)
  const providers = [
    ...new Set(pending.map(({ pending_provider_or_server: provider, name }) => provider ?? name)),
  ]
  return {
    schema_version: '0.2.0',
    query,
    query_type: isSelect ? 'select' : 'search',
    matches,
    total_deferred_tools: deferred.length,
    ...(providers.length > 0 && { pending_providers: providers }),
    ...(missing.length > 0 && { missing_names: missing }),
    next_action: nextAction(matches.length > 0, providers.length > 0),
  }
}

interface Matches {
  readonly matches: readonly string[]
  readonly missing: readonly string[]
}

function select(query: string, tools: readonly SearchableTool[]): Matches {
  const ids = new Map<string, string>()
  for (const { name, tool_id } of tools) for (const key of [tool_id, name]) ids.set(key, tool_id)
  const asked = query
    .slice(SELECT.length)
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  const names = [...new Set(asked)]
  return {
    matches: [...new Set(names.flatMap(name => ids.get(name) ?? []))],
    missing: names.filter(name => !ids.has(name)),
  }
}

/** Tools whose name has the words come before those that only mention them. */
function search(query: string, tools: readonly SearchableTool[]): Matches {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (text: string) => words.every(word => text.toLowerCase().includes(word))
  const found = words.length === 0 ? [] : tools.filter(tool => has(textOf(tool)))
  const byName = found.filter(({ name }) => has(name))
  const others = found.filter(({ name }) => !has(name))
  return { matches: [...new Set([...byName, ...others].map(({ tool_id }) => tool_id))], missing: [] }
}

function textOf({
  name,
  namespace = '',
  search_hint: hint = '',
  tool_id,
  description = '',
}: SearchableTool): string {
  return `${name} ${namespace} ${tool_id} ${hint} ${description}`
}

function nextAction(isFound: boolean, isPending: boolean): ToolSearchResult['next_action'] {
  if (isFound) return 'load_schema_then_call'
  return isPending ? 'wait_for_providers' : 'search_again'
}
