// What a caller says of signing with an identity → someone who signs so. Nothing is asked of a service yet.

import { type PathGiven, pathGiven } from '../../io/library/caller.ts'
import { refuseUnknownMembers } from '../../io/library/known-options.ts'
import { readFile } from '../../io/read/read-file.ts'
import type { Setting } from '../../io/setting.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { kindName } from '../../model/kind-name.ts'
import { byteLimit, PARSE_LIMITS } from '../../model/limits.ts'
import { PUBLIC_SERVICES, readSigningConfig, type SigningServices } from '../../sigstore/signing-config.ts'
import { quoted } from '../../text/printable.ts'
import { type Keyless, openKeyless } from './keyless.ts'

/** Signing with an identity, as a caller of the library asks for it. All members may be left out. */
export interface KeylessGiven {
  /** A token of an OIDC issuer, for the audience `sigstore`. Without it: `SIGSTORE_ID_TOKEN` in `env`, or what a job of GitHub Actions is given. */
  readonly identityToken?: string | undefined
  /** A signing config of Sigstore, version 0.2: a file, or its bytes. Without it, the public instance signs. */
  readonly signingConfig?: PathGiven | Uint8Array | undefined
}

const MEMBERS = ['identityToken', 'signingConfig']

/** @throws UsageError; RlpError WRONG_FILE_TYPE for what is no signing config, NOT_FOUND */
export async function keylessGiven(given: KeylessGiven, io: Setting): Promise<Keyless> {
  refuseUnknownMembers(given, MEMBERS, 'keyless')
  const { identityToken, signingConfig } = given
  if (identityToken !== undefined && typeof identityToken !== 'string')
    throw new UsageError(`Cannot sign: identityToken is ${kindName(identityToken)}, and no text`, {
      field: 'keyless',
      hint: 'Give the token itself',
    })
  const services = await servicesGiven(signingConfig, io)
  return openKeyless({ text: identityToken, cwd: io.cwd, services }, io)
}

async function servicesGiven(given: KeylessGiven['signingConfig'], io: Setting): Promise<SigningServices> {
  if (given === undefined) return PUBLIC_SERVICES
  if (given instanceof Uint8Array) return servicesIn(given, '<signing config>')
  return servicesAt(pathGiven(given, io, 'use the signing config'), String(given))
}

/** @param path absolute. @throws RlpError WRONG_FILE_TYPE, NOT_FOUND, NO_PERMISSION, LIMIT_EXCEEDED */
export async function servicesAt(path: string, label: string): Promise<SigningServices> {
  const most = PARSE_LIMITS.textBytes
  const larger = () => {
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot use the signing config ${quoted(label, 200)}: it has more than ${byteLimit(most)}`,
      { hint: 'Name the file that was meant' },
    )
  }
  return servicesIn(await readFile(path, { follow: true, label, most, larger }), label)
}

function servicesIn(bytes: Uint8Array, label: string): SigningServices {
  const read = readSigningConfig(bytes, new Date())
  if (read.ok) return read.services
  throw new RlpError(
    'WRONG_FILE_TYPE',
    `Cannot use the signing config ${quoted(label, 200)}: ${read.problem}`,
    {
      hint: 'Write it with cosign signing-config create, and name services that are valid now',
    },
  )
}
