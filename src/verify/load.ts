// Turns a verified bundle into what a runtime uses: the verified bytes, the program, the ports, and the schemas of its settings and files.
// Only verified bundles are accepted.
import { type DeniedTool, effectivePolicy, exposure, type SoundOverride } from '../caps/effective.ts'
import { restrictionsIn, type SafetyFacts, safetyIn } from '../caps/interface-records.ts'
import { usable } from '../caps/overrides.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { Attestations } from '../model/attestation.ts'
import type { VerifiedBundle } from '../model/bundle.ts'
import { FixedMap, frozen } from '../model/frozen.ts'
import { isTable, own } from '../model/own.ts'
import type { Policy } from '../model/policy.ts'
import type { Report } from '../model/report.ts'
import type { JsonSchema, Tool } from '../model/tools.ts'
import { isSchemaFile } from '../schema/reference.ts'
import type { Examination } from './judge-candidate.ts'
import { NotVerifiedError } from './make-report.ts'

export type { DeniedTool } from '../caps/effective.ts'
export type { SafetyFacts } from '../caps/interface-records.ts'

/** An agent bundle that may be used. */
export interface LoadedBundle extends StartedAgent {
  readonly agent: {
    readonly name: string
    readonly version: string
    readonly variant?: string
    readonly kind: string
  }
  /** What overrides leave of policy.caps. */
  readonly policy: Policy
  /** The tools that it grants, in the order of tools.json. */
  readonly tools: readonly Tool[]
  readonly denied: readonly DeniedTool[]
  /** What interfaces.json says of the safety of a tool, by its id: exposed or denied. Tools of which it says nothing are left out. */
  readonly safety: ReadonlyMap<string, SafetyFacts>
  /** Paths of all packed files. */
  readonly paths: readonly string[]
  /**
   * The verified bytes of a packed file, a copy for each caller. No path is opened again, so these are the checked bytes.
   * @throws RangeError if the bundle has no such file
   */
  bytes(path: string): Uint8Array
  readonly report: Report
}

/**
 * @param bundle one whose bytes were kept (`keep: 'all'`)
 * @param overrides the operator's, for this agent on this host; each only tightens
 * @param attestations what came with it
 * @param judging all options by which it was judged: no program of its tools reaches a place that they name
 */
export function load(
  bundle: VerifiedBundle,
  overrides: readonly SoundOverride[] = [],
  attestations?: Attestations,
  judging: object = {},
): LoadedBundle {
  const { report } = bundle
  // A copy: what the rules remember of the agent that they judged, twice its bytes, ends with that.
  const agent = { ...bundle.agent }
  const { policy, tools } = agent
  if (policy === undefined || tools === undefined || report.agent === null)
    throw new TypeError('a verified bundle always has a policy, tools and a name')
  const effective = effectivePolicy(policy, overrides)
  const fileAt = (path: string) => agent.documents.get(path)?.value
  const { exposed, denied } = exposure(tools.tools, effective, restrictionsIn(fileAt))
  const safetyOf = safetyIn(fileAt)
  const safety: (readonly [string, SafetyFacts])[] = []
  for (const { id } of tools.tools) {
    const facts = safetyOf(id)
    if (facts !== null) safety.push([id, facts])
  }
  const loaded: LoadedBundle = frozen({
    agent: report.agent,
    ...startedIn(agent),
    policy: effective.policy,
    tools: exposed,
    denied,
    safety: new FixedMap(safety),
    paths: agent.files.list.map(({ path }) => path),
    bytes(path: string) {
      const entry = agent.files.get(path)
      if (entry?.content === undefined) throw new RangeError(`the bundle has no file ${JSON.stringify(path)}`)
      // Not `slice()`: that of a Buffer is a view.
      return new Uint8Array(entry.content)
    },
    report,
  })
  ORIGINS.set(loaded, { bundle: { ...bundle, agent }, overrides, attestations, judging })
  return loaded
}

/** What a loaded bundle was made of. Only {@link load} writes here, so that an object in its shape is not taken for one. */
const ORIGINS = new WeakMap<LoadedBundle, LoadedFrom>()

export interface LoadedFrom {
  readonly bundle: VerifiedBundle
  readonly overrides: readonly SoundOverride[]
  readonly attestations: Attestations | undefined
  readonly judging: object
}

/** Undefined for what was not loaded here. */
export function loadedFrom(loaded: LoadedBundle): LoadedFrom | undefined {
  return ORIGINS.get(loaded)
}

/**
 * @param examination of a bundle whose bytes were kept (`keep: 'all'`)
 * @param judging all options by which it was judged
 * @throws NotVerifiedError; RlpError for what could not be read
 */
export function loadExamined({ candidate, trust, verification }: Examination, judging: object): LoadedBundle {
  const { report, bundle } = verification
  if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
  if (bundle === undefined) throw new NotVerifiedError(report)
  return load(bundle, usable(trust.overrides).sound, trust.attestations, judging)
}

/** What a loaded bundle says of it. */
export interface StartedAgent {
  /** The program that a runtime starts: `bytes(entry.path)` are its bytes, and `agent.kind` says what it is. */
  readonly entry: { readonly path: string }
  /** What the manifest names in `[ports]`; empty lists where it names none. */
  readonly ports: { readonly in: readonly string[]; readonly out: readonly string[] }
  readonly schemas: {
    /** `[schemas.with]`: what settings of the agent have to fit. */
    readonly with: JsonSchema | undefined
    /** The files below `schemas/`, by their paths. */
    readonly files: ReadonlyMap<string, JsonSchema>
  }
}

function startedIn({ documents, manifest }: Agent): StartedAgent {
  const entry = manifest?.entries.find(({ role }) => role === 'entry')
  if (entry === undefined) throw new TypeError('a verified bundle always has an entry')
  const whole = documents.get(MANIFEST_FILE)?.value
  const ports = tableIn(whole, 'ports')
  const files: (readonly [string, JsonSchema])[] = []
  for (const [path, { value }] of documents) if (isSchemaFile(path)) files.push([path, value as JsonSchema])
  return {
    entry: { path: entry.path },
    ports: { in: textsIn(ports, 'in'), out: textsIn(ports, 'out') },
    schemas: {
      with: own(tableIn(whole, 'schemas'), 'with') as JsonSchema | undefined,
      files: new FixedMap(files),
    },
  }
}

function tableIn(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const found = isTable(value) ? own(value, name) : undefined
  return isTable(found) ? found : {}
}

function textsIn(table: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const found = own(table, name)
  return Array.isArray(found) ? (found as readonly string[]) : []
}
