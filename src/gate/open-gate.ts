// A gate in this process: answers the questions of its program, and those of others over HTTP where it listens.
import { isUint8Array } from 'node:util/types'
import type { PathGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'
import { anySignal } from '../io/wait/any-signal.ts'
import { UsageError } from '../model/error.ts'
import { forgetful, type GateJudge, judgedAnswer } from './judge.ts'
import { type GateAnswer, type GateQuestion, readQuestion } from './question-answer.ts'
import type { ServiceRun } from './service/run-service.ts'

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

interface GateJob extends Pick<GateJudge, 'trust' | 'onDefect'> {
  readonly listen: GatePlace | undefined
}

/** Where a gate listens, and what it serves there. */
export type GatePlace = Pick<ServiceRun, 'address' | 'token' | 'served'>

export async function gateHere({ listen, onDefect, trust }: GateJob, io: Setting): Promise<OpenGate> {
  const stop = new AbortController()
  const trustNow = forgetful(trust)
  const never = new AbortController()
  const judge = { onDefect, cwd: io.cwd, signal: never.signal }
  const answered = (question: GateQuestion) =>
    judgedAnswer({ ok: true, question }, { ...judge, trust: trustNow() })
  const signal = anySignal(io.signal, stop.signal)
  const service = listen && (await listening(listen, answered, onDefect, { cwd: io.cwd, signal }))
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
}

/** Settles when it listens. */
async function listening(
  place: GatePlace,
  judge: (question: GateQuestion) => ReturnType<typeof judgedAnswer>,
  onDefect: (error: unknown) => void,
  { cwd, signal }: Pick<Setting, 'cwd' | 'signal'>,
) {
  const { runService } = await import('./service/run-service.ts')
  return new Promise<{ readonly address: string; readonly ended: Promise<void> }>((resolve, reject) => {
    const ended = runService({
      ...place,
      cwd,
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
