// Packs an agent's folder, or a foreign archive of one, to a bundle on disk.
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { WRAPPERS } from '../bundle/wrappers/index.ts'
import { archiveBytes } from '../bundle/writer.ts'
import type { StatedBuild } from '../evidence/provenance.ts'
import { counting } from '../io/bundle/bundle-bytes.ts'
import { type FileStanding, standingAt } from '../io/bundle/read-bundle.ts'
import type { Target } from '../io/find/find-agents.ts'
import { kindAt } from '../io/find/search-folders.ts'
import { isSameContent } from '../io/read/compare.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { writeAtomic } from '../io/write/write-atomic.ts'
import { gzip } from '../io/write/write-gzip.ts'
import { countedInTurns } from '../lint/lint.ts'
import { prepareLint } from '../lint/lint-target.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import { ownMembers } from '../model/own.ts'
import { bundleIdentity } from '../version/reference.ts'
import type { DigestChange } from './digest.ts'
import { assertPackable, bundleFileName, packedBytes } from './pack.ts'

export interface Packed {
  /** As the caller called it. */
  readonly agent: string
  /** The bundle's file, as the caller called it or below `outDir`. */
  readonly bundle: string
  readonly files: number
  /** Of the archive before compression. */
  readonly bytes: number
  /** `blake3:…` of the manifest. */
  readonly identity: string
  /** How many warnings lint has; errors stop it. */
  readonly warnings: number
  /** Of a foreign archive: the digests that its manifest did not have right, and that were written. */
  readonly digests?: readonly DigestChange[]
  /** Whether the file is new, or was another one before. */
  readonly changed: boolean
}

/** What was packed, and with `provenance` what was stated of it. */
export interface PackResult extends Packed, Partial<StatedBuild> {}

/** What a job that packs is told. */
export interface Packing {
  /** As the caller wrote it. */
  readonly out: string | undefined
  readonly outDir: string
  readonly gzip: boolean
  readonly force: boolean
  /** Files that were written before in the same run, with the agent each was made of. */
  readonly written: Map<string, string>
  /** States who built it, from the whole bundle in a temporary file and what it will be called. Throwing keeps what is there. */
  readonly state: ((temporary: string, bundle: Target) => Promise<StatedBuild>) | undefined
}

export async function packAgent(target: Target, packing: Packing, io: Setting): Promise<PackResult> {
  const { label } = target
  const { agent, findings, changes } = await readPackable(target, { signal: io.signal })
  const { files } = agent
  const name = `${bundleFileName(agent)}${packing.gzip ? WRAPPERS.gzip.ending : ''}`
  const out = packing.out ?? join(packing.outDir, name)
  const path = resolve(io.cwd, out)
  refuseTwice(packing.written, path, out, label)
  refuseInside(target, path, out)
  const found = await refuseToLose(path, out, packing.force)
  const undo = await makeParents(dirname(path))
  const bytes = archiveBytes(files.list)
  const packed = packedBytes(agent)
  const archive = io.onProgress ? counting(packed, label, bytes, io.onProgress) : packed
  let changed = true
  let stated: StatedBuild | undefined
  try {
    await writeAtomic(path, packing.gzip ? gzip(archive) : archive, {
      label: out,
      signal: io.signal,
      before: async temporary => {
        // Nothing else can be the same, and another file may not be readable.
        if (found === 'unsigned-bundle') changed = !(await isSameContent(path, temporary))
        stated = await packing.state?.(temporary, { path, label: out })
      },
    })
  } catch (error) {
    await undo()
    throw error
  }
  return {
    agent: label,
    bundle: out,
    files: files.list.length,
    bytes,
    identity: bundleIdentity(files.get(MANIFEST_FILE)?.digest ?? ''),
    warnings: findings.filter(({ severity }) => severity === 'warning').length,
    ...(changes && { digests: changes }),
    ...stated,
    changed: changed || stated !== undefined,
  }
}

/** Refuses two agents with one file name. */
function refuseTwice(written: Map<string, string>, path: string, out: string, label: string): void {
  const other = written.get(path)
  written.set(path, label)
  if (other === undefined) return
  throw new RlpError('EXISTS', `Cannot pack "${label}": ${other} has just been written to ${out}`, {
    hint: 'Give the agents different names or versions',
  })
}

/** An unsigned bundle can be made again at once; a signature or another file cannot. @returns what is there */
async function refuseToLose(path: string, out: string, force: boolean): Promise<FileStanding> {
  const found = await standingAt(path)
  if (found === 'nothing' || found === 'unsigned-bundle') return found
  if (found === 'no-file')
    throw new RlpError('WRONG_FILE_TYPE', `Cannot write "${out}": a folder, a link or a device is there`, {
      hint: 'Choose another name with --out',
    })
  if (force) return found
  const what = found === 'signed-bundle' ? 'a signed bundle' : 'another file'
  throw new RlpError('EXISTS', `Cannot write "${out}": ${what} is there`, {
    hint:
      found === 'signed-bundle'
        ? 'Raise version in manifest.toml, and pack a new version; or choose another name with --out. --force replaces it, and its signatures are lost'
        : 'Choose another name with --out, or move it away; --force replaces it',
  })
}

/** A bundle inside the folder that it is made of would be a file of the next one; an archive is no place for its bundle either. */
function refuseInside(target: Target, path: string, out: string): void {
  if (target.path === path)
    throw new RlpError('USAGE', `Cannot write "${out}": it is the archive that is packed`, {
      hint: 'Choose another name with --out',
    })
  const inner = relative(target.path, path)
  if (inner.startsWith('..') || isAbsolute(inner)) return
  throw new RlpError('USAGE', `Cannot write "${out}": it is inside the agent’s own folder`, {
    hint: 'Choose a folder outside with --out-dir, for example --out-dir ../dist',
  })
}

interface Source {
  readonly agent: Agent
  /** Of an archive: the digests that were written into its manifest. Undefined for a folder, whose digests must be right. */
  readonly changes?: readonly DigestChange[]
}

/**
 * @param digest `held` leaves large files of a folder to be read while they are packed
 * @throws RlpError
 */
export async function readSource(
  { path, label }: Target,
  digest: 'all' | 'held',
  io: Pick<Setting, 'signal' | 'onProgress'>,
): Promise<Source> {
  const { signal, onProgress } = ownMembers(io)
  if (kindAt(path) === 'file') {
    const { readForeign } = await import('./foreign.ts')
    return readForeign(path, { label, signal })
  }
  return { agent: await readSourceFolder({ path, label }, digest, { signal, onProgress }) }
}

/** @throws RlpError also when lint finds errors */
async function readPackable(
  target: Target,
  setting: Pick<Setting, 'signal'>,
): Promise<Source & { readonly findings: readonly Finding[] }> {
  const source = await readSource(target, 'held', setting)
  const folder = source.changes === undefined ? target.path : undefined
  const prepared = await prepareLint(source.agent, folder, setting.signal)
  const turn = turnsOf(`checking "${target.label}"`, setting.signal)
  const findings = await countedInTurns(source.agent, new Date(), prepared, turn)
  if (source.changes === undefined) assertPackable(source.agent, findings)
  else assertPackable(source.agent, findings, (await import('./foreign.ts')).LINT_UNPACKED)
  return { ...source, findings }
}
