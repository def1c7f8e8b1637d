// A slice of the campaigns of the torture (docs/torture.md), the same in every run; and that the campaigns find what there is to find.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Campaign } from '../../scripts/torture/campaign.ts'
import { leftovers, stateProblem } from '../../scripts/torture/faults/compare.ts'
import { fuzzing } from '../../scripts/torture/fuzz.ts'
import { CAMPAIGNS } from '../../scripts/torture/index.ts'
import { judge } from '../../scripts/torture/malleability.ts'
import { Random } from '../../scripts/torture/random.ts'
import { differenceOf } from '../../scripts/torture/readers/differs.ts'
import { joined, runRound } from '../../scripts/torture/session.ts'
import { record, table } from '../../scripts/torture/table.ts'
import { TARGETS as REAL_TARGETS } from '../../scripts/torture/targets/index.ts'
import { HOSTILE, steers } from '../../scripts/torture/terminals/poison.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { TARGETS } from '../support/broken-targets.ts'
import { temporary } from '../support/folder.ts'
import { LATE } from '../support/runs.ts'

const folderFor = temporary('torture')

/** Most of the time of all slices: .ci/run goes through these. */
const ELSEWHERE: readonly string[] = ['fuzz', 'faults', 'races', 'locks', 'fleets', 'terminals', 'readers']

/** A second each: no slice by day. */
const LONG: readonly string[] = ['channels', 'upgrades', 'sandbox']

test('.ci/run runs the campaigns that are left out here', () => {
  const lines = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8').split('\n')
  const runs = lines.filter(line => /^step .* npm run --silent torture -- /.test(line)).join(' ')
  for (const name of ELSEWHERE) assert.ok(runs.includes(`--only ${name}`), name)
})

describe('a slice of', () => {
  for (const campaign of CAMPAIGNS.filter(({ name }) => !ELSEWHERE.includes(name))) {
    const skip = LONG.includes(campaign.name) && LATE
    test(`${campaign.name}: ${campaign.summary}`, { skip }, async t => {
      const outcome = await runRound(campaign, { seed: 1, folder: folderFor(campaign.name), isSlice: true })
      assert.deepEqual(outcome.defects, [])
      if (outcome.cases === 0) t.skip(outcome.skipped.join('; '))
      assert.ok(outcome.cases + outcome.skipped.length > 0)
    })
  }
})

describe('what the campaigns find', () => {
  test('an input that throws, hangs, is never answered, writes elsewhere; and all that come after it', async () => {
    const campaign = fuzzing(TARGETS, new URL('../support/broken-targets.ts', import.meta.url), 300)
    const outcome = await runRound(campaign, { seed: 1, folder: folderFor('broken') })
    const found = outcome.defects.map(defect => `${defect.case} ${defect.what.split('\n')[0]}`).sort()
    assert.deepEqual(found, [
      'hangs:0 no answer after 300 ms',
      'late:0 an unhandled rejection: TypeError: without a listener',
      'never:0 the worker ended without an answer',
      'throws:0 TypeError: not one of ours',
      'writes:0 something was written beside its folder: beside, inner',
    ])
    assert.deepEqual(outcome.answers['good'], { fine: 1 })
    assert.deepEqual(outcome.answers['refuses'], { USAGE: 1 })
    assert.deepEqual(outcome.answers['last'], { fine: 1 })
    assert.equal(outcome.cases, 8)
  })

  test('a bundle without a signature, which is something else than a changed one', async () => {
    const { verdict, isAccepted } = await judge(bundleOf(agentTree()))
    assert.deepEqual([verdict, isAccepted], ['unsigned', false])
  })

  test('two readers that differ in the verdict, in the step of a code, or in that one of them fails', () => {
    const answer = (words: string) => {
      const [verdict = '', ...codes] = words.split(' ')
      return { verdict, codes }
    }
    const differ = (one: string, two: string) => differenceOf(answer(one), answer(two)) !== undefined
    const agreeing = [
      ['trusted', 'trusted'],
      ['invalid json/syntax', 'invalid tools/shape'],
      ['invalid toml/syntax', 'invalid manifest/shape'],
      ['invalid toml/syntax', 'invalid caps/shape'],
      ['indeterminate tools/version', 'indeterminate wasm/malformed'],
      ['refused', 'untrusted unexpected_agent'],
      ['refused', 'invalid not_canonical'],
    ] as const
    for (const [one, two] of agreeing) assert.equal(differ(one, two), false, `${one} ${two}`)
    const differing = [
      ['trusted', 'untrusted no_counted_signature'],
      ['untrusted no_counted_signature', 'trusted'],
      ['invalid json/syntax', 'indeterminate tools/version'],
      ['invalid json/syntax', 'invalid not_canonical'],
      ['invalid manifest/shape', 'invalid statement_mismatch'],
      ['invalid manifest/shape', 'invalid manifest/digest-stale'],
      ['invalid manifest/tools-version', 'invalid manifest/kind'],
      ['untrusted unexpected_agent', 'untrusted not_as_locked'],
      ['indeterminate tools/version', 'indeterminate state_unusable'],
      ['refused', 'trusted'],
    ] as const
    for (const [one, two] of differing) assert.equal(differ(one, two), true, `${one} ${two}`)
    assert.match(differenceOf('TypeError', answer('trusted')) ?? '', /^rlp fails: TypeError/)
    assert.match(differenceOf(answer('trusted'), 'it ended') ?? '', /^the second reader fails: it ended/)
  })

  test('a file that is neither old nor new, one that is gone, one that is left', () => {
    const before = { a: '644 old', 'k.pem': '600 x' }
    const after = { a: '644 new', 'k.pem': '600 x' }
    const problem = (seen: Record<string, string>) => stateProblem(seen, before, after, {})
    assert.equal(problem(before), undefined)
    assert.equal(problem(after), undefined)
    assert.match(problem({ ...before, a: '644 ne' }) ?? '', /a is neither the old nor the new/)
    assert.match(problem({ ...before, a: '600 old' }) ?? '', /a is neither the old nor the new/)
    assert.equal(problem({ a: '644 old' }), 'k.pem is gone')
    assert.equal(stateProblem({ a: '644 old' }, before, after, { mayBeGone: /pem$/ }), undefined)
    assert.deepEqual(leftovers({ ...before, '.a.rlp-1': '' }, before, after), ['.a.rlp-1'])
  })

  test('text that steers a terminal', () => {
    for (const text of [HOSTILE, 'a\u001b[1m', 'a\u202eb', 'a\rb', 'x\nINJECTED', '\u{e0041}'])
      assert.ok(steers(text), JSON.stringify(text))
    for (const text of ['', 'plain\ntext\n', '\\u{1b}[2J INJECTED', 'Grüße 漢字 😀'])
      assert.equal(steers(text), undefined, text)
  })
})

describe('a run', () => {
  test('has one stream of chance for each case, the same for ever', () => {
    const numbers = (...words: (string | number)[]) => {
      const random = new Random(...words)
      return [random.next(), random.next(), random.below(100)]
    }
    assert.deepEqual(numbers(1, 'fuzz', 'tar', 0), numbers(1, 'fuzz', 'tar', 0))
    assert.notDeepEqual(numbers(1, 'fuzz', 'tar', 0), numbers(1, 'fuzz', 'tar', 1))
    assert.notDeepEqual(numbers(1, 'fuzz', 'tar', 0), numbers(2, 'fuzz', 'tar', 0))
    // A seed that was written down finds the same case again after years.
    assert.deepEqual(numbers(1, 'fuzz', 'tar', 0), FIRST)
    for (const { name, make } of REAL_TARGETS)
      assert.ok(Buffer.from(make(new Random(name))).equals(Buffer.from(make(new Random(name)))), name)
  })

  test('says what it found, and how to see it again', async () => {
    const campaign: Campaign = {
      name: 'mine',
      summary: 'x',
      isEndless: true,
      async run(session) {
        for (const id of ['one', 'two']) if (session.begin(id)) session.count('more', 3)
        if (session.begin('three')) session.defect({ case: 'three', what: 'broken\nhere', input: 'bytes' })
        if (session.round === 1) throw new Error('stumbled')
      },
    }
    const folder = folderFor('mine')
    const first = await runRound(campaign, { seed: 7, folder })
    const second = await runRound(campaign, { seed: 7, folder, round: 1 })
    const both = joined(first, second)
    assert.equal(both.cases, 18)
    assert.deepEqual(
      both.defects.map(({ case: id, round }) => [id, round]),
      [
        ['three', 0],
        ['three', 1],
        ['the campaign itself', 1],
      ],
    )
    const head =
      /^campaign +seed +cases +findings +seconds +of these\nmine +7 +18 +3 +[0-9.]+ +mine 6, more 12$/
    assert.match(table([both]), head)
    const out = join(folder, 'out')
    const [, , again] = both.defects
    assert.ok(again)
    const line = record(out, 2, both, both.defects[1] ?? again)
    assert.equal(line, `mine: three: broken\n  ${join(out, 'mine-7-2')}.txt`)
    assert.match(
      readFileSync(join(out, 'mine-7-2.txt'), 'utf8'),
      /\nhere\n\nagain: npm run torture -- --seed 7 --only mine --round 1 --case 'three'\n$/,
    )
    assert.equal(readFileSync(join(out, 'mine-7-2.input'), 'utf8'), 'bytes')
    const only = await runRound(campaign, { seed: 7, folder: folderFor('only'), only: 'two' })
    assert.deepEqual([only.cases, only.defects], [4, []])
  })
})

const FIRST = [2999128499, 2182859759, 97]
