// Lines of several files of attestations in one: each is read as what it was, and what may count is never pushed out by what may not.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { AttestationBytes, Attestations } from '../../src/model/attestation.ts'
import { ATTESTATION_LIMITS, KEYLESS_LIMITS } from '../../src/model/limits.ts'
import { joinAttestations } from '../../src/statement/join-lines.ts'
import { readAttestations, sigstoreLine } from '../../src/statement/lines.ts'
import { runs } from '../support/runs.ts'

const placed = (list: readonly (Uint8Array | string)[]): AttestationBytes[] =>
  list.map((bytes, at) => ({ where: `${at}`, bytes: Buffer.from(bytes as string) }))
const came = (
  envelopes: readonly (Uint8Array | string)[],
  bundles: readonly (Uint8Array | string)[] = [],
) => {
  const keyless = { bundles: placed(bundles), problem: undefined }
  return { label: '', envelopes: placed(envelopes), problem: undefined, keyless } satisfies Attestations
}
const textsOf = (list: readonly AttestationBytes[] = []) =>
  list.map(({ bytes }) => Buffer.from(bytes).toString('latin1'))
const joined = (...all: readonly Attestations[]) => readAttestations('', joinAttestations(...all))
const bundle = (more = '') => `{"verificationMaterial":{},"x":"${more}"}`
const filled = (length: number, start = bundle()) => start + ' '.repeat(length - start.length)

describe('joined lines', () => {
  test('are read as what they were, whatever strangers wrote', () => {
    const word = fc.constantFrom('{', '"verificationMaterial"', ':', ' ', '\t', '\n', '\r', 'x', '"a"', '\\')
    const text = fc.array(word, { maxLength: 8 }).map(words => words.join(''))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), fc.array(text, { maxLength: 8 }), (envelopes, texts) => {
        const bundles = texts.flatMap(one => sigstoreLine(Buffer.from(one)) ?? [])
        const read = joined(came(envelopes, bundles))
        assert.equal(read.problem, undefined)
        const [wasEnvelope, wasBundle] = [new Set(envelopes), new Set(bundles.map(String))]
        for (const one of textsOf(read.envelopes)) assert.ok(wasEnvelope.has(one), one)
        for (const one of textsOf(read.keyless?.bundles)) assert.ok(wasBundle.has(one), one)
        assert.deepEqual(new Set(textsOf(read.keyless?.bundles)), wasBundle)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('leave out what cannot count, and no envelope is lost for it', () => {
    const rubbish = ['x\ny', '{"verificationMaterial":1}', '', 'z'.repeat(ATTESTATION_LIMITS.bytes + 1)]
    const lines = Array.from({ length: 100 }, (_, at) => `${at}\n${at}`)
    assert.deepEqual(textsOf(joined(came([...rubbish, ...lines, 'good'])).envelopes), ['good'])
    const large = filled(KEYLESS_LIMITS.bytes + 1)
    assert.deepEqual(textsOf(joined(came([], [large, 'no bundle', bundle()])).keyless?.bundles), [bundle()])
  })

  test('have as much room as a file that is read', () => {
    const most = Array.from({ length: 64 }, (_, at) => filled(KEYLESS_LIMITS.bytes, bundle(`${at}`)))
    const full = joined(came(['good'], most))
    assert.deepEqual([full.keyless?.bundles.length, full.keyless?.problem], [64, undefined])
    const large = Array.from({ length: 16 }, (_, at) => String.fromCharCode(97 + at).repeat(2 ** 20))
    assert.equal(joined(came(large)).envelopes.length, 16)
    assert.equal(joined(came([...large, 'y'])).envelopes.length, 16)
    assert.equal(joined(came([...large.slice(1), 'y'])).envelopes.length, 16)
    // Both kinds at once: the line feeds have no room any more, and the last one goes.
    const both = joined(came(large, most))
    assert.deepEqual([both.problem, both.keyless?.problem], [undefined, undefined])
    assert.deepEqual([both.envelopes.length, both.keyless?.bundles.length], [16, 63])
  })

  test('have the first ones first, each once', () => {
    const first = came([], [bundle('first')])
    const strangers = Array.from({ length: 70 }, (_, at) => filled(KEYLESS_LIMITS.bytes, bundle(`${at}`)))
    const { keyless } = joined(first, came([], [...strangers, bundle('first')]))
    assert.deepEqual([textsOf(keyless?.bundles)[0], keyless?.bundles.length], [bundle('first'), 64])
    const many = Array.from({ length: KEYLESS_LIMITS.bundles + 5 }, (_, at) => bundle(`${at}`))
    const read = joined(first, came([], many)).keyless
    assert.deepEqual([read?.bundles.length, read?.problem], [KEYLESS_LIMITS.bundles, undefined])
  })
})

describe('a Sigstore bundle as a line', () => {
  test('is the same JSON, of however many lines it was', () => {
    const value = { mediaType: 'x', verificationMaterial: { a: [1, 'b c'] } }
    const line = sigstoreLine(Buffer.from(JSON.stringify(value, null, 2)))
    assert.ok(line !== undefined && !line.includes(10))
    assert.deepEqual(JSON.parse(String(line)), value)
    assert.ok(sigstoreLine(Buffer.from('{ "verificationMaterial" \r\n\t : 1}')) !== undefined)
  })

  test('names its member as such, and not in a text', () => {
    for (const text of [
      '{"keyid":"verificationMaterial"}',
      '{"keyid":"verificationMaterial" , "x":1}',
      '{"keyid":"\\"verificationMaterial\\":"}',
      '{"verificationM\\u0061terial":1}',
      '"verificationMaterial"',
      '',
    ])
      assert.equal(sigstoreLine(Buffer.from(text)), undefined, text)
    assert.ok(sigstoreLine(Buffer.from('["verificationMaterial",{"verificationMaterial":1}]')) !== undefined)
  })
})
