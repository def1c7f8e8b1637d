// Takes rules through an agent, once: each rule is called for every part that it looks at.
import { artifactsOf } from '../agent/manifest.ts'
import type { Agent } from '../model/agent.ts'
import type { ReportProblem, Rule } from './rules/rule.ts'
import type { Looks, Prepared, Subjects } from './subjects.ts'

/** A rule that is asked about parts of one kind. */
type Asked<L extends Looks> = (subject: Subjects[L]) => void

/** The agent that a walk goes through, and its rules by the kind of part that they look at. */
export interface Walking {
  readonly agent: Agent
  readonly prepared: Prepared
  asked<L extends Looks>(looks: L): readonly Asked<L>[]
}

/** Parts of one kind: `visit` looks at the next one, and is called `count` times. */
export interface Visits {
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
    const asked: { [L in Looks]?: Asked<L>[] } = Object.create(null)
    for (const rule of rules) {
      const report = reportOf(rule)
      const known = (asked[rule.looks] ?? []) as Asked<never>[]
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
