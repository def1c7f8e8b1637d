// Pointers: the value that one leads to, and its steps as text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonPointer, stepsOf, valueAt } from '../../src/json/pointer.ts'

test('a pointer leads through own members and elements alone', () => {
  const root = { a: [{ 'b/c': null }], text: 'abc' }
  assert.equal(valueAt(root, []), root)
  assert.equal(valueAt(root, ['a', 0, 'b/c']), null)
  assert.equal(valueAt(root, ['a', '0', 'b/c']), null)
  for (const path of [['a', 1], ['a', 0, 'b/c', 'd'], ['toString'], ['text', 0], ['text', 'length']])
    assert.equal(valueAt(root, path), undefined, path.join('.'))
})

test('the steps of a pointer are read as they were written', () => {
  assert.equal(jsonPointer([]), '')
  assert.equal(jsonPointer(['a/b', '~1', 0]), '/a~1b/~01/0')
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') })), steps => {
      assert.deepEqual(stepsOf(jsonPointer(steps)), steps)
    }),
  )
})
