// What a program answers where a tool wants a person's yes: only a yes runs the tool, and the question cannot be changed.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { type CallPlan, type Confirm, callTool, replay } from '../../src/library/generated/index.ts'
import { type Here, makeWorld, type World } from '../support/every-verb.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('confirm')
let world: World
before(async () => {
  world = await makeWorld(folder('world'))
})

function saidIn(envelope: unknown): [reason: unknown, message: unknown] {
  const { reason, message } = envelope as { readonly reason?: unknown; readonly message?: unknown }
  return [reason, message]
}

type Outcome = readonly [hasRun: boolean, reason: unknown, message: unknown]

/** Both functions that ask, with what became of the call. */
const ASKING: Readonly<Record<string, (here: Here, confirm: Confirm) => Promise<Outcome>>> = {
  async callTool({ cwd, loaded }, confirm) {
    const mark = join(cwd, 'ran')
    const { envelope } = await callTool(loaded, 'ask.mark', { mark }, { cwd, confirm, sandbox: 'off' })
    return [existsSync(mark), ...saidIn(envelope)]
  },
  async replay({ cwd, loaded }, confirm) {
    const mark = join(cwd, 'ran')
    const trace = join(cwd, 'asked.ndjson')
    await callTool(loaded, 'ask.mark', { mark }, { cwd, trace })
    const options = { cwd, bundle: loaded, live: true, confirm, sandbox: 'off' } as const
    const { calls } = await replay(trace, options)
    return [existsSync(mark), ...saidIn(Reflect.get(calls[0]?.live ?? {}, 'error') ?? {})]
  },
}

const thenable = (answer: unknown) =>
  Object.fromEntries([['then', (done: (answer: unknown) => void) => done(answer)]])
const ANSWERS: readonly (readonly [answer: unknown, reason: string | undefined, is?: string])[] = [
  [true, undefined],
  ['approved', undefined],
  [Promise.resolve(true), undefined],
  [thenable(true), undefined],
  [false, 'declined'],
  ['declined', 'declined'],
  ['nobody', 'nobody_to_ask'],
  [undefined, 'no_decision', 'undefined'],
  [null, 'no_decision', 'null'],
  ['yes', 'no_decision', 'a string'],
  ['APPROVED', 'no_decision', 'a string'],
  [1, 'no_decision', 'a number'],
  [{ approved: true }, 'no_decision', 'an object'],
  [Object(true), 'no_decision', 'an object'],
  [['approved'], 'no_decision', 'a list'],
  [Promise.resolve('yes'), 'no_decision', 'a string'],
  [thenable(1), 'no_decision', 'a number'],
]

for (const [name, asking] of Object.entries(ASKING))
  describe(name, () => {
    test('runs the tool for a yes alone, and says of an odd answer what it was', async () => {
      for (const [answer, reason, is] of ANSWERS) {
        const [hasRun, said, message] = await asking(await world.fresh(), (() => answer) as never)
        assert.deepEqual([hasRun, said], [reason === undefined, reason], String(is ?? answer))
        if (is !== undefined)
          assert.equal(message, `Tool 'ask.mark' was not run: confirm answered ${is}, which is no decision.`)
      }
    })

    test('runs nothing where confirm throws, and throws that on', async () => {
      const mine = new Error('mine')
      const throwing: readonly Confirm[] = [
        async () => Promise.reject(mine),
        () => {
          throw mine
        },
      ]
      for (const confirm of throwing) {
        const here = await world.fresh()
        await assert.rejects(asking(here, confirm), mine)
        assert.equal(existsSync(join(here.cwd, 'ran')), false)
      }
    })

    test('asks with a copy that cannot be changed', async () => {
      const here = await world.fresh()
      const [hasRun] = await asking(here, async ({ tool, arguments: args, plan }) => {
        assert.ok(!here.loaded.tools.includes(tool))
        for (const place of [tool, args, plan, plan.detail]) assert.ok(Object.isFrozen(place))
        return true
      })
      assert.equal(hasRun, true)
    })
  })

test('an answer that never comes does not outlive an abort, whatever kind of promise it is', async () => {
  for (const never of [new Promise<never>(() => {}), Object.fromEntries([['then', () => {}]])]) {
    const { cwd, loaded } = await world.fresh()
    const stop = new AbortController()
    const confirm = (() => {
      stop.abort()
      return never
    }) as never
    const call = callTool(loaded, 'ask.mark', { mark: 'x' }, { cwd, confirm, signal: stop.signal })
    await assert.rejects(call, { code: 'CANCELLED' })
  }
})

test('a dry run asks nothing', async () => {
  const { cwd, loaded } = await world.fresh()
  const confirm = () => assert.fail('asked')
  const plan: CallPlan = await callTool(loaded, 'ask.mark', { mark: 'x' }, { cwd, confirm, dryRun: true })
  assert.equal(plan.is, 'planned')
})
