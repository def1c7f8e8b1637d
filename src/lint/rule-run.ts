// Runs every rule on an agent, in one walk, and keeps what they report.
import { utcDay } from '../format/agent/lint-table.ts'
import type { Agent } from '../model/agent.ts'
import type { Finding, Problem } from '../model/finding.ts'
import { ownMembers } from '../model/own.ts'
import { type Rule, UNPREPARED } from './rules/rule.ts'
import type { Prepared } from './subjects.ts'
import { Walk } from './walk.ts'

/** Problems per rule and agent, so that a hostile document cannot fill a disk. The last one says that there are more. */
const MAX_PER_RULE = 1000

/** What the rules go by beside the agent. */
export interface Knowing {
  readonly prepared?: Prepared
  /** The time of this run, for rules about dates; without it they say nothing. */
  readonly now?: Date | undefined
}

/** A problem, and the rule that reported it. */
export interface Reported {
  readonly rule: Rule
  readonly problem: Problem
  /** The rule reported more, which is left out. */
  readonly isLast: boolean
}

/** One walk of rules through an agent. */
export class RuleRun {
  readonly #agent: Agent
  readonly #rules: readonly Rule[]
  readonly #today: string | undefined
  readonly #walk: Walk
  readonly #counts = new Map<Rule, number>()
  #reported: Reported[] = []

  constructor(agent: Agent, rules: readonly Rule[], knowing: Knowing = {}) {
    const { prepared = UNPREPARED, now } = ownMembers(knowing)
    this.#agent = agent
    this.#rules = rules
    this.#today = now && utcDay(now)
    this.#walk = new Walk(agent, rules, prepared, rule => problem => this.#add(rule, problem))
  }

  /** Visits one part of the agent. @returns whether there was one */
  next(): boolean {
    return this.#walk.next()
  }

  /** Returns what was reported since the last call. */
  reported(): readonly Reported[] {
    const reported = this.#reported
    if (reported.length > 0) this.#reported = []
    return reported
  }

  /** Asks the rules that look at the findings of others, after the walk. Returns what they report. */
  review(findings: readonly Finding[]): readonly Reported[] {
    this.#counts.clear()
    const seen = { findings: [...findings], rules: this.#rules, today: this.#today }
    for (const rule of this.#rules)
      for (const problem of rule.review?.(this.#agent, seen) ?? [])
        if (problem !== undefined) this.#add(rule, problem)
    return this.reported()
  }

  #add(rule: Rule, problem: Problem): void {
    const count = this.#counts.get(rule) ?? 0
    if (count > MAX_PER_RULE) return
    this.#counts.set(rule, count + 1)
    this.#reported.push({ rule, problem, isLast: count === MAX_PER_RULE })
  }
}
