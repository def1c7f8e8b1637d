// Statements and files of attestations: what we write is read back, one byte sequence for one content, and no changed bit means the same. One
// of seven bits here, so that each place in a byte is met; all of them in `.ci/run`.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ATTESTATION_LIMITS } from '../../src/model/limits.ts'
import { preAuthEncoding, writeEnvelope } from '../../src/signature/envelope.ts'
import { isSignature, readAnchor } from '../../src/signature/kinds/index.ts'
import { readSigstoreBundle } from '../../src/sigstore/sigstore-bundle.ts'
import { besideBundle } from '../../src/statement/beside-bundle.ts'
import { joinAttestations, withAttestation } from '../../src/statement/join-lines.ts'
import { readAttestation, readAttestations, writeAttestations } from '../../src/statement/lines.ts'
import { isAboutManifest, readAttested, writeAttested } from '../../src/statement/statement.ts'
import { runs, step } from '../support/runs.ts'
import { signer } from '../support/signed.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const ABOUT = {
  file: { name: 'mini-1.0.0.agent.bundle', sha256: 'c'.repeat(64) },
  manifest: { blake3: A, sha256: B },
}
const TYPE = 'https://slsa.dev/provenance/v1'
const [one, two] = [signer(1), signer(2)]

function envelope(payload: Uint8Array, ...signers: (typeof one)[]) {
  return {
    payload,
    signatures: signers
      .map(({ anchor, sign }) => ({ keyid: anchor, sig: sign(preAuthEncoding(payload)) }))
      .sort((a, b) => (a.keyid < b.keyid ? -1 : 1)),
  }
}

const stated = (predicate: object = {}, type = TYPE) => writeAttested(ABOUT, type, predicate)

describe('a statement', () => {
  test('names the file and both digests of the manifest', () => {
    assert.equal(
      Buffer.from(stated({ a: 1 })).toString(),
      `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"mini-1.0.0.agent.bundle","digest":{"sha256":"${'c'.repeat(64)}"}},{"name":"manifest.toml","digest":{"blake3":"${A}","sha256":"${B}"}}],"predicateType":"${TYPE}","predicate":{"a":1}}`,
    )
  })

  test('is read back, whatever its predicate', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 })), value => {
        const predicate = JSON.parse(JSON.stringify(value)) as object
        const read = readAttested(stated(predicate))
        // What strict JSON refuses is refused here too: whole numbers beyond 2^53, and the name __proto__.
        if (!read.ok) return assert.match(read.problem, /__proto__|integer|number|surrogate/i)
        assert.deepEqual(JSON.parse(JSON.stringify(read.value.predicate)), predicate)
        assert.ok(isAboutManifest(read.value, ABOUT.manifest))
        return undefined
      }),
      { numRuns: runs(100) },
    )
  })

  const base = JSON.parse(Buffer.from(stated({ a: 1 })).toString())
  for (const [name, change, problem] of [
    ['another type', { _type: 'https://in-toto.io/Statement/v0.1' }, /not an in-toto statement/],
    ['a further member', { more: 1 }, /no member "more"/],
    ['no subject', { subject: [] }, /no subjects/],
    ['a subject without digests', { subject: [{ name: 'x', digest: {} }] }, /no digests/],
    ['a digest in capitals', { subject: [{ name: 'x', digest: { sha256: 'AB' } }] }, /no digests/],
    ['a predicate that is a list', { predicate: [] }, /not an object/],
    ['no type of predicate', { predicateType: '' }, /no predicateType/],
    ['too many subjects', { subject: Array(1001).fill(base.subject[0]) }, /more than 1000/],
  ] as const) {
    test(`with ${name} is refused`, () => {
      assert.ok(readAttested(Buffer.from(JSON.stringify(base))).ok)
      const read = readAttested(Buffer.from(JSON.stringify({ ...base, ...change })))
      assert.match(read.ok ? '' : read.problem, problem)
    })
  }

  test('with a name twice is refused', () => {
    const text = Buffer.from(stated()).toString().replace('"predicate":{}', '"predicate":{},"predicate":{}')
    assert.equal(readAttested(Buffer.from(text)).ok, false)
  })

  test('is about a manifest by both digests of one subject', () => {
    const about = (...subject: object[]) => {
      const read = readAttested(Buffer.from(JSON.stringify({ ...base, subject })))
      return read.ok && isAboutManifest(read.value, ABOUT.manifest)
    }
    assert.ok(about({ name: 'called otherwise', digest: { blake3: A, sha256: B } }))
    assert.ok(!about({ digest: { blake3: A } }, { digest: { sha256: B } }))
    assert.ok(!about({ digest: { blake3: A, sha256: A } }))
  })
})

describe('a file of attestations', () => {
  const LABEL = 'x.intoto.jsonl'

  test('is beside the bundle', () => {
    assert.equal(besideBundle('dist/m.agent.bundle'), 'dist/m.agent.bundle.intoto.jsonl')
    assert.equal(besideBundle('dist/unpacked/'), 'dist/unpacked.intoto.jsonl')
  })

  test('is read back line by line; what is no envelope is a line too', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 10 }), lines => {
        const clean = lines.map(bytes => bytes.map(byte => (byte === 10 ? 11 : byte)))
        const read = readAttestations(LABEL, writeAttestations(clean))
        assert.deepEqual(
          read.envelopes.map(({ bytes }) => Buffer.from(bytes)),
          clean.map(bytes => Buffer.from(bytes)),
        )
      }),
      { numRuns: runs(50) },
    )
  })

  test('is not read beyond its limits', () => {
    const line = writeEnvelope(envelope(stated(), one))
    const { lines, bytes, allBytes } = ATTESTATION_LIMITS
    const many = (count: number, one: Uint8Array) =>
      readAttestations(LABEL, writeAttestations(Array(count).fill(one)))
    assert.equal(many(1000, line).envelopes.length, 1000)
    const short = Buffer.from('x')
    assert.deepEqual([many(lines, short).envelopes.length, many(lines, short).problem], [65_536, undefined])
    const more = many(lines + 1, short)
    assert.deepEqual([more.envelopes.length, more.problem?.why], [65_536, 'limit'])
    const large = Buffer.alloc(bytes, 'x')
    assert.equal(many(allBytes / bytes, large).problem, undefined)
    const { envelopes, problem } = many(allBytes / bytes + 1, large)
    assert.equal(envelopes.length, 16)
    assert.match(problem?.message ?? '', /more than 16 MiB/)
    const larger = many(1, Buffer.alloc(2 * bytes, 'x'))
    const kept = [larger.envelopes[0]?.bytes.length, larger.problem]
    assert.deepEqual(kept, [bytes + 1, undefined], 'no more of one is kept')
  })

  test('takes one more envelope: beside others, into the same statement, or in place of what it said before', () => {
    const first = withAttestation([Buffer.from('foreign')], envelope(stated({ run: 1 }), one))
    assert.equal(first.length, 2)
    assert.deepEqual(withAttestation(first, envelope(stated({ run: 1 }), one)), first)
    const second = withAttestation(first, envelope(stated({ run: 1 }), two))
    const read = readAttestation(second[1] ?? new Uint8Array())
    assert.deepEqual(
      read.ok && read.value.signatures.map(({ keyid }) => keyid),
      [one.anchor, two.anchor].sort(),
    )
    const restated = withAttestation(first, envelope(stated({ run: 2 }), one))
    assert.equal(restated.length, 2)
    assert.notDeepEqual(restated[1], first[1])
    for (const other of [
      envelope(stated({ run: 2 }), two),
      envelope(stated({}, 'https://cyclonedx.org/bom'), one),
      envelope(writeAttested({ ...ABOUT, manifest: { blake3: B, sha256: B } }, TYPE, {}), one),
    ])
      assert.equal(withAttestation(first, other).length, 3)
  })

  test('no flipped bit of an envelope keeps a signature over another statement', () => {
    const bytes = writeEnvelope(envelope(stated({ a: 1 }), one))
    const good = readAttestation(bytes)
    assert.ok(good.ok)
    const genuine = (read: ReturnType<typeof readAttestation>) =>
      read.ok &&
      read.value.signatures.some(({ keyid, sig }) => {
        const anchor = readAnchor(keyid)
        return 'key' in anchor && isSignature(anchor.key, preAuthEncoding(read.value.payload), sig)
      })
    assert.ok(genuine(good))
    for (let bit = 0; bit < bytes.length * 8; bit += step(7)) {
      const changed = Uint8Array.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.ok(!genuine(readAttestation(changed)), `bit ${bit}`)
    }
  })
})

describe('Sigstore bundles in the file', () => {
  const LABEL = 'any.intoto.jsonl'
  const bundle = (size: number) => {
    const text = '{"verificationMaterial":""}'
    return Buffer.from(text.replace('""', `"${'x'.repeat(size - text.length)}"`))
  }
  const envelope = Buffer.from('{"payloadType":"a","payload":"YQ==","signatures":[]}')
  const read = (...lines: readonly Uint8Array[]) => readAttestations(LABEL, writeAttestations(lines))

  test('are apart from envelopes, in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), kinds => {
        const lines = kinds.map((isBundle, at) =>
          isBundle ? bundle(40 + at) : Buffer.concat([envelope, Buffer.from(' '.repeat(at))]),
        )
        const { envelopes, keyless } = read(...lines)
        const bytes = (list: readonly { bytes: Uint8Array }[] = []) =>
          list.map(one => Buffer.from(one.bytes).toString())
        assert.deepEqual(bytes(envelopes), lines.filter((_, at) => !kinds[at]).map(String))
        assert.deepEqual(bytes(keyless?.bundles), lines.filter((_, at) => kinds[at]).map(String))
      }),
    )
  })
  test('of any number push no envelope out, and the other way round', () => {
    const many = Array.from({ length: 500 }, () => bundle(200))
    assert.equal(read(...many, envelope).envelopes.length, 1)
    assert.equal(read(...many, envelope).keyless?.bundles.length, 500)
    const most = ATTESTATION_LIMITS.lines
    const envelopes = read(...Array.from({ length: most + 1 }, () => Buffer.from('x')), bundle(40))
    assert.equal(envelopes.problem?.message, 'it has more than 65536 envelopes')
    assert.equal(envelopes.keyless?.bundles.length, 1)
    assert.equal(envelopes.keyless?.problem, undefined)
  })
  test('are read up to 4 MiB in all, and the first ones are kept', () => {
    const size = 64 * 1024
    const most = Array.from({ length: 64 }, () => bundle(size))
    assert.equal(read(...most).keyless?.problem, undefined)
    const more = read(...most, bundle(40))
    assert.equal(more.keyless?.problem?.message, 'it has more than 4 MiB (4194304 bytes) of Sigstore bundles')
    assert.equal(more.keyless?.bundles.length, 64)
  })
  test('of 64 KiB are read, and of one byte more are not', () => {
    const at = (size: number) => read(bundle(size)).keyless?.bundles[0]?.bytes ?? Buffer.alloc(0)
    assert.equal(at(64 * 1024).length, 64 * 1024)
    const problem = (size: number) => {
      const parsed = readSigstoreBundle(at(size))
      return parsed.ok ? '' : parsed.problem
    }
    assert.match(problem(64 * 1024), /mediaType/)
    assert.match(problem(64 * 1024 + 1), /more than 64 KiB/)
    assert.equal(at(1024 * 1024).length, 64 * 1024 + 1, 'it takes no more room than it may')
  })
  test('of two files are one, each once', () => {
    const [first, second] = [read(bundle(40), envelope), read(bundle(41), bundle(40))]
    const joined = readAttestations(LABEL, joinAttestations(first, second))
    assert.deepEqual(
      joined.keyless?.bundles.map(({ bytes }) => bytes.length),
      [40, 41],
    )
    assert.equal(joined.envelopes.length, 1)
  })
})
