// rlp tool serve: the tools of verified bundles for any MCP client, on standard input and output or over HTTP.
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { warn } from '../cli/render/report.ts'
import { isSource, oneAgent } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import { rootsFor } from '../io/root/roots.ts'
import { UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { own } from '../model/own.ts'
import { checkedToken, tokenInFile } from '../net/serve/asker.ts'
import { type PortAddress, portAddress } from '../net/serve/listen-address.ts'
import { printable, quoted } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { refuseBundle } from '../verify/render.ts'
import { asksForConfirmation } from './confirmation.ts'
import { UNANSWERED } from './context.ts'
import { CALL_OPTIONS, refuseJson, sandboxFor, streamsOf, TRUST_CLIENT } from './options.ts'
import { type Clients, type ServeJob, serveBundles } from './serve.ts'
import { UNVERIFIED_NAME, unverified } from './served.ts'
import { openServed, openServedSource } from './served-bundles.ts'
import { openSession } from './session-inputs.ts'

const SERVE_OPTIONS = {
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

const SERVED = [
  {
    name: 'bundle',
    required: true,
    names: 'installed',
    many: true,
    describe:
      'bundles, unpacked bundles, or names of installed agents; with --unverified folders that you work in',
  },
] as const

type ServeArgs = CommandArgs<typeof SERVE_OPTIONS, typeof SERVED>

function refuseOther({ bundle, expect, allowUnsigned, unverified }: ServeArgs): void {
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

function refuseSource(target: Target): void {
  if (!isSource(target)) return
  throw new UsageError(`Cannot serve "${target.label}": it is a source folder, which cannot be verified`, {
    field: 'bundle',
    hint: 'Pack it with rlp agent pack and sign it. To try out a folder that you work in, add --unverified',
  })
}

interface HttpEndpoint {
  readonly address: PortAddress
  readonly token: Uint8Array
}

/** Undefined for standard input and output. @throws UsageError, and as reading the token */
async function httpIn(
  { http, tokenFile, tokenVariable }: ServeArgs,
  { env, cwd }: Io,
): Promise<HttpEndpoint | undefined> {
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

function tokenInVariable(name: string, env: Io['env']): Uint8Array {
  const refuse = (state: string) =>
    new UsageError(`Cannot use the token in the variable ${quoted(name)}: ${state}`, {
      field: 'token-variable',
      hint: 'Set it to at least 32 characters, for example what this prints: head -c 32 /dev/urandom | base64',
    })
  const token = own(env, name)
  if (token === undefined) throw refuse('it is not set')
  return checkedToken(token, refuse)
}

const DOING = { doing: 'serve', tool: 'tool.serve' }

export const command = defineCommand({
  name: 'tool serve',
  summary: 'serve the tools of verified bundles to an MCP client',
  positionals: SERVED,
  options: SERVE_OPTIONS,
  examples: [
    ['rlp tool serve mailer', 'what an MCP client starts'],
    ['rlp tool serve mailer calendar --prefix', 'two agents, whose tools may have the same names'],
    ['rlp tool serve mailer --trace calls.ndjson', 'with a record of every call'],
    [
      'rlp tool serve mailer --http 127.0.0.1:8722 --token-file ~/.config/mcp-token',
      'over HTTP, to programs of this machine that have the token',
    ],
    ['rlp tool serve agents/mailer --unverified', 'a folder that you work in, for a client of your own'],
  ],
  notes:
    'Speaks the Model Context Protocol, of 2026-07-28 and before, on standard input and output; when the input ends, it answers what came before and ends. With --http at a port of this machine, until Ctrl-C. The bundles are read once; policy, revocations, overrides and clock are read again before every call. Tools that need a confirmation are refused unless --trust-client-confirmation or --yes is given.\n\nExit code 0: the input ended. 1, 3 or 4: a bundle is not trusted, and nothing was served. 130: interrupted.',
  run: runServe,
})

async function runServe(args: ServeArgs, io: Io): Promise<ExitCode> {
  refuseJson(args)
  const http = await httpIn(args, io)
  const sandbox = await sandboxFor(args, io)
  const roots = await rootsFor(args.root, io.cwd)
  const bundles: ServeJob['bundles'][number][] = []
  refuseOther(args)
  for (const [index, named] of args.bundle.entries()) {
    const target = await oneAgent(DOING.doing, named, io, roots)
    if (args.unverified) {
      bundles.push(() => openServedSource(target, io))
      continue
    }
    refuseSource(target)
    const { allowUnsigned } = args
    const expect = args.expect[index]
    const judging = { expect, allowUnsigned, signal: io.signal, ...trustOf(args, io) }
    bundles.push(() => openServed(target, judging))
  }
  const { prefix, trustClientConfirmation } = args
  const asks = await asksForConfirmation(args, io)
  const names = args.bundle.join(', ')
  const tell = (line: string) => {
    if (!args.quiet) io.stderr(`${printable(line)}\n`)
  }
  const refused = await serveBundles({
    bundles,
    prefix,
    session: () => openSession(args, sandbox, withoutToken(args, io), UNANSWERED),
    serving: {
      trustClientConfirmation,
      yes: !asks,
      trouble: message => io.stderr(`rlp: ${printable(message)}\n`),
    },
    name: args.unverified ? UNVERIFIED_NAME : 'rlp',
    instructions: args.unverified ? unverified(names) : undefined,
    clients: clientsOf(http, io, message => tell(`protocol: ${message}`)),
    onReady(tools, url) {
      if (args.unverified) warn(io, args, unverified(names))
      const where = url === undefined ? 'on standard input and output' : `at ${url}`
      tell(`serving ${plural(tools, 'tool')} of ${names} ${where} (MCP)`)
    },
  })
  if (refused !== undefined) return refuseBundle(refused, DOING, args, io)
  return io.signal.aborted ? EXIT.user : EXIT.ok
}

function clientsOf(http: HttpEndpoint | undefined, io: Io, trouble: (message: string) => void): Clients {
  if (http !== undefined) return { http: { ...http, signal: io.signal, trouble } }
  return { streams: streamsOf(io, trouble) }
}

/** A tool may name variables that it gets, and this one is not meant for it. */
function withoutToken({ tokenVariable }: ServeArgs, io: Io): Io {
  if (tokenVariable === undefined) return io
  return { ...io, env: { ...io.env, [tokenVariable]: undefined } }
}
