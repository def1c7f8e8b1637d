// A verified agent → what its runtime starts: the program, the ports, and the schemas of its settings and files. Pure.

import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import { FixedMap } from '../model/frozen.ts'
import { isTable, own } from '../model/own.ts'
import type { JsonSchema } from '../model/tools.ts'
import { isSchemaFile } from '../schema/reference.ts'

/** What a loaded bundle says of it. */
export interface StartedAgent {
  /** The program that a runtime starts: `bytes(entry.path)` are its bytes, and `agent.kind` says what it is. */
  readonly entry: { readonly path: string }
  /** What the manifest names in `[ports]`; empty lists where it names none. */
  readonly ports: { readonly in: readonly string[]; readonly out: readonly string[] }
  readonly schemas: {
    /** `[schemas.with]`: what settings of the agent have to fit. */
    readonly with: JsonSchema | undefined
    /** The files below `schemas/`, by their paths. */
    readonly files: ReadonlyMap<string, JsonSchema>
  }
}

export function startedIn({ documents, manifest }: Agent): StartedAgent {
  const entry = manifest?.entries.find(({ role }) => role === 'entry')
  if (entry === undefined) throw new TypeError('a verified bundle always has an entry')
  const whole = documents.get(MANIFEST_FILE)?.value
  const ports = tableIn(whole, 'ports')
  const files = [...documents].filter(([path]) => isSchemaFile(path))
  return {
    entry: { path: entry.path },
    ports: { in: textsIn(ports, 'in'), out: textsIn(ports, 'out') },
    schemas: {
      with: own(tableIn(whole, 'schemas'), 'with') as JsonSchema | undefined,
      files: new FixedMap(files.map(([path, { value }]) => [path, value as JsonSchema])),
    },
  }
}

function tableIn(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const found = isTable(value) ? own(value, name) : undefined
  return isTable(found) ? found : {}
}

function textsIn(table: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const found = own(table, name)
  return Array.isArray(found) ? (found as readonly string[]) : []
}
