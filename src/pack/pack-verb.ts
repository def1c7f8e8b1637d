// What the library offers of packing.
import { type StatedBuild, type StatingGiven, stateBuilt, statingGiven } from '../evidence/state-built.ts'
import { type LongOptions, type PathGiven, pathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { accessWith, type Setting } from '../io/setting.ts'
import { UsageError } from '../model/usage-error.ts'
import { comparePacked } from './check-packed.ts'
import type { Difference } from './compare.ts'
import { type Packed, packAgent } from './pack-agent.ts'

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

export interface PackCheck {
  /** As the caller called it. */
  readonly agent: string
  readonly bundle: string
  /** The first in the order of the archive, signatures aside; undefined if there is none. */
  readonly difference: Difference | undefined
}

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
          ...{ field: 'provenance', hint: 'Compare first, then pack' },
        })
      const bundle = targetGiven(check, io, 'compare with')
      const difference = await comparePacked(target, bundle, {
        ...io,
        registries: accessWith(io.env),
      })
      return { agent: target.label, bundle: bundle.label, difference }
    }
    const stating = provenance && (await statingGiven(provenance, io))
    let stated: StatedBuild | undefined
    const packed = await packAgent(
      target,
      {
        out: out === undefined ? undefined : written(out, io),
        outDir: written(outDir, io),
        gzip: given.gzip === true,
        force: given.force === true,
        written: new Map(),
        before: async (temporary, bundle) => {
          stated = stating && (await stateBuilt(temporary, bundle, stating, io))
        },
      },
      io,
    )
    return { ...packed, ...stated }
  })
}

/** A path as the caller wrote it; a url as the path that it names. */
function written(given: PathGiven, io: Setting): string {
  const path = pathGiven(given, io, 'pack into')
  return typeof given === 'string' && !/^file:/i.test(given) ? given : path
}
