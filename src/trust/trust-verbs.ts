// What the library offers of editing a trust policy, but for adding a signer.
import type { PathGiven } from '../io/library/caller.ts'
import { pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { anchorsGiven, type KeyGiven } from '../sign/sign-bundle.ts'
import { changedPolicy, edited, type PolicyEditOptions } from './edit-given.ts'
import type { PolicyEdited } from './edited-policy.ts'
import { floorChange } from './edits/floor.ts'
import { groupChange } from './edits/group.ts'
import { requireChange } from './edits/require.ts'
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
  return runVerb('trustRemove', options, (given, io) => changedPolicy(given, io, { do: 'remove', name }))
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
    const asked = { what, reason, since, replacedBy, fromAudit }
    return edited(given, io, editing => revoke(asked, editing, anchorsGiven(given, io)))
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
    return changedPolicy(given, io, groupChange(name, of, atLeast))
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
  return runVerb('trustRequire', options, (given, io) => changedPolicy(given, io, requireChange(given)))
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
  return runVerb('trustFloor', options, (given, io) => changedPolicy(given, io, floorChange(agents, version)))
}
