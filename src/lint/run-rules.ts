// Takes rules through an agent in one walk: each rule is called for every part that it looks at. What makes findings of problems is loaded
// with the first problem, because a sound agent has none.
import { utcDay } from '../agent/lint-table.ts'
import { artifactsOf } from '../agent/manifest.ts'
import type { Agent, Artifact } from '../model/agent.ts'
import type { Finding, Problem } from '../model/finding.ts'
import { frozen } from '../model/frozen.ts'
import { own, ownMembers } from '../model/own.ts'
import type { Turn } from '../model/turn.ts'
import { byPlace } from './by-place.ts'
import type { Findings, Reported } from './findings.ts'
import { once } from './rules/once.ts'
import { type ReportProblem, type Rule, type Seen, UNPREPARED } from './rules/rule.ts'
import type { Looks, Prepared, Subjects } from './subjects.ts'

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

const KNOWING_NOTHING: Knowing = frozen({})

/** One walk of rules through an agent, and what they report. */
export class RuleRun {
  readonly agent: Agent
  readonly #rules: readonly Rule[]
  readonly #knowing: Knowing
  readonly #walk: Walk
  #counts: Map<Rule, number> | undefined
  #reported: Reported[] | undefined

  constructor(
    agent: Agent,
    rules: readonly Rule[],
    stages: readonly WalkStage[],
    knowing: Knowing = KNOWING_NOTHING,
  ) {
    this.agent = agent
    this.#rules = rules
    this.#knowing = knowing
    this.#walk = new Walk(agent, rules, own(knowing, 'prepared') ?? UNPREPARED, stages, (rule, problem) =>
      this.#add(rule, problem),
    )
  }

  /** Visits everything, with turns of the event loop in between: after each tool, schema and file. */
  async inTurns(turn: Turn): Promise<Finding[]> {
    let findings: Findings | undefined
    let isOver = false
    while (!isOver) {
      const pause = turn()
      if (pause !== undefined) await pause
      isOver = !this.#walk.next()
      if (this.#reported !== undefined) {
        findings ??= await findingsOf(this.agent)
        this.#addTo(findings)
      }
    }
    const found = findings?.grouped(this.#rules) ?? []
    this.#review(found)
    if (this.#reported !== undefined) {
      findings ??= await findingsOf(this.agent)
      this.#addTo(findings)
    }
    return findings === undefined ? found : [...found, ...findings.grouped(this.#rules)].sort(byPlace)
  }

  /** Visits everything at once. */
  atOnce(findings: Findings): Finding[] {
    while (this.#walk.next());
    this.#addTo(findings)
    const found = findings.grouped(this.#rules)
    this.#review(found)
    this.#addTo(findings)
    return [...found, ...findings.grouped(this.#rules)].sort(byPlace)
  }

  /** Hands over the problems that rules have reported since the last call. */
  #addTo(findings: Findings): void {
    const reported = this.#reported
    if (reported === undefined) return
    this.#reported = undefined
    findings.add(reported)
  }

  /** Asks the rules that look at the findings of others. */
  #review(findings: readonly Finding[]): void {
    this.#counts = undefined
    const reviewing = reviewingIn(this.#rules)
    if (reviewing.length === 0) return
    const { known = this.#rules, now, seesAll = () => true } = ownMembers(this.#knowing)
    const seen = { findings: [...findings], rules: known, today: now && utcDay(now), seesAll }
    for (const rule of reviewing) rule.review?.(this.agent, seen, problem => this.#add(rule, problem))
  }

  #add(rule: Rule, problem: Problem): void {
    this.#counts ??= new Map()
    const count = this.#counts.get(rule) ?? 0
    if (count > MAX_PER_RULE) return
    this.#counts.set(rule, count + 1)
    this.#reported ??= []
    this.#reported.push({ rule, problem, isLast: count === MAX_PER_RULE })
  }
}

async function findingsOf(agent: Agent): Promise<Findings> {
  return new (await import('./findings.ts')).Findings(agent)
}

const reviewingIn = once((rules: readonly Rule[]): readonly Rule[] =>
  rules.filter(({ review }) => review !== undefined),
)

/** The parts of one kind: `visit` looks at the next one, and is called `count` times. */
interface Visits {
  readonly count: number
  visit(index: number): void
}

/** The parts of one kind or of several that belong together. */
export interface WalkStage {
  readonly looks: readonly Looks[]
  /** Called only if a rule looks at one of these. */
  begin(walk: Walk): Visits
}

/**
 * @param partsOf lists the parts of an agent
 * @param subjectOf makes what the rules are told of one
 */
export function stageOf<L extends Looks, P>(
  looks: L,
  partsOf: (agent: Agent) => readonly P[],
  subjectOf: (part: P, walk: Walk) => Subjects[L],
): WalkStage {
  return {
    looks: [looks],
    begin: walk => visitsOf(partsOf(walk.agent), part => walk.ask(looks, subjectOf(part, walk))),
  }
}

export function visitsOf<T>(parts: readonly T[], look: (part: T) => void): Visits {
  return {
    count: parts.length,
    visit: index => {
      const part = parts[index]
      if (part !== undefined) look(part)
    },
  }
}

const NO_ARTIFACTS: readonly Artifact[] = []

const FILES = stageOf(
  'file',
  agent => agent.files.list,
  (file, { agent }) => ({ agent, file }),
)
const ARTIFACTS = stageOf(
  'artifact',
  ({ manifest }) => (manifest === undefined ? NO_ARTIFACTS : artifactsOf(manifest)),
  (artifact, { agent }) => ({ agent, artifact }),
)
const WHOLE: WalkStage = {
  looks: ['agent'],
  begin: walk => ({
    count: 1,
    visit: () => walk.ask('agent', { agent: walk.agent, prepared: walk.prepared }),
  }),
}

/** The stages for a bundle whose contents are not read: form, manifest and digests. */
export const OUTLINE: readonly WalkStage[] = [FILES, ARTIFACTS, WHOLE]

/** @param contents the stages of what else is in an agent */
export function withContents(contents: readonly WalkStage[]): readonly WalkStage[] {
  return [FILES, ARTIFACTS, ...contents, WHOLE]
}

/** The course of a walk, which depends on nothing but rules and stages: each list of rules is sorted once, and not for every agent. */
interface Course {
  /** By the kind of part that they look at. */
  readonly rules: Readonly<Partial<Record<Looks, readonly Rule[]>>>
  /** Those with a part that a rule looks at. */
  readonly stages: readonly WalkStage[]
}

const courseOf = once((rules: readonly Rule[]) =>
  once((stages: readonly WalkStage[]): Course => {
    const byLooks: Partial<Record<Looks, Rule[]>> = Object.create(null)
    for (const rule of rules) {
      const same = byLooks[rule.looks]
      if (same === undefined) byLooks[rule.looks] = [rule]
      else same.push(rule)
    }
    const visited = stages.flatMap(({ looks }) => looks)
    const missed = rules.find(({ looks }) => !visited.includes(looks))
    if (missed !== undefined) throw new TypeError(`this walk does not visit what ${missed.id} looks at`)
    return {
      rules: byLooks,
      stages: stages.filter(({ looks }) => looks.some(one => byLooks[one] !== undefined)),
    }
  }),
)

const NOTHING: Visits = { count: 0, visit: () => {} }

/** Visits one part for each call of {@link next}, so that the caller can do other work in between. What no rule looks at is not visited. */
export class Walk {
  readonly agent: Agent
  readonly prepared: Prepared
  readonly #course: Course
  readonly #report: ReportProblem
  #asked: Rule | undefined
  #stage = 0
  #visits = NOTHING
  #index = 0

  /**
   * @param stages in the order of the walk
   * @param report is told each problem, and the rule that found it
   */
  constructor(
    agent: Agent,
    rules: readonly Rule[],
    prepared: Prepared,
    stages: readonly WalkStage[],
    report: (rule: Rule, problem: Problem) => void,
  ) {
    this.agent = agent
    this.prepared = prepared
    this.#course = courseOf(rules)(stages)
    this.#report = problem => {
      if (this.#asked !== undefined) report(this.#asked, problem)
    }
  }

  /** Whether a rule looks at parts of a kind. */
  asks(looks: Looks): boolean {
    return this.#course.rules[looks] !== undefined
  }

  /** Asks the rules that look at parts of a kind about one of them. */
  ask<L extends Looks>(looks: L, subject: Subjects[L]): void {
    const rules = this.#course.rules[looks]
    if (rules === undefined) return
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index] as Rule
      this.#asked = rule
      // Each kind of check goes with its kind of subject.
      rule.check(subject as never, this.#report)
    }
  }

  /** @returns whether there was a part to visit */
  next(): boolean {
    while (this.#index >= this.#visits.count) {
      const stage = this.#course.stages[this.#stage++]
      if (stage === undefined) return false
      this.#visits = stage.begin(this)
      this.#index = 0
    }
    this.#visits.visit(this.#index++)
    return true
  }
}
