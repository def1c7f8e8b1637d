// What the library offers of other statements: any type, any predicate.
import { bundleIdentity } from '../format/version/reference.ts'
import { type LongOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { anyStatement } from './any-statement.ts'
import type { Attested } from './attest.ts'
import {
  type AttestOptions,
  attestationFile,
  attestingGiven,
  keyNotGiven,
  refuseHalfGiven,
} from './attesting-given.ts'
import { locksNamed, type PinOptions } from './given.ts'
import { soundBundle } from './sound-bundle.ts'

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
export async function attestPath(bundle: PathGiven, options: AttestStatementOptions): Promise<Attested> {
  return runVerb('attest', options, async (given, io) => {
    const target = targetGiven(bundle, io, 'attest')
    const { type, predicate, attest: named, keyless } = given
    refuseHalfGiven(given)
    if (given.key === undefined && keyless === undefined) throw keyNotGiven()
    const locks = locksNamed(given, io)
    const { about } = await soundBundle(target, io, {
      locks,
      doing: 'attest',
      unsigned: keyless !== undefined,
    })
    const bytes = predicate instanceof Uint8Array ? predicate : Buffer.from(JSON.stringify(predicate) ?? '')
    const payload = anyStatement(about, { type: String(type), predicate: bytes, label: 'predicate' })
    const identity = bundleIdentity(about.manifest.blake3)
    const attesting = await attestingGiven(given, io)
    if (attesting === undefined) throw keyNotGiven()
    const stated = { payload, type: String(type), label: target.label, identity }
    return attesting.attest(stated, attestationFile(target, named, io), io)
  })
}
