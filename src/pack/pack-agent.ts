// An agent's folder, or a foreign archive of one → its bundle on disk.
import { dirname, join, resolve } from 'node:path'
import { counting } from '../io/bundle-bytes.ts'
import { type LongOptions, type PathGiven, pathGiven, settingOf, targetGiven } from '../io/caller.ts'
import type { Target } from '../io/find-agents.ts'
import { gzip } from '../io/gzip.ts'
import { makeParents } from '../io/make-parents.ts'
import type { Setting } from '../io/setting.ts'
import { writeAtomic } from '../io/write-atomic.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { comparePacked } from './check-packed.ts'
import type { Difference } from './compare.ts'
import type { DigestChange } from './digest.ts'
import { archiveBytes, bundleFileName, pack } from './pack.ts'
import { refuseInside, refuseToLose, refuseTwice } from './place.ts'
import { readPackable } from './source.ts'

export interface PackOptions extends LongOptions {
  /** The bundle's file; in `outDir` under its own name where this is left out. */
  readonly out?: PathGiven
  /** Folder for `<name>[@variant]-<version>.agent.bundle`; `dist` where this is left out. */
  readonly outDir?: PathGiven
  /** Wrap the archive in gzip for transport; adds `.gz` to the name in `outDir`. */
  readonly gzip?: boolean
  /** Replace a file that is signed, or is no bundle. */
  readonly force?: boolean
  /** A bundle that should be what is packed: nothing is written, and the answer is the first difference. */
  readonly check?: PathGiven
}

export interface Packed {
  /** As the caller called it. */
  readonly agent: string
  /** The bundle's file, as the caller called it or below `outDir`. */
  readonly bundle: string
  readonly files: number
  /** Of the archive before compression. */
  readonly bytes: number
  /** BLAKE3 of the manifest, lower-case hex: the bundle’s identity. */
  readonly manifestDigest: string
  /** How many warnings lint has; errors stop it. */
  readonly warnings: number
  /** Of a foreign archive: the digests that its manifest did not have right, and that were written. */
  readonly digests?: readonly DigestChange[]
}

export interface PackCheck {
  /** As the caller called it. */
  readonly agent: string
  readonly bundle: string
  /** The first in the order of the archive, signatures aside; undefined if there is none. */
  readonly difference: Difference | undefined
}

/** What a job that packs is told. */
export interface Packing {
  /** In the caller's words. */
  readonly out: string | undefined
  readonly outDir: string
  readonly gzip: boolean
  readonly force: boolean
  /** Files that were written before in the same run, with the agent each was made of. */
  readonly written: Map<string, string>
}

/**
 * Lints an agent's folder, or a tar archive of one, checks its digests, and writes its bundle. The same files give the same bytes on every
 * machine.
 *
 * @example
 * const { bundle, manifestDigest } = await pack('agents/mailer', { outDir: 'build' })
 * console.log(bundle, manifestDigest)
 * const { difference } = await pack('agents/mailer', { check: bundle })
 * console.log(difference?.detail ?? 'it is the same')
 *
 * @throws {@link RlpError} `LINT_FAILED`, `DIGEST_STALE` when a digest is not that of its file, `EXISTS` when something else is there,
 * `CANCELLED`; then no bundle has been written
 */
export function packPath(
  path: PathGiven,
  options: PackOptions & { readonly check: PathGiven },
): Promise<PackCheck>
export function packPath(
  path: PathGiven,
  options?: PackOptions & { readonly check?: undefined },
): Promise<Packed>
export async function packPath(path: PathGiven, options: PackOptions = {}): Promise<Packed | PackCheck> {
  const { out, outDir = 'dist', check } = options
  const io = settingOf(options, 'pack')
  const target = targetGiven(path, io, 'pack')
  if (check !== undefined) {
    const bundle = targetGiven(check, io, 'compare with')
    const difference = await comparePacked(target, bundle, io)
    return { agent: target.label, bundle: bundle.label, difference }
  }
  return packAgent(
    target,
    {
      out: out === undefined ? undefined : written(out, io),
      outDir: written(outDir, io),
      gzip: options.gzip === true,
      force: options.force === true,
      written: new Map(),
    },
    io,
  )
}

/** A path as the caller wrote it; a url as the path that it names. */
function written(given: PathGiven, io: Setting): string {
  const path = pathGiven(given, io, 'pack into')
  return typeof given === 'string' && !/^file:/i.test(given) ? given : path
}

export async function packAgent(target: Target, packing: Packing, io: Setting): Promise<Packed> {
  const { label } = target
  const { agent, findings, changes } = await readPackable(target, { signal: io.signal })
  const { files } = agent
  const name = `${bundleFileName(agent)}${packing.gzip ? '.gz' : ''}`
  const out = packing.out ?? join(packing.outDir, name)
  const path = resolve(io.cwd, out)
  refuseTwice(packing.written, path, out, label)
  refuseInside(target, path, out)
  await refuseToLose(path, out, packing.force)
  const undo = await makeParents(dirname(path))
  const bytes = archiveBytes(files.list)
  const packed = pack(agent)
  const archive = io.onProgress ? counting(packed, label, bytes, io.onProgress) : packed
  try {
    await writeAtomic(path, packing.gzip ? gzip(archive) : archive, { label: out, signal: io.signal })
  } catch (error) {
    await undo()
    throw error
  }
  return {
    agent: label,
    bundle: out,
    files: files.list.length,
    bytes,
    manifestDigest: files.get(MANIFEST_FILE)?.digest ?? '',
    warnings: findings.filter(({ severity }) => severity === 'warning').length,
    ...(changes && { digests: changes }),
  }
}
