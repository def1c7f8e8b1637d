// A query → the matching tools among those that are not loaded. Such a tool must not run: calling it ends in `schema_not_loaded`.
import type { DeferredTool } from '../schema/generated/record-types.ts'

/** The record, and facts from the tool's declaration if they are known. */
export interface SearchableTool extends DeferredTool {
  readonly description?: string
}

/** The result of a search. No schema is published for it. */
export interface ToolSearchResult {
  readonly schema_version: '0.2.0'
  readonly query: string
  /** `select`: exact names. `search`: words. */
  readonly query_type: 'select' | 'search'
  /** Ids of tools, best match first. */
  readonly matches: readonly string[]
  readonly total_deferred_tools: number
  /** Providers that have not answered yet: more tools may follow. */
  readonly pending_providers?: readonly string[]
  /** Requested names that no tool has. */
  readonly missing_names?: readonly string[]
  readonly next_action: 'load_schema_then_call' | 'wait_for_providers' | 'search_again'
}

const SELECT = 'select:'

/**
 * `select:<name>` finds a tool by its name or id; commas separate several. Any other query finds the tools whose names, hints and
 * descriptions contain all of its words.
 * @param tools all tools; loaded ones are not searched
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
  const without = providers.length > 0 ? 'wait_for_providers' : 'search_again'
  return {
    schema_version: '0.2.0',
    query,
    query_type: isSelect ? 'select' : 'search',
    matches,
    total_deferred_tools: deferred.length,
    ...(providers.length > 0 && { pending_providers: providers }),
    ...(missing.length > 0 && { missing_names: missing }),
    next_action: matches.length > 0 ? 'load_schema_then_call' : without,
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

/** A match in the name ranks above one in other text. */
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
