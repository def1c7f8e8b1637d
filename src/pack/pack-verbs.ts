// The function of the library that packs an agent.
import {
  type StatedBuild,
  type Stating,
  type StatingGiven,
  stateBuilt,
  statingGiven,
} from '../evidence/provenance.ts'
import type { Target } from '../io/find/find-agents.ts'
import { type LongOptions, type PathGiven, pathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { accessWith, type Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { comparePacked, type PackCheck } from './compare.ts'
import { type Packed, type Packing, packAgent } from './pack-agent.ts'

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
  /** State who built it, signed by a key, in the file of attestations beside the bundle. */
  readonly provenance?: StatingGiven
}

/** What was packed, and with `provenance` what was stated of it. */
export interface PackResult extends Packed, Partial<StatedBuild> {}

/**
 * Lints an agent's folder, or a tar archive of one, checks its digests, and writes its bundle. The same files give the same bytes on every
 * machine.
 *
 * @example
 * const { bundle, identity } = await pack('agents/mailer', { outDir: 'build' })
 * console.log(bundle, identity)
 * const { difference } = await pack('agents/mailer', { check: bundle })
 * console.log(difference?.detail ?? 'it is the same')
 *
 * @throws {@link RlpError} `LINT_FAILED`, `DIGEST_STALE` when a digest is not that of its file, `EXISTS` when something else is there,
 * `CANCELLED`; with `provenance`, `USAGE` without a builder or a key, and as `sign` for the key; then no bundle has been written
 */
export function packPath(
  path: PathGiven,
  options: PackOptions & { readonly check: PathGiven },
): Promise<PackCheck>
export function packPath(
  path: PathGiven,
  options?: PackOptions & { readonly check?: undefined },
): Promise<PackResult>
export async function packPath(path: PathGiven, options: PackOptions = {}): Promise<PackResult | PackCheck> {
  return runVerb('pack', options, async (given, io) => {
    const { out, outDir = 'dist', check, provenance } = given
    const target = targetGiven(path, io, 'pack')
    if (check !== undefined) {
      if (provenance !== undefined)
        throw new UsageError('Cannot use provenance with check: nothing is packed', {
          field: 'provenance',
          hint: 'Compare first, then pack',
        })
      const bundle = targetGiven(check, io, 'compare with')
      return comparePacked(target, bundle, { ...io, registries: accessWith(io.env) })
    }
    const stating = provenance && (await statingGiven(provenance, io))
    const packing = {
      out: out === undefined ? undefined : asCalled(out, io),
      outDir: asCalled(outDir, io),
      gzip: given.gzip === true,
      force: given.force === true,
      written: new Map(),
    }
    return packAndState(target, packing, stating, io)
  })
}

/** Packs, and states who built the bundle before it takes its place. */
export async function packAndState(
  target: Target,
  packing: Packing,
  stating: Stating | undefined,
  io: Setting,
): Promise<PackResult> {
  let stated: StatedBuild | undefined
  const before = async (temporary: string, bundle: Target) => {
    stated = stating && (await stateBuilt(temporary, bundle, stating, io))
  }
  const packed = await packAgent(target, { ...packing, before }, io)
  return { ...packed, ...stated, changed: packed.changed || stated !== undefined }
}

/** A path as the caller wrote it; a url as the path that it names. */
function asCalled(given: PathGiven, io: Setting): string {
  const path = pathGiven(given, io, 'pack into')
  return typeof given === 'string' && !/^file:/i.test(given) ? given : path
}
