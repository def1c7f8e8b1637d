import assert from 'node:assert/strict'
import { test } from 'node:test'
import { midSentence } from '../../src/text/words.ts'

test('a sentence in the middle of another begins in small letters, and an abbreviation keeps its capitals', () => {
  for (const [sentence, written] of [
    ['Write it', 'write it'],
    ['A host has no path', 'a host has no path'],
    ['JSON has no comments', 'JSON has no comments'],
    ['"x" is not a key', '"x" is not a key'],
    ['', ''],
  ] as const)
    assert.equal(midSentence(sentence), written)
})
