// The program of a thread of a gate that listens: questions as messages → their answers as messages, each when it is known.
import { inThreadAtOnce } from '../../io/process/thread.ts'
import { guardOpens } from '../../io/read/read-file.ts'
import { judgedAnswer } from '../judge.ts'
import type { JudgedInThread, JudgeGiven, QuestionInThread } from './judge-threads.ts'

inThreadAtOnce(given => {
  const { cwd, folders, trust } = given as JudgeGiven
  guardOpens(folders)
  const { signal } = new AbortController()
  return async (message): Promise<JudgedInThread> => {
    const { number, question } = message as QuestionInThread
    let defect: string | undefined
    const onDefect = (error: unknown) => {
      defect = error instanceof Error ? (error.stack ?? error.message) : String(error)
    }
    const answered = await judgedAnswer({ ok: true, question }, { cwd, trust, signal, onDefect })
    return { number, answered, defect }
  }
})
