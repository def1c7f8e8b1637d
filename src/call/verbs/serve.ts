// The function that serves tools to MCP clients. rlp tool serve has the streams of its process, and bundles that are found by name.
import { operatorConfig } from '../../io/config.ts'
import { refuseUnknownMembers } from '../../io/library/unknown-members.ts'
import { UsageError } from '../../model/error.ts'
import type { Report } from '../../model/report.ts'
import { checkedToken } from '../../net/serve/asker.ts'
import { portAddress } from '../../net/serve/listen-address.ts'
import { quoted } from '../../text/printable.ts'
import {
  type Asked,
  type At,
  checked,
  defineVerb,
  givenFunction,
  givenText,
  type Input,
  needed,
  text,
  texts,
  type World,
  whether,
} from '../../verb/index.ts'
import { type BundleGiven, type BundleTarget, bundleTarget } from '../../verify/bundle-input.ts'
import { judgedWith } from '../../verify/bundle-inputs.ts'
import { JUDGING, judgingBy } from '../../verify/judging-inputs.ts'
import { NotVerifiedError } from '../../verify/make-report.ts'
import { serveStreams } from '../client-streams.ts'
import { refuseYes } from '../confirmation.ts'
import { UNANSWERED } from '../context.ts'
import { type Clients, serveBundles } from '../serve.ts'
import { UNVERIFIED_NAME, unverified as unverifiedWords } from '../served.ts'
import { openServed, openServedSource } from '../served-bundles.ts'
import { clientInput, clientOutput, SERVING } from '../serving-inputs.ts'
import { SESSION, sandboxBy, sessionBy } from '../session-inputs.ts'

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

const bundles: Input<readonly BundleGiven[], readonly BundleTarget[]> = {
  type: 'readonly BundleGiven[]',
  isLive: true,
  fromGiven: (given, at) =>
    Promise.all(
      checked(Array.isArray, 'a list of bundles')(given as BundleGiven[], at).map(one =>
        bundleTarget(one, at.world, 'serve'),
      ),
    ),
}

const http: Input<HttpGiven, ReturnType<typeof placeGiven> | undefined> = {
  type: 'HttpGiven',
  fromGiven: placeGiven,
}

/** @throws UsageError */
function placeGiven(given: HttpGiven, at: At) {
  refuseUnknownMembers(given, ['port', 'host', 'token', 'onListening'], 'http')
  const { port, host = '127.0.0.1', token, onListening } = given
  const of = (member: string) => ({ ...at, field: `http.${member}` })
  const address = portAddress(`${host === '::1' ? '[::1]' : host}:${port}`)
  if (address === undefined)
    throw noPlace('http', `${quoted(`${host}:${port}`)} is no port of this machine alone`)
  return {
    address,
    token: checkedToken(givenText(token, of('token')), state =>
      noPlace('http', `the token cannot be used: ${state}`),
    ),
    onListening: onListening && givenFunction(onListening, of('onListening')),
  }
}

function noPlace(field: string, state: string): UsageError {
  return new UsageError(`Cannot serve tools: ${state}`, { field, hint: 'Give input and output, or http' })
}

/**
 * Serves the tools of verified bundles to one MCP client on two streams, or to any over HTTP. Each bundle is read once; policy, revocations, overrides and clock are read again
 * before every call. Resolves when the input has ended and
 * everything that came before is answered. Over HTTP it ends only by `signal`, and then rejects with `CANCELLED` as every verb does.
 *
 * @example
 * await serveTools(['dist/mailer-0.1.0.agent.bundle'], { input: process.stdin, output: process.stdout })
 *
 * @throws {@link NotVerifiedError} for a bundle that may not be used; then nothing was served
 * @throws {@link RlpError} `USAGE` for names that two tools would have, `NOT_FOUND`, `IO` for a stream that fails, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'tool serve',
  called: 'serveTools',
  summary: 'serve the tools of verified bundles to an MCP client',
  arguments: ['bundles'],
  inputs: {
    bundles: needed(bundles),
    ...JUDGING,
    ...SESSION,
    ...SERVING,
    /** What the client writes: lines of JSON-RPC in chunks of any size. With `output`, for one client. */
    input: clientInput,
    output: clientOutput,
    /** In place of `input` and `output`: serve clients over HTTP, at a port of this machine, until the call is aborted. */
    http,
    /** Which agent each bundle has to be, in the order of the bundles; a file called `<name>-<version>.agent.bundle` implies it. */
    expect: texts('which agent each bundle has to be'),
    /** Accept sound bundles without signature. */
    allowUnsigned: whether('accept sound bundles without signature'),
    /** What is served are folders that an author works in, without verification; the client is told. */
    unverified: whether('serve folders that you work in'),
    /** Put the agent's name before each tool's: `mailer.mail.send`. */
    prefix: whether('put the agent’s name before each tool’s'),
    /** How the server calls itself; `rlp-bundle`, or `rlp-unverified`, where it is left out. */
    name: text('how the server calls itself'),
  },
  isLong: true,
  async run({ bundles, unverified, prefix, yes, ...asked }, world): Promise<void> {
    const { allowUnsigned, trustClientConfirmation, onTrouble: trouble = () => {} } = asked
    const { name = unverified ? UNVERIFIED_NAME : 'rlp-bundle' } = asked
    const serveClients = clientsOf(asked, trouble, world)
    const judging = { ...judgingBy(asked, world), allowUnsigned }
    const { home } = judging.access
    refuseYes(yes, await operatorConfig(home === undefined ? {} : { home }))
    const labels = bundles.map(({ target }) => target.label).join(', ')
    const refused = await serveClients(clients =>
      serveBundles({
        bundles: bundles.map((one, index) => {
          if (unverified) return () => openServedSource(one.target, world)
          const expected = { ...judging, expect: asked.expect[index] }
          return () => openServed(one.target, judgedWith(expected, one))
        }),
        prefix,
        session: async () => sessionBy(asked, world, UNANSWERED, { sandbox: await sandboxBy(asked, world) }),
        serving: { yes, trustClientConfirmation, trouble },
        name,
        instructions: unverified ? unverifiedWords(labels) : undefined,
        clients,
        onReady: (_, url) => {
          if (url !== undefined) asked.http?.onListening?.(url)
        },
      }),
    )
    if (refused !== undefined) throw new NotVerifiedError(refused)
  },
})

interface ClientsAsked {
  readonly input: Asked<{ input: typeof clientInput }>['input']
  readonly output: Asked<{ output: typeof clientOutput }>['output']
  readonly http: Asked<{ http: typeof http }>['http']
}

type Serve = (clients: Clients) => Promise<Report | undefined>

/** Serves the clients of the streams or of the port that was asked for. @throws UsageError */
function clientsOf(
  { input, output, http }: ClientsAsked,
  trouble: (message: string) => void,
  { signal }: World,
): (serve: Serve) => Promise<Report | undefined> {
  if (http === undefined) {
    if (input === undefined || output === undefined)
      throw noPlace(input === undefined ? 'input' : 'output', 'there is neither a pair of streams nor a port')
    const given = { input, output, signal, trouble }
    return serve => serveStreams(given, streams => serve({ streams }))
  }
  if (input === undefined && output === undefined)
    return serve => serve({ http: { ...http, signal, trouble } })
  throw noPlace('http', 'there are streams and a port, and one server serves at one place')
}
