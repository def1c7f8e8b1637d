// rlp agent sign: adds a signature to a sound bundle.
import { resolve } from 'node:path'
import { defineCommand, type Io } from '../cli/command.ts'
import { changedEach, each, type Outcome, printFailures, worstExit } from '../cli/each.ts'
import { auditIn } from '../cli/options.ts'
import { leavingOut } from '../cli/render/passed-over.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import type { Target } from '../io/find/find-agents.ts'
import { findBundles } from '../io/find/find-bundles.ts'
import { realPath } from '../io/read/real-path.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable } from '../text/printable.ts'
import { type Demands, readToSign } from '../verify/before-signing.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { refuseJudged } from '../verify/render.ts'
import { approving, exported, recordRefused, type SignedOne, signStored } from './ask-to-sign.ts'
import type { SignedKeyless } from './keyless/keyless.ts'
import { refuseUnsignable, withoutWrapped } from './refuse-unsignable.ts'
import type { Signing } from './sign.ts'
import { signBundle } from './sign-bundle.ts'
import {
  refuseUnclear,
  renewedUnder,
  SIGN_BUNDLES,
  SIGN_OPTIONS,
  type SignArgs,
  trustedOnly,
  warnOfEnd,
  withEnd,
} from './sign-options.ts'
import { openSigner } from './signing-options.ts'

export const command = defineCommand({
  name: 'agent sign',
  summary: 'add a signature to a bundle',
  positionals: [SIGN_BUNDLES],
  options: SIGN_OPTIONS,
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
  async run(given, io) {
    const args = withEnd(given, new Date())
    const found = await findBundles(args.bundle, leavingOut(io, args))
    const named = args.bundle.map(arg => resolve(io.cwd, arg))
    const { targets, left } = withoutWrapped(found, ({ path }) => named.includes(path))
    refuseUnclear(args, targets)
    for (const { label } of left)
      note(io, args, `${label} was left out: what is signed is the archive inside`)
    const outcome = await signAll(targets, args, io).catch(error => {
      // Of one bundle, with --if-trusted.
      if (!(error instanceof NotVerifiedError)) throw error
      return refuseJudged(error.report, { doing: 'sign', tool: 'agent.sign' }, args, io)
    })
    if (typeof outcome === 'number') return outcome
    const { done, failed } = outcome
    report(io, args, {
      tool: 'agent.sign',
      result: changedEach('bundles', { done, failed }),
      quiet: done.map(({ bundle }) => bundle),
      text: () => {
        const ok = createStyle(io.color).green(SYMBOLS.ok)
        return done
          .map(one => {
            const { bundle, identity } = one
            const isShown = args.ifTrusted || isOciReference(bundle)
            const which = isShown ? `, identity ${identity}` : ''
            if ('certificate' in one) return `${bundle} signed by ${keylessSigner(one)}${which}`
            return 'payload' in one ? one.payload : `${bundle} signed by ${one.signer}${which}`
          })
          .map(line => `${ok} ${printable(line)}\n`)
          .join('')
      },
    })
    printFailures(io, args, failed)
    return worstExit([], failed)
  },
})

async function signAll(
  targets: readonly Target[],
  args: SignArgs,
  io: Io,
): Promise<Outcome<SignedOne | SignedKeyless>> {
  const { done, failed } = await each(targets, refuseUnsignable)
  if (done.length === 0) return { done: [], failed }
  const sign = await signingBy(args, io)
  warnOfEnd(args, io)
  const audit = await auditIn(args, io)
  return each(targets, target => recordRefused(target.label, audit, () => sign(target)))
}

/** Keys, tokens and files are read once for all bundles. */
async function signingBy(
  args: SignArgs,
  io: Io,
): Promise<(target: Target) => Promise<SignedOne | SignedKeyless>> {
  if (args.keyless) {
    const { keylessIn, signOneKeyless } = await import('./ask-keyless.ts')
    const keyless = await keylessIn(args, io)
    return target => signOneKeyless(target, args, keyless, io)
  }
  const signing = args.exportPayload === undefined ? await openSigner(args, io) : undefined
  return target => signOne(target, args, signing, io)
}

function keylessSigner({ certificate, file, attached }: SignedKeyless): string {
  const { email, uri = 'a name of another kind', issuer = 'an issuer that it does not name' } = certificate
  return `${email ?? uri} of ${issuer}, ${file === null ? `as ${attached}` : `in ${file}`}`
}

async function signOne(
  target: Target,
  args: SignArgs,
  signing: Signing | undefined,
  io: Io,
): Promise<SignedOne> {
  const { path, label } = target
  if (isOciReference(path)) return signStored(target, args, signing, io)
  const { expect } = args
  const ifTrusted = await trustedOnly(args, io)
  const renewing = renewedUnder(args, io)
  const demands: Demands = { expect, ifTrusted, renewing, ...(await approving(label, args, signing, io)) }
  if (signing !== undefined) return signBundle(target, signing, args, io, demands)
  const { bundle, identity } = await readToSign({ path: await realPath(path, label), label }, io, demands)
  return exported(label, bundle.agent, identity, args, io)
}
