// rlp as a reader for `run.mjs --texts --lines`. In a file of its own: a test that imported it would wait for lines.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { answerToText } from './kit-texts.ts'

for await (const line of createInterface({ input: process.stdin })) {
  const [path = '', syntax = ''] = line.split('\t')
  process.stdout.write(`${JSON.stringify(answerToText(readFileSync(path), syntax))}\n`)
}
