// What the library offers of calls: one tool of a bundle that was loaded, once.
import type { Envelope } from '../contract/envelope.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import type { Enforced } from '../model/sandbox.ts'
import { type LoadedBundle, loadedFrom } from '../verify/load.ts'
import { callableBundle } from './agent.ts'
import { type CallRecord, type Confirm, UNANSWERED } from './context.ts'
import { Ledger } from './ledger.ts'
import { type CallPlan, planOf, prepareCall } from './prepare-call.ts'
import { recordedCall, type SessionGiven, sessionGiven } from './session.ts'

export interface CallOptions extends SessionGiven {
  /** Asked where a tool wants a person's yes; without it such a call is refused. */
  readonly confirm?: Confirm
  /** Run nothing and ask nothing: the answer is what would be run. */
  readonly dryRun?: boolean
}

export interface CallResult {
  /** What the tool answered, or why it was not called: docs/contract.md. It holds no secret. */
  readonly envelope: Envelope
  /** Whose words the envelope is. */
  readonly by: CallRecord['by']
  /** What a program wrote to standard error. */
  readonly remarks: string | undefined
  readonly durationMs: number
  /** What held the program, or the request; undefined if nothing was started. */
  readonly enforced: Enforced | undefined
}

/**
 * Calls one tool of a bundle that {@link loadBundle} has loaded. Whatever becomes of the call is an envelope, a refusal too, unless it is aborted;
 * nothing is asked of a person but through `confirm`. It goes by the verdict of the time at which the bundle was loaded: load it again to judge it anew.
 * Calls of one loaded bundle share the budgets of its tools.
 *
 * @param input the arguments: a JSON object
 *
 * @example
 * const bundle = await loadBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer', allowUnsigned: true })
 * const { envelope } = await callTool(bundle, 'text.query', { query: '.id' })
 * console.log(envelope.ok ? envelope.result : envelope.message)
 *
 * @throws {@link RlpError} `USAGE` for what was not loaded, and for arguments that are no JSON; for a log that cannot be written; `CANCELLED`
 * when `signal` aborts, although the tool may have begun by then: `audit` and `trace` say what became of it
 */
export function callTool(
  bundle: LoadedBundle,
  tool: string,
  input: unknown,
  options: CallOptions & { readonly dryRun: true },
): Promise<CallPlan>
export function callTool(
  bundle: LoadedBundle,
  tool: string,
  input: unknown,
  options?: CallOptions & { readonly dryRun?: false },
): Promise<CallResult>
export async function callTool(
  bundle: LoadedBundle,
  tool: string,
  input: unknown,
  options: CallOptions = {},
): Promise<CallResult | CallPlan> {
  return runVerb('callTool', options, (given, io) => callJob(bundle, tool, input, given, io))
}

async function callJob(
  bundle: LoadedBundle,
  tool: string,
  input: unknown,
  options: CallOptions,
  io: Setting,
): Promise<CallResult | CallPlan> {
  const origin = loadedFrom(bundle)
  if (origin === undefined) {
    throw new UsageError('Cannot call a tool: the bundle is not one that loadBundle has given', {
      hint: 'Load the bundle first',
    })
  }
  const text = textOf(input)
  // A dry run is not recorded.
  const { audit: _, trace: __, ...unrecorded } = options
  const given = options.dryRun === true ? unrecorded : options
  const session = await sessionGiven(given, askedUntilAborted(options.confirm), io, {
    ledger: ledgerOf(bundle),
    judging: origin.judging,
  })
  try {
    const agent = callableBundle(origin.bundle, origin.overrides)
    const context = session.contextFor({ agent, isTrusted: origin.bundle.report.verdict === 'trusted' })
    if (options.dryRun === true) return planOf(await prepareCall({ tool, text }, context))
    const record = await recordedCall(session, context, { tool, text, signal: io.signal })
    const { envelope, by, remarks, durationMs, enforced } = record
    return { envelope, by, remarks, durationMs, enforced }
  } finally {
    await session.close()
  }
}

/** Every call of a bundle that was loaded counts against the same budgets. Calls that begin together wait for each other there. */
const LEDGERS = new WeakMap<LoadedBundle, Ledger>()

function ledgerOf(bundle: LoadedBundle): Ledger {
  const ledger = LEDGERS.get(bundle) ?? new Ledger()
  LEDGERS.set(bundle, ledger)
  return ledger
}

/** A call that is given up while a person is asked is recorded like every other. */
function askedUntilAborted(confirm: Confirm = UNANSWERED): Confirm {
  return async (question, signal) => {
    try {
      return await confirm(question, signal)
    } catch (error) {
      if (signal.aborted) return 'cancelled'
      throw error
    }
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
