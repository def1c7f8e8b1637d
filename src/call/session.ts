// A series of calls: what they share, and what is recorded of them.
import { randomUUID } from 'node:crypto'
import { createRedactor } from '../agentcli/redact.ts'
import type { Running } from '../io/process/running.ts'
import { withoutKeys } from '../io/process/without-keys.ts'
import type { Setting } from '../io/setting.ts'
import { appendLine, tryLog } from '../io/write/append-line.ts'
import type { SecretSource } from '../model/secret.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { SecretMask } from '../secret/secret-mask.ts'
import { auditOf } from './audit.ts'
import { openCallTrace } from './call-trace.ts'
import type { OpenAgent } from './callable.ts'
import { CALL_LIMITS, type CallContext, type CallRecord, type CallStart, type Confirm } from './context.ts'
import { Ledger } from './ledger.ts'
import { NOT_FOR_UNTRUSTED } from './secrets.ts'
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
  readonly audit?: { readonly path: string; readonly label: string } | undefined
  readonly trace?: string | undefined
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
