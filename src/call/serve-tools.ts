// What the library offers of serving: verified bundles and two streams, or a port → an MCP server, until the input ends or it is stopped.

import { operatorConfig } from '../io/config.ts'
import type { LongOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { checkedToken } from '../net/serve/asker-token.ts'
import { portAddress } from '../net/serve/listen-address.ts'
import { quoted } from '../text/printable.ts'
import { type BundleGiven, bundleGiven, judgedWith } from '../verify/bundle-given.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import { judgingGiven, type TrustOptions, trustInput } from '../verify/trust-given.ts'
import { refuseYes } from './confirmation.ts'
import { UNANSWERED } from './context.ts'
import { type Clients, serveBundles } from './serve.ts'
import { openServed, openServedSource } from './served-bundle.ts'
import { type SessionGiven, sessionGiven } from './session.ts'
import { UNVERIFIED_NAME, unverified as unverifiedWords } from './unverified.ts'

export interface ServeOptions extends LongOptions, SessionGiven, TrustOptions {
  /** What the client writes: lines of JSON-RPC in chunks of any size. With `output`, for one client. */
  readonly input?: AsyncIterable<Uint8Array>
  /** Sends text to the client. */
  readonly output?: (text: string) => void
  /** In place of `input` and `output`: serve clients over HTTP, at a port of this machine, until the call is aborted. */
  readonly http?: HttpGiven
  /** Which agent each bundle has to be, in the order of the bundles; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: readonly string[]
  /** Accept sound bundles without signature. */
  readonly allowUnsigned?: boolean
  /** What is served are folders that an author works in, without verification; the client is told. */
  readonly unverified?: boolean
  /** Put the agent's name before each tool's: `mailer.mail.send`. */
  readonly prefix?: boolean
  /** Confirm every call in advance; without it a call that wants a person's yes is refused. */
  readonly yes?: boolean
  /** Let the client ask its user where a tool wants confirmation, and believe the answer. Otherwise such a call is refused. */
  readonly trustClientConfirmation?: boolean
  /** Told what went wrong here or in the protocol, and not in a tool. */
  readonly onTrouble?: (message: string) => void
  /** How the server calls itself; `rlp-bundle`, or `rlp-unverified`, where it is left out. */
  readonly name?: string
}

export interface HttpGiven {
  /** 0 for one that is free. */
  readonly port: number
  /** `127.0.0.1` where it is left out. */
  readonly host?: '127.0.0.1' | '::1'
  /** What each request has to bring as `Authorization: Bearer`: 32 characters or more. */
  readonly token: string
  /** Told the URL for clients, once the server listens there. */
  readonly onListening?: (url: string) => void
}

/**
 * Serves the tools of verified bundles to one MCP client on two streams, or to any over HTTP. Each bundle is read once; policy, revocations, overrides and clock are read again
 * before every call. Resolves when the input has ended and
 * everything that came before is answered. Over HTTP it ends only by `signal`, and then rejects with `CANCELLED` as every verb does.
 *
 * @example
 * await serveTools(['dist/mailer-0.1.0.agent.bundle'], { input: process.stdin, output: text => process.stdout.write(text) })
 *
 * @throws {@link NotVerifiedError} for a bundle that may not be used; then nothing was served
 * @throws {@link RlpError} `USAGE` for names that two tools would have, `NOT_FOUND`, `CANCELLED`
 */
export async function serveTools(bundles: readonly BundleGiven[], options: ServeOptions): Promise<void> {
  return runVerb('serveTools', options, (given, io) => serveJob(bundles, given, io))
}

async function serveJob(bundles: readonly BundleGiven[], options: ServeOptions, io: Setting): Promise<void> {
  const { prefix = false, yes = false, trustClientConfirmation = false, unverified = false } = options
  const { name = unverified ? UNVERIFIED_NAME : 'rlp-bundle' } = options
  const clients = clientsGiven(options, io)
  const { home } = trustInput(options)
  refuseYes(yes, await operatorConfig(home === undefined ? {} : { home }))
  const given = bundles.map(bundle => bundleGiven(bundle, io, 'serve'))
  const labels = given.map(({ target }) => target.label).join(', ')
  const refused = await serveBundles({
    bundles: given.map((one, index) => {
      const { target } = one
      if (unverified) return () => openServedSource(target, io)
      const expect = options.expect?.[index]
      const judging = { ...judgingGiven(options, io), allowUnsigned: options.allowUnsigned, expect }
      return () => openServed(target, judgedWith(judging, one))
    }),
    prefix,
    session: () => sessionGiven(options, UNANSWERED, io),
    serving: { yes, trustClientConfirmation, trouble: options.onTrouble ?? (() => {}) },
    name,
    instructions: unverified ? unverifiedWords(labels) : undefined,
    clients,
    onReady: (_, url) => {
      if (url !== undefined) options.http?.onListening?.(url)
    },
  })
  if (refused !== undefined) throw new NotVerifiedError(refused)
}

/** @throws UsageError */
function clientsGiven(options: ServeOptions, { signal }: Setting): Clients {
  const { input, output, http, onTrouble: trouble = () => {} } = options
  const wrong = (field: string, state: string) =>
    new UsageError(`Cannot serve tools: ${state}`, { field, hint: 'Give input and output, or http' })
  if (http === undefined) {
    if (input === undefined || output === undefined)
      throw wrong(input === undefined ? 'input' : 'output', 'there is neither a pair of streams nor a port')
    return { streams: { input, output, signal, trouble } }
  }
  if (input !== undefined || output !== undefined)
    throw wrong('http', 'there are streams and a port, and one server serves at one place')
  const { host = '127.0.0.1', port } = http
  const address = portAddress(`${host === '::1' ? '[::1]' : host}:${port}`)
  if (address === undefined)
    throw wrong('http', `${quoted(`${host}:${port}`)} is no port of this machine alone`)
  const token = checkedToken(http.token, state => wrong('http', `the token cannot be used: ${state}`))
  return { http: { address, token, signal, trouble } }
}
