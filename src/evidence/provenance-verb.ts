// What the library offers of provenance.
import { type LongOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { type AttestOptions, refuseHalfGiven } from './attesting-given.ts'
import { type BuildStated, buildFacts } from './build-facts.ts'
import { locksNamed, type PinOptions, signingGiven } from './given.ts'
import { type StatedProvenance, stateProvenance } from './state-provenance.ts'

export interface ProvenanceOptions extends LongOptions, AttestOptions, BuildStated, PinOptions {}

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
    const how = { locks: locksNamed(given, io), unsigned: given.keyless !== undefined }
    return stateProvenance(target, facts, how, signingGiven(given, io), io)
  })
}
