// What the library offers of bills of materials.
import { type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Report } from '../model/report.ts'
import type { Attested } from './attest.ts'
import { attestGiven } from './attesting-given.ts'
import { type Bom, bomOf } from './bom.ts'
import { type StateOptions, soundGiven } from './given.ts'

export interface StatedBom {
  /** CycloneDX 1.7. */
  readonly bom: Bom
  readonly report: Report
  /** Where it was signed, with `key` or `keyless`. */
  readonly attested: Attested | undefined
}

/**
 * Lists what is in a sound bundle: files, wasm imports, programs, hosts, secrets by name, capabilities. Whether its signers are trusted is
 * not asked: the bill says which verdict it has.
 *
 * @example
 * const { bom } = await sbom('dist/mailer-0.1.0.agent.bundle')
 * console.log(JSON.stringify(bom))
 *
 * @throws {@link NotVerifiedError} when it is not sound, not the agent that is expected, or not as `lock` pins it; then there is no bill
 * @throws {@link RlpError} `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; `LIMIT_EXCEEDED` where the file of attestations would be too
 * large; as `sign` for the key; `USAGE`; `CANCELLED`
 */
export async function sbomPath(bundle: PathGiven, options: StateOptions = {}): Promise<StatedBom> {
  return runVerb('sbom', options, async (given, io) => {
    const doing = 'list the contents of'
    const target = targetGiven(bundle, io, doing)
    const sound = await soundGiven(target, given, doing, io)
    const { about, report } = sound
    const bom = bomOf(sound, { time: given.time })
    const attested = await attestGiven('bom', about, bom, target, given, io)
    return { bom, report, attested }
  })
}
