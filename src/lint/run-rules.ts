// One run of rules through an agent. What makes findings of problems is loaded with the first one, because a sound agent has none.
import { utcDay } from '../agent/lint-table.ts'
import type { Agent } from '../model/agent.ts'
import type { Finding, Problem } from '../model/finding.ts'
import { ownMembers } from '../model/own.ts'
import type { Turn } from '../model/turn.ts'
import { byPlace } from './by-place.ts'
import type { Findings, Reported } from './findings.ts'
import { type Rule, type Seen, UNPREPARED } from './rules/rule.ts'
import type { Prepared } from './subjects.ts'
import { Walk, type WalkStage } from './walk.ts'

/** Problems per rule and agent, so that a hostile document cannot fill a disk. The last one says that there are more. */
const MAX_PER_RULE = 1000

/** What the rules go by beside the agent. */
export interface Knowing {
  readonly prepared?: Prepared
  /** The time of this run, for rules about dates; without it they say nothing. */
  readonly now?: Date | undefined
  /** Every rule there is, for rules about the ids of others; by default those of this run. */
  readonly known?: Seen['rules']
  /** Whether a rule is asked about everything that it looks at; by default each is. */
  readonly seesAll?: Seen['seesAll']
}

/** One walk of rules through an agent, and what they report. */
export class RuleRun {
  readonly agent: Agent
  readonly #rules: readonly Rule[]
  readonly #knowing: Knowing
  readonly #walk: Walk
  readonly #counts = new Map<Rule, number>()
  #reported: Reported[] = []

  constructor(agent: Agent, rules: readonly Rule[], stages: readonly WalkStage[], knowing: Knowing = {}) {
    const { prepared = UNPREPARED } = ownMembers(knowing)
    this.agent = agent
    this.#rules = rules
    this.#knowing = knowing
    this.#walk = new Walk(agent, rules, prepared, stages, rule => problem => this.#add(rule, problem))
  }

  /** Visits everything, with turns of the event loop in between: after each tool, schema and file. */
  async inTurns(turn: Turn): Promise<Finding[]> {
    let findings: Findings | undefined
    const add = async () => {
      findings ??= new (await import('./findings.ts')).Findings(this.agent)
      findings.add(this.#taken())
    }
    let isOver = false
    while (!isOver) {
      const pause = turn()
      if (pause !== undefined) await pause
      isOver = !this.#walk.next()
      if (this.#reported.length > 0) await add()
    }
    const found = findings?.grouped(this.#rules) ?? []
    this.#review(found)
    if (this.#reported.length > 0) await add()
    return [...found, ...(findings?.grouped(this.#rules) ?? [])].sort(byPlace)
  }

  /** Visits everything at once. */
  atOnce(findings: Findings): Finding[] {
    while (this.#walk.next());
    findings.add(this.#taken())
    const found = findings.grouped(this.#rules)
    this.#review(found)
    findings.add(this.#taken())
    return [...found, ...findings.grouped(this.#rules)].sort(byPlace)
  }

  /** The problems that rules have reported since the last call. */
  #taken(): readonly Reported[] {
    const reported = this.#reported
    if (reported.length > 0) this.#reported = []
    return reported
  }

  /** Asks the rules that look at the findings of others. */
  #review(findings: readonly Finding[]): void {
    this.#counts.clear()
    const { known = this.#rules, now, seesAll = () => true } = ownMembers(this.#knowing)
    const seen = { findings: [...findings], rules: known, today: now && utcDay(now), seesAll }
    for (const rule of this.#rules) rule.review?.(this.agent, seen, problem => this.#add(rule, problem))
  }

  #add(rule: Rule, problem: Problem): void {
    const count = this.#counts.get(rule) ?? 0
    if (count > MAX_PER_RULE) return
    this.#counts.set(rule, count + 1)
    this.#reported.push({ rule, problem, isLast: count === MAX_PER_RULE })
  }
}
