// What the library adds beside a stored bundle: a signature. rlp agent sign does it with a reference.
import { UsageError } from '../../model/error.ts'
import { BUNDLE_SIGNING, demandsOf } from '../../sign/bundle-signing-inputs.ts'
import type { SignedKeyless } from '../../sign/keyless/keyless.ts'
import { refuseBesideKeyless } from '../../sign/keyless-inputs.ts'
import { signingWith } from '../../sign/sign.ts'
import { keyMissing, signerGiven } from '../../sign/signing-inputs.ts'
import { defineVerb, needed } from '../../verb/index.ts'
import { reachBy } from '../../verb/kinds/registry.ts'
import { type Countersigned, countersignByKey } from '../countersign.ts'
import { givenStored } from '../inputs.ts'

/**
 * Adds a signature beside a stored bundle. The bundle stays as it is, and so does the digest that deployments pin.
 *
 * With `keyless` an identity signs: one more Sigstore bundle beside it, where `cosign` and `gh` look. The bundle may then be unsigned.
 *
 * @param reference `oci://HOST[:PORT]/REPOSITORY` or `oci-layout:FOLDER`, each with `:TAG`, `@sha256:HEX` or both
 *
 * @example
 * const { signer, attached } = await countersign('oci://registry.example/agents/mailer:0.1.0', { key: 'review', expect: 'mailer@0.1.0' })
 * console.log(signer, attached)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for a bundle that is not sound, is unsigned, or is another than the reference says, or with
 * `ifTrusted` is not trusted; `NOT_STORED`,
 * `UNREACHABLE`, `NO_PERMISSION`, `STORE` as the registry is; `NOT_FOUND`, `NEEDS_ANSWER`, `WRONG_FILE_TYPE` for the key; `USAGE`, `CANCELLED`;
 * with `keyless` as `sign`
 */
export const verb = defineVerb({
  name: 'countersign',
  summary: 'add a signature beside a stored bundle',
  arguments: ['reference'],
  answers: { key: 'Countersigned', keyless: 'SignedKeyless' },
  inputs: { reference: needed(givenStored('sign')), ...BUNDLE_SIGNING },
  isLong: true,
  async run({ reference, ...asked }, world): Promise<Countersigned | SignedKeyless> {
    const { key, passphrase, keyless, home } = asked
    const { expect, ifTrusted } = demandsOf(asked, { notAfter: undefined, renew: undefined }, world)
    if (expect === undefined && ifTrusted === undefined)
      throw new UsageError(`Cannot sign "${reference.label}": it is not said which bundle this has to be`, {
        field: 'expect',
        hint: 'Give expect: a name with a version or range, or blake3: and the identity that inspect shows',
      })
    refuseBesideKeyless({ key, passphrase: passphrase.isGiven, keyless }, world)
    const how = { ...reachBy(world, home), expect, ifTrusted }
    if (keyless !== undefined) {
      const { countersignKeyless } = await import('../countersign-keyless.ts')
      const identity = await keyless({ ...world, registries: how.access })
      return countersignKeyless(reference, identity.keyless, how)
    }
    if (key === undefined) throw keyMissing('sign', world)
    return countersignByKey(reference, signingWith(await signerGiven({ key, passphrase })), how)
  },
})
