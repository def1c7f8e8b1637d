// Agent → the text of its manifest with correct digests. Only digests and the tables for them change.
import { artifactsOf, isDigest } from '../agent/manifest.ts'
import {
  type Agent,
  type Artifact,
  MANIFEST_FILE,
  type Manifest,
  POLICY_FILE,
  TOOLS_FILE,
} from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Oddity } from '../model/files.ts'
import { pathProblem } from '../text/path.ts'
import { writePath } from '../text/shell-words.ts'
import { editToml, type TomlEdit } from '../toml/edit.ts'
import { toolsVersionOf } from '../tools/index.ts'

/** One digest that changes. */
export interface DigestChange {
  readonly path: string
  /** As written; undefined if the manifest has none. */
  readonly before: string | undefined
  /** Undefined if the line is removed, because the file is gone or has its digest elsewhere. */
  readonly after: string | undefined
}

export interface Digested {
  /** The manifest's new text; the old text if `changes` is empty. */
  readonly text: string
  /** In the byte order of paths. */
  readonly changes: readonly DigestChange[]
}

/**
 * @param agent read from a source folder with `digest: 'all'`
 * @throws RlpError LINT_FAILED if the manifest cannot be read or a required file is missing; NOT_EDITABLE if the manifest's form has no
 * place for a digest
 */
export function digestManifest(agent: Agent): Digested {
  const { manifest } = agent
  const document = agent.documents.get(MANIFEST_FILE)
  if (manifest === undefined || document === undefined) refuse(agent, `${MANIFEST_FILE} cannot be read`)
  const edits: TomlEdit[] = []
  const changes: DigestChange[] = []
  const set = (path: string, before: string | undefined, after: string, at: readonly (string | number)[]) => {
    if (isDigest(before) && before.toLowerCase() === after) return
    edits.push({ path: at.map(String), set: after })
    changes.push({ path, before, after })
  }
  for (const { path, blake3, digestAt } of manifest.entries) {
    // The manifest cannot contain its own digest.
    if (path === MANIFEST_FILE)
      refuse(agent, `its entry is ${MANIFEST_FILE}, which cannot hold its own digest`)
    set(path, blake3, digestOf(agent, path), digestAt)
  }
  setTable(agent, manifest, edits, set)
  setFiles(agent, manifest, edits, changes, set)
  changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return { text: edits.length === 0 ? document.text : editToml(document, edits), changes }
}

type Set = (path: string, before: string | undefined, after: string, at: readonly (string | number)[]) => void

/** `[artifacts.tools]` and `[artifacts.policy]`, added if missing. */
function setTable(agent: Agent, manifest: Manifest, edits: TomlEdit[], set: Set): void {
  const tools = digestOf(agent, TOOLS_FILE)
  if (manifest.tools === undefined) {
    const at = ['artifacts', 'tools']
    edits.push({ path: [...at, 'path'], set: TOOLS_FILE })
    set(TOOLS_FILE, undefined, tools, [...at, 'blake3'])
    edits.push({ path: [...at, 'version'], set: versionOf(agent) })
  } else set(TOOLS_FILE, manifest.tools.blake3, tools, manifest.tools.digestAt)
  const policy = digestOf(agent, POLICY_FILE)
  if (manifest.policy === undefined) {
    const at = ['artifacts', 'policy']
    edits.push({ path: [...at, 'path'], set: POLICY_FILE })
    set(POLICY_FILE, undefined, policy, [...at, 'blake3'])
  } else set(POLICY_FILE, manifest.policy.blake3, policy, manifest.policy.digestAt)
}

/** `[artifacts.files]`: one line for every other packed file, none for a file that is gone. */
function setFiles(
  agent: Agent,
  manifest: Manifest,
  edits: TomlEdit[],
  changes: DigestChange[],
  set: Set,
): void {
  const elsewhere = new Set([
    MANIFEST_FILE,
    POLICY_FILE,
    TOOLS_FILE,
    ...manifest.entries.map(({ path }) => path),
  ])
  const listed = new Map<string, Artifact>(manifest.files.map(file => [file.path, file]))
  for (const { path, blake3, at } of manifest.files) {
    if (agent.files.get(path) && !elsewhere.has(path)) continue
    // A file that a pattern leaves out is a mistake to report (files/left-out), not a line to drop.
    if (leftOut(agent, path) !== undefined) continue
    edits.push({ path: at.map(String), remove: true })
    changes.push({ path, before: blake3, after: undefined })
  }
  for (const { path, digest } of agent.files.list) {
    // An invalid name is reported by files/name; a digest would not help it.
    if (elsewhere.has(path) || digest === undefined || pathProblem(path) !== undefined) continue
    set(path, listed.get(path)?.blake3, digest, ['artifacts', 'files', path])
  }
}

function versionOf(agent: Agent): number {
  const document = agent.documents.get(TOOLS_FILE)
  const fact = document && toolsVersionOf(document)
  return fact?.is === 'known'
    ? fact.row.version
    : refuse(agent, `${TOOLS_FILE} states no version this rlp reads`)
}

function digestOf(agent: Agent, path: string): string {
  const digest = agent.files.get(path)?.digest
  if (digest !== undefined) return digest
  const odd = leftOut(agent, path)
  return refuse(agent, odd === undefined ? `${path} is not there` : `${path} is left out (${odd.what})`)
}

/** What keeps a path out of the bundle. An empty folder keeps nothing out. */
function leftOut(agent: Agent, path: string): Oddity | undefined {
  return agent.files.oddities.find(
    odd => odd.what !== 'empty-directory' && (path === odd.path || path.startsWith(`${odd.path}/`)),
  )
}

function refuse(agent: Agent, state: string): never {
  throw new RlpError('LINT_FAILED', `Cannot digest "${agent.label}": ${state}`, {
    hint: `Run rlp agent lint ${writePath(agent.label)}, which says what to do`,
  })
}

/** Artifacts whose digest differs from a file that is already read: `pack` still has to compare them while it streams. */
export function statedDigests(manifest: Manifest): Map<string, string> {
  return new Map(artifactsOf(manifest).map(({ path, blake3 }) => [path, (blake3 ?? '').toLowerCase()]))
}
