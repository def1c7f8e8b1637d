// The answer of rlp caps show, which the command prints and the library returns.

import { type CallerOptions, homeGiven, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import type { Finding } from '../model/finding.ts'
import { type Expecting, sandboxDetail } from '../sandbox/reach.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { RestrictionReason } from './interface-records.ts'
import { type GrantRow, referenceOf, type ShownCaps, showCaps, startsProgram } from './permissions.ts'
import { type CapabilitiesTable, capabilities } from './render.ts'

export interface CapsReport {
  /** As the caller called it. */
  readonly target: string
  /** `name` or `name@variant`; null if the manifest does not say. */
  readonly agent: string | null
  /** What policy.caps grants. */
  readonly base: CapabilitiesTable
  /** The overrides of it on this host, in the order in which they apply. `says` is null for one that cannot be used. */
  readonly overrides: readonly {
    readonly path: string
    readonly for: string
    readonly blake3: string | null
    readonly says: CapabilitiesTable | null
    readonly findings: readonly Finding[]
  }[]
  /** Grant by grant, what is left of it and why. */
  readonly grants: readonly GrantRow[]
  /** What is left; null if an override cannot be used. */
  readonly effective: CapabilitiesTable | null
  /** Null if tools.json cannot be read. */
  readonly tools: readonly CapsTool[] | null
}

export interface CapsTool {
  readonly id: string
  /** What its program may reach, where that was asked for. */
  readonly sandbox?: ReturnType<typeof sandboxDetail>
  readonly granted: boolean
  /** Why a record of interfaces.json withholds it; null if none does. */
  readonly restricted: RestrictionReason | null
  readonly missing: readonly {
    readonly capability: string
    readonly reason: string
    readonly by: string | null
  }[]
}

/** @param sandbox to say what programs may reach; undefined to leave that out */
export function capsReport(shown: ShownCaps, sandbox: Expecting | undefined): CapsReport {
  const { agent, base, overrides, rows, effective, tools } = shown
  return {
    target: agent.label,
    agent: referenceOf(agent),
    base: capabilities(base),
    overrides: overrides.map(({ label, for: target, digest, says, findings }) => ({
      path: label,
      for: target,
      blake3: digest ?? null,
      says: says ? capabilities(says.leaves, says.keys) : null,
      findings,
    })),
    grants: rows,
    effective: effective ? capabilities(effective) : null,
    tools:
      tools?.map(shown => ({
        id: shown.id,
        ...(sandbox && startsProgram(shown) && { sandbox: sandboxDetail(shown.tool, sandbox) }),
        granted: shown.missing?.length === 0,
        restricted: shown.withheld ?? null,
        missing: (shown.missing ?? []).map(({ need, reason, by }) => ({
          capability: need.capability,
          reason,
          by: by ?? null,
        })),
      })) ?? null,
  }
}

/** As calls open it, where nothing else is asked for. */
export async function sandboxHere(io: Setting): Promise<Sandbox> {
  return openSandbox(undefined, { ...io, told: [] })
}

export interface CapsShowOptions extends CallerOptions {
  /** The folder with the user's overrides, instead of `$RUNLOOP_HOME` or `~/.runloop`. The system's overrides always apply. */
  readonly home?: PathGiven
  /** Also say what the program of each tool may reach on this host. */
  readonly sandbox?: boolean
}

/**
 * What an agent's folder may do on this host: what policy.caps grants, what overrides leave of it, and which tools may be used.
 *
 * @example
 * const { effective, tools } = await capsShow('agents/mailer')
 * console.log(effective, tools?.filter(({ granted }) => !granted))
 *
 * @throws {@link RlpError} `LINT_FAILED` if policy.caps or the agent's name cannot be read, `NOT_FOUND`, `CANCELLED`
 */
export async function capsShowPath(agent: PathGiven, options: CapsShowOptions = {}): Promise<CapsReport> {
  return runVerb('capsShow', options, async (given, io) => {
    const setting = inHome(given, io)
    const sandbox = given.sandbox === true ? await sandboxHere(setting) : undefined
    return capsReport(await showCaps(targetGiven(agent, io, 'show what may be done by'), setting), sandbox)
  })
}

/** Overrides are looked for there. */
function inHome(options: CapsShowOptions, io: Setting): Setting {
  return { ...io, env: { ...io.env, RUNLOOP_HOME: homeGiven(options, io) } }
}
