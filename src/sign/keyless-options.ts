// The options of signing with an identity, and what they cannot be together with.
import type { ArgsOf, OptionTable } from '../cli/option.ts'
import { UsageError } from '../model/error.ts'

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
} as const satisfies OptionTable

interface Beside extends ArgsOf<typeof KEYLESS_OPTIONS, readonly []> {
  readonly key: string | undefined
  readonly exportPayload: string | undefined
  readonly importSignature: string | undefined
  readonly renew?: string | undefined
}

/** @throws UsageError */
export function refuseBesideKeyless({ keyless, ...args }: Beside): void {
  const { key, exportPayload, importSignature, renew, identityToken, signingConfig, yes } = args
  const refuse = (field: string, hint: string) => {
    throw new UsageError(`Cannot use --${field} ${keyless ? 'with' : 'without'} --keyless`, { field, hint })
  }
  if (keyless) {
    if (key !== undefined) refuse('key', 'Sign twice: once with the key, and once with --keyless')
    if (exportPayload !== undefined)
      refuse('export-payload', 'A signer outside has a key: leave --keyless out')
    if (importSignature !== undefined)
      refuse('import-signature', 'A signer outside has a key: leave --keyless out')
    if (renew !== undefined)
      refuse('renew', 'Such a signature is beside the bundle. Sign again with --keyless and --not-after')
    return
  }
  if (identityToken !== undefined) refuse('identity-token', 'Add --keyless, or leave it out')
  if (signingConfig !== undefined) refuse('signing-config', 'Add --keyless, or leave it out')
  if (yes && renew === undefined) refuse('yes', 'A key signs without a question: leave it out')
}
