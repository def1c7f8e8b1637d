// One call of a program in the sandbox of this host, without a bundle around it.

import { call } from '../../src/call/call.ts'
import { execHost } from '../../src/call/exec/run.ts'
import { NO_CONFIG } from '../../src/io/config.ts'
import { Running } from '../../src/io/process/running.ts'
import type { Tool } from '../../src/model/tools.ts'
import { type Internet, systemInternet } from '../../src/net/internet.ts'
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import { stage } from './calling.ts'
import { execTool } from './host.ts'
import { useUpUser } from './next-user.ts'

interface Grants {
  readonly reads?: readonly string[]
  readonly writes?: readonly string[]
  readonly hosts?: readonly string[]
  readonly timeoutMs?: number
  readonly sandbox?: Sandbox
  readonly internet?: Internet
  readonly env?: Readonly<Record<string, string>>
}

const NOTHING_SAID = {
  ...NO_CONFIG,
}

let opened: Promise<Sandbox> | undefined

/** The sandbox that works here, required. */
export function requiredSandbox(): Promise<Sandbox> {
  const host = { env: process.env, signal: new AbortController().signal, cwd: '/', told: [] }
  opened ??= openSandbox('require', host, NOTHING_SAID)
  return opened
}

/** Calls a program. As root, every call is another user. */
export async function callHeld(
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  { reads = [], writes = [], hosts = [], timeoutMs = 20_000, sandbox, internet, env = {} }: Grants = {},
) {
  await useUpUser()
  const running = new Running()
  const tool: Tool = {
    ...execTool(command, args, { id: 'held', rlp: { stdin: true, env: Object.keys(env) } }),
    capabilities: [
      ...reads.map(path => `fs_ro:${path}`),
      ...writes.map(path => `fs_rw:${path}`),
      ...hosts.map(host => `net:${host}`),
    ],
  }
  const { context } = stage({ tools: [tool], variables: env })
  const host = execHost({
    env: { PATH: '/usr/bin:/bin', HOME: '/nowhere', ...env },
    internet: internet ?? systemInternet({ env: {}, running }),
    running,
    graceMs: 1000,
    sandbox: sandbox ?? (await requiredSandbox()),
  })
  const signal = new AbortController().signal
  const request = { callId: '1', tool: 'held', text: '{}', signal }
  return call(request, { ...context, hosts: [host], limits: { ...context.limits, timeoutMs } })
}
