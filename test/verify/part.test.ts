// What a judgement is made with: parts of the program that are loaded when they are needed, and tables that inherit nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inherits, own, ownMembers } from '../../src/model/own.ts'
import { part } from '../../src/model/part.ts'

test('a part is loaded once, and tried again after it could not be loaded', async () => {
  let loads = 0
  const loaded = part(async () => {
    if (++loads === 1) throw new Error('too many open files')
    return { loads }
  })
  await assert.rejects(loaded(), /too many/)
  assert.equal(await loaded(), await loaded())
  assert.equal(loads, 2)
})

test('own members inherit nothing, whatever is added to all objects, and whatever they are called', () => {
  const table = JSON.parse('{"__proto__":{"inside":1},"constructor":2,"a":3}') as Record<string, unknown>
  Object.defineProperty(Object.prototype, 'added', { value: 4, enumerable: true, configurable: true })
  try {
    const copy = ownMembers(table)
    assert.deepEqual(Object.keys(copy), ['__proto__', 'constructor', 'a'])
    for (const name of ['added', 'toString', 'hasOwnProperty', 'inside'])
      assert.equal(Reflect.get(copy, name), undefined)
    assert.equal(Reflect.get(copy, 'constructor'), 2)
    assert.equal(own(copy, 'added'), undefined)
    assert.equal(inherits(copy), false)
    // What all of them inherit from gets no members.
    const shared = Object.getPrototypeOf(copy) as object
    assert.equal(Object.getPrototypeOf(shared), null)
    assert.ok(Object.isFrozen(shared))
  } finally {
    Reflect.deleteProperty(Object.prototype, 'added')
  }
})
