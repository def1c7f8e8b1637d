// The function that calls a tool of a loaded bundle. rlp tool call opens the bundle itself, and prints the envelope.
import { UsageError } from '../../model/error.ts'
import { kindName } from '../../model/kind-name.ts'
import { defineVerb, type Input, needed, text, whether } from '../../verb/index.ts'
import { jsonOf } from '../../verb/kinds/json.ts'
import type { LoadedBundle } from '../../verify/load.ts'
import { confirm } from '../confirm-inputs.ts'
import { Ledger } from '../ledger.ts'
import { loadedBundle } from '../loaded-inputs.ts'
import { callableBundle } from '../open-agent.ts'
import { type CallPlan, planOf, prepareCall } from '../prepare-call.ts'
import type { CallResult } from '../results.ts'
import { recordedCall } from '../session.ts'
import { SESSION, sandboxBy, sessionBy } from '../session-inputs.ts'

/** As JSON text. What a class says of itself in JSON counts, so it is not copied. */
const input: Input<unknown, string> = {
  type: 'unknown',
  isLive: true,
  fromGiven(given, { field }) {
    const text = jsonOf(given, field)
    if (text !== '') return text
    throw new UsageError(`Cannot call a tool: its arguments are ${kindName(given)}`, {
      expected: 'a JSON object',
      hint: 'Write {} for no arguments',
    })
  },
}

/** Every call of a bundle that was loaded counts against the same budgets. Calls that begin together wait for each other there. */
const LEDGERS = new WeakMap<LoadedBundle, Ledger>()

function ledgerOf(bundle: LoadedBundle): Ledger {
  const ledger = LEDGERS.get(bundle) ?? new Ledger()
  LEDGERS.set(bundle, ledger)
  return ledger
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
export const verb = defineVerb({
  name: 'tool call',
  called: 'callTool',
  summary: 'call a tool of a verified bundle',
  arguments: ['bundle', 'tool', 'input'],
  answers: { dryRun: 'CallPlan', '': 'CallResult' },
  inputs: {
    // Read first, before anything is waited for: the caller may change it afterwards.
    input: needed(input),
    bundle: loadedBundle('call a tool'),
    tool: needed(text('the id of the tool')),
    ...SESSION,
    confirm,
    /** Run nothing and ask nothing: the answer is what would be run. */
    dryRun: whether('run nothing and ask nothing'),
  },
  async run({ bundle, tool, input: text, confirm, dryRun, ...asked }, world): Promise<CallResult | CallPlan> {
    const { loaded, judging, overrides } = bundle
    // A dry run is not recorded.
    const given = dryRun ? { ...asked, audit: undefined, trace: undefined } : asked
    const sandbox = await sandboxBy(given, world, judging)
    const session = await sessionBy(given, world, confirm, { sandbox, ledger: ledgerOf(loaded) })
    try {
      const agent = callableBundle(bundle.bundle, overrides)
      const context = session.contextFor({ agent, isTrusted: loaded.report.verdict === 'trusted' })
      if (dryRun) return planOf(await prepareCall({ tool, text }, context))
      const record = await recordedCall(session, context, { tool, text, signal: world.signal })
      const { envelope, by, remarks, durationMs, enforced } = record
      return { envelope, by, remarks, durationMs, enforced }
    } finally {
      await session.close()
    }
  },
})
