// Takes rules through an agent in one walk: each rule is called for every part that it looks at. What makes findings of problems is loaded
// with the first problem, because a sound agent has none.
import { utcDay } from '../agent/lint-table.ts'
import { artifactsOf } from '../agent/manifest.ts'
import type { Agent } from '../model/agent.ts'
import type { Finding, Problem } from '../model/finding.ts'
import { ownMembers } from '../model/own.ts'
import type { Turn } from '../model/turn.ts'
import { byPlace } from './by-place.ts'
import type { Findings, Reported } from './findings.ts'
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

/** A rule that is asked about parts of one kind. */
type CheckOfPart<L extends Looks> = (subject: Subjects[L]) => void

/** The agent that a walk goes through, and its rules by the kind of part that they look at. */
interface Walking {
  readonly agent: Agent
  readonly prepared: Prepared
  asked<L extends Looks>(looks: L): readonly CheckOfPart<L>[]
}

/** Parts of one kind: `visit` looks at the next one, and is called `count` times. */
interface Visits {
  readonly count: number
  visit(index: number): void
}

/** The parts of one kind or of several that belong together. */
export interface WalkStage {
  readonly looks: readonly Looks[]
  /** Called only if a rule looks at one of these. */
  begin(walking: Walking): Visits
}

/** @param partsOf lists the parts of an agent */
export function stageOf<L extends Looks>(
  looks: L,
  partsOf: (agent: Agent, prepared: Prepared) => readonly Subjects[L][],
): WalkStage {
  return {
    looks: [looks],
    begin({ agent, prepared, asked }) {
      const asking = asked(looks)
      return visitsOf(partsOf(agent, prepared), part => {
        for (const ask of asking) ask(part)
      })
    },
  }
}

export function visitsOf<T>(parts: readonly T[], look: (part: T, index: number) => void): Visits {
  return {
    count: parts.length,
    visit: index => {
      const part = parts[index]
      if (part !== undefined) look(part, index)
    },
  }
}

const FILES = stageOf('file', agent => agent.files.list.map(file => ({ agent, file })))
const ARTIFACTS = stageOf('artifact', agent =>
  agent.manifest === undefined ? [] : artifactsOf(agent.manifest).map(artifact => ({ agent, artifact })),
)
const WHOLE = stageOf('agent', (agent, prepared) => [{ agent, prepared }])

/** The stages for a bundle whose contents are not read: form, manifest and digests. */
export const OUTLINE: readonly WalkStage[] = [FILES, ARTIFACTS, WHOLE]

/** @param contents the stages of what else is in an agent */
export function withContents(contents: readonly WalkStage[]): readonly WalkStage[] {
  return [FILES, ARTIFACTS, ...contents, WHOLE]
}

/** Visits one part for each call of {@link next}, so that the caller can do other work in between. What no rule looks at is not visited. */
export class Walk {
  readonly #walking: Walking
  readonly #stages: WalkStage[]
  #visits: Visits = { count: 0, visit: () => {} }
  #index = 0

  /**
   * @param stages in the order of the walk
   * @param reportOf gives the function by which a rule reports
   */
  constructor(
    agent: Agent,
    rules: readonly Rule[],
    prepared: Prepared,
    stages: readonly WalkStage[],
    reportOf: (rule: Rule) => ReportProblem,
  ) {
    const asked: { [L in Looks]?: CheckOfPart<L>[] } = Object.create(null)
    for (const rule of rules) {
      const report = reportOf(rule)
      const known = (asked[rule.looks] ?? []) as CheckOfPart<never>[]
      // Each kind of check goes with its kind of subject.
      known.push(subject => rule.check(subject, report))
      Object.assign(asked, { [rule.looks]: known })
    }
    const visited = stages.flatMap(({ looks }) => looks)
    const missed = rules.find(({ looks }) => !visited.includes(looks))
    if (missed !== undefined) throw new TypeError(`this walk does not visit what ${missed.id} looks at`)
    this.#walking = {
      agent,
      prepared,
      asked: looks => asked[looks] ?? [],
    }
    this.#stages = stages.filter(({ looks }) => looks.some(one => asked[one] !== undefined))
  }

  /** @returns whether there was a part to visit */
  next(): boolean {
    while (this.#index >= this.#visits.count) {
      const stage = this.#stages.shift()
      if (stage === undefined) return false
      this.#visits = stage.begin(this.#walking)
      this.#index = 0
    }
    this.#visits.visit(this.#index++)
    return true
  }
}
