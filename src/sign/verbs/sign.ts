// rlp agent sign: adds a signature to a sound bundle, or beside it. What signs with an identity, and what reaches registries, is loaded
// where it is asked for.
import { resolve } from 'node:path'
import { changedEach, each, type Outcome, onlyOne, printFailures, worstExit } from '../../cli/each.ts'
import { report } from '../../cli/render/report.ts'
import { SYMBOLS } from '../../cli/render/style.ts'
import { findBundles } from '../../io/find/find-bundles.ts'
import type { Target } from '../../io/find/search-folders.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { realPath } from '../../io/read/real-path.ts'
import type { Agent } from '../../model/agent.ts'
import { UsageError } from '../../model/error.ts'
import { isOciReference } from '../../oci/scheme.ts'
import type { Countersigned } from '../../registry/countersign.ts'
import { isUtcSecond } from '../../signature/envelope.ts'
import { anchorString } from '../../signature/kinds/index.ts'
import { printable, quoted } from '../../text/printable.ts'
import { secondAfter, secondsIn } from '../../text/time.ts'
import {
  type At,
  commandOf,
  defineVerb,
  givenText,
  type Input,
  needed,
  typedOnly,
  type World,
  whether,
} from '../../verb/index.ts'
import { audit } from '../../verb/kinds/audit.ts'
import { type Bundles, eachNamed, searching, targetsOf } from '../../verb/kinds/bundles.ts'
import { type LabelledFile, labelledFile } from '../../verb/kinds/paths.ts'
import { reachBy } from '../../verb/kinds/registry.ts'
import { type Demands, readToSign } from '../../verify/before-signing.ts'
import { NotVerifiedError } from '../../verify/make-report.ts'
import { judgedRefusal } from '../../verify/render.ts'
import { bundleIdentity } from '../../version/reference.ts'
import { type Approving, approvalOf, recordRefused } from '../ask-to-sign.ts'
import { BUNDLE_SIGNING, demandsOf } from '../bundle-signing-inputs.ts'
import type { SignedKeyless } from '../keyless/keyless.ts'
import { KEYLESS_OPTIONS, refuseBesideKeyless, type SigningIdentity } from '../keyless-inputs.ts'
import { type ExportedPayload, exportPayload, importedSigning } from '../outside-signer.ts'
import type { KeyPlace } from '../passphrase-inputs.ts'
import { refuseUnsignable, withoutWrapped } from '../refuse-unsignable.ts'
import { type EndOptions, refuseBothEnds, type Signing, signingWith } from '../sign.ts'
import { type SignedBundle, signBundle } from '../sign-bundle.ts'
import { keyMissing, type SigningKey, signerGiven } from '../signing-inputs.ts'

/** A bundle whose bytes to sign were written for a signer outside. */
interface ExportedOne extends ExportedPayload {
  readonly bundle: string
  /** `blake3:…` of the manifest to sign. */
  readonly identity: string
}

type SignedOne = SignedBundle | SignedKeyless | Countersigned | ExportedOne

const bundle: Input<PathGiven, Bundles> = {
  ...eachNamed(
    {
      names: 'bundle',
      describe: 'a bundle, an unpacked bundle, a folder of bundles, or a reference to a stored bundle',
    },
    'sign',
  ),
  fromGiven(given, { world }) {
    const target = targetGiven(given, world, 'sign')
    if (isOciReference(target.path))
      throw new UsageError(`Cannot sign "${target.label}": it is stored already`, {
        hint: 'countersign adds a signature beside a stored bundle',
      })
    return { found: [target] }
  },
}

interface End {
  /** A UTC second. */
  readonly at: string
  /** A duration was typed. It counts from now on, for all bundles of a call from the same moment. */
  readonly isCounted: boolean
}

function end(describe: string): Input<string, End | undefined> {
  return {
    type: 'string',
    typed: { type: 'string', placeholder: 'TIME', describe },
    fromTyped(typed: string, { field }: At) {
      if (isUtcSecond(typed)) return { at: typed, isCounted: false }
      const seconds = secondsIn(typed)
      if (seconds !== undefined) return { at: secondAfter(new Date(), seconds), isCounted: true }
      throw new UsageError(`Cannot sign until ${quoted(typed)}: it is neither a duration nor a UTC second`, {
        field,
        hint: 'Write for example 90d, or 2027-11-20T00:00:00Z',
      })
    },
    fromGiven: (given, at) => ({ at: givenText(given, at), isCounted: false }),
  }
}

/** How the bundles of one call are signed. */
interface SigningHow {
  readonly ends: EndOptions
  readonly demands: Demands
  readonly approving: Approving
  readonly identity: SigningIdentity | undefined
  /** Undefined with an identity, and where the bytes to sign are written. */
  readonly signing: Signing | undefined
  readonly payload: LabelledFile | undefined
}

const { yes: _, ...IDENTITY } = KEYLESS_OPTIONS

/**
 * Adds a signature to a bundle file or an unpacked bundle. A bundle that does not verify is not signed, and the new bundle is verified before it
 * takes the place of the old one. A second signature of one key replaces its first. `renew` starts a new statement with a later end, and is
 * refused for what the policies or marks of this host revoke or roll back.
 *
 * With `keyless` an identity signs, and the bundle stays as it is: the signature is one more line in `<bundle>.intoto.jsonl`.
 *
 * @example
 * const { signer } = await sign('dist/mailer-0.1.0.agent.bundle', { key: 'release' })
 * console.log(signer)
 * const { time } = await sign('dist/mailer-0.1.0.agent.bundle', { keyless: {} })
 * console.log(time)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for a bundle that is not sound or may not be renewed, `NOT_FOUND`, `NEEDS_ANSWER` when the passphrase is missing,
 * `WRONG_FILE_TYPE` for what is no key and for a bundle in gzip, `LIMIT_EXCEEDED` beyond sixteen signatures, `SIGNER` when an agent, a
 * program or a service fails, `CANCELLED`; with `keyless`, `NOT_FOUND` without a token, `NO_PERMISSION`, `UNREACHABLE`, `TIMED_OUT`. Then the
 * bundle is as it was, and nothing is written
 */
export const verb = defineVerb({
  name: 'agent sign',
  summary: 'add a signature to a bundle',
  called: 'sign',
  arguments: ['bundle'],
  answers: { key: 'SignedBundle', keyless: 'SignedKeyless' },
  inputs: {
    bundle: needed(bundle),
    ...BUNDLE_SIGNING,
    keyless: { ...BUNDLE_SIGNING.keyless, flags: IDENTITY },
    yes: typedOnly(
      whether(
        'sign without a question: with --renew, and with --keyless, which publishes identity and digest',
        {
          alias: 'y',
        },
      ),
    ),
    /** A UTC second after which the signature ends. It has to be the end of the signatures that are there, if there are any. */
    notAfter: end('when the signature ends: after so long, as 90d, or at a time, as 2027-11-20T00:00:00Z'),
    /**
     * A UTC second. Starts a new statement that ends then, and drops the signatures on the old one. If the bundle is signed with
     * an end that is at most a day earlier and at most ten minutes later, the signature is added to that statement instead.
     */
    renew: end('start again with this end, as 90d, and drop the signatures with the old end'),
    exportPayload: typedOnly(labelledFile('write the bytes to sign, for a signer outside, without signing')),
    importSignature: typedOnly(labelledFile('add a signature made outside: 64 bytes, raw or base64')),
    audit,
  },
  isLong: true,
  async run(
    { bundle, yes, notAfter, renew, exportPayload, importSignature, audit, ...asked },
    world,
  ): Promise<Outcome<SignedOne>> {
    const { key, passphrase, keyless, expect, ifTrusted } = asked
    const ends = { notAfter: notAfter?.at, renew: renew?.at, isCounted: notAfter?.isCounted }
    refuseBothEnds(ends, world)
    const demands = demandsOf(asked, ends, world)
    refuseBesideKeyless(
      { key, passphrase: passphrase.isGiven, keyless, exportPayload, importSignature, renew },
      world,
    )
    if (exportPayload !== undefined && importSignature !== undefined)
      throw new UsageError('Cannot use --export-payload with --import-signature', {
        hint: 'Export first, sign outside, then import',
      })
    if (key === undefined && keyless === undefined && exportPayload === undefined)
      throw keyMissing('sign', world)
    const found = await targetsOf(bundle, typed => findBundles(typed, searching(world)))
    const isNamed = ({ path }: Target) =>
      'found' in bundle || bundle.typed.some(one => resolve(world.cwd, one) === path)
    const { targets, left } = withoutWrapped(found, isNamed)
    if ((exportPayload ?? importSignature) !== undefined && targets.length > 1)
      throw new UsageError(`Cannot use an outside signer with ${targets.length} bundles at once`, {
        hint: 'Name one bundle',
      })
    for (const { label } of left) world.tell(`${label} was left out: what is signed is the archive inside`)
    const { done, failed } = await each(targets, refuseUnsignable)
    if (done.length === 0) return { done: [], failed }
    // Keys, tokens and files are read once for all bundles: a passphrase is asked for once, and never while a bundle is locked.
    const identity = await keyless?.(world)
    const signing =
      key === undefined || keyless !== undefined || exportPayload !== undefined
        ? undefined
        : await signingBy(key, passphrase, importSignature)
    const over = ends.renew ?? ends.notAfter
    if (over !== undefined && isUtcSecond(over) && Date.parse(over) < Date.now())
      world.tell(`${over} is over already: the bundle is expired from the start`)
    const signer = signing && anchorString(signing.key)
    const approving = { expect, ifTrusted, yes, ends, audit, signer, publish: identity?.approve }
    const how = { ends, demands, approving, identity, signing, payload: exportPayload }
    return each(targets, target => recordRefused(target.label, audit, () => signOne(target, how, world)))
  },
  answer: outcome => onlyOne(outcome) as SignedBundle | SignedKeyless,
})

async function signingBy(
  key: SigningKey,
  passphrase: KeyPlace,
  signature: LabelledFile | undefined,
): Promise<Signing> {
  // A signer of the caller's own signs itself.
  if (signature === undefined || typeof key !== 'string')
    return signingWith(await signerGiven({ key, passphrase }))
  return importedSigning({ ...passphrase, which: key }, signature)
}

async function signOne(target: Target, how: SigningHow, world: World): Promise<SignedOne> {
  const { path, label } = target
  if (isOciReference(path)) return signStored(target, how, world)
  const { identity, signing, ends } = how
  const demands = { ...how.demands, approve: await approvalOf(target, how.approving, world) }
  if (identity !== undefined) {
    const { signBundleKeyless } = await import('../keyless/keyless.ts')
    return signBundleKeyless(target, identity.keyless, ends, world, demands)
  }
  if (signing !== undefined) return signBundle(target, signing, ends, world, demands)
  const read = await readToSign({ path: await realPath(path, label), label }, world, demands)
  return exported(label, read.bundle.agent, read.identity, how, world)
}

/** A bundle in a registry gets a signature beside it. */
async function signStored(target: Target, how: SigningHow, world: World): Promise<SignedOne> {
  const { countersignByKey, refuseChanges, withStored } = await import('../../registry/countersign.ts')
  const { identity, signing, ends } = how
  refuseChanges(ends, target.label)
  const approve = await approvalOf(target, how.approving, world)
  const opening = { ...reachBy(world), ...how.demands, approve }
  if (identity !== undefined) {
    const { countersignKeyless } = await import('../../registry/countersign-keyless.ts')
    return countersignKeyless(target, identity.keyless, opening)
  }
  if (signing !== undefined) return countersignByKey(target, signing, opening)
  return withStored(target, { ...opening, writes: false }, (_, agent, identity) =>
    exported(target.label, agent, identity, how, world),
  )
}

async function exported(
  bundle: string,
  agent: Agent,
  identity: string,
  { ends, payload }: SigningHow,
  world: World,
): Promise<ExportedOne> {
  if (payload === undefined) throw new TypeError('there is a key, an identity, or a file for the bytes')
  return { bundle, identity: bundleIdentity(identity), ...(await exportPayload(agent, ends, payload, world)) }
}

export const command = commandOf(verb, {
  examples: [
    ['rlp agent sign dist/mailer-0.1.0.agent.bundle --key release', 'with a key by name'],
    ['rlp agent sign dist --key env:SIGNING_KEY', 'every bundle in a folder, in a pipeline'],
    ['rlp agent sign dist --key release --not-after 90d', 'a signature that ends'],
    [
      'rlp agent sign dist/mailer-0.1.0.agent.bundle --key release --renew 90d --expect mailer@0.1.0',
      'another 90 days for the same bundle',
    ],
    ['rlp agent sign dist --key ssh-agent:release', 'with a key that stays in the ssh agent'],
    [
      'rlp agent sign oci://registry.example/agents/mailer:0.1.0 --key review --expect mailer@0.1.0',
      'beside a stored bundle, whose digest stays',
    ],
    [
      'rlp agent sign oci://registry.example/agents/mailer:0.1.0 --key house --if-trusted --lock rlp.lock',
      'only what is trusted here and is as locked',
    ],
    [
      'rlp agent sign dist --keyless --yes',
      'with the identity of a pipeline, in place of a key; identity and digest become public',
    ],
    ['rlp agent sign b.agent.bundle --export-payload to-sign.bin', 'the exact bytes for a signer outside'],
    [
      'rlp agent sign b.agent.bundle --import-signature sig.bin --key signer.pub',
      'and back; --key is then the public key',
    ],
  ],
  notes:
    'A second signer signs the same statement and is added; a second signature of one key replaces its first. What does not verify is not signed, and the new bundle is verified before it takes the old one’s place.\n\n--renew starts a new statement with a later end. Signatures with the old end are dropped, so each signer has to sign again. The second one gets the end that is there, if it is at most a day earlier and ten minutes later than the one asked for. A person is asked, or --expect or --yes says it. What the policies or marks of this host revoke or roll back is not renewed (docs/calendar.md).\n\nWith --if-trusted the verdict has to be trusted, under the policies and marks of this host, with nothing waived. Beside it something has to say which version is meant: the agent is installed here, or there is --lock, or --expect with an identity. The exit code of one bundle that is refused is the one of rlp agent verify.\n\nWith --keyless the bundle stays as it is: the signature is a line in <bundle>.intoto.jsonl, or hangs on a stored bundle. The token comes from --identity-token, SIGSTORE_ID_TOKEN (GitLab: id_tokens), or GitHub Actions (permissions: id-token: write). Identity and digest become public in a log for ever, so that a person is asked, or --yes says it (docs/keyless.md).',
  first: ['key', ...Object.keys(KEYLESS_OPTIONS), 'not-after', 'renew'],
  print(outcome, { asked, args, style, io }) {
    const { done, failed } = outcome
    const ok = style.green(SYMBOLS.ok)
    report(io, args, {
      tool: 'agent.sign',
      result: changedEach('bundles', outcome),
      quiet: done.map(({ bundle }) => bundle),
      text: () => done.map(one => `${ok} ${printable(signedText(one, asked.ifTrusted))}\n`).join(''),
    })
    printFailures(io, args, failed)
  },
  exit: ({ failed }) => worstExit([], failed),
  // Of one bundle, with --if-trusted.
  refused: (error, { io }) =>
    error instanceof NotVerifiedError ? judgedRefusal(error.report, { doing: 'sign' }, io) : undefined,
})

function signedText(one: SignedOne, isJudged: boolean): string {
  if ('payload' in one) return one.payload
  const { bundle, identity } = one
  const which = isJudged || isOciReference(bundle) ? `, identity ${identity}` : ''
  return `${bundle} signed by ${'certificate' in one ? keylessSigner(one) : one.signer}${which}`
}

function keylessSigner({ certificate, file, attached }: SignedKeyless): string {
  const { email, uri = 'a name of another kind', issuer = 'an issuer that it does not name' } = certificate
  return `${email ?? uri} of ${issuer}, ${file === null ? `as ${attached}` : `in ${file}`}`
}
