// What the library offers of other statements: any type, any predicate.
import { type LongOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { type AttestOptions, attestingGiven, keyNotGiven, refuseHalfGiven } from './attesting-given.ts'
import { locksNamed, type PinOptions } from './given.ts'
import { type StatedPredicate, statePredicate } from './state-predicate.ts'

export interface AttestStatementOptions
  extends LongOptions,
    PinOptions,
    Pick<AttestOptions, 'key' | 'passphrase' | 'keyless' | 'attest'> {
  /** The predicate type, a URI. */
  readonly type: string
  /** What is stated: a JSON object, or the bytes of one, which are signed as they are. */
  readonly predicate: Readonly<Record<string, unknown>> | Uint8Array
}

/**
 * States anything about a sound bundle, signed: a scan, a test, an approval.
 *
 * @example
 * await attest('dist/mailer-0.1.0.agent.bundle', { type: 'https://scan.example/v1', predicate: { findings: 0 }, key: 'ci' })
 *
 * @throws {@link RlpError} `USAGE` for a type that is no URI or that only rlp may state, and for what is no JSON object; `LIMIT_EXCEEDED`;
 * `NOT_VERIFIED` for a bundle that is not sound, or not as `lock` pins it; `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; as `sign` for the
 * key; `CANCELLED`
 */
export async function attestPath(
  bundle: PathGiven,
  options: AttestStatementOptions,
): Promise<StatedPredicate> {
  return runVerb('attest', options, async (given, io) => {
    const target = targetGiven(bundle, io, 'attest')
    const { type, predicate, attest: file, keyless } = given
    refuseHalfGiven(given)
    if (given.key === undefined && keyless === undefined) throw keyNotGiven()
    const locks = locksNamed(given, io)
    const bytes = predicate instanceof Uint8Array ? predicate : Buffer.from(JSON.stringify(predicate) ?? '')
    const attesting = async () => {
      const signer = await attestingGiven(given, io)
      if (signer === undefined) throw keyNotGiven()
      return signer
    }
    return statePredicate(
      target,
      { type: String(type), predicate: bytes, label: 'predicate' },
      { locks, unsigned: keyless !== undefined, attesting, file },
      io,
    )
  })
}
