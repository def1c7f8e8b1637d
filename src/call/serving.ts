// Tools by name + a session of calls → the tools that an MCP server lists, and the function that calls them.
import { type Failure, failure } from '../contract/envelope.ts'
import { RlpError } from '../model/error.ts'
import { isTable } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import { printable } from '../text/printable.ts'
import { questionLines } from './ask-pages.ts'
import { call, refusedCall } from './call.ts'
import type { CallContext, CallRecord, Confirm } from './context.ts'
import { type Answer, AskFirst, type Caller, type Served } from './served.ts'
import type { ServedBundle, ServedEntry } from './served-bundle.ts'
import type { NamedTool } from './served-names.ts'
import type { CallSession } from './session.ts'
import { shorten } from './shorten.ts'
import { Turns } from './turns.ts'

export interface ServingOptions {
  /** Confirm every call in advance. */
  readonly yes: boolean
  /** Accept the confirmation of the client's user. */
  readonly trustClientConfirmation: boolean
  /** Reports rlp's own errors, for people. */
  readonly trouble: (message: string) => void
}

/** Limit for overlapping calls, so that they do not exhaust the machine. */
const AT_ONCE = 16
/** Interval of progress messages for a long call. */
const TICK_MS = 5_000

/** @param tools asked before each answer: what is served may change */
export function serving(
  tools: () => ReadonlyMap<string, NamedTool>,
  session: CallSession,
  options: ServingOptions,
): Served {
  const turns = new Turns()
  const overlapping = new Turns(AT_ONCE)
  return {
    async list() {
      const named = [...tools()]
      const bundles = [...new Set(named.map(([, { bundle }]) => bundle))]
      const exposed = await Promise.all(
        bundles.map(async bundle => [bundle, await exposedBy(bundle)] as const),
      )
      const now = new Map(exposed)
      return named
        .filter(([, { bundle, entry }]) => now.get(bundle)?.has(entry.tool.id))
        .map(([name, { entry }]) => ({ ...entry.listed, name }))
    },
    async call(name, text, caller) {
      const found = tools().get(name)
      if (found === undefined) return undefined
      const run = () => callOne(found, text, caller, session, options)
      // Not stated means unsafe: calls of other tools wait until this one is done.
      const { isConcurrencySafe } = found.entry
      return (isConcurrencySafe ? overlapping : turns).take(run, caller.signal)
    },
  }
}

async function exposedBy(bundle: ServedBundle): Promise<ReadonlySet<string>> {
  const opened = await bundle.now()
  return new Set(opened.is === 'open' ? opened.agent.tools.map(({ id }) => id) : [])
}

async function callOne(
  named: NamedTool,
  text: string,
  caller: Caller,
  session: CallSession,
  options: ServingOptions,
): Promise<Answer> {
  const { bundle, entry } = named
  const { id } = entry.tool
  let ticking: NodeJS.Timeout | undefined
  let hide = (text: string): string => text
  try {
    const opened = await bundle.now()
    const isOpen = opened.is === 'open'
    const base = session.contextFor(isOpen ? opened : { agent: bundle.opened, isTrusted: false })
    hide = text => base.mask.text(text)
    const request = { callId: session.newCallId(), tool: id, text, signal: caller.signal }
    const context: CallContext = {
      ...base,
      confirm: confirmBy(caller, options),
      // A fitting result is sent whole beside the envelope, which is shortened below.
      limits: { ...base.limits, resultChars: Number.MAX_SAFE_INTEGER },
      async onStart(start) {
        await base.onStart?.(start)
        const activity = start.agent.words?.(id).activity
        caller.progress(activity ?? 'running')
        ticking = setInterval(() => caller.progress(activity ?? 'still running'), TICK_MS)
      },
    }
    const record = isOpen
      ? await call(request, context)
      : refusedCall(request, refusal(id, opened.report), context)
    const lost = await session.record(record)
    if (lost !== undefined) options.trouble(hide(`a call of ${id} was not recorded: ${wordsOf(lost)}`))
    return answerOf(record, entry)
  } catch (error) {
    if (error instanceof AskFirst) throw error
    // An error in one call must not end the others.
    options.trouble(hide(`${id} could not be called: ${wordsOf(error)}`))
    const message = `Tool '${id}' could not be called: rlp says why on its standard error.`
    return { envelope: failure({ kind: 'execution_error', message, retryable: false, tool: id }) }
  } finally {
    clearInterval(ticking)
  }
}

/** An expected error by its message, a bug by its name. */
function wordsOf(error: unknown): string {
  return error instanceof RlpError ? error.message : String(error)
}

function answerOf({ envelope, by, enforced }: CallRecord, { tool, listed }: ServedEntry): Answer {
  const shortened = shorten(tool.id, envelope, by)
  const result = envelope.ok ? envelope.result : undefined
  const isObject = isTable(result)
  // The protocol's own schemas take an object with such a member for an instance of a class, and clients would refuse the whole answer.
  const isTaken = isObject && !Object.hasOwn(result, 'constructor')
  const isWanted = listed.outputSchema !== undefined || (shortened === envelope && isTaken)
  if (!isObject || !isWanted) return { envelope: shortened, enforced }
  return { envelope: shortened, structured: result as { readonly [name: string]: unknown }, enforced }
}

function confirmBy(caller: Caller, { yes, trustClientConfirmation }: ServingOptions): Confirm {
  if (yes) return async () => 'approved'
  // A client can answer without asking its user, so its yes counts only if the operator said so.
  if (!trustClientConfirmation) return async () => 'nobody'
  return async (question, signal) => {
    const { agent, tool } = question
    const lines = questionLines(question)
    // A call that cannot be shown whole cannot be confirmed.
    if (lines === undefined) return 'nobody'
    lines.unshift(`${printable(agent.name, 100)} wants to run ${printable(tool.id, 128)}`)
    const answer = await caller.confirm(lines.join('\n'))
    if (signal.aborted) return 'cancelled'
    return answer === undefined ? 'nobody' : answer ? 'approved' : 'declined'
  }
}

function refusal(tool: string, { verdict, reasons }: Report): Failure {
  const why = reasons[0]?.message ?? ''
  const message = `Tool '${tool}' is not permitted: its bundle is ${verdict} now: ${why}.`
  return failure({ kind: 'rejected', message, tool, extra: { reason: verdict } })
}
