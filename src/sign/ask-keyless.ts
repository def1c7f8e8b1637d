// What agent sign --keyless says and asks before anything becomes public, and the way it signs.
import type { Io } from '../cli/command.ts'
import { askForYes, mayAsk, type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import { accessIn } from '../cli/options.ts'
import { note } from '../cli/render/report.ts'
import type { Target } from '../io/find/find-agents.ts'
import { namedPath } from '../io/home.ts'
import { RlpError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import { PUBLIC_SERVICES } from '../sigstore/signing-config.ts'
import { printable } from '../text/printable.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import type { ToSign } from '../verify/before-signing.ts'
import { shownFirst, thenRecorded } from './ask-to-sign.ts'
import {
  type Keyless,
  openKeyless,
  type SignedKeyless,
  servicesAt,
  signBundleKeyless,
} from './keyless/keyless.ts'
import type { IdentityToken } from './keyless/token.ts'
import { type SignArgs, trustedOnly } from './sign-options.ts'

/** Characters of a name that are shown. */
const MOST = 300

/** One for all bundles: a token is looked for once. */
export async function keylessIn(
  { identityToken, signingConfig }: Pick<SignArgs, 'identityToken' | 'signingConfig'>,
  io: Io,
): Promise<Keyless> {
  const services =
    signingConfig === undefined
      ? PUBLIC_SERVICES
      : await servicesAt(namedPath(signingConfig, io.cwd), signingConfig)
  return openKeyless({ file: identityToken, cwd: io.cwd, services }, io)
}

export async function signOneKeyless(
  target: Target,
  args: SignArgs,
  keyless: Keyless,
  io: Io,
): Promise<SignedKeyless> {
  const { expect } = args
  const ifTrusted = await trustedOnly(args, io)
  const isStored = isOciReference(target.path)
  const show = await shownFirst(target, args, io)
  const approve = async (bundle: ToSign) => {
    await show(bundle)
    const token = await keyless.claimed(`sign "${bundle.label}"`)
    await askToPublish(bundle, token, args, io)
    const record = await thenRecorded(async () => {}, args, claimedSigner(token), io)
    await record(bundle)
  }
  if (!isStored) return signBundleKeyless(target, keyless, args, io, { expect, ifTrusted, approve })
  const { countersignKeyless } = await import('../registry/countersign-keyless.ts')
  const how = { access: accessIn(io, args), signal: io.signal, expect, ifTrusted, approve }
  return countersignKeyless(target, keyless, args, how)
}

/** As the token says it: who signs has no certificate yet. */
function claimedSigner({ issuer, subject, isEmail }: IdentityToken): string {
  return identityString(isEmail ? { issuer, email: subject } : { issuer, subject })
}

/** What becomes public. */
interface ToPublish extends Pick<ToSign, 'label'> {
  readonly report: Pick<ToSign['report'], 'identity'>
  /** The type of the statement; left out for a signature of the bundle. */
  readonly states?: string
}

/** @throws RlpError NEEDS_ANSWER where no person can be asked, CANCELLED unless the answer is yes */
export async function askToPublish(
  { label, report, states }: ToPublish,
  { issuer, subject }: IdentityToken,
  args: Pick<SignArgs, 'yes' | 'json' | 'quiet'>,
  io: Io,
  open: OpenPrompter = openTerminal,
): Promise<void> {
  const doing = `${states === undefined ? 'sign' : 'attest'} "${label}"`
  const what = states === undefined ? 'signs' : `states ${printable(states, MOST)} about`
  const who = `${printable(subject, MOST)} of ${printable(issuer, MOST)}`
  const line = `public for ever, in a log: ${who} (so says the token, unverified) ${what} ${report.identity}`
  const isAsked = !args.yes && mayAsk(io, { json: args.json, nonInteractive: false })
  if (!isAsked) note(io, args, line)
  if (args.yes) return
  if (!isAsked)
    throw new RlpError(
      'NEEDS_ANSWER',
      `Cannot ${doing}: what becomes public needs a yes, and no person can be asked`,
      {
        hint: 'Look at what it says of identity and digest, then repeat with --yes',
      },
    )
  const prompter = await open(doing, io)
  prompter.note(line, label)
  await askForYes(prompter, 'Sign with this identity?', {
    doing,
    otherwise: 'nothing was sent to a log',
    taken: 'yes alone',
  })
}
