// The tools of the bundles and folders that are served: each has a unique name. A bundle is read once, and judged again before each use.

import { statedFlag } from '../agent-tool/flags.ts'
import { INTERFACES_FILE, recordsIn } from '../agent-tool/records.ts'
import { recordsOf } from '../agent-tool/tool-records.ts'
import { usable } from '../caps/overrides.ts'
import { referenceOf } from '../caps/permissions.ts'
import { type Failure, failure } from '../contract/envelope.ts'
import { exportWith } from '../convert/export.ts'
import { mcp } from '../convert/exporters/mcp.ts'
import { isSource } from '../inspect/look-into.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import type { Target } from '../io/find/find-agents.ts'
import { inputOf } from '../io/find/search-folders.ts'
import type { Setting } from '../io/setting.ts'
import type { Agent } from '../model/agent.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { MCP_NAME_LENGTH } from '../model/limits.ts'
import { isTable } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import type { Tool } from '../model/tools.ts'
import { printable } from '../text/printable.ts'
import { type Judging, readCandidate } from '../verify/examine.ts'
import { judgeCandidate } from '../verify/judge-candidate.ts'
import { shorten } from './answer.ts'
import { questionLines } from './ask-pages.ts'
import { call, refusedCall } from './call.ts'
import type { CallableAgent, CallContext, CallRecord, Confirm } from './context.ts'
import { Turns } from './ledger.ts'
import { callableBundle, type Opened, openedBundle, openSource, readCallable } from './open-agent.ts'
import { type Answer, AskFirst, type Caller, type Served, type ServedTool } from './served.ts'
import type { CallSession } from './session.ts'

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

/** A served tool. Its description never changes; whether it is granted does. */
interface ServedEntry {
  readonly tool: Tool
  /** Its name there may differ from its id. */
  readonly listed: ServedTool
  /** Whether its interface states that calls may overlap. */
  readonly isConcurrencySafe: boolean
}

export interface ServedBundle {
  readonly target: Target
  /** The prefix of `--prefix`: the agent's name, and `-<variant>`. No name has a dash, so prefixes are unique. */
  readonly agent: string
  /** As it was opened: what a call is recorded with once the bundle may not be used any more. */
  readonly opened: CallableAgent
  /** All tools, including those that are not granted now. */
  readonly entries: readonly ServedEntry[]
  /** By the current policies, revocations, overrides and clock. */
  now(): Promise<Opened>
}

/** @returns the report of a bundle that may not be used */
export async function openServed(
  target: Target,
  options: Judging,
): Promise<ServedBundle | { readonly refused: Report }> {
  const { label, reference } = target
  const source = inputOf(target)
  const reading = { ...options, label, expect: options.expect ?? reference, mustExpect: true }
  const { candidate, expect } = await readCandidate(source, reading, 'parsed')
  const attested = await attestationsOf(source, options.attestations)
  const examine = () => judgeCandidate(candidate, expect, { ...options, attested })
  const { trust, verification } = await examine()
  const { report, bundle } = verification
  if (bundle === undefined) return { refused: report }
  return {
    target,
    agent: prefixOf(report) ?? label,
    opened: callableBundle(bundle, usable(trust.overrides).sound),
    entries: entriesOf(bundle.agent),
    now: async () => openedBundle(target, await examine()),
  }
}

/**
 * Nothing of it is verified; overrides count from the next call on.
 * @throws RlpError as for a call of one of its tools
 */
export async function openServedSource(target: Target, io: Setting): Promise<ServedBundle> {
  if (!isSource(target)) {
    throw new UsageError(`Cannot use --unverified with "${target.label}": it is no source folder`, {
      field: 'unverified',
      hint: 'Leave it out: a bundle is verified',
    })
  }
  const source = await readCallable('serve', target, io)
  const open = () => openSource('serve', target, source, io)
  return {
    target,
    agent: referenceOf(source)?.replace('@', '-') ?? target.label,
    opened: await open(),
    entries: entriesOf(source),
    now: async () => ({ is: 'open', target, agent: await open(), isTrusted: false }),
  }
}

function prefixOf({ agent }: Report): string | undefined {
  return agent?.variant === undefined ? agent?.name : `${agent.name}-${agent.variant}`
}

function entriesOf(agent: Agent): ServedEntry[] {
  const tools = agent.tools?.tools ?? []
  const { document } = exportWith(agent, mcp)
  const { tools: listed } = document as { readonly tools: readonly ServedTool[] }
  const recordOf = recordsOf(recordsIn(agent.documents.get(INTERFACES_FILE)?.value))
  return tools.flatMap((tool, index) => {
    const entry = listed[index]
    const record = recordOf(tool.id).interface ?? {}
    const isConcurrencySafe = statedFlag(record, 'is_concurrency_safe') === true
    return entry === undefined ? [] : [{ tool, listed: entry, isConcurrencySafe }]
  })
}

export interface NamedTool {
  readonly bundle: ServedBundle
  readonly entry: ServedEntry
}

/** @throws UsageError for two tools with one name, and for names that no client accepts */
export function namesOf(bundles: readonly ServedBundle[], prefix: boolean): Map<string, NamedTool> {
  const named = new Map<string, NamedTool>()
  for (const bundle of bundles) {
    for (const entry of bundle.entries) {
      const name = prefix ? `${bundle.agent}.${entry.listed.name}` : entry.listed.name
      const other = named.get(name)
      if (other !== undefined) {
        const labels = `${other.bundle.target.label} and ${bundle.target.label}`
        throw new UsageError(`Cannot serve both ${labels}: both have a tool called ${name}`, {
          field: 'prefix',
          hint: prefix ? 'Serve one of them' : 'Add --prefix, which puts the agent’s name before the tool’s',
        })
      }
      if (name.length > MCP_NAME_LENGTH) {
        throw new UsageError(
          `Cannot serve ${bundle.target.label} with --prefix: ${name} has more than ${MCP_NAME_LENGTH} characters`,
          {
            field: 'prefix',
            hint: 'Serve it alone, without --prefix',
          },
        )
      }
      named.set(name, { bundle, entry })
    }
  }
  return named
}
