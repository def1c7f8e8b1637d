// What becomes of a question that cannot be judged: each reason has its code, none allows, and only a defect of the program is told as one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GateJudge, judgedAnswer } from '../../src/gate/judge.ts'
import type { GateQuestion } from '../../src/gate/question-answer.ts'
import { RlpError } from '../../src/model/error.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'

const folder = temporary('gate-judge')

function judging(name: string) {
  const here = world(folder(name))
  here.put('mini.bundle', made({}, RELEASE))
  process.env['RUNLOOP_HOME'] = here.home
  const defects: unknown[] = []
  const question: GateQuestion = {
    id: 7,
    bundle: 'mini.bundle',
    expect: 'mini',
    withinMs: 60_000,
    attestations: undefined,
    lock: undefined,
  }
  const judged = async (more: Partial<GateQuestion> = {}, how: Partial<GateJudge> = {}) => {
    const { answer, decided } = await judgedAnswer(
      { ok: true, question: { ...question, ...more } },
      {
        cwd: here.cwd,
        trust: {},
        signal: new AbortController().signal,
        onDefect: error => void defects.push(error),
        ...how,
      },
    )
    assert.deepEqual([answer.id, decided.accepted], [7, answer.allow])
    return { answer, decided, code: answer.reasons[0]?.code }
  }
  return { here, judged, defects }
}

/** Reading the policies fails. */
const failing = (error: Error): Partial<GateJudge> => ({
  trust: {
    get trustPolicy(): string {
      throw error
    },
  },
})

test('a path, bytes, a lock and statements count from the folder of the gate', async () => {
  const { here, judged } = judging('paths')
  assert.equal((await judged()).answer.allow, true)
  const bytes = await judged({ bundle: made({}, RELEASE) })
  assert.deepEqual([bytes.answer.allow, bytes.decided.target], [true, null])
  assert.equal((await judged({ lock: 'rlp.lock' })).code, 'lock_unusable')
  await here.rlp('lock', 'add', 'mini.bundle', '--expect', 'mini')
  assert.equal((await judged({ lock: 'rlp.lock' })).answer.allow, true)
  assert.equal(
    (await judged({ lock: 'rlp.lock', bundle: made({ version: '2.0.0' }, RELEASE) })).code,
    'not_as_locked',
  )
  await here.rlp('agent', 'push', 'mini.bundle', 'oci-layout:store')
  assert.equal((await judged({ bundle: 'oci-layout:store:1.0.0' })).answer.allow, true)
})

test('an expectation that cannot be read is a wrong question, with the way to write it', async () => {
  const { judged, defects } = judging('usage')
  const { answer, decided, code } = await judged({ expect: 'not/a name' })
  assert.deepEqual([answer.allow, code, decided.target], [false, 'bad_question', 'mini.bundle'])
  assert.ok(answer.reasons[0]?.hint)
  assert.deepEqual(defects, [])
})

test('what this machine cannot read is unreadable, and is no defect', async () => {
  const { judged, defects } = judging('unreadable')
  const { answer, decided, code } = await judged(
    {},
    failing(new RlpError('IO', 'Cannot read "x": it is gone')),
  )
  assert.deepEqual(
    [answer.allow, answer.verdict, code, answer.reasons[0]?.message, decided.target],
    [false, 'indeterminate', 'unreadable', 'Cannot read "x": it is gone', 'mini.bundle'],
  )
  assert.deepEqual(defects, [])
})

test('a defect is told, and allows nothing', async () => {
  const { judged, defects } = judging('defect')
  const error = new TypeError('a defect')
  const { answer, code } = await judged({}, failing(error))
  assert.deepEqual([answer.allow, code, answer.reasons[0]?.message], [false, 'internal_error', 'a defect'])
  assert.deepEqual(defects, [error])
})

test('a gate that was stopped answers nothing', async () => {
  const { judged } = judging('stopped')
  const stop = new AbortController()
  stop.abort()
  await assert.rejects(
    judged({}, { signal: stop.signal, ...failing(new RlpError('CANCELLED', 'Cancelled')) }),
    {
      code: 'CANCELLED',
    },
  )
})

test('an answer that came too late does not count, whatever it is', async t => {
  const { judged } = judging('late')
  const now = performance.now.bind(performance)
  let later = 0
  t.mock.method(performance, 'now', () => now() + later)
  assert.equal((await judged({ withinMs: 60_000 })).answer.allow, true)
  const slow: Partial<GateJudge> = {
    trust: {
      get trustPolicy() {
        later = 60_001
        return undefined as unknown as string
      },
    },
  }
  const { answer, code } = await judged({ withinMs: 60_000 }, slow)
  assert.deepEqual([answer.allow, code], [false, 'out_of_time'])
  assert.match(answer.reasons[0]?.hint ?? '', /larger "within_ms"/)
})
