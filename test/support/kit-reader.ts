// rlp as a reader for `run.mjs --lines`. In a file of its own: a test that imported it would wait for lines.
import { createInterface } from 'node:readline'
import { answerTo } from './kit-judge.ts'

for await (const line of createInterface({ input: process.stdin })) {
  const [bundle = '', policy = '', rest = '{}'] = line.split('\t')
  const { verdict, codes } = await answerTo({ bundle, policy: policy || null, ...JSON.parse(rest) })
  process.stdout.write(`${JSON.stringify({ verdict, codes })}\n`)
}
