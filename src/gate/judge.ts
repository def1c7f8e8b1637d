// Judges one question of the gate within its time, from any asker: standard input, a request over HTTP, or the library. What registries
// answered to a login is remembered for a while, so that a question does not log in each time.
import { resolve } from 'node:path'
import { StreamSha256 } from '../io/bundle/bundle-bytes.ts'
import { absolute } from '../io/layout-folder.ts'
import type { LoginOutcomes } from '../model/carried.ts'
import { RlpError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import { asFlags } from '../text/flag-name.ts'
import { type Judging, verifyWith } from '../verify/examine.ts'
import {
  type Answered,
  answeredWith,
  askedAbout,
  type GateQuestion,
  noVerdict,
  type ReadQuestion,
  undecided,
} from './question-answer.ts'

/** By what a question is judged. */
export interface GateJudge {
  /** Told a defect of this program; the question was refused. */
  onDefect(error: unknown): void
  readonly cwd: string
  readonly signal: AbortSignal
  readonly trust: Pick<Judging, 'trustPolicy' | 'access' | 'isForPerson'>
}

const ASK_AGAIN = 'docs/gate.md has the members of a question'
/** @throws RlpError CANCELLED when `signal` aborts */
export async function judgedAnswer(read: ReadQuestion, gate: GateJudge): Promise<Answered> {
  if (!read.ok)
    return undecided(
      noVerdict(read.id, 'bad_question', `Cannot read the question: ${read.problem}`, ASK_AGAIN),
      null,
    )
  const { question } = read
  const { id } = question
  const target = askedAbout(question)
  try {
    return await inTime(question, gate)
  } catch (error) {
    if (gate.signal.aborted) throw error
    if (error instanceof RlpError && error.code === 'USAGE')
      return undecided(
        noVerdict(id, 'bad_question', error.message, error.hint && asFlags(error.hint)),
        target,
      )
    if (!(error instanceof RlpError)) gate.onDefect(error)
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof RlpError ? 'unreadable' : 'internal_error'
    return undecided(noVerdict(id, code, message), target)
  }
}

/** The time counts from here, and everything that is read for the answer is in it. */
async function inTime(question: GateQuestion, { cwd, signal, trust }: GateJudge): Promise<Answered> {
  const { id, bundle, expect, attestations, lock, withinMs } = question
  const end = performance.now() + withinMs
  const passed = new StreamSha256()
  const stop = new AbortController()
  const late = () =>
    undecided(
      noVerdict(
        id,
        'out_of_time',
        `Not decided within ${withinMs} ms`,
        'Ask again with a larger "within_ms"',
      ),
      askedAbout(question),
    )
  const judged = verifyWith(
    sourceOf(bundle, cwd),
    {
      ...trust,
      label: typeof bundle === 'string' ? bundle : undefined,
      attestations: attestations === undefined ? undefined : resolve(cwd, attestations),
      locks: lock === undefined ? [] : [resolve(cwd, lock)],
      mustExpect: true,
      expect,
      follow: false,
      signal: stop.signal,
      through: chunks => passed.through(chunks),
    },
    'parsed',
  )
  // What has lost the race may still fail.
  void Promise.allSettled([judged])
  const { promise: stopped, stop: giveUp } = stopping(stop)
  const timer = setTimeout(giveUp, withinMs)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const result = await Promise.race([judged, stopped])
    if (result === undefined || performance.now() > end) return late()
    return answeredWith(question, result.report, passed.sha256)
  } catch (error) {
    if (stop.signal.aborted && !signal.aborted) return late()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}

function sourceOf(bundle: string | Uint8Array, cwd: string): string | Uint8Array {
  if (typeof bundle !== 'string') return bundle
  return isOciReference(bundle) ? absolute(bundle, cwd) : resolve(cwd, bundle)
}

/** A source that does not hear the signal must not delay the answer. */
function stopping(controller: AbortController) {
  let end = (): void => undefined
  const promise = new Promise<undefined>(resolve => {
    end = () => resolve(undefined)
  })
  const stop = () => {
    controller.abort()
    end()
  }
  return { promise, stop }
}

/** So long after a registry has refused a name and a password, they are tried again: a gate outlives a lock of an account. */
const FORGET_MS = 600_000

export function forgetful<T extends Pick<Judging, 'access'>>(trust: T): () => T {
  let since = performance.now()
  let logins: LoginOutcomes = new Map()
  return () => {
    if (performance.now() - since > FORGET_MS) [since, logins] = [performance.now(), new Map()]
    const { access } = trust
    // What a registry shows of itself holds for one question: it may have been set up anew before the next.
    return access === undefined ? trust : { ...trust, access: { ...access, logins, seen: new Map() } }
  }
}
