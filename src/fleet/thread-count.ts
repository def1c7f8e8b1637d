// How many threads judge many bundles. A process in a container sees all cores of its host: a thread for each of 64 cores takes more memory
// than a small pod has, and they wait for the quota most of the time.
import { availableParallelism } from 'node:os'
import { cpuQuota } from '../io/process/cpu-quota.ts'
import { UsageError } from '../model/error.ts'
import { quoteText } from '../text/quote.ts'
import { MOST_THREADS } from './task.ts'

/** By default. A disk and the thread that reports are busy with fewer. */
const MOST_BY_DEFAULT = 16
const VARIABLE = 'RLP_THREADS'

/**
 * @param asked with --threads; the variable counts only without it
 * @throws UsageError if the variable is not a number of threads
 */
export function threadsFor(
  asked: number | undefined,
  env: Readonly<Record<string, string | undefined>>,
  machine: { readonly cores: number; readonly quota: number | undefined } = machineHere(),
): number {
  const { cores, quota = cores } = machine
  return asked ?? fromVariable(env) ?? Math.max(1, Math.min(cores, Math.ceil(quota), MOST_BY_DEFAULT))
}

function machineHere() {
  return { cores: availableParallelism(), quota: cpuQuota() }
}

function fromVariable(env: Readonly<Record<string, string | undefined>>): number | undefined {
  const text = env[VARIABLE]
  if (text === undefined || text === '') return undefined
  const number = /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= MOST_THREADS) return number
  throw new UsageError(`Cannot use ${VARIABLE}: ${quoteText(text)} is not a number of threads`, {
    expected: `a whole number from 1 to ${MOST_THREADS}`,
    hint: `Set ${VARIABLE} to a number, or unset it`,
  })
}
