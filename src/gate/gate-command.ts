// rlp gate: decides for a program that asks, one line of JSON for each question, as a command or as a service.

import { defineCommand, type Io } from '../cli/command.ts'
import type { ArgsOf, OptionTable } from '../cli/option.ts'
import { AUDIT_OPTION, auditIn, reachIn } from '../cli/options.ts'
import { type Listening, note } from '../cli/render/report.ts'
import type { Audit } from '../io/audit.ts'
import { guardOpens } from '../io/read/read-file.ts'
import { anySignal } from '../io/wait/any-signal.ts'
import type { AuditDecision } from '../model/audit.ts'
import { type RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { askerToken } from '../net/serve/asker.ts'
import { type ListenAddress, listenAddress } from '../net/serve/listen-address.ts'
import { printable, quoted } from '../text/printable.ts'
import { DURATION_FORM, secondsIn } from '../text/time.ts'
import { TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { type Gate, isFar, runGate } from './gate.ts'
import { forgetful, judgedAnswer } from './judge.ts'
import type { GateQuestion } from './question-answer.ts'
import { namedFiles, type ServedPlaces, servedPrefixes } from './service/served-places.ts'

const SERVICE_OPTIONS = {
  listen: {
    type: 'string',
    placeholder: 'ADDRESS',
    describe: 'answer over HTTP at unix:PATH, or at 127.0.0.1:PORT with --token-file (docs/gate.md)',
  },
  'token-file': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'a file with the token that askers at a port have to send',
  },
  serve: {
    type: 'strings',
    placeholder: 'PREFIX',
    describe: 'a folder, or the beginning of a reference, below which questions over HTTP may name bundles',
  },
  'serve-lock': {
    type: 'strings',
    placeholder: 'NAME=FILE',
    describe: 'a lock that questions over HTTP may name',
  },
  'serve-attestations': {
    type: 'strings',
    placeholder: 'NAME=FILE',
    describe: 'a file of statements that questions over HTTP may name',
  },
} as const satisfies OptionTable

type ServiceArgs = ArgsOf<typeof SERVICE_OPTIONS, readonly []>

interface Listened {
  readonly address: ListenAddress
  readonly token: Uint8Array | undefined
  readonly served: ServedPlaces
}

/** Undefined for a gate that reads lines. @throws UsageError, and as reading the token */
export async function listenedIn(args: ServiceArgs, cwd: string): Promise<Listened | undefined> {
  const { listen, tokenFile, serve = [], serveLock = [], serveAttestations = [] } = args
  if (listen === undefined) {
    refuseAlone(args)
    return undefined
  }
  const address = listenAddress(listen)
  return {
    address,
    token: await askerToken(address, tokenFile, cwd),
    served: {
      ...servedPrefixes(serve, cwd),
      locks: namedFiles('serve-lock', serveLock, cwd),
      attestations: namedFiles('serve-attestations', serveAttestations, cwd),
    },
  }
}

function refuseAlone(args: ServiceArgs): void {
  const given = {
    'token-file': args.tokenFile,
    serve: args.serve,
    'serve-lock': args.serveLock,
    'serve-attestations': args.serveAttestations,
  }
  for (const [field, value] of Object.entries(given))
    if (value !== undefined && value.length > 0)
      throw new UsageError(
        `Cannot use --${field} without --listen: a question in a line names what it likes`,
        {
          field,
          hint: 'Add --listen, or leave it out',
        },
      )
}

export const command = defineCommand({
  name: 'gate',
  summary: 'tell another program whether a bundle may be used',
  options: {
    'trust-policy': TRUST_OPTIONS['trust-policy'],
    update: {
      type: 'string',
      placeholder: 'DURATION',
      describe: 'update the trust channels that are followed at once, and then so often, as 15m',
    },
    ...SERVICE_OPTIONS,
    ...AUDIT_OPTION,
  },
  examples: [
    [
      `echo '{"bundle":"dist/mailer-0.1.0.agent.bundle","expect":"mailer@^0.1"}' | rlp gate | jq -e .allow`,
      'one question, from a shell',
    ],
    ['rlp gate --trust-policy /etc/deploy/trust-policy.toml', 'what another program starts and asks'],
  ],
  notes:
    'A question is a line with "bundle" (a path or a reference) or "bytes" (base64), and may have "id", "expect" and "within_ms". Its answer is the next line: "allow" is true for the verdict trusted and for nothing else, and "sha256" names the bytes that were judged. Policies, marks and overrides are read for each question. docs/gate.md has every member. With --listen, many programs ask it over HTTP: rlp gate --listen unix:/run/gate/socket --serve /srv/bundles\n\nA line that is no question gets an answer with "allow": false, and the next one is read. Exit code 0: the questions ended, whatever the answers were. 3: an answer could not be written, or a decision not be recorded in --audit, and was refused. 130: interrupted.',
  async run(args, io): Promise<ExitCode> {
    let exit: ExitCode = EXIT.ok
    const listened = await listenedIn(args, io.cwd)
    const audit = await auditIn(args, io)
    const said = new Set<string>()
    const over = new AbortController()
    const updates = await updatingChannels(
      args,
      { ...io, signal: anySignal(io.signal, over.signal) },
      audit,
      problem => {
        if (exit === EXIT.ok) exit = EXIT.machine
        note(io, args, problem)
      },
    )
    const judge = {
      onDefect(error: unknown) {
        exit = EXIT.bug
        const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
        io.stderr(
          `rlp: Internal error, please report it\n${stack
            .split('\n')
            .map(line => printable(line))
            .join('\n')}\n`,
        )
      },
      record: audit && ((decision: AuditDecision) => audit.record(decision)),
      onUnrecorded(error: RlpError) {
        if (exit === EXIT.ok) exit = EXIT.machine
        // The answers say it each time.
        if (!said.has(error.message)) note(io, args, error.message)
        said.add(error.message)
      },
      cwd: io.cwd,
      trust: trustOf({ trustPolicy: args.trustPolicy, allowDev: false, attestations: undefined }, io),
    }
    const ended = listened === undefined ? readLines(judge, io) : listen(listened, judge, args, io)
    await ended.finally(() => over.abort())
    await updates.ended
    return exit
  },
})

type Judge = Omit<Gate, 'questions' | 'answer' | 'unread' | 'isOver' | 'signal'>

function readLines(judge: Judge, io: Io): Promise<void> {
  return runGate({
    ...judge,
    questions: io.stdin(),
    answer: line => io.stdout(line),
    unread: () => io.unread?.() ?? 0,
    isOver: () => io.isOver?.() ?? false,
    signal: io.signal,
  })
}

/** A signal ends it, and no question that was taken: each has a time of its own. */
async function listen(listened: Listened, judge: Judge, args: Listening, io: Io): Promise<void> {
  const { runService } = await import('./service/run-service.ts')
  const { JudgeThreads } = await import('./service/judge-threads.ts')
  const trustNow = forgetful(judge.trust)
  const { signal } = new AbortController()
  const { trustPolicy, isForPerson } = judge.trust
  const here = (question: GateQuestion) =>
    judgedAnswer({ ok: true, question }, { ...judge, signal, trust: trustNow() })
  const { folders } = listened.served
  // For what is judged without a thread.
  guardOpens(folders)
  const threads = new JudgeThreads(
    { cwd: io.cwd, folders, trust: { trustPolicy, isForPerson } },
    { onDefect: judge.onDefect, here },
  )
  try {
    await runService({
      ...listened,
      ...judge,
      signal: io.signal,
      // Waiting for a registry takes no thread, and what registries said is known here.
      judge: question => (isFar(question) ? here(question) : threads.judge(question)),
      onListening: where => note(io, args, `listening at ${where}`),
    })
  } finally {
    threads.end()
    guardOpens([])
  }
}

type UpdateArgs = Listening & { readonly update: string | undefined }

/** Begins to update channels; no question waits for it. What became of each is a line of standard error. */
async function updatingChannels(
  args: UpdateArgs,
  io: Io,
  audit: Audit | undefined,
  onUnrecorded: (problem: string) => void,
): Promise<{ readonly ended: Promise<void> }> {
  const { update } = args
  if (update === undefined) return { ended: Promise.resolve() }
  const seconds = secondsIn(update)
  if (seconds === undefined || seconds > MOST_SECONDS)
    throw new UsageError(
      `Cannot update every ${quoted(update)}: it is not ${DURATION_FORM}, of at most 24 days`,
      {
        field: 'update',
        hint: 'Write for example 15m',
      },
    )
  const { keepUpdated } = await import('../follow/update-all.ts')
  const { outcomeLine } = await import('../follow/render-followed.ts')
  const { UpdateRecords } = await import('../follow/audit-lines.ts')
  const ended = keepUpdated({
    seconds,
    reach: reachIn(io, args),
    onDecided(outcome) {
      const records = new UpdateRecords(audit)
      records.record(outcome)
      if (records.lost !== undefined) onUnrecorded(records.lost.message)
    },
    onOutcome: outcome => note(io, args, outcomeLine(outcome, false)),
    onProblem: error => note(io, args, error.message),
  })
  return { ended }
}

/** Timers of Node count milliseconds in 31 bits. */
const MOST_SECONDS = 24 * 86_400
