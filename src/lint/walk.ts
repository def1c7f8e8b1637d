// Takes rules through an agent, once: each rule is called for every part that it looks at.
import type { Agent } from '../model/agent.ts'
import type { ReportProblem, Rule } from './rules/rule.ts'
import { referencesFrom } from './rules/schema-refs.ts'
import { schemaReadingOf, schemasOf } from './rules/schemas.ts'
import { type Looks, PARTS, type Prepared, type Subjects } from './subjects.ts'

/** A rule that is asked about parts of one kind. */
type Asked<L extends Looks> = (subject: Subjects[L]) => void

/** Parts of one kind: `visit` looks at the next one, and is called `count` times. */
interface Stage {
  readonly count: number
  visit(index: number): void
}

/**
 * Visits one part for each call of {@link next}, so that the caller can do other work in between. Parts that no rule looks at are not
 * visited.
 */
export class Walk {
  readonly #agent: Agent
  readonly #prepared: Prepared
  readonly #asked: { readonly [L in Looks]: Asked<L>[] } = {
    file: [],
    artifact: [],
    entry: [],
    grant: [],
    tool: [],
    http: [],
    exec: [],
    record: [],
    schema: [],
    reference: [],
    secret: [],
    agent: [],
  }
  readonly #stages: (() => Stage)[]
  #stage: Stage = { count: 0, visit: () => {} }
  #index = 0

  /** @param reportOf gives the function by which a rule reports */
  constructor(
    agent: Agent,
    rules: readonly Rule[],
    prepared: Prepared,
    reportOf: (rule: Rule) => ReportProblem,
  ) {
    this.#agent = agent
    this.#prepared = prepared
    for (const rule of rules) this.#add(rule, reportOf(rule))
    this.#stages = [
      () => this.#each('file'),
      () => this.#each('artifact'),
      () => this.#each('entry'),
      () => this.#each('grant'),
      () => this.#tools(),
      () => this.#each('record'),
      () => this.#schemaReading(),
      () => this.#schemas(),
      () => this.#each('secret'),
      () => this.#each('agent'),
    ]
  }

  /** @returns whether there was a part to visit */
  next(): boolean {
    while (this.#index >= this.#stage.count) {
      const begin = this.#stages.shift()
      if (begin === undefined) return false
      this.#stage = begin()
      this.#index = 0
    }
    this.#stage.visit(this.#index++)
    return true
  }

  #add<R extends Rule>(rule: R, report: ReportProblem): void {
    // Each kind of check goes with its kind of subject.
    this.#asked[rule.looks].push(subject => rule.check(subject as never, report))
  }

  #each<L extends keyof typeof PARTS>(looks: L): Stage {
    const asked = this.#asked[looks] as readonly Asked<L>[]
    const parts = asked.length === 0 ? [] : PARTS[looks](this.#agent, this.#prepared)
    return stageOf(parts, part => {
      for (const ask of asked) ask(part)
    })
  }

  #tools(): Stage {
    const { tool, http, exec } = this.#asked
    if (tool.length + http.length + exec.length === 0) return stageOf([], () => {})
    return stageOf(PARTS.tool(this.#agent, this.#prepared), subject => {
      for (const ask of tool) ask(subject)
      for (const ask of this.#asked[subject.tool.transport.kind]) ask(subject as never)
    })
  }

  /** Before any rule looks at a schema, all are read, because they refer to each other. */
  #schemaReading(): Stage {
    const { schema, reference } = this.#asked
    if (schema.length + reference.length === 0) return stageOf([], () => {})
    const reading = schemaReadingOf(this.#agent)
    return { count: reading.left, visit: () => reading.next() }
  }

  #schemas(): Stage {
    const agent = this.#agent
    const { schema: ofSchemas, reference: ofReferences } = this.#asked
    if (ofSchemas.length + ofReferences.length === 0) return stageOf([], () => {})
    return stageOf(schemasOf(agent), schema => {
      for (const ask of ofSchemas) ask({ agent, schema })
      if (ofReferences.length === 0) return
      for (const reference of referencesFrom(agent, schema))
        for (const ask of ofReferences) ask({ agent, reference })
    })
  }
}

function stageOf<T>(parts: readonly T[], look: (part: T) => void): Stage {
  return {
    count: parts.length,
    visit: index => {
      const part = parts[index]
      if (part !== undefined) look(part)
    },
  }
}
