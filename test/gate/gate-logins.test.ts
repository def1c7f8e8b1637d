// What a gate remembers of names and passwords that registries have refused: for ten minutes, and then nothing of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetful } from '../../src/gate/judge.ts'
import type { Judging } from '../../src/verify/examine.ts'

test('it is the same memory for ten minutes, and another one after them', t => {
  let now = 1000
  t.mock.method(performance, 'now', () => now)
  const trustNow = forgetful<Pick<Judging, 'access'>>({ access: { env: { A: 'b' } } })
  const loginsAt = (ms: number) => {
    now = 1000 + ms
    const { access } = trustNow()
    assert.deepEqual(access?.env, { A: 'b' })
    assert.ok(access?.logins)
    return access.logins
  }
  const first = loginsAt(0)
  assert.equal(loginsAt(600_000), first)
  const second = loginsAt(600_001)
  assert.notEqual(second, first)
  assert.equal(loginsAt(1_200_001), second)
  assert.notEqual(loginsAt(1_200_002), second)
})

test('where no registry is reached, nothing is remembered', () => {
  const trust = {}
  assert.equal(forgetful(trust)(), trust)
})
