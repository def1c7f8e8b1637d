// Revokes keys, identities and bundles in a trust policy. What is meant may be named, be a bundle, or be all bundles that the audit log has
// of a signer, whatever signed them afterwards. A revocation that names no anchor looks like any other, and revokes no signer.

import { referenceText } from '../agent/agent-name.ts'
import { standingAt } from '../io/bundle/read-bundle.ts'
import type { Target } from '../io/find/search-folders.ts'
import { namedPath } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { boundedLines } from '../io/read/bounded.ts'
import { entryAt } from '../io/read/entry.ts'
import { chunksAt } from '../io/read/read-file.ts'
import { realPath } from '../io/read/real-path.ts'
import { accessFrom, type Setting } from '../io/setting.ts'
import { throwIfCancelled } from '../io/wait/breathe.ts'
import { parseJson } from '../json/parse.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { type Anchor, IDENTITY_MEMBERS, type Identity } from '../model/anchor.ts'
import type { Document } from '../model/document.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { isTable, own } from '../model/own.ts'
import { isOciReference } from '../oci/scheme.ts'
import type { AnchorOf } from '../sign/keys.ts'
import { isMeantAsAnchor } from '../signature/kinds/index.ts'
import { quoted } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { type IdentityName, identityProblems, identityRows } from '../trust-policy/identity-members.ts'
import {
  identityString,
  isMeantAsIdentity,
  namesIdentity,
  readIdentityString,
} from '../trust-policy/identity-string.ts'
import { isDay, revokedName } from '../trust-policy/revoked.ts'
import { readCandidate } from '../verify/examine.ts'
import { bundleIdentity } from '../version/reference.ts'
import { anchorsInDocument, signersOfAnchor } from './edit.ts'
import { carryOutEdit, type EditedPolicy, type Editing, openPolicy } from './edit-policy.ts'

interface Revoking {
  /** As a person names it. */
  readonly what: string
  readonly reason: string | undefined
  /** A day. */
  readonly since: string | undefined
  /** The signer's new key, as a person names it. */
  readonly replacedBy: string | undefined
  /** An audit log: each bundle that it has as accepted with a signature of the signer is revoked, and not the signer. */
  readonly fromAudit: Target | undefined
}

/** @throws RlpError USAGE; NOT_FOUND where nothing was accepted with a signature of the signer; as reading does */
export async function revoke(request: Revoking, editing: Editing, anchorOf: AnchorOf): Promise<EditedPolicy> {
  const { reason, since, replacedBy, fromAudit } = request
  if (since !== undefined && !isDay(since)) {
    throw new UsageError(`Cannot revoke since "${since}": it is not a day`, {
      field: 'since',
      hint: 'Write for example 2026-11-01',
    })
  }
  const policy = await openPolicy(editing)
  const named = await revokedMeant(request.what, policy.document, anchorOf, editing.io)
  const found = fromAudit === undefined ? undefined : await broughtIn(named, fromAudit, request, editing)
  const what = found?.bundles.map(({ identity }) => identity) ?? named
  const isBundle = what.some(one => one.startsWith('blake3:'))
  if (isBundle && replacedBy !== undefined)
    throw new UsageError('Cannot say by what a bundle is replaced: only keys are replaced', {
      field: 'replacedBy',
      hint: 'Leave `replacedBy` out',
    })
  const next = replacedBy === undefined ? undefined : await anchorOf(replacedBy)
  const change = { do: 'revoke', what, reason, since, replacedBy: next } as const
  const unnamed = namesNoAnchor(what, anchorsInDocument(policy.document))
  const said = found?.bundles.map(({ agent, identity }) => `${agent}, ${identity}`) ?? unnamed
  return carryOutEdit(policy, { change, said: [said ?? []].flat() })
}

/** What a signer had brought in, by an audit log. */
async function broughtIn(
  signers: readonly string[],
  log: Target,
  { what, since }: Revoking,
  { io, tell }: Editing,
): Promise<Audited> {
  if (signers.some(one => one.startsWith('blake3:')))
    throw new UsageError(`Cannot revoke what "${what}" had brought in: it is no signer`, {
      field: 'what',
      hint: 'Name a signer of the policy, a key or an identity',
    })
  if (since !== undefined)
    throw new UsageError(`Cannot revoke what "${what}" had brought in since a day: that is about a key`, {
      field: 'since',
      hint: 'Revoke the key by itself, with `since`',
    })
  const found = await auditedBundles(log, signers, io.signal)
  const { bundles, unread } = found
  if (unread > 0) tell?.(`${plural(unread, 'line')} of ${log.label} could not be read, and may be about more`)
  if (bundles.length > 0) return found
  throw new RlpError(
    'NOT_FOUND',
    `Cannot revoke from "${log.label}": no bundle was accepted with a signature of ${what}`,
    {
      hint: 'Name the log of the host where they were accepted; rotated logs are files of their own',
    },
  )
}

/** Anchor strings, that of an identity or its beginning, or the digest of one bundle. */
async function revokedMeant(
  what: string,
  document: Document,
  anchorOf: AnchorOf,
  io: Setting,
): Promise<readonly string[]> {
  if (isMeantAsIdentity(what)) {
    refuseSkipped(what, anchorsInDocument(document))
    return [what]
  }
  if (what.startsWith('blake3:') || isMeantAsAnchor(what)) {
    const name = revokedName(what)
    if (name !== undefined) return [name]
    throw new UsageError(`Cannot revoke "${what}": it is neither a key nor the digest of a manifest`, {
      hint: 'Write ed25519: and base64, or blake3: and 64 hex digits',
    })
  }
  const signers = signersOfAnchor(document, what)
  if (signers !== undefined) return signers
  if (isOciReference(what)) return [bundleIdentity(await manifestDigest(absolute(what, io.cwd), what, io))]
  const path = await realPath(namedPath(what, io.cwd))
  const entry = entryAt(path)
  const standing = entry?.isDirectory() ? 'folder' : await standingAt(path)
  if (standing === 'folder' || standing === 'signed-bundle' || standing === 'unsigned-bundle')
    return [bundleIdentity(await manifestDigest(path, what, io))]
  return [await anchorOf(what)]
}

async function manifestDigest(path: string, label: string, io: Setting): Promise<string> {
  const reading = { signal: io.signal, label, access: accessFrom(io) }
  const { candidate } = await readCandidate(path, reading, 'parsed')
  const { files, refusal } = candidate
  if (isOciReference(path) && refusal?.error !== undefined) throw refusal.error
  const digest = files.get(MANIFEST_FILE)?.digest
  if (refusal === undefined && digest !== undefined) return digest
  throw new RlpError(
    'WRONG_FILE_TYPE',
    `Cannot revoke "${label}": ${refusal?.message ?? 'it has no manifest.toml'}`,
    {
      hint: 'It is no bundle that verifies, so it needs no revocation',
    },
  )
}

/** The members of an identity as rows of name and text, its issuer first, in the order of its string. */
type Rows = readonly (readonly [name: IdentityName, text: string])[]

/**
 * Checks that a text names identities as `[revoked]` compares them: by their first members.
 * @throws UsageError if it skips a member of an identity of the policy, or if no identity can begin so
 */
function refuseSkipped(what: string, anchors: readonly Anchor[]): void {
  const typed = readIdentityString(what)
  const refuse = (state: string, hint: string) =>
    new UsageError(`Cannot revoke ${quoted(what, 200)}: ${state}`, { field: 'what', hint })
  if (typed === undefined)
    throw refuse(
      'it is no identity in the spelling in which identities are compared',
      'Copy it from rlp trust list, in quotes; a beginning of it ends after a whole member',
    )
  const rows = identityRows(typed)
  const named = identitiesOf(anchors)
  // Two identities may differ in a member that only one has. The whole string of the other one is meant as that.
  if (named.some(({ identity }) => identityString(identity) === what)) return
  for (const { name, identity } of named) {
    const beginning = identityRows(identity).slice(0, 1 + lastPlace(identity, rows))
    const skipped = beginning.filter(([member]) => !rows.some(([one]) => one === member))
    if (skipped.length === 0 || !rows.every(row => hasRow(identity, row))) continue
    const whole = identityString(Object.fromEntries(beginning) as unknown as Identity)
    throw refuse(
      `it skips ${skipped.map(([member]) => member).join(', ')}, which ${name} has`,
      `Name its members without a gap: rlp trust revoke '${whole}'`,
    )
  }
  const problem = problemOfBeginning(typed)
  if (problem !== undefined)
    throw refuse(
      `no identity begins so: ${problem}`,
      'Copy the identity from rlp trust list, in quotes; a beginning of it ends after a whole member',
    )
}

/** A sentence for a revocation that names no anchor: the first thing that none of them has. Undefined if it names one. */
function namesNoAnchor(what: readonly string[], anchors: readonly Anchor[]): string | undefined {
  const none = 'It names no anchor of this policy: no'
  for (const one of what) {
    if (one.startsWith('blake3:')) continue
    if (!isMeantAsIdentity(one)) {
      if (!anchors.some(({ keys }) => keys.includes(one))) return `${none} anchor has this key`
      continue
    }
    let left = identitiesOf(anchors).map(({ identity }) => identityRows(identity))
    for (const [place, [name, text]] of identityRows(readIdentityString(one)).entries()) {
      const next = left.filter(rows => rows[place]?.[0] === name && rows[place]?.[1] === text)
      if (next.length === 0)
        return `${none} identity here${place > 1 ? ' that begins so' : ''} has ${name} = ${quoted(text, 200)}`
      left = next
    }
  }
  return undefined
}

function identitiesOf(anchors: readonly Anchor[]) {
  return anchors.flatMap(({ name, identity }) => (identity === undefined ? [] : [{ name, identity }]))
}

/** What keeps every identity from beginning so; undefined if one can, with more members after these. */
function problemOfBeginning(beginning: Identity): string | undefined {
  const said = IDENTITY_MEMBERS.filter(member => beginning[member] !== undefined)
  const last = IDENTITY_MEMBERS.findLastIndex(member => beginning[member] !== undefined)
  const more = said[0] !== 'repository_id' ? [] : IDENTITY_MEMBERS.slice(last + 1).filter(isOfPipeline)
  const rest = Object.fromEntries(more.map(member => [member, 'any']))
  return identityProblems(['issuer', ...said, ...more], { ...beginning, ...rest })[0]?.message
}

function isOfPipeline(member: IdentityName): boolean {
  return member !== 'email' && member !== 'subject'
}

function hasRow(identity: Identity, [name, text]: Rows[number]): boolean {
  return identity[name] === text
}

/** Where in an identity the last of these members is. */
function lastPlace(identity: Identity, rows: Rows): number {
  return identityRows(identity).findIndex(([name]) => name === rows.at(-1)?.[0])
}

interface AuditedBundle {
  /** `blake3:…` of its manifest. */
  readonly identity: string
  /** As the manifest states it: `mailer 0.1.0`. */
  readonly agent: string
  /** In how many lines it was accepted. */
  readonly times: number
}

interface Audited {
  /** By agent, version and identity. */
  readonly bundles: readonly AuditedBundle[]
  /** Lines that are no decisions of rlp: torn ones, and those of other programs. */
  readonly unread: number
}

const LINE_BYTES = 1024 * 1024

/**
 * @param signers anchor strings, and identities or their beginnings by whole members
 * @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE as reading does; CANCELLED
 */
async function auditedBundles(
  { path, label }: Target,
  signers: readonly string[],
  signal: AbortSignal,
): Promise<Audited> {
  const exact = new Set(signers)
  const beginnings = signers.filter(isMeantAsIdentity)
  const isAsked = (one: unknown) =>
    typeof one === 'string' && (exact.has(one) || beginnings.some(name => namesIdentity(name, one)))
  const found = new Map<string, AuditedBundle>()
  let unread = 0
  for await (const { bytes } of boundedLines(chunksAt(path, { follow: true, label }), LINE_BYTES)) {
    throwIfCancelled(signal, `reading "${label}"`)
    const line = bytes === undefined ? undefined : decisionIn(bytes)
    if (line === undefined) unread++
    if (line === undefined || !line.isAccepted || !line.signers.some(isAsked)) continue
    const { identity, agent } = line
    if (identity === undefined) continue
    found.set(identity, { identity, agent, times: 1 + (found.get(identity)?.times ?? 0) })
  }
  const order = ({ agent, identity }: AuditedBundle) => `${agent} ${identity}`
  return { bundles: [...found.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1)), unread }
}

interface Decision {
  readonly isAccepted: boolean
  readonly signers: readonly unknown[]
  readonly identity: string | undefined
  readonly agent: string
}

/** Undefined for what is no decision of rlp. */
function decisionIn(bytes: Uint8Array): Decision | undefined {
  const parsed = parseJson('', bytes)
  const line = parsed.ok ? parsed.document.value : undefined
  if (!isTable(line) || own(line, 'program') !== 'rlp') return undefined
  const [accepted, signers, identity, agent] = ['accepted', 'signers', 'identity', 'agent'].map(name =>
    own(line, name),
  )
  if (typeof accepted !== 'boolean' || !Array.isArray(signers)) return undefined
  return {
    isAccepted: accepted,
    signers,
    identity: typeof identity === 'string' && IDENTITY.test(identity) ? identity : undefined,
    agent: agentIn(agent),
  }
}

/** A decision about what could not be read names no agent. */
function agentIn(agent: unknown): string {
  const [name, version, variant] = isTable(agent)
    ? ['name', 'version', 'variant'].map(one => own(agent, one))
    : []
  if (typeof name !== 'string' || typeof version !== 'string') return 'an agent that the log does not name'
  return `${referenceText({ name, variant: typeof variant === 'string' ? variant : undefined })} ${version}`
}

const IDENTITY = /^blake3:[0-9a-f]{64}$/
