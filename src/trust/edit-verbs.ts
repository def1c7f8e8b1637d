// Offers the edits of a trust policy as functions of the library, one for each command that edits one.
import {
  type CallerOptions,
  homeGiven,
  type PathGiven,
  pathGiven,
  targetGiven,
} from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { accessWith, type Setting } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import { anchorsFrom, type KeyGiven } from '../sign/sign-bundle.ts'
import { type AttestationsInput, attestationsInput } from '../verify/input.ts'
import { addSigner, type GrantQuestion } from './add-signer.ts'
import {
  carryOutJob,
  changePolicy,
  changesOf,
  type EditJob,
  type PolicyChanges,
  type PolicyEdited,
} from './edit-policy.ts'
import { floorChange } from './edits/floor.ts'
import { groupChange } from './edits/group.ts'
import type { TrustChange } from './edits/index.ts'
import { requireChange } from './edits/require.ts'
import { type SignerGiven, signerRequest } from './new-signer.ts'
import { revoke } from './revoke.ts'

export interface TrustRevokeOptions extends PolicyEditOptions, Pick<Partial<KeyGiven>, 'passphrase'> {
  /** Why; reports repeat it. */
  readonly reason?: string
  /** When the key was lost, for the record: `YYYY-MM-DD`. Signatures from before do not count either. */
  readonly since?: string
  /** The signer's new key, for the record. */
  readonly replacedBy?: string
  /** Revoke each bundle that this audit log has as accepted with a signature of the signer, and not the signer. */
  readonly fromAudit?: PathGiven
}

export interface TrustGroupOptions extends PolicyEditOptions {
  /** Signers of the policy; more of them if the group is there. */
  readonly of: readonly string[]
  /** How many different ones have to count. */
  readonly atLeast: number
}

export interface TrustRequireOptions extends PolicyEditOptions {
  /** Of these agents, by name or as `acme_*`; of every one where this is left out. */
  readonly agents?: readonly string[]
  /** Signers and groups, all of them. */
  readonly signers?: readonly string[]
  /** How many different signers. */
  readonly signatures?: number
  /** The signature ends within so many days. */
  readonly expiresWithinDays?: number
}

/**
 * Stops trusting a signer, and deletes their rule. For a lost or stolen key there is {@link trustRevokePath}, which is remembered.
 *
 * @example
 * const { removed } = await trustRemove('dev', { policy: 'deploy/trust-policy.toml' })
 * console.log(removed)
 *
 * @throws {@link RlpError} `NOT_FOUND` for a signer that there is not, `NOT_EDITABLE` where a group or a requirement names it, or for a policy that
 * is malformed, `NO_PERMISSION`, `CANCELLED`
 */
export async function trustRemovePath(name: string, options: PolicyEditOptions = {}): Promise<PolicyEdited> {
  return runVerb('trustRemove', options, (given, io) => runChangeVerb(given, io, { do: 'remove', name }))
}

/**
 * Lets a key, an identity or a bundle never count again.
 *
 * @param what a key as `key` of {@link sign} names one, the name of a signer (all keys), an identity or its beginning by whole members, `blake3:…` of
 * a manifest, or the path or reference of a bundle
 *
 * @example
 * await trustRevoke('release', { reason: 'laptop lost', since: '2026-11-01' })
 *
 * @throws {@link RlpError} `USAGE`, `NOT_FOUND`, `WRONG_FILE_TYPE` for what is neither a key nor a bundle, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export async function trustRevokePath(what: string, options: TrustRevokeOptions = {}): Promise<PolicyEdited> {
  return runVerb('trustRevoke', options, (given, io) => {
    const { reason, since, replacedBy } = given
    const log = given.fromAudit === undefined ? undefined : pathGiven(given.fromAudit, io, 'use fromAudit')
    const fromAudit = log === undefined ? undefined : { path: log, label: String(given.fromAudit) }
    const request = { what, reason, since, replacedBy, fromAudit }
    return runEditVerb(given, io, editing => revoke(request, editing, anchorsFrom(given, io)))
  })
}

/**
 * Makes a group, which counts when enough of its signers do. One that is there gets more signers.
 *
 * @example
 * await trustGroup('people', { of: ['ada', 'alan', 'grace'], atLeast: 2 })
 *
 * @throws {@link RlpError} `USAGE`, `EXISTS` for the name of a signer, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export async function trustGroupPath(name: string, options: TrustGroupOptions): Promise<PolicyEdited> {
  return runVerb('trustGroup', options, (given, io) => {
    const { of, atLeast } = given
    return runChangeVerb(given, io, groupChange(name, of, atLeast))
  })
}

/**
 * Demands signers, or an end that is near, of some agents or of all.
 *
 * @example
 * await trustRequire({ agents: ['acme_*'], signers: ['release'], expiresWithinDays: 90 })
 *
 * @throws {@link RlpError} `USAGE` where nothing is said that has to be there, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export async function trustRequirePath(options: TrustRequireOptions): Promise<PolicyEdited> {
  return runVerb('trustRequire', options, (given, io) => runChangeVerb(given, io, requireChange(given)))
}

/**
 * Accepts no version of an agent that is older, also where nothing is remembered.
 *
 * @param agents a name, with all its variants, `name@variant`, or `acme_*`
 *
 * @example
 * await trustFloor('courier', '1.4.0')
 *
 * @throws {@link RlpError} `USAGE` for what is no agent or no version, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export async function trustFloorPath(
  agents: string,
  version: string,
  options: PolicyEditOptions = {},
): Promise<PolicyEdited> {
  return runVerb('trustFloor', options, (given, io) => runChangeVerb(given, io, floorChange(agents, version)))
}

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
    const request = {
      name,
      key,
      bundle,
      ...signerRequest(given, bundle !== undefined),
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
    return runEditVerb(given, io, editing => addSigner(request, editing, anchorsFrom(given, io), ask))
  })
}

/** What every verb takes that edits a trust policy. */
export interface PolicyEditOptions extends CallerOptions {
  /** The policy to edit; trust-policy.toml in `home` where this is left out. */
  readonly policy?: PathGiven
  /** In place of `$RUNLOOP_HOME` or `~/.runloop`: the user's policy, keys apart, and the agents that a dry run looks at. */
  readonly home?: PathGiven
  /** Write nothing: the answer has what would change, and its effect on everything installed. */
  readonly dryRun?: boolean
}

/** Carries out a job, and answers as the library does. */
async function runEditVerb(options: PolicyEditOptions, io: Setting, job: EditJob): Promise<PolicyEdited> {
  const home = homeGiven(options, io)
  const editing = {
    home,
    policy: options.policy === undefined ? undefined : pathGiven(options.policy, io, 'edit the policy'),
    dryRun: options.dryRun === true,
    io: { ...io, registries: accessWith(io.env, home) },
  }
  return (await carryOutJob(editing, job)).answer
}

/** Makes a change that depends on nothing but the policy, and answers as the library does. */
function runChangeVerb(options: PolicyEditOptions, io: Setting, change: TrustChange): Promise<PolicyEdited> {
  return runEditVerb(options, io, editing => changePolicy(change, editing))
}
