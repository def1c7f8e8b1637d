// An agent and the name of a format → its tools in the words of another system, or how a server of them is started.

import type { Agent } from '../model/agent.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import { type ExportedTools, type ExportToolsOptions, exportTools, readableTools } from './export.ts'
import { EXPORTERS } from './exporters/index.ts'
import { SERVER_FORMATS } from './servers/index.ts'
import type { ServerFormat } from './servers/server-format.ts'

export interface ExportToOptions extends ExportToolsOptions {
  readonly namespace?: string | undefined
  /** Where the agent was found, as the caller has named it. */
  readonly place: string
}

/** In the order of the documents. */
export const EXPORT_FORMATS: readonly { readonly format: string; readonly summary: string }[] = [
  ...EXPORTERS,
  ...SERVER_FORMATS,
]

/** @throws UsageError for what is no format, and as {@link exportTools} */
export function exportTo(agent: Agent, to: string, options: ExportToOptions): ExportedTools {
  const exporter = EXPORTERS.find(({ format }) => format === to)
  const server = SERVER_FORMATS.find(({ format }) => format === to)
  if (server !== undefined) return exportServer(agent, server, options)
  if (exporter === undefined)
    throw new UsageError(`Cannot export tools: ${JSON.stringify(to)} is no format`, {
      field: 'to',
      expected: EXPORT_FORMATS.map(({ format }) => format).join(', '),
    })
  if (options.namespace !== undefined)
    throw new UsageError(`Cannot export to ${to} with --namespace: it names no server`, {
      field: 'namespace',
      hint: 'Leave it out',
    })
  return exportTools(agent, exporter, options)
}

function exportServer(
  agent: Agent,
  server: ServerFormat,
  { ids = [], namespace, place }: ExportToOptions,
): ExportedTools {
  if (ids.length > 0)
    throw new UsageError(`Cannot export single tools to ${server.format}: a server serves all of an agent`, {
      field: 'id',
      hint: 'Leave the ids out',
    })
  const { manifest, policy, label } = agent
  const tools = readableTools(agent)
  const { name, variant, version, description } = manifest ?? {}
  if (name === undefined || version === undefined || policy === undefined)
    throw new RlpError('NOT_CONVERTIBLE', `Cannot say how "${label}" is served: it is no whole agent`, {
      hint: 'Name an agent’s folder, a bundle, or an installed agent',
    })
  const installed = variant === undefined ? name : `${name}@${variant}`
  const called = isOciReference(place) ? place : installed
  const served = { name, variant, version, description, policy, tools, called }
  const { document, changes } = server.write(served, { namespace })
  return { document, tools: tools.length, names: {}, changes, apart: [] }
}
