// Lists what is in a sound bundle, for the command and for the library.
import type { Target } from '../io/find/find-agents.ts'
import type { Report } from '../model/report.ts'
import type { Judging } from '../verify/examine.ts'
import { type Bom, type BomOptions, bomOf } from './bom.ts'
import type { SignStated, StatedAbout } from './state-signed.ts'
import { examineSound } from './verified.ts'

export interface StatedBom extends StatedAbout {
  /** CycloneDX 1.7. */
  readonly bom: Bom
  readonly report: Report
}

/** For messages. */
export const LISTING = 'list the contents of'

/** @throws NotVerifiedError for a bundle that is not sound, or another one than is expected; RlpError as reading and signing do */
export async function stateBom(
  target: Target,
  how: Judging,
  options: BomOptions,
  sign: SignStated,
): Promise<StatedBom> {
  const sound = await examineSound(target, how, LISTING)
  const { about, report } = sound
  const bom = bomOf(sound, options)
  return { bom, report, ...(await sign({ name: 'bom', about, predicate: bom, target })) }
}
