// The identity that signs in place of a key: what is typed for it, and what a program hands in. What signs with one is loaded on demand.
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import type { Input, World } from '../verb/index.ts'
import type { Keyless, KeylessGiven } from './keyless/keyless.ts'

export const KEYLESS_OPTIONS = {
  keyless: {
    type: 'boolean',
    describe: 'sign with an identity in place of a key: a token of an OIDC issuer, as pipelines have one',
  },
  'identity-token': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'with --keyless: the file that has the token, in place of what the pipeline gives',
  },
  'signing-config': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'with --keyless: the services that sign, in place of the public instance of Sigstore',
  },
  yes: {
    type: 'boolean',
    alias: 'y',
    describe: 'with --keyless: publish identity and digest without a question',
  },
} as const

/** The flags that say how an identity signs. */
export interface IdentityTyped {
  readonly identityToken: string | undefined
  readonly signingConfig: string | undefined
  readonly yes: boolean
}

/** What becomes public. */
export interface ToPublish {
  /** The bundle, as the caller called it. */
  readonly label: string
  /** `blake3:…` of its manifest. */
  readonly identity: string | null
  /** The type of the statement; left out for a signature of the bundle. */
  readonly states?: string
}

/** Someone who signs with an identity. */
export interface SigningIdentity {
  readonly keyless: Keyless
  /**
   * Asks the person at the command line before anything becomes public. A program has decided already.
   *
   * @returns who signs, as the token says it, where a person was asked
   * @throws RlpError NEEDS_ANSWER, CANCELLED for a no
   */
  approve?(what: ToPublish): Promise<string>
}

/** @param io how the services are reached. A token is looked for with the first signature. */
export type OpenIdentity = (io: Setting) => Promise<SigningIdentity>

interface KeylessTyped extends IdentityTyped {
  readonly keyless: boolean
  readonly renew?: string | undefined
}

/** Signs with an identity in place of a key. Identity and digest become public in a log, for ever. */
export const keyless: Input<KeylessGiven, OpenIdentity | undefined> = {
  type: 'KeylessGiven',
  flags: KEYLESS_OPTIONS,
  fromTyped(typed: KeylessTyped, { world }) {
    if (typed.keyless) return async () => (await import('./ask-keyless.ts')).identityTyped(typed, world)
    const { identityToken, signingConfig, yes, renew } = typed
    const unused = { 'identity-token': identityToken, 'signing-config': signingConfig }
    const [field] = Object.entries(unused).find(([, value]) => value !== undefined) ?? []
    if (field !== undefined)
      throw new UsageError(`Cannot use --${field} without --keyless`, {
        field,
        hint: 'Add --keyless, or leave it out',
      })
    if (yes && renew === undefined)
      throw new UsageError('Cannot use --yes without --keyless', {
        field: 'yes',
        hint: 'A key signs without a question: leave it out',
      })
    return undefined
  },
  async fromGiven(given, { world }) {
    const { keylessQuery, openKeyless } = await import('./keyless/keyless.ts')
    const query = await keylessQuery(given, world)
    return async io => ({ keyless: openKeyless(query, io) })
  },
}

/** Options that are about a key, and what to do instead. */
const OF_KEYS: Readonly<Record<string, (spelt: World['spelt']) => string>> = {
  key: spelt => `Sign twice: once with the key, and once with ${spelt('keyless')}`,
  passphrase: spelt => `Sign twice: once with the key, and once with ${spelt('keyless')}`,
  exportPayload: spelt => `A signer outside has a key: leave ${spelt('keyless')} out`,
  importSignature: spelt => `A signer outside has a key: leave ${spelt('keyless')} out`,
  renew: spelt =>
    `Such a signature is beside the bundle. Sign again with ${spelt('keyless')} and ${spelt('notAfter')}`,
}

/** @throws UsageError for what only a key can do */
export function refuseBesideKeyless(
  asked: { readonly keyless: unknown; readonly [option: string]: unknown },
  { spelt }: Pick<World, 'spelt'>,
): void {
  if (asked.keyless === undefined) return
  for (const [option, hint] of Object.entries(OF_KEYS))
    if (own(asked, option) !== undefined)
      throw new UsageError(`Cannot use ${spelt(option)} with ${spelt('keyless')}`, {
        field: spelt(option).replace(/^--/, ''),
        hint: hint(spelt),
      })
}
