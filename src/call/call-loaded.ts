// What the library offers of calls: one tool of a bundle that was loaded, once.

import type { Envelope } from '../contract/envelope.ts'
import { type CallerOptions, type PathGiven, pathGiven, settingOf } from '../io/caller.ts'
import { Running } from '../io/process/running.ts'
import { kindAt } from '../io/search-folders.ts'
import type { SecretSource } from '../model/secret.ts'
import { UsageError } from '../model/usage-error.ts'
import { type LoadedBundle, loadedFrom } from '../verify/load.ts'
import { callableBundle } from './agent.ts'
import { call } from './call.ts'
import type { CallRecord, Confirm } from './context.ts'
import { startSession } from './session.ts'

export interface CallOptions extends CallerOptions {
  /** Asked where a tool wants a person's yes; without it such a call is refused. */
  readonly confirm?: Confirm
  /** Values of secrets by their ids, looked up for each call; without it a tool that needs one is not run. */
  readonly secrets?: SecretSource
  /** Hand secrets also to a bundle that is not `trusted`. */
  readonly withSecrets?: boolean
  /** In place of the tool's own time limit, in milliseconds. */
  readonly timeoutMs?: number
  /** End a program that has printed nothing for as long, in milliseconds. */
  readonly idleMs?: number
  /** Where programs start, in place of an empty folder of their own. */
  readonly folder?: PathGiven
  /** A file that gets a line about each call. */
  readonly audit?: PathGiven
  /** A file that gets each call and its answer, without secrets. */
  readonly trace?: PathGiven
}

export interface CallResult {
  /** What the tool answered, or why it was not called: docs/contract.md. It holds no secret. */
  readonly envelope: Envelope
  /** Whose words the envelope is. */
  readonly by: CallRecord['by']
  /** What a program wrote to standard error. */
  readonly remarks: string | undefined
  readonly durationMs: number
}

/** Where nobody has said where values come from. */
export const NO_SECRETS: SecretSource = async () => ({
  ok: false,
  reason: 'secret_unknown',
  problem: 'nobody looks up here',
  hint: 'Say in secrets where its value comes from',
})

/**
 * Calls one tool of a bundle that {@link loadBundle} has loaded. Whatever becomes of the call is an envelope, a refusal too; nothing is asked of
 * a person but through `confirm`. It goes by the verdict of the time at which the bundle was loaded: load it again to judge it anew.
 *
 * @param input the arguments: a JSON object
 *
 * @example
 * const bundle = await loadBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer', allowUnsigned: true })
 * const { envelope } = await callTool(bundle, 'text.query', { query: '.id' })
 * console.log(envelope.ok ? envelope.result : envelope.message)
 *
 * @throws {@link RlpError} `USAGE` for what was not loaded, and for arguments that are no JSON; for a log that cannot be written
 */
export async function callTool(
  bundle: LoadedBundle,
  tool: string,
  input: unknown,
  options: CallOptions = {},
): Promise<CallResult> {
  const origin = loadedFrom(bundle)
  if (origin === undefined) {
    throw new UsageError('Cannot call a tool: the bundle is not one that loadBundle has given', {
      hint: 'Load the bundle first',
    })
  }
  const text = textOf(input)
  const io = settingOf(options)
  const {
    confirm = async () => 'nobody',
    secrets = NO_SECRETS,
    withSecrets = false,
    timeoutMs,
    idleMs,
  } = options
  const { folder, audit, trace } = options
  const log = audit === undefined ? undefined : pathGiven(audit, io, 'write the audit log')
  const session = await startSession(
    {
      ...{ running: new Running(), confirm, secrets, withSecrets },
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(idleMs !== undefined && { idleMs }),
      ...(folder !== undefined && { cwd: folderAt(pathGiven(folder, io, 'start programs in')) }),
      ...(log !== undefined && { audit: { path: log, label: log } }),
      ...(trace !== undefined && { trace: pathGiven(trace, io, 'write the trace') }),
    },
    io,
  )
  try {
    const agent = callableBundle(origin.bundle, origin.overrides)
    const context = session.contextFor({ agent, isTrusted: origin.bundle.report.verdict === 'trusted' })
    const record = await call({ callId: session.newCallId(), tool, text, signal: io.signal }, context)
    const lost = await session.record(record)
    if (lost !== undefined) throw lost
    const { envelope, by, remarks, durationMs } = record
    return { envelope, by, remarks, durationMs }
  } finally {
    await session.close()
  }
}

function textOf(input: unknown): string {
  const text: unknown = JSON.stringify(input)
  if (typeof text === 'string') return text
  throw new UsageError(`Cannot call a tool: its arguments are ${typeof input}`, {
    expected: 'a JSON object',
    hint: 'Write {} for no arguments',
  })
}

function folderAt(path: string): string {
  if (kindAt(path) === 'folder') return path
  throw new UsageError(`Cannot call a tool: "${path}" is no folder`, { field: 'folder' })
}
