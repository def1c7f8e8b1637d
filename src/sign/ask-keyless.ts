// What a person is told and asked before an identity and a digest become public, and the identity that was typed.
import { askForYes, mayAsk } from '../cli/interactive.ts'
import { namedPath } from '../io/home.ts'
import { RlpError } from '../model/error.ts'
import { PUBLIC_SERVICES } from '../sigstore/signing-config.ts'
import { printable } from '../text/printable.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import type { World } from '../verb/index.ts'
import { openKeyless, servicesAt } from './keyless/keyless.ts'
import type { IdentityToken } from './keyless/token.ts'
import type { IdentityTyped, SigningIdentity, ToPublish } from './keyless-inputs.ts'

/** Characters of a name that are shown. */
const MOST = 300

/** One for all bundles: a token is looked for once. */
export async function identityTyped(
  { identityToken, signingConfig, yes }: IdentityTyped,
  world: World,
): Promise<SigningIdentity> {
  const { cwd } = world
  const services =
    signingConfig === undefined
      ? PUBLIC_SERVICES
      : await servicesAt(namedPath(signingConfig, cwd), signingConfig)
  const keyless = openKeyless({ file: identityToken, cwd, services }, world)
  return {
    keyless,
    async approve(what) {
      const token = await keyless.claimed(doingTo(what))
      await askToPublish(what, token, yes, world)
      return claimedSigner(token)
    },
  }
}

/** As the token says it: who signs has no certificate yet. */
function claimedSigner({ issuer, subject, isEmail }: IdentityToken): string {
  return identityString(isEmail ? { issuer, email: subject } : { issuer, subject })
}

function doingTo({ label, states }: ToPublish): string {
  return `${states === undefined ? 'sign' : 'attest'} "${label}"`
}

/** @throws RlpError NEEDS_ANSWER where no person can be asked, CANCELLED unless the answer is yes */
export async function askToPublish(
  what: ToPublish,
  { issuer, subject }: IdentityToken,
  yes: boolean,
  { terminal, tell }: Pick<World, 'terminal' | 'tell'>,
): Promise<void> {
  const { label, identity, states } = what
  const doing = doingTo(what)
  const does = states === undefined ? 'signs' : `states ${printable(states, MOST)} about`
  const who = `${printable(subject, MOST)} of ${printable(issuer, MOST)}`
  const line = `public for ever, in a log: ${who} (so says the token, unverified) ${does} ${identity}`
  const asked =
    !yes && terminal && mayAsk(terminal.io, { json: terminal.args.json, nonInteractive: false })
      ? terminal
      : undefined
  if (asked === undefined) tell(line)
  if (yes) return
  if (asked === undefined)
    throw new RlpError(
      'NEEDS_ANSWER',
      `Cannot ${doing}: what becomes public needs a yes, and no person can be asked`,
      { hint: 'Look at what it says of identity and digest, then repeat with --yes' },
    )
  const prompter = await asked.open(doing, asked.io)
  prompter.note(line, label)
  await askForYes(prompter, 'Sign with this identity?', {
    doing,
    otherwise: 'nothing was sent to a log',
    taken: 'yes alone',
  })
}
