// Each family of capabilities: what grants it is granted, contained, written, read again, taken away by an override, and refused by a rule
// that does not name it; and pages and schemas know it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Family } from '../../src/model/policy.ts'
import { readCapability } from '../../src/policy/capability.ts'
import { grantsOf } from '../../src/policy/ceiling.ts'
import { grantFor, isGranted, withGrants } from '../../src/policy/containment.ts'
import { CAPABILITY_FAMILIES, grantedOf } from '../../src/policy/families/index.ts'
import { entryProblem } from '../../src/policy/grant-entry.ts'
import { excessOf, overrideValue, readOverride, tighten } from '../../src/policy/override.ts'
import { readPolicy } from '../../src/policy/read.ts'
import { writePolicy } from '../../src/policy/write.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'
import { readPermissions } from '../../src/state/agent-state.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { excessOver, grownRule, RULE_FIELDS } from '../../src/trust-policy/rule-fields/index.ts'

/** A scope that each family takes, and one that it refuses; a switch takes none. */
const SCOPES: { readonly [F in Family]: readonly [good: string | undefined, bad: string] } = {
  fs: ['/srv/data', '../data'],
  fs_ro: ['/srv/data', '/srv/../data'],
  fs_rw: ['~/data', 'data'],
  net: ['api.mail.example:443', 'api.*.example'],
  time: [undefined, 'now'],
  kb_read: ['drafts', '*'],
  kb_write: ['drafts', '*'],
  secrets: ['mail/key', '*'],
  model: [undefined, 'any'],
  exec: ['/usr/bin/jq', 'jq'],
}

const policyAt = (text: string) => {
  const parsed = parseToml('policy.caps', new TextEncoder().encode(text))
  assert.ok(parsed.ok)
  return parsed.document.value
}

for (const family of CAPABILITY_FAMILIES) {
  const { family: name, member, ceiling, words } = family
  const [scope, bad] = SCOPES[name]
  const capability = scope === undefined ? name : `${name}:${scope}`
  const need = { capability, at: [], from: 'declared' } as const
  const grant = grantFor(need)
  const granted = grant && withGrants(NO_GRANTS, [grant])

  describe(name, () => {
    test('an entry grants it, and nothing else', () => {
      assert.deepEqual(readCapability(capability), { family: name, scope })
      assert.ok(grant && granted)
      assert.equal(isGranted(need, NO_GRANTS), false)
      assert.equal(isGranted(need, granted), true)
      assert.deepEqual({ ...granted, [member]: NO_GRANTS[member] }, NO_GRANTS)
      assert.deepEqual(grantsOf(granted), [capability])
      assert.deepEqual(grantsOf(NO_GRANTS), [])
    })

    test('another scope is refused', () => {
      if (scope === undefined) assert.ok('problem' in readCapability(`${name}:${bad}`))
      else {
        assert.equal(entryProblem(name, scope), undefined)
        assert.ok(entryProblem(name, bad))
      }
    })

    test('a policy and a state are read as they were written', () => {
      assert.ok(granted)
      assert.deepEqual(readPolicy(policyAt(writePolicy(granted))), granted)
      const stored = { policy: granted, tools: [], entry: '0'.repeat(64) }
      assert.deepEqual(readPermissions(JSON.parse(JSON.stringify(stored)), 'it').policy, granted)
      assert.throws(() => readPermissions({ ...stored, policy: { ...granted, [member]: 7 } }, 'it'))
    })

    test('an override takes it away, keeps it, and never grants it', () => {
      assert.ok(granted)
      const says = (text: string) => readOverride(overrideValue(policyAt(`[capabilities]\n${text}\n`)))
      const away = says(`${name} = ${family.scope === 'none' ? false : '[]'}`)
      const keeps = readOverride(policyAt(writePolicy(granted)))
      assert.deepEqual(grantedOf(tighten(granted, away), family), family.table.none)
      assert.deepEqual(grantedOf(tighten(granted, keeps), family), granted[member])
      assert.deepEqual(tighten(NO_GRANTS, keeps), NO_GRANTS)
      assert.deepEqual(
        excessOf(NO_GRANTS, keeps).map(({ key }) => key),
        [name],
      )
      assert.deepEqual(excessOf(granted, keeps), [])
    })

    test('one field of a rule decides about it, and it is refused without', () => {
      assert.ok(granted)
      const [field, others] = [
        keysOf(RULE_FIELDS).filter(one => RULE_FIELDS[one].key === ceiling.field),
        keysOf(RULE_FIELDS).filter(one => RULE_FIELDS[one].key !== ceiling.field),
      ]
      const any = { allowCaps: 'any', allowNet: 'any', allowExec: true } as const
      const only = (names: readonly string[]) =>
        grownRule(undefined, Object.fromEntries(Object.entries(any).filter(([one]) => names.includes(one))))
      assert.deepEqual(excessOver(only(field), granted), [])
      assert.deepEqual(excessOver(only(others), granted), [{ grant: capability, key: ceiling.field }])
    })

    test('has a sentence, and pages and schemas know it', () => {
      assert.match(words.may(scope), /^may /)
      const page = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
      for (const path of ['docs/spec/policy.md', 'docs/spec/trust-policy.md', 'docs/spec/reader.py'])
        assert.match(page(path), new RegExp(`\\b${name}\\b`), path)
      const [, pattern = ''] =
        /"pattern": ("\^\(\?:time\|model.*")/.exec(page('schemas/tools.v1.schema.json')) ?? []
      assert.match(capability, new RegExp(JSON.parse(pattern) as string))
      const isAllowed = [
        ...page('schemas/trust-policy.schema.json').matchAll(/"pattern": ("\^\(\?:time\|.*")/g),
      ].map(([, text = '']) => new RegExp(JSON.parse(text) as string).test(capability))
      assert.deepEqual(isAllowed, Array(2).fill(ceiling.field === 'allow_caps'))
      const schema = JSON.parse(page('schemas/policy.schema.json')) as Schema
      assert.ok(Object.hasOwn(schema.properties['capabilities']?.properties ?? {}, name))
    })
  })
}

function keysOf<T extends object>(table: T): (keyof T)[] {
  return Object.keys(table) as (keyof T)[]
}

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>
}
