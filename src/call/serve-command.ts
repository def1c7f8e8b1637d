// rlp tool serve: the tools of verified bundles for any MCP client, on standard input and output or over HTTP.

import { defineCommand, type Io } from '../cli/command.ts'
import { warn } from '../cli/render/report.ts'
import { oneAgent } from '../inspect/look-into.ts'
import { rootsFor } from '../io/root/roots.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { trustOf } from '../verify/judging-options.ts'
import { refuseBundle } from '../verify/render-refusal.ts'
import { asksForConfirmation } from './confirmation.ts'
import { UNANSWERED } from './context.ts'
import { refuseJson } from './options.ts'
import { type Clients, type ServeJob, serveBundles } from './serve.ts'
import {
  type HttpAsked,
  httpIn,
  refuseOther,
  refuseSource,
  SERVE_OPTIONS,
  SERVED,
  type ServeArgs,
} from './serve-options.ts'
import { openServed, openServedSource } from './served-bundle.ts'
import { openSession, sandboxFor } from './session-options.ts'
import { UNVERIFIED_NAME, unverified } from './unverified.ts'

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
    const examine = { expect, allowUnsigned, signal: io.signal, ...trustOf(args, io) }
    bundles.push(() => openServed(target, examine))
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

function clientsOf(http: HttpAsked | undefined, io: Io, trouble: (message: string) => void): Clients {
  const { signal } = io
  if (http !== undefined) return { http: { ...http, signal, trouble } }
  return {
    streams: {
      input: io.stdin(),
      output: text => io.stdout(text),
      unread: () => io.unread?.() ?? 0,
      signal,
      trouble,
    },
  }
}

/** A tool may name variables that it gets, and this one is not meant for it. */
function withoutToken({ tokenVariable }: ServeArgs, io: Io): Io {
  if (tokenVariable === undefined) return io
  return { ...io, env: { ...io.env, [tokenVariable]: undefined } }
}
