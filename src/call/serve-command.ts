// rlp tool serve: the tools of verified bundles for any MCP client, on standard input and output.

import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { warn } from '../cli/render/report.ts'
import { plural } from '../format/text/counts.ts'
import { printable } from '../format/text/printable.ts'
import { isSource, oneAgent } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import { rootsFor } from '../io/root/roots.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { UsageError } from '../model/usage-error.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { refuseBundle } from '../verify/render-refusal.ts'
import { asksForConfirmation } from './confirmation.ts'
import { UNANSWERED } from './context.ts'
import { CALL_OPTIONS, TRUST_CLIENT } from './options.ts'
import { type ServeJob, serveBundles } from './serve.ts'
import { openServed, openServedSource } from './served-bundle.ts'
import { openSession, sandboxFor } from './session-options.ts'
import { UNVERIFIED_NAME, unverified } from './unverified.ts'

const OPTIONS = {
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
  ...CALL_OPTIONS,
  ...TRUST_OPTIONS,
  ...REGISTRY_OPTIONS,
  root: LOOK_UP_OPTION,
} as const satisfies OptionTable

const POSITIONALS = [
  {
    name: 'bundle',
    required: true,
    names: 'installed',
    many: true,
    describe:
      'bundles, unpacked bundles, or names of installed agents; with --unverified folders that you work in',
  },
] as const

type Args = CommandArgs<typeof OPTIONS, typeof POSITIONALS>

const DOING = { doing: 'serve', tool: 'tool.serve' }

export const command = defineCommand({
  name: 'tool serve',
  summary: 'serve the tools of verified bundles to an MCP client',
  positionals: POSITIONALS,
  options: OPTIONS,
  examples: [
    ['rlp tool serve mailer', 'what an MCP client starts'],
    ['rlp tool serve mailer calendar --prefix', 'two agents, whose tools may have the same names'],
    ['rlp tool serve mailer --trace calls.ndjson', 'with a record of every call'],
    ['rlp tool serve agents/mailer --unverified', 'a folder that you work in, for a client of your own'],
  ],
  notes:
    'Speaks the Model Context Protocol on standard input and output, and ends with the input. The bundles are read once; policy, revocations, overrides and clock are read again before every call. Tools that need a confirmation are refused unless --trust-client-confirmation or --yes is given.\n\nExit code 0: the input ended. 1, 3 or 4: a bundle is not trusted, and nothing was served. 130: interrupted.',
  run: runServe,
})

async function runServe(args: Args, io: Io): Promise<ExitCode> {
  if (args.json) {
    throw new UsageError('Cannot serve with --json: standard output speaks MCP', {
      field: 'json',
      hint: 'Leave it out; --trace FILE records calls and answers',
    })
  }
  const sandbox = await sandboxFor(args, io)
  const roots = await rootsFor(args.root, io.cwd)
  const bundles: ServeJob['bundles'][number][] = []
  refuseOther(args)
  for (const [index, named] of args.bundle.entries()) {
    const target = await oneAgent(DOING.doing, named, io, roots)
    if (args.unverified) {
      refuseVerifiable(target)
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
    session: () => openSession(args, sandbox, io, UNANSWERED),
    serving: {
      trustClientConfirmation,
      yes: !asks,
      trouble: message => io.stderr(`rlp: ${printable(message)}\n`),
    },
    name: args.unverified ? UNVERIFIED_NAME : 'rlp',
    instructions: args.unverified ? unverified(names) : undefined,
    streams: {
      input: io.stdin(),
      output: text => io.stdout(text),
      unread: () => io.unread?.() ?? 0,
      signal: io.signal,
      trouble: message => tell(`protocol: ${message}`),
    },
    onReady(tools) {
      if (args.unverified) warn(io, args, unverified(names))
      tell(`serving ${plural(tools, 'tool')} of ${names} on standard input and output (MCP)`)
    },
  })
  if (refused !== undefined) return refuseBundle(refused, DOING, args, io)
  return io.signal.aborted ? EXIT.user : EXIT.ok
}

function refuseOther({ bundle, expect, allowUnsigned, unverified }: Args): void {
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

function refuseVerifiable(target: Target): void {
  if (isSource(target)) return
  throw new UsageError(`Cannot use --unverified with "${target.label}": it is no source folder`, {
    field: 'unverified',
    hint: 'Leave it out: a bundle is verified',
  })
}

function refuseSource(target: Target): void {
  if (!isSource(target)) return
  throw new UsageError(`Cannot serve "${target.label}": it is a source folder, which cannot be verified`, {
    field: 'bundle',
    hint: 'Pack it with rlp agent pack and sign it. To try out a folder that you work in, add --unverified',
  })
}
