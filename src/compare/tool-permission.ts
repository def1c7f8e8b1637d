// A tool → what calling it does, reduced to what an upgrade is compared by (DESIGN §4, "widened"). Part of widen.ts.
import { readUrl } from '../format/capability/host.ts'
import type { FilledArgument, HttpPermission, ToolPermission } from '../model/permissions.ts'
import type { Tool } from '../model/tools.ts'

export function toolPermission(tool: Tool, fills: readonly FilledArgument[]): ToolPermission {
  const { id, transport, secrets, requiresConfirmation: confirm, rlp } = tool
  switch (transport.kind) {
    case 'exec': {
      const { command, args } = transport
      return { id, kind: 'exec', command, args, stdin: rlp.stdin, env: rlp.env, secrets, confirm, fills }
    }
    case 'http': {
      const method = transport.method.toUpperCase()
      const headers = Object.entries(transport.headers)
        .map(([name, value]) => [name.toLowerCase(), value] as const)
        .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      return { id, kind: 'http', method, ...placeOf(transport.url), headers, secrets, confirm, fills }
    }
  }
}

function placeOf(url: string): Pick<HttpPermission, 'target' | 'path'> {
  const reach = readUrl(url)
  // A verified bundle has no such url; if it had, it would be a target of its own.
  if ('problem' in reach) return { target: url, path: '/' }
  // What follows a # is never sent.
  const [, rest = ''] = /^https?:\/\/[^/?#]*([^#]*)/.exec(url) ?? []
  return {
    target: `${reach.scheme}://${reach.host}:${reach.port}`,
    path: rest.startsWith('/') ? rest : `/${rest}`,
  }
}
