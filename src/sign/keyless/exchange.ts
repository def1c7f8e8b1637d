// A question to a service of Sigstore, or to a pipeline → its answer, or one sentence for each thing that a person can do about it. What was told in
// confidence is in no message, whatever the service says.
import { Deadline, operationTimes } from '../../io/wait/deadline.ts'
import type { RegistryAccess } from '../../model/carried.ts'
import { askService, type ServiceAnswer } from '../../net/ask-service.ts'
import { codeOf, isBrokenConnection } from '../../net/connection.ts'
import type { ServiceQuestion, SigningExchange } from './question.ts'
import { serviceEnded, serviceRefused, serviceUnreached } from './service-words.ts'

/** Of all services together, for one signature. */
const WAIT_MS = 120_000
/** Of one answer. A log of version 2 waits until it has more entries to write. */
const ANSWER_MS = 30_000
const MOST_TRIES = 3

/**
 * `[registries] timeout` of config.toml holds for these services too.
 * @throws RlpError as {@link operationTimes}
 */
export async function deadlineFor(signal: AbortSignal, access: RegistryAccess): Promise<Deadline> {
  const times = await operationTimes(access, { operationMs: WAIT_MS })
  return new Deadline(signal, { ...times, slowMs: Number.POSITIVE_INFINITY })
}

/** @throws RlpError UNREACHABLE, TIMED_OUT, NO_PERMISSION, SIGNER, CANCELLED */
export async function serviceAnswer(
  question: ServiceQuestion,
  exchange: SigningExchange,
): Promise<ServiceAnswer> {
  const { deadline } = exchange
  for (let at = 1; ; at++) {
    const answer = await tried(question, exchange, at)
    if (answer !== undefined) {
      const { status } = answer
      if ((status >= 200 && status < 300) || status === question.takes) return answer
      if (at >= MOST_TRIES || !(status === 429 || status >= 500))
        throw serviceRefused(question, exchange, answer)
    }
    await deadline.pause(200 * 4 ** (at - 1)).catch(() => {
      throw serviceEnded(question, exchange, deadline.over)
    })
  }
}

/** Undefined where it may be tried again. */
async function tried(
  question: ServiceQuestion,
  exchange: SigningExchange,
  at: number,
): Promise<ServiceAnswer | undefined> {
  const { deadline, env } = exchange
  const soon = deadline.within(ANSWER_MS, 'one answer')
  const { method, url, mostBytes, headers = {}, body } = question
  const sent = { method, url, mostBytes, headers, env, deadline: soon, body }
  try {
    return await askService(sent)
  } catch (error) {
    if (soon.over !== undefined) throw serviceEnded(question, exchange, soon.over)
    if (at < MOST_TRIES && isBrokenConnection(codeOf(error))) return undefined
    throw serviceUnreached(question, exchange, error)
  }
}
