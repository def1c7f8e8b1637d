// A verb of the library: what is handed in is copied, an abort is one error, and what is handed out cannot be changed.
import { isPromise } from 'node:util/types'
import { RlpError } from '../../model/error.ts'
import { frozen } from '../../model/frozen.ts'
import { own } from '../../model/own.ts'
import type { Setting } from '../setting.ts'
import { orAborted } from '../wait/or-aborted.ts'
import { type LongOptions, settingOf } from './caller.ts'
import { copyGiven, refuseInheriting, unchangeable } from './copy-given.ts'
import { refuseUnknownOptions, VERB_OPTIONS, type Verb } from './known-options.ts'

/** Options that are used as they are: the caller's end of a stream, his way to stop, what several calls count in, and a bundle that was loaded. */
const LIVE: readonly string[] = ['signal', 'input', 'ledger', 'bundle']

/**
 * Every verb that takes options runs through here, so that these rules are the same for all of them. `job` is begun at once: what it does
 * before it waits for the first time, it does with what the caller handed in.
 *
 * @throws RlpError USAGE for options that the verb does not have; CANCELLED if `signal` is aborted before the job has ended, whatever it
 * answered or threw
 */
export async function runVerb<O extends LongOptions, T>(
  verb: Verb,
  options: O,
  job: (options: O, io: Setting) => Promise<T>,
): Promise<T> {
  refuseUnknownOptions(options, verb)
  refuseInheriting(options, `the options of ${verb}`)
  const signal = own(options as { readonly signal?: AbortSignal }, 'signal') ?? new AbortController().signal
  const cancelled = (cause?: unknown) =>
    new RlpError('CANCELLED', `Cannot finish ${verb}: it was aborted`, { cause })
  if (signal.aborted) throw cancelled()
  const given = copyOptions(verb, options, signal, cancelled)
  let answer: T
  try {
    answer = await job(given, settingOf(given))
  } catch (error) {
    if (!signal.aborted) throw frozenError(error)
    throw error instanceof RlpError && error.code === 'CANCELLED' ? error : cancelled(error)
  }
  if (signal.aborted) throw cancelled()
  return frozen(answer)
}

/**
 * Each option of the verb is a member of the copy, undefined where it was left out: neither the copy nor what is spread from it inherits one
 * that other code has added to `Object.prototype`.
 */
function copyOptions<O extends LongOptions>(
  verb: Verb,
  options: O,
  signal: AbortSignal,
  cancelled: () => RlpError,
): O {
  const wrap =
    (call: (...given: unknown[]) => unknown) =>
    (...given: unknown[]) => {
      const answer = call(...given.map(unchangeable))
      // A person who is asked may never answer.
      return isPromise(answer) ? orAborted(answer, signal, cancelled) : answer
    }
  const copied = Object.create(null)
  for (const name of VERB_OPTIONS[verb]) {
    const value: unknown =
      name === 'signal' ? signal : own(options as Readonly<Record<string, unknown>>, name)
    // The environment of this process is the same for everybody in it, and knows no difference of case on some systems.
    const isLive = LIVE.includes(name) || value === process.env
    copied[name] = isLive ? value : copyGiven(value, `the option ${name}`, options, wrap)
  }
  return copied
}

/** What an error says of a bundle, for example its report, is handed out as well. */
function frozenError(error: unknown): unknown {
  if (error instanceof RlpError)
    for (const said of Object.values(error)) if (!(said instanceof Error)) frozen(said)
  return error
}
