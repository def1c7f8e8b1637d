// Options and terminal → what calls are made in, and what of it ends with the process.
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Io } from '../cli/command.ts'
import { createRedactor } from '../format/agentcli/redact.ts'
import { SecretMask } from '../format/secret-mask.ts'
import { quoted } from '../format/text/printable.ts'
import { type LineLog, openLines } from '../io/append-lines.ts'
import { expandHome } from '../io/home.ts'
import { Running } from '../io/process/running.ts'
import { kindAt } from '../io/search-folders.ts'
import type { SecretSource } from '../model/secret.ts'
import { UsageError } from '../model/usage-error.ts'
import { auditOf } from './audit.ts'
import { openCallTrace } from './call-trace.ts'
import type { OpenAgent } from './callable.ts'
import { CALL_LIMITS, type CallContext, type CallRecord, type CallStart, type Confirm } from './context.ts'
import { Ledger } from './ledger.ts'
import { type CallArgs, secretsFrom } from './options.ts'
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
 * @throws RlpError for an audit log or a trace that cannot be written, and for a log that cannot be masked: before anything has happened that it should have recorded
 */
export async function openSession(args: CallArgs, io: Io, confirm: Confirm): Promise<CallSession> {
  const cwd = args.cwd === undefined ? undefined : folderAt(args.cwd, io)
  const running = new Running()
  const secrets = secretsFrom(args.secretsFrom, running, io)
  // Before the log is made: what cannot be masked is not recorded either.
  const redact = args.audit === undefined ? (text: string) => text : await createRedactor(io.env)
  const audit: LineLog | undefined =
    args.audit === undefined
      ? undefined
      : await openLines(resolve(io.cwd, expandHome(args.audit)), args.audit)
  const trace = await openCallTrace(args.trace, io)
  // A second Ctrl-C ends this process at once; what it started ends with it.
  const end = () => running.end()
  process.on('exit', end)
  const { timeout, idleTimeout } = args
  let lost: Error | undefined
  const written = async (write: () => Promise<void> | undefined): Promise<void> => {
    try {
      await write()
    } catch (error) {
      lost ??= error instanceof Error ? error : new Error(String(error))
    }
  }
  const shared = {
    hosts: hostsWith({
      env: io.env,
      running,
      ...(cwd !== undefined && { cwd }),
    }),
    mask: new SecretMask(),
    ledger: new Ledger(),
    confirm,
    limits: {
      ...CALL_LIMITS,
      ...(timeout !== undefined && { timeoutMs: Math.round(timeout * 1000) }),
      ...(idleTimeout !== undefined && { idleMs: Math.round(idleTimeout * 1000) }),
    },
    now: () => new Date(),
    onStart: async (call: CallStart) => {
      if (lost !== undefined) throw lost
      await trace.begin(call)
    },
  }
  return {
    contextFor: ({ agent, isTrusted }) => ({
      ...shared,
      agent,
      secrets: isTrusted || args.withSecrets ? secrets : NO_SECRETS,
    }),
    newCallId: randomUUID,
    async record(call) {
      await written(() => audit?.append(auditOf(call, redact)))
      await written(() => trace.end(call))
      return lost
    },
    close: async () => {
      process.off('exit', end)
      end()
      await audit?.close()
      await trace.close()
    },
  }
}

/** Nobody answers for what would get them. */
const NO_SECRETS: SecretSource = async () => ({
  ok: false,
  reason: 'secret_unusable',
  problem: 'is not handed to what is not trusted',
  hint: 'Call the tool of a trusted bundle. If you know what it does with the secret, add --with-secrets',
})

/** @throws UsageError for what is no folder: the system would say that the program is not there */
function folderAt(written: string, io: Io): string {
  const path = resolve(io.cwd, expandHome(written))
  if (kindAt(path) === 'folder') return path
  throw new UsageError(`Cannot use --cwd: ${quoted(written)} is no folder`, { field: 'cwd' })
}
