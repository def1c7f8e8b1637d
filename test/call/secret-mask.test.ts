// The mask over secrets: every spelling that programs print, and nothing else.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SecretMask } from '../../src/secret/secret-mask.ts'
import { MASK } from '../../src/text/mask.ts'
import { runs } from '../support/runs.ts'

const SECRET = 'kX9+v/"ü s\\3cret=='

function masking(...values: string[]): SecretMask {
  const mask = new SecretMask()
  for (const value of values) mask.add(value)
  return mask
}

/** How a value appears in what programs print. */
const SPELLINGS: Readonly<Record<string, (value: string) => string>> = {
  'as it is': value => value,
  'in JSON': value => JSON.stringify(value).slice(1, -1),
  'in JSON with escaped slashes': value => JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/'),
  'in JSON in JSON': value => nested(value, 2),
  'in JSON in JSON in JSON': value => nested(value, 3),
  'in JSON of JSON of JSON of JSON': value => nested(value, 4),
  'in JSON as Python writes it': value =>
    [...value]
      .map(c =>
        c > '~' ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : JSON.stringify(c).slice(1, -1),
      )
      .join(''),
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': value =>
    encodeURIComponent(value).replace(/%../g, hex => hex.toLowerCase()),
  'in a form': value => new URLSearchParams([['', value]]).toString().slice(1),
  'with every byte percent-encoded': value =>
    [...Buffer.from(value)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'in base64': value => Buffer.from(value).toString('base64'),
  'in base64 for urls': value => Buffer.from(value).toString('base64url'),
  'in hex': value => Buffer.from(value).toString('hex'),
  'in capital hex': value => Buffer.from(value).toString('hex').toUpperCase(),
}

/** Inside so many JSON strings, each in the next. */
function nested(value: string, levels: number): string {
  let text = value
  for (let level = 0; level < levels; level++) text = JSON.stringify(text).slice(1, -1)
  return text
}

describe('one secret', () => {
  for (const [how, spell] of Object.entries(SPELLINGS)) {
    // Python escapes backslashes and letters at once, which no single spelling of ours does: the value without the backslash has to do.
    const value = how.includes('Python') ? SECRET.replaceAll('\\', '').replaceAll('"', '') : SECRET
    test(how, () => {
      const text = `a ${spell(value)} b`
      assert.equal(masking(value).text(text), `a ${MASK} b`)
      assert.equal(masking('another-value').text(text), text)
    })
  }

  test('in the middle of something else that was encoded: its bytes are not there any more', () => {
    const mask = masking('correct-horse-battery')
    for (const before of ['', 'u', 'us', 'user:']) {
      for (const after of ['', '!', '!!', '@host']) {
        const text = mask.text(Buffer.from(`${before}correct-horse-battery${after}`).toString('base64'))
        assert.match(text, /\*{3}REDACTED\*{3}/)
        const left = Buffer.from(text.replaceAll(MASK, ''), 'base64').toString('latin1')
        assert.doesNotMatch(left, /orrect|horse|batter/)
      }
    }
  })

  test('line by line, when it has lines', () => {
    const key = '-----BEGIN KEY-----\nMC4CAQAwBQYDK2VwBCIEIAAA\nBBBBBBBBBBBBBBBB\n-----END KEY-----'
    const text = key
      .split('\n')
      .map((line, index) => `${index}: ${line}`)
      .join('\n')
    assert.doesNotMatch(masking(key).text(text), /MC4C|BBBB/)
  })
})

test('secrets that overlap, and one in the other, leave nothing between them', () => {
  assert.equal(masking('abcdef', 'defghi').text('xabcdefghiy'), `x${MASK}y`)
  assert.equal(masking('abcd', 'abcdefgh').text('xabcdefghy'), `x${MASK}y`)
  assert.equal(masking('abab').text('xababababy'), `x${MASK}y`)
})

test('a text of nothing but backslashes is searched like any other', () => {
  // With an unbounded run before each quote this would take hours.
  const text = '\\'.repeat(200_000)
  assert.equal(masking('"quoted"', '\\\\x\\"', '////').text(text), text)
})

test('a text of nothing but the secret is one mask', () => {
  assert.equal(masking('aaaa').text('a'.repeat(300_000)), MASK)
})

test('a text that was cut ends before the beginning of a secret', () => {
  const mask = masking('sk-live-0123456789')
  assert.equal(mask.cutText('key: sk-live-01234'), `key: ${MASK}`)
  assert.equal(mask.cutText('key: sk-'), 'key: sk-', 'too little to be known by')
  assert.equal(mask.cutText('key: sk-live-0123456789, sk-live'), `key: ${MASK}, ${MASK}`)
  assert.equal(mask.text('key: sk-live-01234'), 'key: sk-live-01234')
})

describe('values', () => {
  test('keys, members, items, and numbers that spell a secret', () => {
    const mask = masking('12345678', 'passphrase')
    const value = { passphrase: 1, a: ['my passphrase', 12345678, 912345678, true, null], b: { c: 'no' } }
    assert.deepEqual(mask.value(value), {
      [MASK]: 1,
      a: [`my ${MASK}`, MASK, MASK, true, null],
      b: { c: 'no' },
    })
  })

  test('what holds none is handed back as it is', () => {
    const value = { a: [1, 'b', { c: null }] }
    assert.equal(masking('passphrase').value(value), value)
    assert.equal(new SecretMask().value(value), value)
  })

  test('__proto__ is a key like any other', () => {
    const masked = masking('passphrase').value(JSON.parse('{"__proto__":{"x":"passphrase"}}')) as object
    assert.deepEqual(Object.keys(masked), ['__proto__'])
    assert.equal(Reflect.get(masked, 'x'), undefined)
  })
})

test('a percent sign, encoded or not, is masked whole', () => {
  for (const text of ['     %', '%20%20%20%20%20%25', '+++++%25']) {
    assert.equal(masking('     %').text(`«${text}»`), `«${MASK}»`)
  }
})

test('a value that is too short to be masked is no secret', () => {
  assert.throws(() => new SecretMask().add('abc'), RangeError)
})

test('a secret stays masked, however many come after it', () => {
  const mask = new SecretMask()
  mask.add('first-secret')
  assert.equal(mask.text('first-secret'), MASK)
  for (let count = 0; count < 300; count++) mask.add(`secret-number-${count}`)
  assert.equal(mask.text('first-secret'), MASK)
})

test('whatever the secret and whatever is around it: no spelling of it is left, and all else stays', () => {
  const spellings = Object.entries(SPELLINGS).filter(([how]) => !how.includes('Python'))
  fc.assert(
    fc.property(
      fc
        .string({ minLength: 6, maxLength: 40, unit: 'grapheme' })
        .filter(text => text.length >= 6 && !text.includes('\0') && text.isWellFormed()),
      fc.nat(spellings.length - 1),
      (value, which) => {
        const spelt = spellings[which]?.[1](value) ?? ''
        const masked = masking(value).text(`«${spelt}»`)
        assert.equal(masked, `«${MASK}»`)
      },
    ),
    { numRuns: runs(300) },
  )
})
