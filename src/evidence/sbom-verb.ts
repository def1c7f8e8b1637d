// What the library offers of bills of materials.
import type { PathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Report } from '../model/report.ts'
import type { Attested } from './attest.ts'
import { type Bom, bomOf } from './bom.ts'
import { attestGiven, type StateOptions, verifiedGiven } from './given.ts'

export interface StatedBom {
  /** CycloneDX 1.7. */
  readonly bom: Bom
  readonly report: Report
  /** Where it was signed, with `key`. */
  readonly attested: Attested | undefined
}

/**
 * Lists what is in a verified bundle: files, wasm imports, programs, hosts, secrets by name, capabilities.
 *
 * @example
 * const { bom } = await sbom('dist/mailer-0.1.0.agent.bundle')
 * console.log(JSON.stringify(bom))
 *
 * @throws {@link NotVerifiedError} when its verdict is against it; then there is no bill
 * @throws {@link RlpError} `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; `LIMIT_EXCEEDED` where the file of attestations would be too
 * large; as `sign` for the key; `USAGE`; `CANCELLED`
 */
export async function sbomPath(bundle: PathGiven, options: StateOptions = {}): Promise<StatedBom> {
  return runVerb('sbom', options, async (given, io) => {
    const { target, verified } = await verifiedGiven(bundle, given, 'list the contents of', io)
    const { about, report } = verified
    const { time } = given
    const bom = bomOf(verified.bundle, about, { time })
    const attested = await attestGiven('bom', about, bom, target, given, io)
    return { bom, report, attested }
  })
}
