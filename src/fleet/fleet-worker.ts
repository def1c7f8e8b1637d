// The program of a thread of `rlp agent verify`: bundles as messages → their records as messages, in the same order.
import { inThread } from '../io/process/thread.ts'
import { judgeOne, judgeWith } from './judge.ts'
import { EarlierReport } from './report-file.ts'
import { type FleetTask, unjudged, type WorkerGiven } from './task.ts'

inThread(given => {
  const { options, earlier } = given as WorkerGiven
  const judge = judgeWith(options, earlier && new EarlierReport(earlier, ''))
  return async message => {
    const task = message as FleetTask
    try {
      return await judgeOne(task, await judge)
    } catch (error) {
      // A defect of this program must not take the other bundles with it.
      const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
      return unjudged(task, { code: 'internal_error', message: words }, 70)
    }
  }
})
