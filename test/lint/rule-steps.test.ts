// Which step of verification reports what each rule of bundles finds: a rule that moves to another step fails here, and a rule that is new
// has to be written down.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { CONTENT_RULES } from '../../src/lint/generated/contents.ts'
import { OUTLINE_RULES } from '../../src/lint/generated/outline.ts'
import { type RuleStep, stepFor } from '../../src/lint/rules/rule.ts'
import { findingsOf, rulesIn } from '../../src/verify/steps.ts'
import { agentTree } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'

const BUNDLE_RULES = [...OUTLINE_RULES, ...CONTENT_RULES]

const STEPS: readonly RuleStep[] = ['archive', 'manifest', 'files', 'schemas']

const RULES_OF = {
  manifest: [
    'files/required',
    'manifest/shape',
    'manifest/entry-missing',
    'manifest/entry-twice',
    'manifest/kind',
    'manifest/name',
    'manifest/fixed-path',
    'manifest/artifact-path',
    'manifest/artifact-twice',
    'manifest/stray-digest',
  ],
  archive: ['files/name', 'files/case-twin', 'files/link'],
  'of the file': [
    'json/syntax',
    'json/encoding',
    'json/duplicate-key',
    'json/unsafe-value',
    'json/too-large',
    'toml/syntax',
    'toml/encoding',
    'toml/duplicate-key',
    'toml/unsafe-value',
    'toml/too-large',
  ],
  files: [
    'manifest/file-missing',
    'manifest/digest-format',
    'manifest/digest-pending',
    'manifest/digest-stale',
    'manifest/digest-missing',
  ],
  schemas: [
    'manifest/tools-version',
    'caps/shape',
    'caps/entry',
    'caps/no-hosts',
    'caps/capability-syntax',
    'tools/shape',
    'tools/version',
    'tools/agentcli',
    'tools/duplicate-id',
    'tools/command',
    'tools/arguments',
    'tools/whole-number',
    'tools/url',
    'tools/header',
    'tools/placeholder',
    'tools/env',
    'tools/interface-shape',
    'tools/interface-internal-field',
    'schema/invalid',
    'schema/dialect',
    'schema/pattern',
    'schema/ref-remote',
    'schema/ref-invalid',
    'schema/ref-missing',
    'schema/endless',
    'schema/too-large',
    'secrets/unlisted',
    'secrets/in-url',
    'wasm/not-wasm',
    'wasm/component',
    'wasm/native-format',
    'wasm/malformed',
    'wasm/no-entry',
  ],
} as const

describe('the step of each rule of bundles', () => {
  for (const [step, ids] of Object.entries(RULES_OF)) {
    for (const id of ids) {
      test(`${id}: ${step}`, () => assert.equal(BUNDLE_RULES.find(rule => rule.id === id)?.step, step))
    }
  }

  test('no rule is left out', () => {
    assert.deepEqual(BUNDLE_RULES.map(({ id }) => id).sort(), Object.values(RULES_OF).flat().sort())
  })

  test('every rule runs in each step that it can report for', async () => {
    const ids = new Map<RuleStep, readonly string[]>()
    for (const step of STEPS)
      ids.set(
        step,
        (await rulesIn(step)).map(({ id }) => id),
      )
    for (const rule of BUNDLE_RULES) {
      const steps = new Set(
        ['manifest.toml', 'policy.caps', 'bin/mini.wasm'].map(file => stepFor(rule, file)),
      )
      const ran = STEPS.filter(step => ids.get(step)?.includes(rule.id))
      for (const step of steps) assert.ok(ran.includes(step), `${rule.id} does not run in ${step}`)
    }
  })
})

describe('a rule about texts', () => {
  const found = async (files: Record<string, string>) => {
    const agent = read(memoryFiles({ ...agentTree(), ...files }), 'mini', 'bundle')
    const lines: string[] = []
    for (const step of STEPS)
      for (const { rule, file } of await findingsOf(agent, step)) lines.push(`${step} ${rule} ${file}`)
    return lines
  }

  test('finds nothing in a sound agent', async () => assert.deepEqual(await found({}), []))

  test('is reported once, by the step that reads the file', async () => {
    const all = await found({ 'manifest.toml': '[agent\n', 'policy.caps': '[capabilities\n' })
    const syntax = all.filter(line => line.includes('toml/syntax'))
    assert.deepEqual(syntax, ['manifest toml/syntax manifest.toml', 'schemas toml/syntax policy.caps'])
  })
})
