// The quick look at a text, which lets most of them go, never lets one go that holds a credential.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  credentialIn,
  credentialShapes,
  credentialsIn,
  mayHoldCredential,
} from '../../src/secret/credential.ts'

/** The forms without their assertions, which no text can be made by. */
const FORMS = credentialShapes().map(
  ({ shape }) => new RegExp(shape.source.replaceAll(/\(\?<?[!=][^()]*\)/g, '')),
)

const TOKEN = /eyJ[A-Za-z0-9_-]{10}\.eyJ[A-Za-z0-9_-]{10}/

/** A text that has the form of a credential, or had it before a few characters were changed. */
const NEARLY = fc
  .tuple(
    fc.oneof(...[...FORMS, TOKEN].map(form => fc.stringMatching(form, { size: 'xsmall' }))),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('', ' ', '-', '_', 'a', 'A', '7', '"')), { maxLength: 2 }),
    fc.constantFrom('', 'x', '=', '\n', 'Bearer '),
    fc.constantFrom('', 'x', '"', '\n'),
  )
  .map(([form, changes, before, after]) => {
    let text = form
    for (const [place, character] of changes) {
      const at = place % (text.length + 1)
      text = text.slice(0, at) + character + text.slice(at + 1)
    }
    return before + text + after
  })

function isInAnyForm(text: string): boolean {
  return credentialsIn(text).length > 0 || credentialShapes().some(({ shape }) => text.search(shape) !== -1)
}

describe('a text that holds a credential', () => {
  test('is never let go', () => {
    let found = 0
    fc.assert(
      fc.property(NEARLY, text => {
        if (!isInAnyForm(text)) return
        found++
        assert.equal(mayHoldCredential(text), true)
      }),
      { numRuns: 3000 },
    )
    assert.ok(found > 1000, `only ${found} held one`)
  })

  test('is told like one that is searched for every form', () => {
    fc.assert(
      fc.property(NEARLY, text => {
        assert.equal(credentialIn(text) !== undefined, credentialsIn(text).length > 0)
      }),
      { numRuns: 3000 },
    )
  })

  test('is as long as the shortest form', () => {
    for (const text of [`xoxb-${'a1'.repeat(5)}`, `xapp-1-${'A2'.repeat(4)}`]) {
      assert.equal(isInAnyForm(text), true)
      assert.equal(mayHoldCredential(text), true)
      assert.equal(isInAnyForm(text.slice(0, -1)), false)
    }
  })
})
