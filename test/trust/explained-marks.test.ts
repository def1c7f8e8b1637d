// rlp trust explain says what the marks of the agent say, and that they decided.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStyle } from '../../src/cli/render/style.ts'
import { renderExplained } from '../../src/trust/render-explained.ts'
import { ASKING, type JudgeOptions, judge, signed } from '../support/trust-world.ts'

const NEWER = { agent: 'mini', version: '9.0.0', manifestDigest: '0'.repeat(64), keys: [] }
const explained = async (options: JudgeOptions, tree = signed(ASKING, 'release')) =>
  renderExplained((await judge(tree, options)).report, createStyle(false), 100)

test('nothing newer was installed', async () => {
  assert.match(
    await explained({}),
    /^ {2}freshness \S no expiry date, and no newer version was installed here\ntrusted$/m,
  )
})

test('a newer version was installed, and that decided', async () => {
  const text = await explained({ marks: [NEWER] })
  assert.match(text, /^ {2}freshness \S Version 9\.0\.0 was installed before \S+ this decided\nrolled_back /m)
})

test('a newer version was installed, and something else decided', async () => {
  const text = await explained({ marks: [NEWER] }, signed(ASKING, 'stranger'))
  assert.match(text, /^ {2}freshness \S Version 9\.0\.0 was installed before\nuntrusted /m)
})

test('without a signature nothing was asked', async () => {
  assert.match(await explained({}, ASKING), /^ {2}freshness - .*not checked: there is no signature/m)
})
