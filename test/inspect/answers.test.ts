// rlp agent inspect and diff print with --json what inspect and diff of the library answer, whatever the verdict is.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { diff, inspect } from '../../src/library/generated/index.ts'
import { asPrinted } from '../support/as-printed.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, STRANGER, world } from '../support/install-world.ts'

const RUN = {
  id: 'text.run',
  description: 'Runs.',
  transport: { kind: 'exec', command: '/bin/x' },
  input_schema: { type: 'object', additionalProperties: false },
  result_schema: true,
}
const tools = (...list: readonly object[]) => ({ 'tools.json': JSON.stringify({ version: 1, tools: list }) })

const here = world(temporary('answers')('inspect'))
const { cwd } = here
const home = here.home
const bytes = made({ caps: 'exec = ["/bin/x"]\n', files: tools(RUN) }, RELEASE)
here.put('trusted', bytes)
here.put('more', made({ version: '1.1.0', caps: 'exec = true\n', files: tools(RUN) }, RELEASE))
here.put('stranger', made({}, STRANGER))
here.put('unsigned', made())
here.put('wrong', made({ files: { 'tools.json': '{"version":1,"tools":[{}]}' } }, STRANGER))
const changed = Buffer.from(bytes)
changed.write('/bin/y', changed.indexOf('/bin/x'))
here.put('damaged', changed)

const printed = async (...args: string[]) => (await here.rlp('agent', ...args)).envelope.result

describe('inspect', () => {
  for (const [bundle, verdict] of [
    ['trusted', 'trusted'],
    ['stranger', 'untrusted'],
    ['unsigned', 'unsigned'],
    ['wrong', 'untrusted'],
    ['damaged', 'invalid'],
  ] as const)
    test(`of a bundle that is ${bundle}`, async () => {
      const answer = await inspect(bundle, { cwd, home })
      assert.equal(answer.report.verdict, verdict)
      assert.deepEqual(await printed('inspect', bundle), asPrinted(answer))
    })

  test('against another version', async () => {
    const answer = await inspect('more', { against: 'trusted', cwd, home })
    assert.deepEqual(await printed('inspect', 'more', '--against', 'trusted'), asPrinted(answer))
    const { changes, ...side } = answer.against ?? {}
    const {
      before,
      after: _,
      passed: __,
      isSame: ___,
      ...compared
    } = await diff('trusted', 'more', { cwd, home })
    assert.deepEqual([changes, side], [compared, before])
    const wrong = await inspect('wrong', { against: 'trusted', cwd, home })
    assert.equal('against' in wrong, false)
    await assert.rejects(inspect('trusted', { against: 'wrong', cwd, home }), { code: 'NOT_VERIFIED' })
  })
})

describe('diff', () => {
  for (const [before, after, passed, isSame] of [
    ['trusted', 'trusted', true, true],
    ['trusted', 'more', false, false],
    ['more', 'stranger', true, false],
  ] as const)
    test(`of ${before} and ${after}`, async () => {
      const answer = await diff(before, after, { cwd, home })
      assert.deepEqual([answer.passed, answer.isSame], [passed, isSame])
      assert.deepEqual(await printed('diff', before, after), asPrinted(answer))
    })
})
