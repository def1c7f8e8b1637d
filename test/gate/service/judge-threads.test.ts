// Questions over threads: which thread gets one, and what becomes of the questions of a thread that dies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answered, type GateQuestion, noVerdict, undecided } from '../../../src/gate/question-answer.ts'
import { JudgeThreads, type QuestionInThread } from '../../../src/gate/service/judge-threads.ts'
import type { startThread, Thread } from '../../../src/io/process/thread.ts'

const GIVEN = { cwd: '/srv', folders: [], trust: {} }
const question = (id: number): GateQuestion => ({
  id,
  bundle: `/srv/${id}.bundle`,
  expect: 'mini',
  withinMs: 1000,
  attestations: undefined,
  lock: undefined,
})
const answered = (id: number) => undecided(noVerdict(id, 'unreadable', 'as asked'), null)
const code = ({ answer }: Answered) => answer.reasons[0]?.code

interface Started {
  readonly given: unknown
  readonly asked: QuestionInThread[]
  readonly on: Parameters<typeof startThread>[3]
  isGone: boolean
}

/** Threads that answer when they are told to. */
function judging(width: number, mayStart: () => void = () => {}) {
  const started: Started[] = []
  const defects: unknown[] = []
  const here: unknown[] = []
  const start = (_program: string, given: unknown, _young: number, on: Started['on']): Thread => {
    mayStart()
    const one: Started = { given, asked: [], on, isGone: false }
    started.push(one)
    const letGo = () => {
      one.isGone = true
    }
    return { post: message => void one.asked.push(message as QuestionInThread), untold: () => 0, letGo }
  }
  const uses = {
    start,
    onDefect: (error: unknown) => void defects.push(error),
    here: async ({ id }: GateQuestion) => {
      here.push(id)
      return answered(id as number)
    },
  }
  const threads = new JudgeThreads(GIVEN, uses, width)
  /** Answers the question with this id. */
  const answer = (id: number, defect?: string) => {
    for (const { asked, on } of started)
      for (const one of asked)
        if (one.question.id === id) on.message({ number: one.number, answered: answered(id), defect })
  }
  const idsOf = () => started.map(({ asked }) => asked.map(one => one.question.id))
  return { threads, started, defects, here, answer, idsOf }
}

test('each question goes to the thread with the fewest that wait, and gets its own answer', async () => {
  const { threads, started, answer, idsOf } = judging(2)
  const all = [1, 2, 3].map(id => threads.judge(question(id)))
  assert.deepEqual(idsOf(), [[1, 3], [2]])
  assert.deepEqual(
    started.map(({ given }) => given),
    [GIVEN, GIVEN],
  )
  answer(3)
  answer(1)
  all.push(threads.judge(question(4)))
  assert.deepEqual(idsOf(), [[1, 3, 4], [2]])
  answer(2)
  answer(4)
  const ids = (await Promise.all(all)).map(one => one.answer.id)
  assert.deepEqual(ids, [1, 2, 3, 4])
})

test('a thread that dies costs its questions, which allow nothing, and the next one gets another thread', async () => {
  const { threads, started, defects, answer, idsOf } = judging(1)
  const lost = [1, 2].map(id => threads.judge(question(id)))
  started[0]?.on.lost('it ended with 1')
  for (const [index, one] of (await Promise.all(lost)).entries()) {
    assert.deepEqual([one.answer.id, one.answer.allow, code(one)], [index + 1, false, 'internal_error'])
    assert.deepEqual([one.decided.accepted, one.decided.target], [false, `/srv/${index + 1}.bundle`])
  }
  assert.deepEqual(defects, ['it ended with 1'])
  const next = threads.judge(question(3))
  assert.deepEqual(idsOf(), [[1, 2], [3]])
  answer(3)
  assert.equal(code(await next), 'unreadable')
})

test('a defect in a thread is told, and its answer counts', async () => {
  const { threads, defects, answer } = judging(1)
  const first = threads.judge(question(1))
  answer(1)
  await first
  assert.deepEqual(defects, [])
  const second = threads.judge(question(2))
  answer(2, 'TypeError: a defect')
  assert.equal((await second).answer.id, 2)
  assert.deepEqual(defects, ['TypeError: a defect'])
})

test('where no thread may be started, questions are judged here; any other error is thrown', async () => {
  const failing = (of: string) => () => {
    throw Object.assign(new Error('no thread'), { code: of })
  }
  const denied = judging(2, failing('ERR_ACCESS_DENIED'))
  assert.deepEqual(
    [code(await denied.threads.judge(question(1))), denied.here, denied.defects],
    ['unreadable', [1], []],
  )
  denied.threads.end()
  const broken = judging(1, failing('ENOMEM'))
  assert.throws(() => broken.threads.judge(question(1)), { code: 'ENOMEM' })
})

test('no thread at all allows nothing', async () => {
  const { threads } = judging(0)
  assert.equal(code(await threads.judge(question(1))), 'internal_error')
})

test('at the end every thread that was begun is let go', () => {
  const { threads, started } = judging(3)
  void threads.judge(question(1))
  void threads.judge(question(2))
  threads.end()
  assert.deepEqual(
    started.map(({ isGone }) => isGone),
    [true, true],
  )
})
