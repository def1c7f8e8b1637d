// Sigstore bundles and certificates of strangers, read: what is there is read as the library reads it, and whatever else is there is refused without a throw.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { X509Certificate } from '@sigstore/core'
import fc from 'fast-check'
import { IDENTITY_MEMBERS, type Identity } from '../../src/model/anchor.ts'
import { CERTIFIED } from '../../src/model/keyless.ts'
import { readCertificate } from '../../src/sigstore/certificate.ts'
import { authoritiesOf, prove } from '../../src/sigstore/prove.ts'
import { readSigstoreBundle } from '../../src/sigstore/sigstore-bundle.ts'
import { identityString, isIdentityString, namesIdentity } from '../../src/trust-policy/identity-string.ts'
import { WORLD } from '../support/keyless-world.ts'
import { extension } from '../support/sigstore-world.ts'

const PAYLOAD = Buffer.from('{"a":1}')
const readLine = (value: unknown) => readSigstoreBundle(Buffer.from(JSON.stringify(value)))
const certificateOf = (...given: Parameters<typeof WORLD.signed>): Buffer => {
  const read = readLine(WORLD.signed(...given))
  assert.ok(read.ok)
  return Buffer.from(read.value.certificate)
}

describe('a certificate', () => {
  const text = fc
    .string({ minLength: 1, maxLength: 40, unit: 'binary' })
    .filter(one => Buffer.from(one).toString() === one)
  const claims = fc.dictionary(fc.constantFrom(...Object.values(CERTIFIED).map(String)), text)

  test('says what the library reads of it, member by member', () => {
    fc.assert(
      fc.property(claims, claims => {
        const der = certificateOf(PAYLOAD, { claims, names: [[6, 'https://id.example/a']] })
        const read = readCertificate(der)
        assert.ok(read.ok)
        const theirs = X509Certificate.parse(Buffer.from(new Uint8Array(der)))
        for (const [name, number] of Object.entries(CERTIFIED)) {
          const said = theirs
            .extension(`1.3.6.1.4.1.57264.1.${number}`)
            ?.valueObj.subs[0]?.value.toString('utf8')
          assert.equal(read.facts[name as keyof typeof CERTIFIED], said)
        }
      }),
      { numRuns: 60 },
    )
  })
  test('with any byte changed is read or refused, and never says more names', () => {
    const der = certificateOf(PAYLOAD)
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(der)
        changed[at] = (changed[at] ?? 0) ^ mask
        const read = readCertificate(changed)
        assert.ok(read.ok || read.problem !== '')
      }),
    )
  })
  test('cut off anywhere, or with bytes behind it, is refused', () => {
    const der = certificateOf(PAYLOAD)
    for (let length = 0; length < der.length; length++)
      assert.equal(readCertificate(der.subarray(0, length)).ok, false)
    assert.equal(readCertificate(Buffer.concat([der, Buffer.of(0)])).ok, false)
    assert.equal(readCertificate(der).ok, true)
  })
  test('with a length that is longer than it has to be is refused', () => {
    const der = certificateOf(PAYLOAD)
    assert.deepEqual([...der.subarray(0, 2)], [0x30, 0x82])
    const longer = Buffer.concat([Buffer.of(0x30, 0x83, 0), der.subarray(2)])
    assert.equal(readCertificate(longer).ok, false)
  })
})

describe('a Sigstore bundle', () => {
  const made = () => WORLD.signed(PAYLOAD) as never as Made
  interface Made {
    mediaType: string
    dsseEnvelope: { payload: string; payloadType: string; signatures: unknown[] }
    verificationMaterial: {
      certificate?: { rawBytes: string }
      x509CertificateChain?: unknown
      tlogEntries: { inclusionProof: { checkpoint: { envelope: string } } }[]
      timestampVerificationData?: unknown
    }
  }
  const refuses = (what: string, change: (made: Made) => void, problem: RegExp) =>
    test(what, () => {
      const one = made()
      assert.equal(readLine(one).ok, true)
      change(one)
      const read = readLine(one)
      assert.ok(!read.ok)
      assert.match(read.problem, problem)
    })
  refuses(
    'of an older form',
    one => (one.mediaType = 'application/vnd.dev.sigstore.bundle+json;version=0.2'),
    /mediaType/,
  )
  refuses('of another payload', one => (one.dsseEnvelope.payloadType = 'text/plain'), /payload type/)
  refuses('with a payload in another spelling', one => (one.dsseEnvelope.payload += '\n'), /padded base64/)
  refuses('with two signatures', one => one.dsseEnvelope.signatures.push({}), /exactly one signature/)
  refuses(
    'with a chain in place of a certificate',
    one => {
      one.verificationMaterial.x509CertificateChain = { certificates: [one.verificationMaterial.certificate] }
      delete one.verificationMaterial.certificate
    },
    /no certificate/,
  )
  refuses(
    'with many entries',
    one => {
      const [entry] = one.verificationMaterial.tlogEntries
      one.verificationMaterial.tlogEntries = Array.from({ length: 5 }, () => entry as never)
    },
    /more than 4 entries/,
  )
  refuses(
    'with time stamps that are too large',
    one => {
      const signedTimestamp = Buffer.alloc(8 * 1024).toString('base64')
      one.verificationMaterial.timestampVerificationData = { rfc3161Timestamps: [{ signedTimestamp }] }
      assert.equal(readLine(one).ok, true)
      one.verificationMaterial.timestampVerificationData = {
        rfc3161Timestamps: [{ signedTimestamp }, { signedTimestamp: 'AA==' }],
      }
    },
    /more than 8 KiB/,
  )
  refuses(
    'with a time stamp that is too large',
    one => {
      const signedTimestamp = Buffer.alloc(8 * 1024 + 1).toString('base64')
      one.verificationMaterial.timestampVerificationData = { rfc3161Timestamps: [{ signedTimestamp }] }
    },
    /more than 8 KiB/,
  )
  // The library looks for the log by a pattern made of this name.
  refuses(
    'with a pattern for the name of a log',
    one => {
      const checkpoint = one.verificationMaterial.tlogEntries[0]?.inclusionProof.checkpoint
      if (checkpoint !== undefined)
        checkpoint.envelope = checkpoint.envelope.replace('\u2014 log.test', '\u2014 (([a-z.]+)+)+!')
    },
    /a name of another form/,
  )
  test('of 64 KiB is read, and one byte more is refused, also if it is white space', () => {
    const filled = (size: number) => {
      const line = Buffer.alloc(size, ' ')
      Buffer.from(JSON.stringify(made())).copy(line)
      return readSigstoreBundle(line)
    }
    assert.equal(filled(64 * 1024).ok, true)
    assert.equal(filled(64 * 1024 + 1).ok, false)
  })
  test('with a certificate of 4 KiB is read, and with one byte more it is not', () => {
    const at = (size: number) => certificateSized(size)
    assert.equal(at(4 * 1024).ok, true)
    assert.equal(at(4 * 1024 + 1).ok, false)
  })

  function certificateSized(size: number) {
    const one = made()
    const { certificate } = one.verificationMaterial
    if (certificate !== undefined) certificate.rawBytes = Buffer.alloc(size, 1).toString('base64')
    return readLine(one)
  }
  test('that is nested as deep as it may be takes no library down', () => {
    const parts: Buffer[] = []
    for (let size = 0; size < 2500; ) {
      const head =
        size < 128
          ? Buffer.of(4, size)
          : size < 256
            ? Buffer.of(4, 0x81, size)
            : Buffer.of(4, 0x82, size >> 8, size & 0xff)
      parts.push(head)
      size += head.length
    }
    const read = readLine(
      WORLD.signed(PAYLOAD, { more: [extension('1.2.3.4', Buffer.concat(parts.reverse()))] }),
    )
    assert.ok(read.ok)
    const authorities = authoritiesOf({ blake3: '', bytes: WORLD.rootBytes })
    assert.ok(authorities !== undefined)
    const proven = prove(authorities, read.value)
    assert.ok('proof' in proven || proven.problem !== '')
  })
})

describe('the string of an identity', () => {
  const identity = fc.record(
    {
      issuer: fc.constantFrom('https://a.example', 'https://a.example/b?c=d'),
      ...Object.fromEntries(
        IDENTITY_MEMBERS.map(member => [member, fc.string({ minLength: 1, maxLength: 12 })]),
      ),
    },
    { requiredKeys: ['issuer'] },
  ) as fc.Arbitrary<Identity>

  test('is one, and so is each beginning by whole members', () => {
    fc.assert(
      fc.property(identity, one => {
        fc.pre(Object.keys(one).length > 1)
        const text = identityString(one)
        assert.ok(isIdentityString(text))
        const [head = '', members = ''] = [
          text.slice(0, text.lastIndexOf('?') + 1),
          text.slice(text.lastIndexOf('?') + 1),
        ]
        const parts = members.split('&')
        for (let count = 1; count <= parts.length; count++) {
          const beginning = head + parts.slice(0, count).join('&')
          assert.ok(isIdentityString(beginning))
          assert.ok(namesIdentity(beginning, text))
        }
      }),
    )
  })
  test('in any other spelling is refused', () => {
    fc.assert(
      fc.property(identity, fc.nat(), fc.constantFrom('', '&', '%41', 'x', '%', '='), (one, at, more) => {
        const text = identityString(one)
        const cut = at % (text.length + 1)
        const changed = text.slice(0, cut) + more + text.slice(cut + 1)
        // What is still one is one that is written so: there is no second spelling of the same.
        if (isIdentityString(changed) && changed !== text)
          assert.equal(namesIdentity(changed, text) && !text.startsWith(`${changed}&`), false)
      }),
    )
  })
})
