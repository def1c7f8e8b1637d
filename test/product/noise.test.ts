// npm run noise over a folder of lists: the counts, and that a seed draws the same findings again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawn } from '../../scripts/noise/report.ts'
import { survey } from '../../scripts/noise/survey.ts'
import { noise } from '../../scripts/noise.ts'

const FOLDER = 'fixtures/noise'

test('each list is imported, linted and counted; one that cannot be is named', async () => {
  const { lists, tools, findings, refused } = await survey(FOLDER)
  assert.deepEqual([lists, tools], [2, 4])
  assert.match(refused.join(), /^nameless\.json: Cannot import .*name is missing/)
  assert.deepEqual(
    findings.map(({ list, finding }) => `${list} ${finding.rule}`),
    [
      'notes.json tools/needs-confirmation',
      'notes.json schema/refused-elsewhere',
      'notes.json schema/default',
      'weather.json tools/description',
      'weather.json schema/misplaced',
    ],
  )
})

test('a seed draws the same findings again, each once, with the tools that they are about', async () => {
  const given = { seed: '7', count: 3, isByList: true }
  const text = await noise(FOLDER, given)
  assert.equal(await noise(FOLDER, given), text)
  assert.match(text, /^2 lists, 4 tools, 5 findings\n {4}1 {2}/)
  assert.match(text, /\n {4}3 {2}notes\.json\n {4}2 {2}weather\.json\n/)
  assert.match(text, /\n3 of 5 findings, drawn by seed 7\n/)
  const { findings } = await survey(FOLDER)
  const all = drawn(findings, '7', 100)
  assert.equal(all.length, findings.length)
  assert.equal(new Set(all).size, findings.length)
  assert.notDeepEqual(drawn(findings, '8', 100), all)
  const [asked] = findings.filter(({ finding }) => finding.rule === 'tools/needs-confirmation')
  assert.deepEqual(
    asked?.entries.map(entry => (entry as { id: string }).id),
    ['send_note', 'delete_note'],
  )
})
