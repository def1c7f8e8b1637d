// The tools of several bundles → a unique name for each.

import { UsageError } from '../model/error.ts'
import { MCP_NAME_LENGTH } from '../model/limits.ts'
import type { ServedBundle, ServedEntry } from './served-bundle.ts'

export interface NamedTool {
  readonly bundle: ServedBundle
  readonly entry: ServedEntry
}

/** @throws UsageError for two tools with one name, and for names that no client accepts */
export function namesOf(bundles: readonly ServedBundle[], prefix: boolean): Map<string, NamedTool> {
  const named = new Map<string, NamedTool>()
  for (const bundle of bundles) {
    for (const entry of bundle.entries) {
      const name = prefix ? `${bundle.agent}.${entry.listed.name}` : entry.listed.name
      const other = named.get(name)
      if (other !== undefined) {
        const labels = `${other.bundle.target.label} and ${bundle.target.label}`
        throw new UsageError(`Cannot serve both ${labels}: both have a tool called ${name}`, {
          field: 'prefix',
          hint: prefix ? 'Serve one of them' : 'Add --prefix, which puts the agent’s name before the tool’s',
        })
      }
      if (name.length > MCP_NAME_LENGTH) {
        throw new UsageError(
          `Cannot serve ${bundle.target.label} with --prefix: ${name} has more than ${MCP_NAME_LENGTH} characters`,
          {
            field: 'prefix',
            hint: 'Serve it alone, without --prefix',
          },
        )
      }
      named.set(name, { bundle, entry })
    }
  }
  return named
}
