// An agent → .vscode/mcp.json: how the editor starts a server of its tools, and what the editor's own sandbox lets that server reach. The rules are
// for all tools together; rlp holds each call to its own.

import type { ConversionChange } from '../../model/conversion.ts'
import { readHostPort } from '../../policy/host.ts'
import type { ServedAgent, ServerFormat } from './server-format.ts'

export const vscodeMcp: ServerFormat = {
  format: 'vscode-mcp',
  summary: 'a mcp.json of VS Code that starts a server of the tools, in its sandbox',
  write(agent) {
    const { name, variant, called } = agent
    const changes: ConversionChange[] = []
    const server = {
      type: 'stdio',
      command: 'rlp',
      args: ['tool', 'serve', called],
      sandboxEnabled: true,
      sandbox: {
        filesystem: { allowWrite: foldersOf(agent, changes) },
        network: { allowedDomains: domainsOf(agent, changes) },
      },
    }
    return {
      document: { servers: { [variant === undefined ? name : `${name}-${variant}`]: server } },
      changes,
    }
  },
}

/** As the editor calls it. */
// A variable of the editor; $$ is $ in a replacement.
const HOME = '$${userHome}'
/** Folders for files of one call, as programs and rlp make them. */
const OWN = '/tmp'

function foldersOf({ policy }: ServedAgent, changes: ConversionChange[]): readonly string[] {
  // A path is compared as it is written; the editor would put something in the place of a variable.
  const isPlain = (path: string) => !path.includes('$')
  const all = [...policy.fs, ...policy.fsRw]
  for (const path of all) if (!isPlain(path)) changes.push(lostOf(`${path} would name a variable there`))
  const folders = all.filter(isPlain).map(path => path.replace(/^~(?=\/|$)/, HOME))
  return [...new Set([OWN, ...folders])]
}

function domainsOf({ policy }: ServedAgent, changes: ConversionChange[]): readonly string[] {
  const hosts = policy.net.hosts.flatMap(entry => {
    const read = readHostPort(entry)
    if ('problem' in read) return []
    if (read.port !== undefined)
      changes.push(lostOf(`${entry} is ${read.host} there: its rules name no port`))
    return [read.host]
  })
  return [...new Set(hosts)]
}

function lostOf(message: string): ConversionChange {
  return { tool: undefined, field: 'capabilities', what: 'lost', message }
}
