// Many calls in a row, of every way in which a program can end, and what this process holds before and after: for the test of a few
// hundred and for `npm run soak`, which makes ten thousand.
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '../../src/call/call.ts'
import { CALL_LIMITS, type CallContext } from '../../src/call/context.ts'
import { execHost } from '../../src/call/exec/run.ts'
import { Ledger } from '../../src/call/ledger.ts'
import { Running } from '../../src/io/process/running.ts'
import type { Tool } from '../../src/model/tools.ts'
import { systemInternet } from '../../src/net/internet.ts'
import { SecretMask } from '../../src/secret/secret-mask.ts'
import { execTool, PATH } from './host.ts'
import { UNHELD } from './unheld.ts'

/** What must not grow. */
export interface Held {
  /** Open files of this process. */
  readonly files: number
  /** Its children, uncollected ones included. */
  readonly children: number
  /** Timers, pipes and processes that keep it alive. */
  readonly resources: number
  /** Private folders of calls. */
  readonly folders: number
  /** Bytes that are in use after a collection; only with --expose-gc. */
  readonly heap: number
  readonly rss: number
}

const sh = (id: string, script: string, more: Parameters<typeof execTool>[2] = {}): Tool =>
  execTool('/bin/sh', ['-c', script], { id, ...more })
const stdin = { rlp: { stdin: true } }

/** Ids and how a call of each ends. */
export const SOAK_TOOLS: Readonly<Record<string, { readonly tool: Tool; readonly kind: string }>> = {
  file: { tool: execTool('print-arguments.sh', [], { id: 'file' }), kind: 'ok' },
  stdin: { tool: execTool('/bin/cat', [], { id: 'stdin', ...stdin }), kind: 'ok' },
  secret: {
    tool: sh('secret', 'echo "$RUNLOOP_MAIL_KEY"', { ...stdin, secrets: ['runloop/mail/key'] }),
    kind: 'ok',
  },
  deaf: { tool: sh('deaf', 'exec 0<&-; echo 1', stdin), kind: 'ok' },
  background: { tool: sh('background', 'sleep 60 >/dev/null 2>&1 & echo 1', stdin), kind: 'ok' },
  fails: { tool: sh('fails', 'echo no >&2; exit 3', stdin), kind: 'execution_error' },
  dies: { tool: sh('dies', 'kill -9 $$', stdin), kind: 'execution_error' },
  absent: { tool: execTool('/nowhere/tool', [], { id: 'absent' }), kind: 'unavailable' },
  refused: { tool: execTool('/bin/cat', ['{{input.absent}}'], { id: 'refused' }), kind: 'invalid_args' },
  late: { tool: sh('late', 'exec sleep 60', { rlp: { stdin: true, timeoutMs: 20 } }), kind: 'timeout' },
}

/** @returns how often each kind came; calls run four at a time, and share one signal as those of a session do */
export async function soak(calls: number): Promise<Record<string, number>> {
  const running = new Running()
  const context: CallContext = {
    agent: {
      name: 'soak 1.0.0',
      reference: 'soak',
      version: '1.0.0',
      bundle: null,
      tools: Object.values(SOAK_TOOLS).map(({ tool }) => tool),
      denied: [],
      net: { hosts: [], allowHttp: false },
      tagsOf: () => [],
      fileAt: () => undefined,
    },
    hosts: [
      execHost({
        env: { PATH, HOME: '/nowhere' },
        running,
        sandbox: UNHELD,
        graceMs: 200,
        internet: systemInternet({ env: {}, running }),
      }),
    ],
    secrets: async () => ({ ok: true, value: 'not-a-real-secret' }),
    variables: { env: {}, handsOver: 'all' },
    mask: new SecretMask(),
    confirm: async () => 'approved',
    ledger: new Ledger(),
    limits: CALL_LIMITS,
    now: () => new Date(),
  }
  const ids = Object.keys(SOAK_TOOLS)
  const { signal } = new AbortController()
  const kinds: Record<string, number> = {}
  let next = 0
  const worker = async () => {
    for (let at = next++; at < calls; at = next++) {
      const tool = ids[at % ids.length] ?? ''
      const { envelope } = await call({ callId: `${at}`, tool, text: `{"n":${at}}`, signal }, context)
      const kind = envelope.ok ? 'ok' : envelope.kind
      if (kind !== SOAK_TOOLS[tool]?.kind) throw new Error(`${tool} ended in ${JSON.stringify(envelope)}`)
      kinds[kind] = (kinds[kind] ?? 0) + 1
    }
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  if (!running.isIdle) throw new Error('something is still running')
  return kinds
}

export function held(): Held {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const count = (folder: string, fits: (name: string) => boolean = () => true) => {
    try {
      return readdirSync(folder).filter(fits).length
    } catch (error) {
      // Only Linux tells.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
      throw error
    }
  }
  return {
    files: count('/proc/self/fd'),
    children: childrenOf(process.pid).length,
    resources: process.getActiveResourcesInfo().length,
    folders: count(tmpdir(), name => name.startsWith('rlp-call-')),
    heap: heapUsed,
    rss,
  }
}

function childrenOf(parent: number): string[] {
  const { readFileSync, existsSync } = process.getBuiltinModule('node:fs')
  if (!existsSync('/proc/self/stat')) return []
  return readdirSync('/proc').filter(name => {
    const stat = join('/proc', name, 'stat')
    if (!/^[0-9]+$/.test(name) || !existsSync(stat)) return false
    const fields = readFileSync(stat, 'latin1').split(') ').at(-1)?.split(' ')
    return Number(fields?.[1]) === parent
  })
}
