// The slips of authors: what lint says of each, and that doing what it says ends the finding and begins no other.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { askable } from '../../src/lint/lint-run.ts'
import { prepareLint } from '../../src/lint/lint-target.ts'
import { rulesOfRun } from '../../src/lint/rules/index.ts'
import type { Tree } from '../support/agent.ts'
import { agentOfTree, type FoundProblem, followed, problemsIn } from '../support/follow-fix.ts'
import { lintFixtureIds, placeLintFixture, readExpectation, readPlaced } from '../support/lint-fixtures.ts'
import {
  SLIP_LABEL,
  SLIPS,
  slipClasses,
  slipLine,
  slipProblems,
  slipsOf,
  soundTree,
  treeWithSlip,
} from '../support/slips.ts'

const sound = soundTree()

before(async () => {
  if (process.env['UPDATE_GOLDEN'] !== '1') return
  for (const name of slipClasses()) {
    const slips = []
    for (const slip of slipsOf(name)) {
      const found = await slipProblems(treeWithSlip(sound, slip))
      slips.push({ ...slip, findings: found.map(one => ({ finding: slipLine(one), fix: one.problem.fix })) })
    }
    writeFileSync(join(SLIPS, `${name}.json`), `${JSON.stringify(slips, undefined, 2)}\n`)
  }
})

test('the control: nothing is found in the agent without a slip', async () => {
  assert.deepEqual((await slipProblems(sound)).map(slipLine), [])
})

for (const name of slipClasses()) {
  describe(`slips: ${name}`, () => {
    for (const slip of slipsOf(name)) {
      test(slip.slip, async () => {
        const tree = treeWithSlip(sound, slip)
        const found = await slipProblems(tree)
        const said = found.map(one => ({ finding: slipLine(one), fix: one.problem.fix }))
        assert.deepEqual(said, slipsOf(name).find(one => one.slip === slip.slip)?.findings)
        assert.ok(said.length > 0 || slip.slip.startsWith('nothing: '), 'no rule found the slip')
        for (const one of found) await assertFollowed(tree, SLIP_LABEL, found, one, '')
      })
    }
  })
}

describe('the fixtures of the rules', () => {
  for (const id of lintFixtureIds()) {
    const { made } = readExpectation(id)
    if (made.some(({ kind }) => kind === 'sparse')) continue
    test(`${id}: each form of fix ends its finding and begins no other`, async () => {
      const placed = await placeLintFixture(id)
      try {
        const agent = await readPlaced(placed, 'all')
        // Links and their like are no bytes: what is found about them is done by hand.
        const tree = Object.fromEntries(
          agent.files.list.map(({ path, content, bytes }) => [
            path,
            agent.documents.get(path)?.text ?? content ?? bytes ?? '',
          ]),
        )
        const found = problemsIn(agent, await prepareLint(agent, placed.path), id)
        const forms = new Set<string>()
        for (const one of found) {
          const form = `${one.rule.id} ${one.problem.fix.replaceAll(/"[^"]*"|[0-9]+/g, '')}`
          if (forms.has(form)) continue
          forms.add(form)
          await assertFollowed(tree, placed.label, found, one, id)
        }
      } finally {
        await placed.remove()
      }
    })
  }
})

/** Digests become stale with every change, and are made anew by a command. */
const isOfDigests = ({ rule }: FoundProblem) => rule.id.startsWith('manifest/digest-')
const keyOf = ({ rule, problem: { file, message } }: FoundProblem) => `${rule.id} ${file} ${message}`

async function assertFollowed(
  tree: Tree,
  label: string,
  before: readonly FoundProblem[],
  one: FoundProblem,
  asked: string,
): Promise<void> {
  const after = followed(tree, label, one)
  if (after === undefined) return
  const agent = agentOfTree(after, label)
  const left = problemsIn(agent, await prepareLint(agent), asked)
  const count = (list: readonly FoundProblem[]) => list.filter(other => keyOf(other) === keyOf(one)).length
  assert.ok(count(left) < count(before), `${keyOf(one)} is still there after: ${one.problem.fix}`)
  const known = new Set(before.map(keyOf))
  const { rules } = askable(agentOfTree(tree, label), rulesOfRun([{ rule: asked }]))
  // What a rule finds that was skipped before was there before.
  const fresh = left.filter(
    other => !known.has(keyOf(other)) && !isOfDigests(other) && rules.includes(other.rule),
  )
  assert.deepEqual(fresh.map(keyOf), [], `after ${keyOf(one)}: ${one.problem.fix}`)
}
