// Whom a function asks where a tool wants a person's yes.
import { type At, givenFunction, type Input } from '../verb/index.ts'
import { type Confirm, UNANSWERED } from './context.ts'

/** Asked where a tool wants a person's yes; without it such a call is refused. */
export const confirm: Input<Confirm, Confirm> = {
  type: 'Confirm',
  absent: () => UNANSWERED,
  fromGiven: confirmGiven,
}

/** A call that is given up while a person is asked is recorded like every other. */
export function confirmGiven(given: Confirm, at: At): Confirm {
  const confirm = givenFunction(given, at)
  return async (question, signal) => {
    try {
      return await confirm(question, signal)
    } catch (error) {
      if (signal.aborted) return 'cancelled'
      throw error
    }
  }
}
