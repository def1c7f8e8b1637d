// Finds out who is to count: a key that a person names, an identity that is given or proven, or a signer who is there. Only an identity
// that is proven is proposed, because anybody can put a certificate beside a bundle.
import { standingAt } from '../io/bundle/read-bundle.ts'
import { namedPath } from '../io/home.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { parseJson } from '../json/parse.ts'
import type { Identity } from '../model/anchor.ts'
import type { KeylessFound } from '../model/attestation.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { CertificateFacts, KeylessFinding, TrustedRoot } from '../model/keyless.ts'
import { KEYLESS_LIMITS } from '../model/limits.ts'
import { own, ownMembers } from '../model/own.ts'
import type { IdentityTable, RuleTable } from '../model/trust-table.ts'
import { isOciReference } from '../oci/scheme.ts'
import type { AnchorOf } from '../sign/keys.ts'
import { keyPrefixes } from '../sign/signers/index.ts'
import { isMeantAsAnchor } from '../signature/kinds/index.ts'
import { printable, quoted } from '../text/printable.ts'
import { type Table, TableReader } from '../toml/closed-table.ts'
import type { AnchorRequest } from '../trust-policy/anchor-fields/field.ts'
import { ANCHOR_FIELDS } from '../trust-policy/anchor-fields/index.ts'
import { compareIdentity, fitsIdentity, proposedIdentity } from '../trust-policy/identity-fits.ts'
import {
  IDENTITY_NAMES,
  type IdentityTexts,
  identityProblems,
  identityRows,
} from '../trust-policy/identity-members.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import { RULE_FIELDS, type RuleRequest } from '../trust-policy/rule-fields/index.ts'
import { jsonOf } from '../verb/kinds/json.ts'
import { type Proposal, sayUnsigned } from './bundle-request.ts'
import { anchorInDocument, rootInDocument } from './edit.ts'
import type { OpenPolicy } from './edit-policy.ts'
import { NAME_A_ROOT } from './edits/add.ts'
import type { Foreseeing } from './effect.ts'
import { isTestKey } from './kit-keys.ts'
import { type RootFile, readRootFile, rootInUse } from './sigstore-root.ts'

/** Who is to count, as a person says it. */
export interface SignerRequest {
  readonly name: string
  /** As a person names it. */
  readonly key: string | undefined
  /** What is said of an identity; a part of one is enough where a bundle is named. */
  readonly texts: IdentityTexts
  /** All of an identity; undefined where a bundle is named. */
  readonly identity: Identity | undefined
  /** The file of the authorities. */
  readonly trustedRoot: string | undefined
  readonly allowTestKey: boolean
}

interface Signer {
  readonly key?: string | undefined
  readonly identity?: Identity | undefined
  /** A file that was named. */
  readonly root?: RootFile | undefined
  /** Sentences about it, beside the diff. */
  readonly said: readonly string[]
  /** By a bundle, and not typed. */
  readonly isProposed: boolean
}

/** @param requests what bundles ask for, each of which has to be signed by the signer */
export async function signerOf(
  asked: SignerRequest,
  policy: OpenPolicy,
  requests: readonly Proposal[],
  anchorOf: AnchorOf,
): Promise<Signer> {
  const { name, key: which, texts, identity, trustedRoot } = asked
  const { document, file, editing } = policy
  const isTyped = Object.keys(texts).length > 0
  const there = anchorInDocument(document, name)
  if (which !== undefined && isTyped)
    throw new UsageError(`Cannot add "${name}" with a key and an identity: a signer has one of them`, {
      field: 'key',
      hint: 'Leave out the key, or the identity',
    })
  const isIdentity = isTyped || there?.identity !== undefined || (which === undefined && there === undefined)
  if (trustedRoot !== undefined && !(isIdentity && (isTyped || there !== undefined || requests.length > 0)))
    throw new UsageError('Cannot use a trusted root: it is for an identity, and none is added', {
      field: 'trustedRoot',
      hint: 'Name the identity, beginning with `issuer`, or name a bundle that it has signed with `for`',
    })
  const named = rootInDocument(document)
  const root =
    trustedRoot === undefined ? undefined : await readRootFile(trustedRoot, file, named, editing.io)
  const about = { said: [], isProposed: false, root }
  const [request, ...more] = requests
  if (request === undefined || !isIdentity) {
    const key = which === undefined ? undefined : await keyFor(which, asked, editing.io, anchorOf)
    const keys = [...(key === undefined ? [] : [key]), ...(there?.keys ?? [])]
    if (keys.length > 0) for (const one of requests) sayUnsigned(one, { name, keys }, editing)
    return { ...about, key, identity }
  }
  const proposed = await identityFor(request, root, asked, policy)
  const signed = proposed.identity ?? there?.identity
  for (const { bundle } of more) {
    if (signed === undefined) break
    const by = root ?? (await rootThere(name, bundle.candidate.label, policy))
    assertSignedBy(signed, await proofsOf(bundle, by, signed, editing.io.signal), name)
  }
  return { ...about, ...proposed }
}

/** Where the bundle that a grant is for has to be signed by an identity. */
async function identityFor(
  { bundle }: Proposal,
  given: RootFile | undefined,
  { name, texts }: SignerRequest,
  policy: OpenPolicy,
): Promise<Partial<Signer>> {
  const there = anchorInDocument(policy.document, name)
  const isTyped = Object.keys(texts).length > 0
  // Without any it is a signer whose key was forgotten.
  if (!isTyped && there === undefined && keylessWith(bundle) === undefined) return {}
  const root = given ?? (await rootThere(name, bundle.candidate.label, policy))
  const proofs = await proofsOf(bundle, root, there?.identity ?? texts, policy.editing.io.signal)
  if (there?.identity !== undefined && !isTyped) {
    assertSignedBy(there.identity, proofs, name)
    return {}
  }
  const { identity, said } = proposalFrom(proofs, texts, name)
  return { identity, said, isProposed: true }
}

async function rootThere(name: string, label: string, { document, file }: OpenPolicy): Promise<TrustedRoot> {
  const named = rootInDocument(document)
  if (named !== undefined) return rootInUse(named, file)
  throw new RlpError(
    'NOT_FOUND',
    `Cannot propose an identity for "${name}": ${file.label} names no trusted root, by which the keyless signatures of "${label}" could be proven`,
    { hint: NAME_A_ROOT },
  )
}

async function keyFor(
  which: string,
  { allowTestKey }: SignerRequest,
  io: Setting,
  anchorOf: AnchorOf,
): Promise<string> {
  const isNamed = isMeantAsAnchor(which) || keyPrefixes().some(prefix => which.startsWith(prefix))
  const isBundle =
    !isNamed &&
    (isOciReference(which) || /^(?:un)?signed-bundle$/.test(await standingAt(namedPath(which, io.cwd))))
  if (isBundle) {
    throw new RlpError('WRONG_FILE_TYPE', `Cannot take a key from "${which}": it is a bundle`, {
      hint: 'Anybody can sign a bundle. Ask the signer for the key, and use `for` to propose the rule that this bundle needs',
    })
  }
  const key = await anchorOf(which)
  if (!isTestKey(key) || allowTestKey) return key
  throw new UsageError(
    `Cannot trust ${key}: it is a test key of the conformance kit, and anybody can sign with it`,
    {
      field: 'key',
      hint: 'Ask the signer for their own key. In a test of a reader, add `allowTestKey`',
    },
  )
}

/** As the library has it. Types are gone at run time. */
interface SignerGiven {
  readonly rule?: RuleTable
  readonly identity?: Partial<IdentityTable>
  readonly use?: unknown
  readonly until?: unknown
  readonly dev?: unknown
}

/**
 * @param isOpen a part of an identity is enough
 * @throws UsageError
 */
export function signerRequest(given: SignerGiven, isOpen: boolean) {
  const { rule, identity, use, until, dev } = given
  const said = parseJson(
    '',
    new TextEncoder().encode(jsonOf({ rule, identity, use, until, dev }, 'the signer')),
  )
  if (!said.ok) throw new UsageError(`Cannot add a signer: ${said.problem.message}`)
  const reader = new TableReader(said.document)
  const table = ownMembers(said.document.value as Table)
  const texts = readIdentityTexts(reader, table, isOpen)
  const asked = {
    texts,
    identity: !isOpen && texts.issuer !== undefined ? { ...texts, issuer: texts.issuer } : undefined,
    rule: readRequest(reader, table),
    anchor: readAnchor(reader, table),
  }
  const [problem] = reader.problems
  if (problem === undefined) return asked
  const [field = '', ...place] = problem.pointer.map(String)
  const where = place.length === 0 ? '' : ` (${place.join('.')})`
  throw new UsageError(`Cannot use ${field}${where}: ${problem.message}`, { field })
}

function readIdentityTexts(reader: TableReader, said: Table, isOpen: boolean): IdentityTexts {
  const table = reader.table(said['identity'], ['identity'])
  reader.closed(table, IDENTITY_NAMES, ['identity'])
  const names = IDENTITY_NAMES.filter(name => own(table, name) !== undefined)
  const texts: IdentityTexts = Object.fromEntries(
    names.flatMap(name => {
      const text = reader.text(own(table, name), ['identity', name])
      return text === undefined ? [] : [[name, text]]
    }),
  )
  if (!isOpen && names.length > 0)
    for (const { name, message } of identityProblems(names, texts))
      reader.wrong(name === undefined ? ['identity'] : ['identity', name], message)
  return texts
}

/** Only what is said: what is left out asks for nothing. */
function readRequest(reader: TableReader, said: Table): RuleRequest | undefined {
  if (said['rule'] === undefined) return undefined
  const table = reader.table(said['rule'], ['rule'])
  const fields = Object.entries(RULE_FIELDS)
  reader.closed(
    table,
    fields.map(([, { key }]) => key),
    ['rule'],
  )
  const request = fields.flatMap(([name, { key, read }]) => {
    const value = own(table, key)
    return value === undefined ? [] : [[name, read(reader, value, ['rule', key])]]
  })
  return request.length === 0 ? undefined : (Object.fromEntries(request) as RuleRequest)
}

function readAnchor(
  reader: TableReader,
  { use, until, dev }: Table,
): Omit<AnchorRequest, 'key' | 'identity' | 'isFurtherKey'> {
  const end = reader.second(until, ['until'])
  return {
    ...(use !== undefined && { use: ANCHOR_FIELDS.use.read(reader, { use }, []) }),
    ...(end !== undefined && { until: end }),
    ...(reader.flag(dev, ['dev']) && { allowDev: true }),
  }
}

interface IdentityProposal {
  readonly identity: Identity
  /** What a person has to know beside the members: sentences. */
  readonly said: readonly string[]
}

/**
 * The one identity that is proven, of those that fit what was typed; or what was typed, if that is all of an identity.
 * @throws RlpError NOT_VERIFIED if nothing is proven, NEEDS_ANSWER if there are several
 */
export function proposalFrom(proofs: Proofs, typed: IdentityTexts, name: string): IdentityProposal {
  const refuse = (state: string, hint: string, code: 'NOT_VERIFIED' | 'NEEDS_ANSWER' = 'NOT_VERIFIED') =>
    new RlpError(code, `Cannot propose an identity for "${name}": ${state}`, { hint })
  const { label, list } = proofs
  const proven = list.filter(one => isProven(one, proofs))
  if (proven.length === 0) throw refuse(...noneProven(proofs))
  const proposals = proven.map(one => ({ one, is: proposedIdentity(one.facts) }))
  const wanted = new Map(
    proposals.flatMap(({ one, is }) =>
      'identity' in is && hasAll(is.identity, typed) ? [[identityString(is.identity), { one, ...is }]] : [],
    ),
  )
  const [first, ...others] = wanted.values()
  if (first !== undefined && others.length === 0)
    return { identity: first.identity, said: saidOf(first.one, first.identity, proofs) }
  const byHand = wholeIdentity(typed)
  const fitting = byHand && proven.find(({ facts }) => fitsIdentity(byHand, facts))
  if (byHand !== undefined && fitting !== undefined)
    return { identity: byHand, said: saidOf(fitting, byHand, proofs) }
  if (first !== undefined) {
    const all = [...wanted.values()].map(({ identity }) => inWords(identity)).slice(0, MOST_LISTED)
    throw refuse(
      `${wanted.size} identities have signed "${label}": ${all.join('; ')}`,
      'Choose one by its members: `issuer` and `repository_id`, and `workflow` or `ref`; or `email`, or `subject`',
      'NEEDS_ANSWER',
    )
  }
  const [why] = proposals.flatMap(({ is }) => ('problem' in is ? is.problem : []))
  if (why !== undefined) throw refuse(`${why}, in the one that is proven of "${label}"`, BY_HAND)
  const all = proposals.flatMap(({ is }) => ('identity' in is ? inWords(is.identity) : []))
  throw refuse(
    `no proven signature of "${label}" is by what was typed; proven: ${all.slice(0, MOST_LISTED).join('; ')}`,
    'Correct the options, or leave them out',
  )
}

const MOST_LISTED = 8
const BY_HAND =
  'Ask the signer how the bundle was signed, and write the identity by hand, beginning with `issuer`'

/** @throws RlpError NOT_VERIFIED unless a proven signature is by this identity */
export function assertSignedBy(identity: Identity, proofs: Proofs, name: string): void {
  const proven = proofs.list.filter(one => isProven(one, proofs))
  if (proven.some(({ facts }) => fitsIdentity(identity, facts))) return
  const refuse = (state: string, hint: string) =>
    new RlpError('NOT_VERIFIED', `Cannot let "${name}" grant what "${proofs.label}" asks: ${state}`, { hint })
  const [nearest] = proven
  if (nearest === undefined) throw refuse(...noneProven(proofs))
  const other = compareIdentity(identity, nearest.facts).find(({ fits }) => !fits)
  const found = other?.found === undefined ? 'nothing' : quoted(other.found, 200)
  throw refuse(
    `it is not signed by the identity of ${name}; the ${other?.member} of its signature is ${found}`,
    'Name the signer by whom it is signed; rlp trust explain shows each member',
  )
}

function hasAll(identity: Identity, typed: IdentityTexts): boolean {
  return identityRows({ issuer: identity.issuer, ...typed }).every(([name, text]) => identity[name] === text)
}

/** Undefined if something is missing. */
function wholeIdentity({ issuer, ...members }: IdentityTexts): Identity | undefined {
  if (issuer === undefined) return undefined
  const identity = { issuer, ...members }
  const names = identityRows(identity).map(([name]) => name)
  return identityProblems(names, identity).length === 0 ? identity : undefined
}

function inWords(identity: Identity): string {
  return identityRows(identity)
    .map(([name, text]) => `${name} ${printable(text, 200)}`)
    .join(', ')
}

function saidOf({ where, facts, proven }: KeylessFinding, identity: Identity, { root }: Proofs): string[] {
  const is = proven.get(root.blake3)
  const at = is !== undefined && 'proof' in is ? `${where} is proven: signed at ${is.proof.time}` : where
  if (identity.repository_id === undefined)
    return [at, 'Anybody can sign. Compare it with what the signer gave you']
  return [
    at,
    `${printable(facts.source ?? '', 200)} is what its repository is called today. Names are for display only: ids count`,
    'Anybody can sign. Compare the ids with those that the signer gave you',
    ...(identity.ref?.endsWith('*') ? [`ref ${identity.ref} lets every later tag count that begins so`] : []),
  ]
}

/** Keyless signatures of one bundle, proven or not. */
interface Proofs {
  /** The name of the bundle. */
  readonly label: string
  readonly root: TrustedRoot
  readonly list: readonly KeylessFinding[]
  /** Why there may be more. */
  readonly problem?: string | undefined
}

/** What came with it: in the file of attestations, or attached where it is stored. */
function keylessWith({ candidate, attested }: Foreseeing): KeylessFound | undefined {
  return (attested ?? candidate.added?.attestations)?.keyless
}

/** Empty where none came. @param typed only these are asked for, so that strangers cannot crowd the right one out */
export async function proofsOf(
  bundle: Foreseeing,
  root: TrustedRoot,
  typed: Pick<IdentityTexts, 'issuer' | 'repository_id' | 'email' | 'subject'>,
  signal: AbortSignal | undefined,
): Promise<Proofs> {
  const { candidate } = bundle
  const { label } = candidate
  const found = keylessWith(bundle)
  if (found === undefined) return { label, root, list: [] }
  const { proveSigners, readKeyless } = await import('./keyless/prove-keyless.ts')
  const prover = await import('../sigstore/prove.ts')
  const authorities = prover.authoritiesOf(root)
  if (authorities === undefined) throw new TypeError('a root that was read names authorities')
  const isAsked = (facts: CertificateFacts) => {
    const is = { ...facts, subject: facts.uri }
    return (['issuer', 'repository_id', 'email', 'subject'] as const).every(
      name => typed[name] === undefined || is[name] === typed[name],
    )
  }
  const turn = turnsOf(`reading the keyless signatures of "${label}"`, signal)
  const by = { blake3: root.blake3, authorities }
  const list = await proveSigners(readKeyless(found, candidate), by, prover, isAsked, turn)
  return { label, root, list, problem: found.problem?.message }
}

function isProven({ proven }: KeylessFinding, { root }: Proofs): boolean {
  const is = proven.get(root.blake3)
  return is !== undefined && 'proof' in is
}

/** For a refusal. */
function noneProven({ label, list, root, problem }: Proofs): readonly [state: string, hint: string] {
  const [first] = list
  if (first === undefined)
    return [
      `no keyless signature of "${label}" came with it that fits`,
      'Take the file of attestations along, or name it with `attestations`; or name the key of the signer',
    ]
  const is = first.proven.get(root.blake3)
  const why = is !== undefined && 'problem' in is ? is.problem : (first.problem ?? 'not verified')
  const which =
    list.length === 1
      ? `the keyless signature of "${label}" is not proven`
      : `none of the ${list.length} keyless signatures of "${label}" is proven`
  const more =
    list.length > KEYLESS_LIMITS.verified ? `, and at most ${KEYLESS_LIMITS.verified} are verified` : ''
  const unread = problem === undefined ? '' : `; not all were read: ${problem}`
  return [
    `${which}${more} (${first.where}: ${printable(why.replace(/^not proven: /, ''), 200)})${unread}`,
    'Name the trusted root of the authorities that the signer uses; and narrow the choice with `issuer` and `repository_id`',
  ]
}
