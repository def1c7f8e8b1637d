// Every rule takes time in proportion to what it looks at: on twice the input it takes at most two and a half times the steps. One of
// twenty-four inputs is measured here, of each family of rules at least one; all of them in `.ci/run`.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { preferNative } from '../../src/bundle/blake3.ts'
import { applyRules } from '../../src/lint/lint.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { type Rule, UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Prepared } from '../../src/lint/subjects.ts'
import type { Agent } from '../../src/model/agent.ts'
import { editToml } from '../../src/toml/edit.ts'
import { FIXED, filesOf, GROWTH, SHAPES, type Shape } from '../support/growth-shapes.ts'
import { slice } from '../support/runs.ts'
import { countSteps } from '../support/steps.ts'

const MOST = 2.5
const NOW = new Date('2026-11-22')

await preferNative()

function agentOf(shape: Shape, size: number): Agent {
  return read(filesOf(shape, size), 'mini')
}

const known = new Map<Shape, Map<number, Prepared>>()

/**
 * As if the checker could say nothing of any pattern, and every file held a key. Of another agent than the one that rules look at, and made
 * once for all rules.
 */
function preparedFor(shape: Shape, size: number): Prepared {
  const sizes = known.get(shape) ?? new Map<number, Prepared>()
  known.set(shape, sizes)
  const prepared = sizes.get(size) ?? preparedOf(agentOf(shape, size))
  sizes.set(size, prepared)
  return prepared
}

function preparedOf(agent: Agent): Prepared {
  return {
    secrets: agent.files.list.map(({ path }) => ({ file: path, kind: 'a private key', line: 1 })),
    ignored: agent.files.list.map(({ path }) => path),
  }
}

/** These rules alone look at what was prepared. */
const looksAtPrepared = ({ id }: Rule) =>
  ['files/secret', 'files/likely-secret', 'files/ignored-by-git'].includes(id)

/** A rule with its fix, on an unseen agent. */
function ruling(rules: readonly Rule[], shape: Shape, size: number): () => void {
  const prepared = rules.some(looksAtPrepared) ? preparedFor(shape, size) : UNPREPARED
  const agent = agentOf(shape, size)
  return () => {
    applyRules(agent, rules, { prepared, now: NOW })
    for (const rule of rules) for (const fix of rule.autofix?.(agent, editToml) ?? []) assert.ok(fix.text)
  }
}

/** @param ready makes what the work needs, and hands on the work */
function growthOf(ready: (size: number) => () => unknown, size: number): number {
  // Once for what is made once: tables, compiled expressions.
  ready(10)()
  const [once = 0, twice = 0] = countSteps(ready(size), ready(2 * size))
  return twice / once
}

test('every rule has an input that grows', () => {
  assert.deepEqual(Object.keys(GROWTH).sort(), RULES.map(({ id }) => id).sort())
  for (const names of Object.values(GROWTH)) {
    assert.ok(names.length > 0)
    for (const name of names) assert.ok(SHAPES[name], name)
  }
})

describe('reading', () => {
  for (const [name, shape] of slice(Object.entries(SHAPES), 24)) {
    test(name, () => {
      const reading = (size: number) => {
        const files = filesOf(shape, size)
        return () => read(files, 'mini')
      }
      const growth = growthOf(reading, shape.size)
      assert.ok(growth <= MOST, `twice the input takes ${growth.toFixed(2)} times the steps`)
    })
  }
})

const LOOKS = RULES.flatMap(rule => (GROWTH[rule.id] ?? []).map(name => ({ rule, name })))
for (const { rule, name } of slice(LOOKS, 24, ({ rule }) => rule.id.split('/')[0] ?? '')) {
  const shape = SHAPES[name]
  if (shape === undefined) continue
  test(`${rule.id}: ${name}`, () => {
    const rules = rule.review === undefined ? [rule] : RULES
    const growth = growthOf(size => ruling(rules, shape, size), shape.size)
    assert.ok(growth <= MOST, `twice the input takes ${growth.toFixed(2)} times the steps`)
    if (!FIXED.includes(rule.id))
      assert.ok(growth >= 1.1, `the input is not what the rule looks at: ${growth.toFixed(2)}`)
  })
}

test('the measure sees a square that the engine hides, and one in the code', () => {
  const text = (size: number) => 'ab'.repeat(size)
  const linear = (size: number) => () =>
    text(size)
      .split('b')
      .map(part => part.length)
  const hidden = (size: number) => () => {
    let before = ''
    for (const part of text(size).split('b')) {
      before += part
      before.includes('#')
    }
  }
  const plain = (size: number) => () => {
    let pairs = 0
    for (const a of text(size)) for (const b of text(size)) if (a === b) pairs++
    return pairs
  }
  const spread = (size: number) => () => {
    let all: string[] = []
    for (const part of text(size).split('b')) all = [...all, part]
  }
  assert.ok(growthOf(linear, 1000) < 2.1)
  assert.ok(growthOf(hidden, 1000) > 3.5)
  assert.ok(growthOf(plain, 300) > 3.5)
  assert.ok(growthOf(spread, 1000) > 3.5)
})
