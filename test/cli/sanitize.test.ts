// Text from a bundle on its way to a terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { printable, printableJson, quoted } from '../../src/text/printable.ts'
import { anyText } from '../support/any-text.ts'
import { processorTime } from '../support/processor-time.ts'
import { runs } from '../support/runs.ts'

const KEPT = [
  'plain text, "quotes" and \\u{1b} that was typed',
  'Grüße, naïve, ПРИВЕТ, 漢字かな한국어, हिन्दी, ภาษาไทย, العربية, עברית',
  'e\u0301 a\u0308\u0323',
  '😀 👍🏽 ❤️ ☎️ 1️⃣ #️⃣ 🇸🇪',
  '👨‍👩‍👧 🏳️‍🌈 👩🏽‍🚀 ❤️‍🔥',
  '→ … – “ ” € ½ \u00a0 \u3000',
  '',
]
for (const text of KEPT) {
  test(`keeps ${JSON.stringify(text)}`, () => assert.equal(printable(text), text))
}

const SHOWN: readonly (readonly [what: string, text: string, shown: string])[] = [
  ['a colour', 'a\u001b[31mb', 'a\\u{1b}[31mb'],
  ['a title', '\u001b]0;pwned\u0007', '\\u{1b}]0;pwned\\u{7}'],
  ['an eight-bit escape', '\u009b31m', '\\u{9b}31m'],
  ['line breaks and tabs', 'a\r\nb\tc\u0085', 'a\\u{d}\\u{a}b\\u{9}c\\u{85}'],
  ['backspace, delete, null', 'a\b\u007f\0', 'a\\u{8}\\u{7f}\\u{0}'],
  ['line and paragraph separators', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
  [
    'bidi controls',
    '\u202eevil\u202c\u2066x\u2069\u200f\u061c',
    '\\u{202e}evil\\u{202c}\\u{2066}x\\u{2069}\\u{200f}\\u{61c}',
  ],
  [
    'zero-width characters',
    'a\u200bb\u200cc\ufeffd\u2060e\u00ad',
    'a\\u{200b}b\\u{200c}c\\u{feff}d\\u{2060}e\\u{ad}',
  ],
  ['a joiner that joins no emoji', 'a\u200db', 'a\\u{200d}b'],
  ['a joiner at the end of an emoji', '😀\u200d', '😀\\u{200d}'],
  ['a joiner before a letter', '😀\u200dx', '😀\\u{200d}x'],
  ['variation selectors', 'a\ufe00b\ufe0fc\u{e0100}', 'a\\u{fe00}b\\u{fe0f}c\\u{e0100}'],
  ['a second variation selector', '❤\ufe0f\ufe0f', '❤\ufe0f\\u{fe0f}'],
  ['an emoji style on a digit alone', '1\ufe0f', '1\\u{fe0f}'],
  ['tags, which spell hidden text', '\u{e0041}\u{e007f}', '\\u{e0041}\\u{e007f}'],
  ['fillers', 'a\u115f\u3164\uffa0\u034f', 'a\\u{115f}\\u{3164}\\u{ffa0}\\u{34f}'],
  ['annotations', '\ufff9a\ufffb', '\\u{fff9}a\\u{fffb}'],
  ['half a surrogate pair', 'a\ud83db', 'a\\u{d83d}b'],
]
for (const [what, text, shown] of SHOWN) {
  test(`shows ${what}`, () => {
    assert.equal(printable(text), shown)
    const json = printableJson(JSON.stringify(text))
    assert.equal(JSON.parse(json), text)
    assert.doesNotMatch(json, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u)
  })
}

test('long text is cut, never in the middle of a character, and says so', () => {
  assert.equal(printable('x'.repeat(12), 10), `${'x'.repeat(10)}… (2 more)`)
  assert.equal(printable('x'.repeat(10), 10), 'x'.repeat(10))
  assert.equal(printable(`${'x'.repeat(9)}😀y`, 10), `${'x'.repeat(9)}… (3 more)`)
  assert.equal(quoted('y'.repeat(100)), `"${'y'.repeat(80)}… (20 more)"`)
})

test('60,000 of anything take no time worth speaking of', () => {
  for (const unit of ['\u200d', '\ufe0f', '😀\u200d', '\u001b[', '1\ufe0f']) {
    const started = processorTime()
    assert.ok(printable(unit.repeat(60_000), Number.POSITIVE_INFINITY).length >= 60_000)
    assert.ok(processorTime() - started < 2000, JSON.stringify(unit))
  }
})

test('whatever goes in, only what emoji are made of comes out', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 40 }), text => {
      const left =
        printable(text).match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu) ?? []
      assert.deepEqual(
        left.filter(character => character !== '\u200d' && character !== '\ufe0f'),
        [],
      )
      assert.equal(JSON.parse(printableJson(JSON.stringify(text))), text)
    }),
    { numRuns: runs(500), seed: 1 },
  )
})
