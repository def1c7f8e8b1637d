// A name and a password that a registry refused are not sent to it again in the same call: a list of references must not lock an account.
import { createHash } from 'node:crypto'
import type { Deadline } from '../../io/wait/deadline.ts'
import type { LoginOutcomes } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import type { Credentials } from './ask-credentials.ts'

/** What a try says that was refused. */
export const REFUSED: unique symbol = Symbol('refused')

/**
 * The first try of all that would send the same; the others wait for what becomes of it.
 *
 * @param place that is told: the registry, or where it logs in
 * @throws RlpError NO_PERMISSION where it was refused, now or before; what `send` throws
 */
export async function attempted<T>(
  { place, credentials }: { readonly place: URL; readonly credentials: Credentials },
  { outcomes, deadline }: { readonly outcomes: LoginOutcomes; readonly deadline: Deadline },
  send: () => Promise<T | typeof REFUSED>,
): Promise<T> {
  const key = keyOf(place, credentials)
  for (let before = outcomes.get(key); before !== undefined; before = outcomes.get(key)) {
    const pending = before
    const outcome = await deadline.waiting(() => pending)
    if (outcome === 'refused') throw refusedLogin(place)
    if (outcome === 'taken') break
  }
  const isFirst = !outcomes.has(key)
  let tell: (outcome: 'taken' | 'refused' | 'unknown') => void = () => undefined
  if (isFirst)
    outcomes.set(
      key,
      new Promise(resolve => {
        tell = resolve
      }),
    )
  try {
    const result = await send()
    tell(result === REFUSED ? 'refused' : 'taken')
    if (result !== REFUSED) return result
  } catch (error) {
    // It was not answered, so the next one tries.
    if (isFirst) outcomes.delete(key)
    tell('unknown')
    throw error
  }
  outcomes.set(key, Promise.resolve('refused'))
  throw refusedLogin(place)
}

function keyOf(place: URL, { username, password, identityToken = '' }: Credentials): string {
  const parts = [`${place.origin}${place.pathname}`, username, password, identityToken]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

export function refusedLogin({ host }: Pick<URL, 'host'>): RlpError {
  return new RlpError(
    'NO_PERMISSION',
    `Cannot log in at ${host}: the registry refused this name and password`,
    { hint: 'Check both, then log in again with rlp login HOST' },
  )
}
