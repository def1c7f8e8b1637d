// The gate of the library: answers questions of this process, and of others over HTTP.
import { isUint8Array } from 'node:util/types'
import { type CallerOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { anySignal } from '../io/wait/any-signal.ts'
import { UsageError } from '../model/error.ts'
import { askerToken } from '../net/serve/asker.ts'
import { listenAddress } from '../net/serve/listen-address.ts'
import { type TrustOptions, trustInput } from '../verify/input.ts'
import { forgetful, judgedAnswer } from './judge.ts'
import { type GateAnswer, type GateQuestion, readQuestion } from './question-answer.ts'
import { servedPrefixes } from './service/served-places.ts'

/**
 * A gate: it answers whether bundles may be used, and never allows what it cannot tell in time. `signal` ends it as `close` does.
 *
 * @example
 * const gate = await openGate({ trustPolicy: '/etc/deploy/trust-policy.toml' })
 * const { allow, verdict } = await gate.ask({ bundle: 'dist/mailer-0.1.0.agent.bundle', expect: 'mailer@^0.1' })
 * console.log(allow, verdict)
 * await gate.close()
 *
 * @throws {@link RlpError} `USAGE` for an address, `NOT_FOUND` for a folder that is to be served, `WRONG_FILE_TYPE` for a token, `NO_PERMISSION`, `CANCELLED`
 */
export async function openGateAt(options: GateOptions = {}): Promise<OpenGate> {
  return runVerb('openGate', options, async (given, io) => {
    const stop = new AbortController()
    const { onDefect = () => {} } = given
    const { trustPolicy, home, state } = given
    const trust = trustInput({ trustPolicy, home, state, cwd: io.cwd, env: io.env })
    const trustNow = forgetful(trust)
    const never = new AbortController()
    const judge = { onDefect, cwd: io.cwd, signal: never.signal }
    const answered = (question: GateQuestion) =>
      judgedAnswer({ ok: true, question }, { ...judge, trust: trustNow() })
    const service =
      given.listen &&
      (await listening(given.listen, answered, onDefect, io, anySignal(io.signal, stop.signal)))
    const asked = new Set<Promise<unknown>>()
    return {
      address: service?.address,
      async ask(question) {
        if (stop.signal.aborted) throw new UsageError('Cannot ask the gate: it was closed')
        const answer = answered(questionGiven(question))
        asked.add(answer)
        try {
          return (await answer).answer
        } finally {
          asked.delete(answer)
        }
      },
      async close() {
        stop.abort()
        await Promise.allSettled(asked)
        await service?.ended
      },
    }
  })
}

/** Settles when it listens. */
async function listening(
  { at, tokenFile, serve = [], locks = {}, attestations = {} }: GateListening,
  judge: (question: GateQuestion) => ReturnType<typeof judgedAnswer>,
  onDefect: (error: unknown) => void,
  io: Setting,
  signal: AbortSignal,
) {
  const { runService } = await import('./service/run-service.ts')
  const address = listenAddress(at)
  const file = tokenFile === undefined ? undefined : pathGiven(tokenFile, io, 'read the token in')
  const token = await askerToken(address, file, io.cwd)
  const named = (files: Readonly<Record<string, PathGiven>>) =>
    new Map(Object.entries(files).map(([name, path]) => [name, pathGiven(path, io, 'serve')]))
  const served = {
    ...servedPrefixes(serve, io.cwd),
    locks: named(locks),
    attestations: named(attestations),
  }
  return new Promise<{ readonly address: string; readonly ended: Promise<void> }>((resolve, reject) => {
    const ended = runService({
      address,
      cwd: io.cwd,
      token,
      served,
      judge,
      onDefect,
      signal,
      record: undefined,
      onUnrecorded: onDefect,
      onListening: where => resolve({ address: where, ended }),
    })
    ended.catch(reject)
  })
}

/** By the rules of a question that came as a line. @throws UsageError */
function questionGiven({ bundle, expect, attestations, lock, withinMs }: GateAsk): GateQuestion {
  const isBytes = isUint8Array(bundle)
  const line = JSON.stringify({
    bundle: isBytes ? '-' : bundle,
    expect,
    attestations,
    lock,
    within_ms: withinMs,
  })
  const read = readQuestion(new TextEncoder().encode(line))
  if (!read.ok)
    throw new UsageError(`Cannot ask the gate: ${read.problem}`, {
      hint: 'docs/gate.md has the members of a question; within_ms is withinMs here',
    })
  return isBytes ? { ...read.question, bundle: new Uint8Array(bundle) } : read.question
}

export interface GateListening {
  /** `unix:PATH`, or `127.0.0.1:PORT` with `tokenFile`. */
  readonly at: string
  /** A file with the token that askers at a port have to send. */
  readonly tokenFile?: PathGiven
  /** Folders, and beginnings of references, below which questions over HTTP may name bundles. */
  readonly serve?: readonly string[]
  /** Locks, and files of statements, that questions over HTTP may name, by their names. */
  readonly locks?: Readonly<Record<string, PathGiven>>
  readonly attestations?: Readonly<Record<string, PathGiven>>
}

export interface GateOptions extends CallerOptions, Pick<TrustOptions, 'trustPolicy' | 'home' | 'state'> {
  /** Answer other programs over HTTP too (docs/gate.md). */
  readonly listen?: GateListening
  /** Told a defect of rlp; the question was refused. */
  readonly onDefect?: (error: unknown) => void
}

/** As a question of docs/gate.md, with bytes as they are. */
export interface GateAsk {
  /** A path or a reference, or the bytes themselves. */
  readonly bundle: string | Uint8Array
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: string
  /** The path of what came with it; the file beside the bundle where this is left out. */
  readonly attestations?: string
  /** The path of a lock; the bundle has to be as it pins it. */
  readonly lock?: string
  /** How long the answer may take. */
  readonly withinMs?: number
}

export interface OpenGate {
  /** Where it listens, as an asker calls it; undefined without `listen`. */
  readonly address: string | undefined
  /** One question. Policies, marks and overrides are read for it; what cannot be decided is not allowed. */
  ask(question: GateAsk): Promise<GateAnswer>
  /** Ends it; questions that were asked are answered. */
  close(): Promise<void>
}
