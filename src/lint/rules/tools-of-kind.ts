// The tools that a rule about one transport kind looks at. What every kind has, a rule asks the registry for (src/format/transports/).
import type { Tool, ToolsDocument } from '../../model/tools.ts'
import type { Kind, TransportOf } from '../../model/transports/index.ts'

type ToolOf<K extends Kind> = Tool & { readonly transport: TransportOf<K> }

/** Each with its place in tools.json. */
export function toolsOfKind<K extends Kind>(
  document: ToolsDocument | undefined,
  kind: K,
): [index: number, tool: ToolOf<K>][] {
  const isOfKind = (entry: [number, Tool]): entry is [number, ToolOf<K>] => entry[1].transport.kind === kind
  return [...(document?.tools ?? []).entries()].filter(isOfKind)
}
