// What the library offers of adding a signer to a trust policy.
import { type PathGiven, pathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { RlpError } from '../model/error.ts'
import { anchorsGiven, type KeyGiven } from '../sign/sign-bundle.ts'
import { type AttestationsInput, attestationsInput } from '../verify/input.ts'
import { addSigner, type GrantQuestion } from './add-signer.ts'
import { edited, type PolicyEditOptions } from './edit-given.ts'
import { changesOf, type PolicyChanges, type PolicyEdited } from './edited-policy.ts'
import { type SignerGiven, signerAsked } from './new-signer.ts'

/** What `mayGrant` is asked. */
export interface TrustGrant extends PolicyChanges {
  /** Why this needs a yes: the rule is wide, or a bundle proposes it. */
  readonly why: string
}

export interface TrustAddOptions
  extends PolicyEditOptions,
    SignerGiven,
    Pick<Partial<KeyGiven>, 'passphrase'> {
  /** The signer's public key: `ed25519:…`, or as `key` of {@link sign} names one. Get it from the signer, never from a bundle. */
  readonly key?: string
  /** One more key of a signer who is there; all keys of one signer count once. */
  readonly furtherKey?: boolean
  /** Propose the rule that this bundle asks for, and the identity that has signed it: a path or a reference. For a folder, those of each bundle in it. */
  readonly for?: PathGiven
  /** What others state about that bundle; the file beside it where this is left out. */
  readonly attestations?: AttestationsInput | undefined
  /** The file of the authorities that prove an identity; it is copied beside a policy that names none yet. */
  readonly trustedRoot?: PathGiven
  /** Take a key of the conformance kit, with which anybody can sign; only for tests. */
  readonly allowTestKey?: boolean
  /** Whether the signer may grant what a bundle proposes, or what is wide (`any`). Without it such a rule is refused. */
  readonly mayGrant?: (grant: TrustGrant) => boolean | Promise<boolean>
}

/**
 * Lets a signer count, and says what they may grant. What is there stays: a rule only grows, and comments and formatting survive.
 *
 * @example
 * const { changed } = await trustAdd('release', {
 *   key: 'release.pub',
 *   rule: { allow_caps: ['kb_read', 'time'], agents: ['mailer'] },
 * })
 *
 * @throws {@link RlpError} `NEEDS_ANSWER` for a rule to which `mayGrant` does not say yes; `USAGE`, `EXISTS` for a key of another signer, one that is
 * revoked, or a second one without `furtherKey`; `NOT_FOUND`, `NOT_VERIFIED` for a bundle that is not sound or not signed by the signer,
 * `WRONG_FILE_TYPE` for what is no key, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export async function trustAddPath(name: string, options: TrustAddOptions = {}): Promise<PolicyEdited> {
  return runVerb('trustAdd', options, (given, io) => {
    const { key, furtherKey, trustedRoot, allowTestKey, attestations, mayGrant } = given
    const bundle = given.for === undefined ? undefined : targetGiven(given.for, io, 'propose a rule for')
    const asked = {
      name,
      key,
      bundle,
      ...signerAsked(given, bundle !== undefined),
      isFurtherKey: furtherKey === true,
      allowTestKey: allowTestKey === true,
      trustedRoot: trustedRoot === undefined ? undefined : pathGiven(trustedRoot, io, 'use trustedRoot'),
      attestations: attestations === undefined ? undefined : attestationsInput(attestations, io.cwd),
    }
    const ask = async ({ why, ...planned }: GrantQuestion) => {
      if ((await mayGrant?.({ ...changesOf(planned), why })) === true) return
      throw new RlpError('NEEDS_ANSWER', `Cannot add "${name}": ${why}, and mayGrant has not agreed to it`, {
        hint: 'Look at the change, and answer true in mayGrant',
      })
    }
    return edited(given, io, editing => addSigner(asked, editing, anchorsGiven(given, io), ask))
  })
}
