// A target → the agent whose entry may be run: its module, verified or vouched for by the user, and what policy.caps grants it here.
import { usable } from '../../caps/overrides.ts'
import { isSource } from '../../inspect/look-into.ts'
import type { Target } from '../../io/find/find-agents.ts'
import type { Setting } from '../../io/setting.ts'
import { type Agent, MANIFEST_FILE } from '../../model/agent.ts'
import { RlpError } from '../../model/error.ts'
import type { Files } from '../../model/files.ts'
import type { Policy } from '../../model/policy.ts'
import type { Report } from '../../model/report.ts'
import type { Tool } from '../../model/tools.ts'
import { examine } from '../../verify/examine.ts'
import { type LoadedBundle, load } from '../../verify/load.ts'
import { isCallFile } from '../agent.ts'
import type { OpenOptions } from '../callable.ts'
import { needsUnverified, readCallable, refuseUnverified, sourceGrants } from '../open-source.ts'
import { moduleProblem } from './module-problem.ts'

export interface RunnableAgent {
  /** As the caller named it. */
  readonly label: string
  /** `mailer 0.1.0`; the label of a source folder. */
  readonly name: string
  /** `bin/mailer.wasm`. */
  readonly entry: string
  readonly module: Uint8Array
  /** What overrides leave of policy.caps. */
  readonly policy: Policy
  readonly tools: readonly Tool[]
}

const DOING = 'run'

/**
 * @returns the report of a bundle that may not be used
 * @throws RlpError LINT_FAILED for an entry that WASI preview 1 does not run; NOT_VERIFIED for a source folder without --unverified
 */
export async function openRunnable(
  target: Target,
  options: OpenOptions,
  io: Setting,
): Promise<RunnableAgent | { readonly refused: Report }> {
  const { path, label, reference } = target
  if (isSource(target)) {
    const isRead = (file: string) => isCallFile(file) || file === MANIFEST_FILE || file.startsWith('bin/')
    needsUnverified(DOING, options, label)
    const source = await readCallable(DOING, target, io, isRead)
    const { policy } = await sourceGrants(DOING, source, io)
    return runnable(label, label, source, { policy, tools: source.tools?.tools ?? [] })
  }
  refuseUnverified(options, label)
  const { unverified: _, ...given } = options
  const expect = given.expect ?? reference
  const { trust, verification } = await examine(path, { ...given, label, expect, mustExpect: true }, 'all')
  const { report, bundle } = verification
  if (bundle === undefined) return { refused: report }
  return runnableBundle(label, load(bundle, usable(trust.overrides).sound), bundle.agent)
}

/**
 * @param whole the same with its files
 * @throws RlpError LINT_FAILED
 */
export async function runnableBundle(
  label: string,
  { agent: { name, variant, version }, policy, tools }: LoadedBundle,
  whole: Agent,
): Promise<RunnableAgent> {
  const called = `${name}${variant === undefined ? '' : `@${variant}`} ${version}`
  return runnable(label, called, whole, { policy, tools })
}

async function runnable(
  label: string,
  name: string,
  { manifest, files }: Agent,
  grants: Pick<RunnableAgent, 'policy' | 'tools'>,
): Promise<RunnableAgent> {
  const refuse = (problem: string, hint: string) =>
    new RlpError('LINT_FAILED', `Cannot ${DOING} "${label}": ${problem}`, { hint })
  const path = manifest?.entries[0]?.path
  if (manifest?.kind !== 'wasm32-wasip1')
    throw refuse(
      `its entry is of kind ${manifest?.kind}, and only wasm32-wasip1 runs in the sandbox`,
      'Start a native program with the runtime that it was made for',
    )
  if (path === undefined || files.get(path) === undefined)
    throw refuse(
      `its entry ${path ?? ''} is not there`,
      'Build it and put it there (docs/wasm.md), then run rlp agent digest',
    )
  const module = await contentOf(files, path)
  const wrong = moduleProblem(module, path)
  if (wrong !== undefined) throw refuse(wrong.problem, wrong.hint)
  return { label, name, entry: path, module, ...grants }
}

async function contentOf(files: Files, path: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of files.open(path)) chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks)
}
