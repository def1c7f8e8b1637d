// The variables of `x-rlp.env` that need a grant, as a secret does: which of them a call hands over. Without this a bundle could list the
// variable in which a secret is kept, and get it past --with-secrets and the mask (docs/running.md, "Variables").
import { ALWAYS_PASSED } from '../agentcli/environment.ts'
import { own } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import { isFreeVariable } from '../policy/needs.ts'
import { SHORTEST_SECRET } from '../secret/secret-mask.ts'
import { quoteText } from '../text/quote.ts'
import { transportKind } from '../tools/transports/index.ts'

/** The environment of a session, and who gets its variables. */
export interface VariableSource {
  /** The environment without keys that sign. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** `elsewhere`: secrets do not come from the environment. `untrusted`: the agent gets no secrets. */
  readonly handsOver: 'all' | 'elsewhere' | 'untrusted'
}

export interface GrantedVariables {
  /** The values that the program gets, by name. */
  readonly values: ReadonlyMap<string, string>
  /** Those, and what is withheld: a plan says what a call needs, whether it gets it or not. */
  readonly planned: readonly string[]
  /** Variables that are set here, and that an untrusted agent does not get: such a call is refused. */
  readonly withheld: readonly string[]
  /** Notes for the caller. */
  readonly warnings: readonly string[]
}

/** Returns true for a variable that a program gets only if the session hands it over. */
export function needsHandingOver(name: string): boolean {
  return !isFreeVariable(name) && !ALWAYS_PASSED.includes(name)
}

/** A variable that is not set here is not missed: a tool gets it where it is set. */
export function grantedVariables(
  { rlp, transport }: Tool,
  { env, handsOver }: VariableSource,
): GrantedVariables {
  const isProgram = transportKind(transport).secrets.in === 'environment'
  const listed = isProgram ? [...new Set(rlp.env)].filter(needsHandingOver) : []
  const set = listed.flatMap(name => {
    const value = own(env, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const names = set.map(([name]) => name)
  if (handsOver === 'untrusted') return { ...NONE, planned: names, withheld: names }
  if (handsOver === 'elsewhere') return { ...NONE, warnings: names.map(notHandedOver) }
  const short = set.filter(([, { length }]) => length > 0 && length < SHORTEST_SECRET)
  return { ...NONE, planned: names, values: new Map(set), warnings: short.map(([name]) => notMasked(name)) }
}

const NONE: GrantedVariables = { values: new Map(), planned: [], withheld: [], warnings: [] }

function notHandedOver(name: string): string {
  return `The variable ${quoteText(name)} is set here and was not handed over, because secrets do not come from the environment`
}

function notMasked(name: string): string {
  return `The variable ${quoteText(name)} has fewer than ${SHORTEST_SECRET} characters, so its value is not masked`
}
