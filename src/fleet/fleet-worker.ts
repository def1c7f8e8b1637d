// The program of a thread of `rlp agent verify`: bundles as messages → their records as messages, in the same order.
import { inThread } from '../io/process/thread.ts'
import { answerWork, judgeWith } from './judge.ts'
import { type FleetOptions, type FleetWork, isHashing, unjudged } from './task.ts'

inThread(given => {
  const judge = judgeWith(given as FleetOptions)
  return async message => {
    const work = message as FleetWork
    try {
      return await answerWork(work, await judge)
    } catch (error) {
      if (isHashing(work)) return []
      // A defect of this program must not take the other bundles with it.
      const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
      return unjudged(work, { code: 'internal_error', message: words }, 70)
    }
  }
})
