// The options of `rlp tool serve`, and what of them does not go together.
import type { CommandArgs } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { isSource } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { checkedToken, tokenInFile } from '../net/serve/asker-token.ts'
import { type PortAddress, portAddress } from '../net/serve/listen-address.ts'
import { quoted } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { CALL_OPTIONS, TRUST_CLIENT } from './options.ts'

export const SERVE_OPTIONS = {
  prefix: { type: 'boolean', describe: 'put the agent’s name before each tool’s: mailer.mail.send' },
  'trust-client-confirmation': TRUST_CLIENT,
  expect: {
    type: 'strings',
    placeholder: 'NAME[@VARIANT][@RANGE]',
    describe:
      'which agent each bundle has to be, in their order; a name and most files and references imply it',
  },
  'allow-unsigned': { type: 'boolean', describe: 'use a sound bundle without signature' },
  unverified: {
    type: 'boolean',
    describe: 'serve folders that you work in, given as paths, without verification',
  },
  http: {
    type: 'string',
    placeholder: 'ADDRESS',
    describe:
      'serve over HTTP at 127.0.0.1:PORT in place of standard input and output, to clients with the token',
  },
  'token-file': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'http: a file with the token that clients have to send',
  },
  'token-variable': {
    type: 'string',
    placeholder: 'NAME',
    describe: 'http: the variable with the token; no tool gets it',
  },
  ...CALL_OPTIONS,
  ...TRUST_OPTIONS,
  root: LOOK_UP_OPTION,
} as const satisfies OptionTable

export const SERVED = [
  {
    name: 'bundle',
    required: true,
    names: 'installed',
    many: true,
    describe:
      'bundles, unpacked bundles, or names of installed agents; with --unverified folders that you work in',
  },
] as const

export type ServeArgs = CommandArgs<typeof SERVE_OPTIONS, typeof SERVED>

export function refuseOther({ bundle, expect, allowUnsigned, unverified }: ServeArgs): void {
  if (unverified && (allowUnsigned || expect.length > 0)) {
    const other = allowUnsigned ? '--allow-unsigned' : '--expect'
    throw new UsageError(`Cannot use ${other} with --unverified: nothing of a folder is verified`, {
      field: other.slice(2),
      hint: 'Leave one of them out',
    })
  }
  if (expect.length === 0 || expect.length === bundle.length) return
  throw new UsageError(
    `Cannot serve ${plural(bundle.length, 'bundle')} with ${expect.length} × --expect: each needs its own`,
    { field: 'expect', hint: 'Give --expect once for each bundle, in their order' },
  )
}

export function refuseSource(target: Target): void {
  if (!isSource(target)) return
  throw new UsageError(`Cannot serve "${target.label}": it is a source folder, which cannot be verified`, {
    field: 'bundle',
    hint: 'Pack it with rlp agent pack and sign it. To try out a folder that you work in, add --unverified',
  })
}

export interface HttpAsked {
  readonly address: PortAddress
  readonly token: Uint8Array
}

/** Undefined for standard input and output. @throws UsageError, and as reading the token */
export async function httpIn(
  { http, tokenFile, tokenVariable }: Pick<ServeArgs, 'http' | 'tokenFile' | 'tokenVariable'>,
  { env, cwd }: Pick<Setting, 'env' | 'cwd'>,
): Promise<HttpAsked | undefined> {
  if (http === undefined) {
    const field = tokenFile === undefined ? 'token-variable' : 'token-file'
    if (tokenFile === undefined && tokenVariable === undefined) return undefined
    throw new UsageError(`Cannot use --${field} without --http: standard input has one client`, {
      field,
      hint: 'Add --http 127.0.0.1:PORT, or leave it out',
    })
  }
  const address = portAddress(http)
  if (address === undefined)
    throw new UsageError(`Cannot serve over HTTP at ${quoted(http)}: it is no port of this machine alone`, {
      field: 'http',
      hint: 'Write 127.0.0.1:PORT or [::1]:PORT',
    })
  if (tokenFile !== undefined && tokenVariable !== undefined)
    throw new UsageError('Cannot use both --token-file and --token-variable: there is one token', {
      field: 'token-variable',
      hint: 'Leave one of them out',
    })
  if (tokenFile !== undefined) return { address, token: await tokenInFile(tokenFile, cwd) }
  if (tokenVariable !== undefined) return { address, token: tokenInVariable(tokenVariable, env) }
  throw new UsageError('Cannot serve over HTTP without a token: every program of this machine could call', {
    field: 'http',
    hint: 'Add --token-file FILE or --token-variable NAME',
  })
}

function tokenInVariable(name: string, env: Setting['env']): Uint8Array {
  const refuse = (state: string) =>
    new UsageError(`Cannot use the token in the variable ${quoted(name)}: ${state}`, {
      field: 'token-variable',
      hint: 'Set it to at least 32 characters, for example what this prints: head -c 32 /dev/urandom | base64',
    })
  const token = own(env, name)
  if (token === undefined) throw refuse('it is not set')
  return checkedToken(token, refuse)
}
