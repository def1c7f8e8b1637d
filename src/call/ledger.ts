// Counts what tools have used, by their own reports, against the budgets of tools.json (tool-attachments document, §2), and lets calls
// run in turn.
import { UsageError } from '../model/error.ts'
import type { Tool } from '../model/tools.ts'

export interface Usage {
  readonly tokens: number
  readonly usd: number
}

export interface Overrun {
  readonly what: 'tokens' | 'usd'
  readonly spent: number
  readonly limit: number
}

/** Counts what tools have used of their budgets, for all calls that share it. What is in it is not for callers. */
export interface BudgetLedger {
  readonly is: 'ledger'
}

/**
 * A ledger for calls that are to share their budgets: of one bundle that was loaded more than once, of several servers.
 *
 * @example
 * const bundle = await loadBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer', allowUnsigned: true })
 * const ledger = newLedger()
 * await callTool(bundle, 'text.query', { query: '.id' }, { ledger })
 */
export function newLedger(): BudgetLedger {
  return new Ledger()
}

/** Types are gone at run time. @throws UsageError for what {@link newLedger} has not made */
export function checkedLedger(given: BudgetLedger | undefined): Ledger | undefined {
  if (given === undefined || given instanceof Ledger) return given
  throw new UsageError('Cannot use ledger: it is not one that newLedger has made', {
    field: 'ledger',
    hint: 'Make one with newLedger(), or leave it out',
  })
}

/**
 * Only the tool knows its usage, and only after it has run. So the call that passes the budget is finished, and the next one is refused.
 */
export class Ledger implements BudgetLedger {
  readonly is = 'ledger'
  readonly #spent = new Map<string, Usage>()
  readonly #turns = new Map<string, Turns>()

  /** Undefined while another call may begin. A budget of 0 allows none. */
  overrun(agent: string, { id, budget }: Tool): Overrun | undefined {
    const spent = this.#spent.get(keyOf(agent, id)) ?? { tokens: 0, usd: 0 }
    for (const what of ['tokens', 'usd'] as const) {
      const limit = budget?.[what]
      if (limit !== undefined && spent[what] >= limit) return { what, spent: spent[what], limit }
    }
    return undefined
  }

  /** Calls of a tool with a budget wait for each other: at the same time they could all pass it. */
  turnsOf(agent: string, { id }: Tool): Turns {
    const key = keyOf(agent, id)
    const turns = this.#turns.get(key) ?? new Turns()
    this.#turns.set(key, turns)
    return turns
  }

  add(agent: string, { id }: Tool, { tokens, usd }: Usage): void {
    const key = keyOf(agent, id)
    const spent = this.#spent.get(key) ?? { tokens: 0, usd: 0 }
    this.#spent.set(key, { tokens: spent.tokens + tokens, usd: spent.usd + usd })
  }
}

function keyOf(agent: string, id: string): string {
  return `${agent.length}:${agent}${id}`
}

/**
 * `usage: { tokens, usd }` beside the members of an envelope. Only numbers from 0 are accepted: a negative one would buy more calls.
 * Undefined if nothing is reported, `problem` if the report is invalid.
 */
export function usageIn(envelope: object): Usage | { readonly problem: string } | undefined {
  const usage: unknown = Reflect.get(envelope, 'usage')
  if (usage === undefined) return undefined
  const tokens = amount(usage, 'tokens')
  const usd = amount(usage, 'usd')
  if (tokens === undefined || usd === undefined)
    return { problem: 'The tool reports a usage that cannot be counted' }
  return { tokens, usd }
}

function amount(usage: unknown, name: string): number | undefined {
  if (typeof usage !== 'object' || usage === null || Array.isArray(usage)) return undefined
  const value: unknown = Object.hasOwn(usage, name) ? Reflect.get(usage, name) : 0
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

export class Turns {
  #free: number
  readonly #waiting = new Set<() => void>()

  /** @param width how much may run at once */
  constructor(width = 1) {
    this.#free = width
  }

  /**
   * Waits for earlier work, whatever its outcome. A caller that gives up while waiting runs at once: its work sees the aborted signal,
   * and its result is dropped.
   */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--
    else if (!(await this.#turn(signal))) return await work()
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  /** False if the caller gave up. */
  #turn(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false)
    return new Promise(resolve => {
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = () => {
        this.#waiting.delete(begin)
        resolve(false)
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.add(begin)
    })
  }

  #next(): void {
    const [begin] = this.#waiting
    if (begin === undefined) this.#free++
    else {
      this.#waiting.delete(begin)
      begin()
    }
  }
}
