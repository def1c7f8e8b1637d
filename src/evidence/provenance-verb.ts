// What the library offers of provenance.
import { type LongOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Attested } from './attest.ts'
import { type AttestOptions, attestGiven, refuseHalfGiven } from './attesting-given.ts'
import { type BuildStated, buildFacts } from './build-facts.ts'
import { locksNamed, type PinOptions } from './given.ts'
import { type Provenance, provenanceOf } from './provenance.ts'
import { soundBundle } from './sound-bundle.ts'

export interface ProvenanceOptions extends LongOptions, AttestOptions, BuildStated, PinOptions {}

export interface StatedProvenance {
  /** SLSA provenance, version 1. */
  readonly provenance: Provenance
  /** Where it was signed, with `key` or `keyless`. */
  readonly attested: Attested | undefined
}

/**
 * States who built a bundle, and from what: by the options, and by what a pipeline says in its environment.
 *
 * @example
 * const stated = await provenance('dist/mailer-0.1.0.agent.bundle', { builder: 'https://ci.example/1' })
 * console.log(stated.provenance)
 *
 * @throws {@link RlpError} `USAGE` without a builder and for what is no URI; `NOT_VERIFIED` for a bundle that is not sound, or not as `lock`
 * pins it; `LOCK_UNUSABLE`; `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; as `sign` for the key; `CANCELLED`
 */
export async function provenancePath(
  bundle: PathGiven,
  options: ProvenanceOptions = {},
): Promise<StatedProvenance> {
  return runVerb('provenance', options, async (given, io) => {
    refuseHalfGiven(given)
    const target = targetGiven(bundle, io, 'state the provenance of')
    const facts = await buildFacts(given, io.env, given.time)
    const locks = locksNamed(given, io)
    const { agent, about } = await soundBundle(target, io, { locks, unsigned: given.keyless !== undefined })
    const made = provenanceOf(agent, facts)
    const attested = await attestGiven('provenance', about, made, target, given, io)
    return { provenance: made, attested }
  })
}
