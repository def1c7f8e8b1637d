// A series of calls: what they share, and its lines in the audit log (docs/running.md, "Audit").
import { randomUUID } from 'node:crypto'
import { auditLine, eventLine } from '../agentcli/audit.ts'
import { createRedactor } from '../agentcli/redact.ts'
import type { Running } from '../io/process/running.ts'
import { withoutKeys } from '../io/process/without-keys.ts'
import type { Setting } from '../io/setting.ts'
import { appendLine, tryLog } from '../io/write/append-log.ts'
import type { SecretSource } from '../model/secret.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { SecretMask } from '../secret/secret-mask.ts'
import type { LabelledFile } from '../verb/kinds/paths.ts'
import { call } from './call.ts'
import {
  CALL_LIMITS,
  type CallContext,
  type CallRecord,
  type CallRequest,
  type CallStart,
  type Confirm,
} from './context.ts'
import { Ledger } from './ledger.ts'
import type { OpenAgent } from './open-agent.ts'
import { NOT_FOR_UNTRUSTED } from './secrets.ts'
import { openCallTrace } from './trace.ts'
import { hostsWith } from './transports.ts'

export interface CallSession {
  contextFor(open: Pick<OpenAgent, 'agent' | 'isTrusted'>): CallContext
  /** A name for the next call. */
  newCallId(): string
  /**
   * Writes what is to be written about a call. What keeps it from being written comes back and is not thrown: the call has happened, and its
   * answer must not be lost. After that nothing more is run in this session, because it would not be recorded either.
   */
  record(call: CallRecord): Promise<Error | undefined>
  close(): Promise<void>
}

/**
 * Makes one call and records it.
 * @returns what kept it from being recorded beside its record, as {@link CallSession.record} does
 */
export async function callIn(
  session: CallSession,
  context: CallContext,
  request: Omit<CallRequest, 'callId'>,
): Promise<{ readonly record: CallRecord; readonly lost: Error | undefined }> {
  const record = await call({ ...request, callId: session.newCallId() }, context)
  return { record, lost: await session.record(record) }
}

/** The same where a call counts only if it is recorded. @throws what kept it from that */
export async function recordedCall(
  session: CallSession,
  context: CallContext,
  request: Omit<CallRequest, 'callId'>,
): Promise<CallRecord> {
  const { record, lost } = await callIn(session, context, request)
  if (lost !== undefined) throw lost
  return record
}

/** What a session is made of. Paths are absolute, or below the folder of the setting. */
export interface SessionParts {
  readonly running: Running
  readonly sandbox: Sandbox
  readonly confirm: Confirm
  readonly secrets: SecretSource
  /** True if secrets come from the environment. Only then do programs get variables that need a grant. */
  readonly fromEnvironment: boolean
  /** Hand secrets and variables also to an agent that is not trusted. */
  readonly withSecrets: boolean
  /** Where programs start; an empty folder of their own where it is left out. */
  readonly cwd?: string | undefined
  readonly audit?: LabelledFile | undefined
  readonly trace?: LabelledFile | undefined
  /** A new one where it is left out. */
  readonly ledger?: Ledger | undefined
  /** Milliseconds. */
  readonly timeoutMs?: number | undefined
  readonly idleMs?: number | undefined
}

/**
 * @throws RlpError for an audit log or a trace that cannot be written, and for a log that cannot be masked: before anything has happened that
 * it should have recorded
 */
export async function startSession(
  parts: SessionParts,
  io: Pick<Setting, 'env' | 'cwd' | 'signal'>,
): Promise<CallSession> {
  const { running, sandbox, confirm, secrets, fromEnvironment, withSecrets, cwd, timeoutMs, idleMs } = parts
  // Before the log is made: what cannot be masked is not recorded either.
  const redact = parts.audit === undefined ? (text: string) => text : await createRedactor(io.env)
  const { audit } = parts
  if (audit !== undefined) tryLog(audit.path, audit.label)
  const trace = await openCallTrace(parts.trace, io)
  let lost: Error | undefined
  const written = async (write: () => Promise<void> | undefined): Promise<void> => {
    try {
      await write()
    } catch (error) {
      lost ??= error instanceof Error ? error : new Error(String(error))
    }
  }
  const shared = {
    hosts: hostsWith({ env: io.env, running, cwd, sandbox }),
    mask: new SecretMask(),
    ledger: parts.ledger ?? new Ledger(),
    confirm,
    limits: { ...CALL_LIMITS, timeoutMs, idleMs },
    now: () => new Date(),
    onStart: async (call: CallStart) => {
      if (lost !== undefined) throw lost
      await trace.begin(call)
    },
  }
  return {
    contextFor({ agent, isTrusted }) {
      const getsSecrets = isTrusted || withSecrets
      const handsOver = !fromEnvironment ? 'elsewhere' : getsSecrets ? 'all' : 'untrusted'
      return {
        ...shared,
        agent,
        secrets: getsSecrets ? secrets : async () => NOT_FOR_UNTRUSTED,
        variables: { env: withoutKeys(io.env), handsOver },
      }
    },
    newCallId: randomUUID,
    async record(call) {
      await written(async () => {
        if (audit !== undefined) appendLine(audit.path, audit.label, auditOf(call, redact))
      })
      await written(() => trace.end(call))
      return lost
    },
    close: async () => {
      running.end()
      await trace.close()
    },
  }
}

/**
 * @param record masked, as `call` returns it
 * @param redact masks what the operator's patterns match
 */
export function auditOf(record: CallRecord, redact: (text: string) => string): string {
  const { facts, plan, toolId, tags, startedAt, durationMs, envelope, enforced } = record
  const ts = new Date(startedAt.getTime() + durationMs)
  if (facts === undefined || plan === undefined) {
    const { event, why } = eventOf(envelope)
    return eventLine(ts, event, toolId, redact(why), tags)
  }
  const { argv = plan.argv, cwd = plan.cwd, exit, ms, outputBytes, errorBytes, truncated } = facts
  const bytes = { stdoutBytes: outputBytes, stderrBytes: errorBytes }
  return auditLine(
    { ts, tool: toolId, argv, cwd, exit, ms, ...bytes, truncated, envKeys: plan.envKeys, tags, enforced },
    redact,
  )
}

function eventOf(envelope: CallRecord['envelope']): { event: string; why: string } {
  if (envelope.ok) throw new TypeError('a call that was answered has run')
  const { kind, message } = envelope
  const { capability, target, reason } = envelope
  // The one event that the existing runtime has a name for: a missing grant or secret.
  const missing =
    typeof capability === 'string' ? capability : typeof target === 'string' ? target : undefined
  return missing === undefined
    ? { event: kind, why: message }
    : { event: 'cap_denied', why: `${missing} (${String(reason)})` }
}
