// Opens the agent whose entry may be run: its module, verified or vouched for by the user, what policy.caps grants it here, or why it
// cannot run under WASI preview 1.
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
import { printable } from '../../text/printable.ts'
import { type LoadedBundle, load } from '../../verify/load.ts'
import { referenceText } from '../../version/reference.ts'
import { isOffered, PREVIEW1_MODULE } from '../../wasm/host.ts'
import { readWasm, type WasmModule } from '../../wasm/read.ts'
import {
  examineNamed,
  isCallFile,
  needsUnverified,
  type OpenOptions,
  readCallable,
  sourceGrants,
} from '../open-agent.ts'

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
  const { label } = target
  if (isSource(target)) {
    const isRead = (file: string) => isCallFile(file) || file === MANIFEST_FILE || file.startsWith('bin/')
    needsUnverified(DOING, options, label)
    const source = await readCallable(DOING, target, io, isRead)
    const { policy } = await sourceGrants(DOING, source, io)
    return runnable(label, label, source, { policy, tools: source.tools?.tools ?? [] })
  }
  const { trust, verification } = await examineNamed(target, options, 'all')
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
  { agent, policy, tools }: LoadedBundle,
  whole: Agent,
): Promise<RunnableAgent> {
  return runnable(label, `${referenceText(agent)} ${agent.version}`, whole, { policy, tools })
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

interface ModuleProblem {
  /** Continues a sentence. */
  readonly problem: string
  readonly hint: string
}

const REBUILD = 'Build it for wasm32-wasip1 (docs/wasm.md), then run rlp agent digest'
/** Enough to see which library is missing. */
const MOST_NAMED = 5

function moduleProblem(bytes: Uint8Array, path: string): ModuleProblem | undefined {
  const read = readWasm(bytes)
  if (!read.ok)
    return { problem: `${path} is malformed at byte ${read.offset}: ${read.reason}`, hint: REBUILD }
  const { module } = read
  if (module.isComponent)
    return {
      problem: `${path} is a WebAssembly component; kind wasm32-wasip1 is a core module`,
      hint: 'Build for wasm32-wasip1 (wasm32-wasip2 makes components), then run rlp agent digest',
    }
  const [lacks] = ENTRIES.filter(({ name, kind }) => !exports(module, name, kind))
  if (lacks !== undefined)
    return { problem: `${path} exports no ${lacks.kind} ${lacks.name}`, hint: lacks.hint }
  return importProblem(module, path)
}

const ENTRIES = [
  {
    name: '_start',
    kind: 'function',
    hint: 'Build it as a program with a main function, then run rlp agent digest',
  },
  { name: 'memory', kind: 'memory', hint: 'Link it with --export-memory, then run rlp agent digest' },
] as const

function exports({ exports: list }: WasmModule, name: string, kind: string): boolean {
  return list.some(one => one.name === name && one.kind === kind)
}

function importProblem({ imports }: WasmModule, path: string): ModuleProblem | undefined {
  const foreign = imports.filter(one => one.module !== PREVIEW1_MODULE || !isOffered(one))
  if (foreign.length === 0) return undefined
  const names = [...new Set(foreign.map(({ module, name }) => printable(`${module}.${name}`)))]
  const named = names.slice(0, MOST_NAMED).join(', ')
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : ''
  return {
    problem: `${path} imports ${named}${more}, and only functions of WASI preview 1 are offered here`,
    hint: foreign.some(({ module }) => module === 'runloop')
      ? 'A runtime of these agents offers the functions of runloop. Here, a module has files, standard input and output'
      : REBUILD,
  }
}
