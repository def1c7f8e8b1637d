// A context for calls in which nothing runs: a host that answers what it is told to, a person who says what he is told to.

import { call } from '../../src/call/call.ts'
import type {
  CallContext,
  CallRecord,
  CallRequest,
  ConfirmDecision,
  ConfirmQuestion,
} from '../../src/call/context.ts'
import { CALL_LIMITS } from '../../src/call/context.ts'
import { Ledger } from '../../src/call/ledger.ts'
import { restrictionsIn } from '../../src/caps/interface-records.ts'
import type { Envelope } from '../../src/contract/envelope.ts'
import type { RunFacts, RunOutcome, RunRefusal, RunRequest } from '../../src/model/run.ts'
import { NOT_ENFORCED } from '../../src/model/sandbox.ts'
import type { Tool } from '../../src/model/tools.ts'
import { SecretMask } from '../../src/secret/secret-mask.ts'
import type { DeniedTool } from '../../src/verify/load.ts'

export const FACTS: RunFacts = {
  started: true,
  exit: 0,
  ms: 5,
  outputBytes: 0,
  errorBytes: 0,
  truncated: false,
  notices: [],
  enforced: NOT_ENFORCED,
}

export function answers(output: string, facts: Partial<RunFacts> = {}): RunOutcome {
  return { status: 'answered', output, facts: { ...FACTS, outputBytes: output.length, ...facts } }
}

export interface StageOptions {
  readonly tools: readonly Tool[]
  readonly denied?: readonly DeniedTool[]
  /** What the tool answers. */
  readonly outcome?: RunOutcome | ((request: RunRequest) => RunOutcome | Promise<RunOutcome>)
  readonly refusal?: RunRefusal
  readonly secrets?: Readonly<Record<string, string>>
  /** The environment, all of which is handed over. */
  readonly variables?: Readonly<Record<string, string>>
  readonly decision?: ConfirmDecision
  readonly files?: Readonly<Record<string, unknown>>
  readonly limits?: Partial<CallContext['limits']>
}

export interface Stage {
  readonly context: CallContext
  /** What happened, in order: `plan`, `ask`, `secret <id>`, `start`, `run`. */
  readonly log: string[]
  readonly requests: RunRequest[]
  readonly questions: ConfirmQuestion[]
  call(tool: string, args?: unknown, more?: Partial<CallRequest>): Promise<CallRecord>
  /** The envelope alone. */
  envelope(tool: string, args?: unknown): Promise<Envelope>
}

export function stage({
  tools,
  denied = [],
  outcome = answers('{}'),
  refusal,
  secrets = {},
  variables = {},
  decision = 'approved',
  files = {},
  limits,
}: StageOptions): Stage {
  const log: string[] = []
  const requests: RunRequest[] = []
  const questions: ConfirmQuestion[] = []
  let clock = Date.parse('2026-11-20T12:00:00Z')
  const context: CallContext = {
    agent: {
      name: 'mini 1.0.0',
      reference: 'mini',
      version: '1.0.0',
      bundle: 'ab'.repeat(32),
      tools,
      denied,
      tagsOf: id => tools.find(tool => tool.id === id)?.tags ?? [],
      net: { hosts: [], allowHttp: false },
      restrict: restrictionsIn(path => (Object.hasOwn(files, path) ? files[path] : undefined)),
      fileAt: path => (Object.hasOwn(files, path) ? files[path] : undefined),
    },
    hosts: [
      {
        kind: 'exec',
        plan: ({ tool, limits }) => {
          log.push('plan')
          if (refusal !== undefined) return { ok: false, refusal }
          const argv = tool.transport.kind === 'exec' ? [tool.transport.command] : []
          return { ok: true, plan: { argv, cwd: '/work', envKeys: ['TZ'], detail: { limits }, lines: [] } }
        },
        run: async request => {
          log.push('run')
          requests.push(request)
          return typeof outcome === 'function' ? outcome(request) : outcome
        },
      },
    ],
    secrets: async id => {
      log.push(`secret ${id}`)
      const value = secrets[id]
      return value === undefined
        ? { ok: false, reason: 'secret_unknown', problem: 'is not there' }
        : { ok: true, value }
    },
    variables: { env: variables, handsOver: 'all' },
    mask: new SecretMask(),
    confirm: async question => {
      log.push('ask')
      questions.push(question)
      return decision
    },
    ledger: new Ledger(),
    limits: { ...CALL_LIMITS, ...limits },
    now: () => {
      clock += 100
      return new Date(clock)
    },
    onStart: () => void log.push('start'),
  }
  const here: Stage = {
    context,
    log,
    requests,
    questions,
    call: (tool, args = {}, more = {}) =>
      call(
        {
          callId: 'c1',
          tool,
          text: typeof args === 'string' ? args : JSON.stringify(args),
          signal: new AbortController().signal,
          ...more,
        },
        context,
      ),
    envelope: async (tool, args) => (await here.call(tool, args)).envelope,
  }
  return here
}
