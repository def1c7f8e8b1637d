// The bundles of a folder, as files come and go and as judgements change: what may be used, and what is told.
// Here nothing is read or judged: each test says what a file is judged as.
import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { WatchEvent } from '../../src/fleet/watch-event.ts'
import { type WatchedBundle, WatchedBundles, type WatchJob } from '../../src/fleet/watched-bundles.ts'
import { RlpError } from '../../src/model/error.ts'
import type { LoadedBundle } from '../../src/verify/load.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('watched-bundles')
const REFUSED = new RlpError('NOT_VERIFIED', 'Cannot load: it is refused')
const NEVER_MS = 2 ** 31 - 1

interface Facts {
  readonly verdict?: string
  readonly policies?: readonly string[]
  readonly warnings?: readonly string[]
  readonly tools?: readonly string[]
  readonly denied?: readonly string[]
  readonly policy?: string
}

const loaded = ({ verdict = 'trusted', policies, warnings, tools = [], denied, policy }: Facts) =>
  ({
    report: { verdict, policies, warnings },
    tools: tools.map(id => ({ id })),
    denied,
    policy,
  }) as never as LoadedBundle

/** A folder, and what its files are judged as: facts, or an error. Both can be changed while it is watched. */
async function watched(
  t: TestContext,
  name: string,
  files: readonly string[],
  more: Partial<WatchJob> = {},
  during: () => void = () => {},
) {
  const path = folder(name)
  const put = (file: string) => {
    writeFileSync(join(path, 'next'), '')
    renameSync(join(path, 'next'), join(path, file))
  }
  for (const file of files) put(file)
  const judged: Record<string, Facts | Error> = {}
  const broken = new Set<string>()
  const opened: string[] = []
  const again: string[] = []
  const events: WatchEvent[] = []
  const waiting: (() => void)[] = []
  const judge = (file: string): WatchedBundle => {
    const facts = judged[file] ?? {}
    if (facts instanceof Error) throw facts
    return {
      bundle: loaded(facts),
      async again() {
        again.push(file)
        here.onAgain()
        for (const wake of waiting.splice(0)) wake()
        return judge(file)
      },
    }
  }
  const bundles = new WatchedBundles({
    ...{ folder: path, judgeEveryMs: NEVER_MS, signal: new AbortController().signal },
    async open(full) {
      assert.equal(full, join(path, basename(full)))
      opened.push(basename(full))
      if (broken.has(basename(full))) throw REFUSED
      return judge(basename(full))
    },
    onEvent(event) {
      events.push(event)
      for (const wake of waiting.splice(0)) wake()
    },
    ...more,
  })
  t.after(() => bundles.close().catch(() => {}))
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise<void>(resolve => waiting.push(resolve))
  }
  const begin = () =>
    bundles.begin(() => {
      during()
      return files
    })
  const told = () => events.map(({ is, file }) => `${is} ${file}`)
  const here = {
    path,
    put,
    judged,
    broken,
    opened,
    again,
    events,
    bundles,
    begin,
    until,
    told,
    onAgain: () => {},
  }
  return here
}

const A = 'a.agent.bundle'
const B = 'b.agent.bundle.gz'

test('each bundle is judged once at the beginning, and no other file', async t => {
  const here = await watched(t, 'begin', [A, `${A}.intoto.jsonl`, B, 'notes.txt', 'c.agent.bundle.old'])
  await here.begin()
  assert.deepEqual(here.opened, [A, B])
  assert.deepEqual(here.told(), [`loaded ${A}`, `loaded ${B}`])
  assert.deepEqual([...here.bundles.bundles.keys()], [A, B])
})

test('what is refused is told with its reason, and is not there', async t => {
  const here = await watched(t, 'refused', [A, B])
  here.judged[A] = REFUSED
  await here.begin()
  assert.deepEqual(here.told(), [`refused ${A}`, `loaded ${B}`])
  const [first] = here.events
  assert.ok(first?.is === 'refused')
  assert.deepEqual([first.error, first.kept], [REFUSED, undefined])
  assert.deepEqual([...here.bundles.bundles.keys()], [B])
})

test('what goes while it is looked at for the first time is not told: it was never there', async t => {
  const here = await watched(t, 'gone-at-once', [A])
  here.judged[A] = new RlpError('NOT_FOUND', 'Cannot read: no such file')
  await here.begin()
  assert.deepEqual([here.told(), here.bundles.bundles.size], [[], 0])
})

test('a file that comes while the first ones are listed is found', async t => {
  const late = { put: () => {} }
  const here = await watched(t, 'late', [A], {}, () => late.put())
  late.put = () => here.put(B)
  await here.begin()
  await here.until(() => here.events.length === 2)
  assert.deepEqual(here.told(), [`loaded ${A}`, `loaded ${B}`])
})

test('a file that changes is judged again, also by what is stated beside it, and one that goes is gone', async t => {
  const here = await watched(t, 'changes', [A, B])
  await here.begin()
  here.judged[A] = { tools: ['say.it'] }
  here.put(`${A}.intoto.jsonl`)
  await here.until(() => here.events.length === 3)
  assert.deepEqual(
    here.bundles.bundles.get(A)?.tools.map(({ id }) => id),
    ['say.it'],
  )
  here.judged[A] = new RlpError('NOT_FOUND', 'Cannot read: no such file')
  rmSync(join(here.path, A))
  await here.until(() => here.events.length === 4)
  assert.deepEqual(here.told().slice(2), [`loaded ${A}`, `gone ${A}`])
  assert.deepEqual([...here.bundles.bundles.keys()], [B])
})

test('what was good stays while a broken file is in its place, if it is good by what counts now', async t => {
  const here = await watched(t, 'broken', [A])
  await here.begin()
  const good = here.bundles.bundles.get(A)
  here.broken.add(A)
  here.put(A)
  await here.until(() => here.events.length === 2)
  const [, kept] = here.events
  assert.ok(kept?.is === 'refused' && kept.error === REFUSED)
  assert.ok(good !== undefined && kept.kept === good && here.bundles.bundles.get(A) === good)
  // It is judged again with the next broken file.
  here.judged[A] = REFUSED
  here.put(A)
  await here.until(() => here.events.length === 4)
  assert.deepEqual(here.told().slice(2), [`ended ${A}`, `refused ${A}`])
  const last = here.events[3]
  assert.ok(last?.is === 'refused' && last.kept === undefined)
  assert.equal(here.bundles.bundles.size, 0)
})

test('every bundle is judged again after a time: what changed is told, what ended is gone, the rest says nothing', async t => {
  const here = await watched(t, 'again', [A, B], { judgeEveryMs: 5 })
  await here.begin()
  await here.until(() => here.again.filter(file => file === B).length > 2)
  assert.deepEqual(here.told(), [`loaded ${A}`, `loaded ${B}`])
  here.judged[B] = { denied: ['say.it'] }
  await here.until(() => here.events.length === 3)
  here.judged[A] = REFUSED
  await here.until(() => here.events.length === 4)
  assert.deepEqual(here.told().slice(2), [`loaded ${B}`, `ended ${A}`])
  assert.deepEqual([...here.bundles.bundles.keys()], [B])
  // An end is final for the bytes: only another file brings it back.
  here.judged[A] = {}
  const count = here.again.length
  await here.until(() => here.again.length > count + 1)
  assert.deepEqual([here.events.length, here.opened], [4, [A, B]])
})

test('another verdict, policy, warning, tool or grant is another judgement', async t => {
  const here = await watched(t, 'facts', [A], { judgeEveryMs: 5 })
  await here.begin()
  const changes: readonly Facts[] = [
    { verdict: 'unsigned' },
    { policies: ['/etc/policy.toml'] },
    { warnings: ['it ends soon'] },
    { tools: ['say.it'] },
    { denied: ['say.it'] },
    { policy: 'time' },
  ]
  for (const [index, facts] of changes.entries()) {
    here.judged[A] = facts
    await here.until(() => here.events.length === index + 2)
  }
  assert.deepEqual(here.told(), Array(changes.length + 1).fill(`loaded ${A}`))
})

test('after the end nothing is judged or told, also in the middle of a round', async t => {
  const here = await watched(t, 'end', [A, B], { judgeEveryMs: 5 })
  await here.begin()
  here.judged[A] = { tools: ['say.it'] }
  let closed: Promise<void> | undefined
  here.onAgain = () => {
    closed = here.bundles.close()
  }
  await here.until(() => closed !== undefined)
  await closed
  assert.deepEqual([here.again, here.told()], [[A], [`loaded ${A}`, `loaded ${B}`]])
})

test('what is judged while it ends stays as it was', async t => {
  const here = await watched(t, 'ending', [A], { judgeEveryMs: 5 })
  await here.begin()
  let closing: Promise<void> | undefined
  here.onAgain = () => {
    here.judged[A] = new RlpError('CANCELLED', 'Cancelled: cannot read it')
    closing = here.bundles.close()
  }
  await here.until(() => closing !== undefined)
  await closing
  assert.deepEqual([[...here.bundles.bundles.keys()], here.told()], [[A], [`loaded ${A}`]])
})

test('the caller’s signal ends it as well', async t => {
  const stop = new AbortController()
  const here = await watched(t, 'signal', [A], { judgeEveryMs: 5, signal: stop.signal })
  await here.begin()
  await here.until(() => here.again.length > 1)
  stop.abort()
  const count = here.again.length
  here.judged[A] = REFUSED
  await here.bundles.close()
  assert.deepEqual([here.told(), here.again.length], [[`loaded ${A}`], count])
})

test('a defect of the program ends it, and close says so', async t => {
  const here = await watched(t, 'defect', [A], { judgeEveryMs: 5 })
  await here.begin()
  here.judged[A] = new TypeError('a defect')
  await here.until(() => here.again.length > 0)
  await assert.rejects(here.bundles.close(), { message: 'a defect' })
  const other = await watched(t, 'defect-at-once', [A])
  other.judged[A] = new TypeError('a defect')
  await assert.rejects(other.begin(), { message: 'a defect' })
})
