// An aborted verb rejects with CANCELLED, before the call and during it, whatever else it would have answered, and leaves nothing half written.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  argumentsOf,
  BUNDLE,
  callVerb,
  closeOpened,
  EVERY_VERB,
  type Here,
  makeWorld,
  TRUST_POLICY,
  type World,
} from '../support/every-verb.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import { writing } from '../support/mcp.ts'
import { slice } from '../support/runs.ts'
import { KEYS } from '../support/trust-world.ts'
import { FUNCTION_OPTIONS } from '../support/verbs.ts'

const folder = temporary('aborted')
const NAMES = Object.keys(FUNCTION_OPTIONS)
/** The one error of an abort: its cause is the reason of the signal, whatever the job has thrown. */
const isCancelled = (signal: AbortSignal) => (error: unknown) => {
  assert.ok(error instanceof rlp.RlpError, String(error))
  assert.deepEqual([error.code, 'report' in error], ['CANCELLED', false])
  assert.equal(error.cause, signal.reason)
  return true
}
let world: World
before(async () => {
  world = await makeWorld(folder('world'))
})
after(closeOpened)

const AUDIT = 'audit.ndjson'
const without = (path: string, paths: readonly string[]) => paths.filter(one => one !== path)

test('every verb with options takes a signal, and is called below', () => {
  for (const name of NAMES) {
    assert.ok(FUNCTION_OPTIONS[name]?.includes('signal'), name)
    assert.ok(name in EVERY_VERB, name)
  }
})

for (const name of slice(NAMES, 2)) {
  test(`${name} rejects with CANCELLED, aborted before the call and during it`, async () => {
    const here = await world.fresh()
    const as = (signal: AbortSignal) => callVerb(name, argumentsOf(name, here), { signal })
    for (const reason of [undefined, new Error('enough'), 'a text', null]) {
      const before = AbortSignal.abort(reason)
      await assert.rejects(as(before), isCancelled(before))
    }
    assert.equal(AbortSignal.abort().reason.name, 'AbortError')
    assert.deepEqual(await world.written(), [])
    const stop = new AbortController()
    const pending = as(stop.signal)
    stop.abort(new Error('enough'))
    await assert.rejects(pending, isCancelled(stop.signal))
    assert.deepEqual(without(AUDIT, await world.written()), [])
    // What an aborted call has left does not keep the next one from its work.
    await as(new AbortController().signal)
  })
}

describe('in the middle of its work', () => {
  const telling = NAMES.filter(name => FUNCTION_OPTIONS[name]?.includes('onProgress'))
  for (const name of telling) {
    test(`${name} rejects with CANCELLED when its progress has been told`, async () => {
      const here = await world.fresh()
      const stop = new AbortController()
      let told = 0
      const onProgress = () => {
        told++
        stop.abort()
      }
      const pending = callVerb(name, argumentsOf(name, here), { signal: stop.signal, onProgress })
      await assert.rejects(pending, isCancelled(stop.signal))
      assert.ok(told > 0)
    })
    test(`${name} tells all of its bytes, and ends with what is thrown meanwhile`, async () => {
      const given = argumentsOf(name, await world.fresh())
      const stop = new Error('enough')
      const onProgress = () => {
        throw stop
      }
      await assert.rejects(callVerb(name, given, { onProgress }), error => error === stop)
      const seen: rlp.Progress[] = []
      const again = argumentsOf(name, await world.fresh())
      await callVerb(name, again, { onProgress: (told: rlp.Progress) => void seen.push(told) })
      const last = seen.at(-1)
      assert.ok(last !== undefined && last.done > 0)
      assert.deepEqual([last.done, last.unit], [last.total, 'bytes'])
    })
  }

  const never = () => new Promise<never>(() => {})
  /** Where a verb waits for the caller, who never answers. */
  const waits: Readonly<
    Record<string, (here: Here, signal: AbortSignal, asked: () => Promise<never>) => Promise<unknown>>
  > = {
    'callTool, for a yes': ({ cwd, loaded }, signal, confirm) =>
      rlp.callTool(
        loaded,
        'ask.mark',
        { mark: join(cwd, 'ran') },
        { cwd, signal, confirm, audit: 'audit.ndjson' },
      ),
    'callTool, for a secret': ({ loaded }, signal, secrets) =>
      rlp.callTool(loaded, 'secret.mark', { mark: 'x' }, { signal, secrets }),
    'install, for a yes': ({ cwd }, signal, mayBegin) =>
      rlp.install('signed', {
        cwd,
        home: 'home',
        trustPolicy: TRUST_POLICY,
        expect: 'mini',
        signal,
        mayBegin,
      }),
    'sign, for a signature': ({ cwd, key }, signal, sign) =>
      rlp.sign('unsigned', { cwd, signal, key: { key: key.key, sign } }),
    'sbom, for a signature': ({ cwd, key }, signal, sign) =>
      rlp.sbom('signed', {
        cwd,
        home: false,
        trustPolicy: TRUST_POLICY,
        expect: 'mini',
        signal,
        key: { key: key.key, sign },
      }),
    'verifyBundle, for a stream': (_, signal, next) =>
      rlp.verifyBundle({ [Symbol.asyncIterator]: () => ({ next }) }, { expect: 'mini', home: false, signal }),
    'serveTools, for a question': ({ cwd }, signal, next) =>
      rlp.serveTools(['signed'], {
        cwd,
        home: false,
        trustPolicy: TRUST_POLICY,
        expect: ['mini'],
        signal,
        output: writing(),
        input: { [Symbol.asyncIterator]: () => ({ next }) },
      }),
  }
  for (const [what, call] of Object.entries(waits)) {
    test(`${what} it rejects with CANCELLED`, async () => {
      const here = await world.fresh()
      const stop = new AbortController()
      let isAsked = false
      const asked = () => {
        isAsked = true
        stop.abort()
        return never()
      }
      await assert.rejects(call(here, stop.signal, asked), isCancelled(stop.signal))
      assert.equal(isAsked, true)
      const written = await world.written()
      assert.deepEqual(without(AUDIT, written), [])
      // A call that a person was asked for is recorded, also if it was not answered.
      assert.equal(written.includes(AUDIT), what === 'callTool, for a yes')
      if (written.includes(AUDIT))
        assert.match(readFileSync(join(here.cwd, AUDIT), 'utf8'), /"tool":"ask\.mark"/)
    })
  }

  test('callTool ends a program, records the call, and rejects with CANCELLED', async () => {
    const { cwd, loaded } = await world.fresh()
    const mark = join(cwd, 'ran')
    const stop = new AbortController()
    const pending = rlp.callTool(
      loaded,
      'wait.mark',
      { mark },
      { cwd, signal: stop.signal, audit: 'audit.ndjson', sandbox: 'off' },
    )
    const running = async () => {
      while (!existsSync(mark)) await setTimeout(5)
      stop.abort()
    }
    await Promise.all([running(), assert.rejects(pending, isCancelled(stop.signal))])
    assert.match(readFileSync(join(cwd, 'audit.ndjson'), 'utf8'), /"tool":"wait\.mark"/)
    // Without an abort the same failure is an envelope.
    const { envelope } = await rlp.callTool(loaded, 'wait.mark', { mark }, { timeoutMs: 300, sandbox: 'off' })
    assert.deepEqual([envelope.ok, envelope.ok || envelope.kind], [false, 'timeout'])
  })

  test('a verdict that is not trusted is no answer either, nor is an error of the caller’s own function', async () => {
    const stop = new AbortController()
    const onProgress = () => {
      stop.abort()
      throw new Error('mine')
    }
    const given = {
      expect: 'other',
      trustPolicy: { anchors: { a: KEYS.second.anchor } },
      home: false,
    } as const
    await assert.rejects(rlp.loadBundle(BUNDLE, given), { code: 'NOT_VERIFIED' })
    await assert.rejects(
      rlp.loadBundle(BUNDLE, { ...given, onProgress, signal: stop.signal }),
      isCancelled(stop.signal),
    )
  })
})
