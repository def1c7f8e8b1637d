// How the verdict follows from what the steps said. A step that was forgotten must not make a bundle trusted.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type CodeOf, REASON_CODES, type VerdictAgainst } from '../../src/model/reason-codes.ts'
import { type Reason, STEPS, type Step } from '../../src/model/report.ts'
import { VERDICTS, type Verdict } from '../../src/model/verdict.ts'
import { Protocol } from '../../src/verify/protocol.ts'

const REASON = { code: 'no_signature', message: 'why' } as const
/** A reason for each verdict against a bundle. */
const because = <V extends VerdictAgainst>(word: V, message = 'why'): Reason<CodeOf<V>>[] => {
  const codes: readonly CodeOf<V>[] = REASON_CODES[word]
  return codes.slice(0, 1).map(code => ({ code, message }))
}
const WORDS = Object.keys(VERDICTS) as Verdict[]

/** What every step passed, but for some. */
function passed(...except: readonly Step[]): Protocol {
  const protocol = new Protocol()
  for (const step of STEPS) if (!except.includes(step)) protocol.pass(step, 'fine')
  return protocol
}

describe('trusted', () => {
  test('is what every step passed, and it alone', () => assert.equal(passed().verdict(), 'trusted'))

  test('is nothing of which no step spoke', () => {
    assert.throws(() => new Protocol().verdict(), /steps that said nothing: archive, manifest, signature, /)
    assert.throws(() => new Protocol().verdict(WORDS), TypeError)
  })

  for (const step of STEPS) {
    const isWaivable = step === 'expectation'
    const judged = (protocol: Protocol) => {
      if (isWaivable) assert.equal(protocol.verdict(), 'trusted')
      else assert.throws(() => protocol.verdict(), { message: `steps that said nothing: ${step}` })
    }
    test(`${step}: silent, ${isWaivable ? 'which only this one may be' : 'and it is no verdict'}`, () =>
      judged(passed(step)))

    test(`${step}: skipped is silent`, () => {
      const protocol = passed(step)
      protocol.skip(step, 'not asked for')
      judged(protocol)
      const rest = passed(step)
      rest.skipRest()
      judged(rest)
    })

    test(`${step}: to note something is not to pass`, () => {
      const protocol = passed(step)
      protocol.note(step, [REASON], 'x')
      judged(protocol)
    })
  }
})

describe('the word', () => {
  const against = WORDS.filter((word): word is VerdictAgainst => word !== 'trusted')

  test('of one step is the verdict, whatever the others passed', () => {
    for (const word of against) {
      for (const step of STEPS) {
        const protocol = passed(step)
        protocol.fail(step, word, because(word))
        assert.equal(protocol.verdict(), word)
      }
    }
  })

  test('that comes first in the table is the verdict, whatever step came first', () => {
    for (const [at, first] of against.entries()) {
      for (const second of against.slice(at)) {
        for (const said of [
          [first, second],
          [second, first],
        ] as const) {
          const protocol = new Protocol()
          for (const word of said) protocol.fail('trust', word, because(word))
          assert.equal(protocol.verdict(), first)
        }
      }
    }
  })

  test('that was waived is the verdict only where no other is', () => {
    const protocol = new Protocol()
    protocol.fail('signature', 'unsigned', [REASON])
    assert.equal(protocol.verdict(['unsigned']), 'unsigned')
    protocol.fail('expectation', 'untrusted', because('untrusted'))
    assert.equal(protocol.verdict(['unsigned']), 'untrusted')
    assert.equal(protocol.verdict(), 'unsigned')
  })
})

describe('passed and failed', () => {
  test('a step that did not run has done neither', () => {
    const protocol = new Protocol()
    protocol.skip('files', 'not asked for')
    for (const step of ['files', 'trust'] as const) {
      assert.equal(protocol.hasPassed(step), false)
      assert.equal(protocol.hasFailed(step), false)
    }
  })

  test('a step has passed when all that it wrote down did, and failed when one of it did not', () => {
    const protocol = new Protocol()
    protocol.pass('files', 'fine')
    assert.equal(protocol.hasPassed('files'), true)
    assert.equal(protocol.hasPassed('files', 'trust'), false)
    protocol.fail('files', 'indeterminate', because('indeterminate'))
    assert.equal(protocol.hasPassed('files'), false)
    assert.equal(protocol.hasFailed('files'), true)
  })
})

test('the reasons for the verdict come first', () => {
  const protocol = new Protocol()
  protocol.fail('trust', 'untrusted', because('untrusted', 'a'))
  protocol.fail('schemas', 'invalid', because('invalid', 'b'))
  protocol.fail('ceiling', 'untrusted', because('untrusted', 'c'))
  assert.deepEqual(
    protocol.reasonsFor(protocol.verdict()).map(({ message }) => message),
    ['b', 'a', 'c'],
  )
})
