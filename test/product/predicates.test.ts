// The list of the kinds of statements against everything that has to know one: what makes it, the page, its vectors, and for what a policy may
// require of it the schema and the specification. A new kind, or a new field, fails here with its name.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { COMPARED_FIELDS } from '../../src/model/trust.ts'
import { PREDICATES, typesWith } from '../../src/statement/predicates/index.ts'
import type { Predicate } from '../../src/statement/predicates/predicate.ts'

const ROOT = join(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const PAGE = text('docs/evidence.md')

for (const [name, { type, word, shown, compared }] of Object.entries<Predicate>(PREDICATES)) {
  describe(name, () => {
    test('is made by a file of its room', () => assert.ok(existsSync(join(ROOT, `src/evidence/${name}.ts`))))

    test('is on the page, by its type and by its word', () => {
      assert.ok(PAGE.includes(`\`${type}\``), `docs/evidence.md has no ${type}`)
      assert.ok(PAGE.includes(word), `docs/evidence.md has no "${word}"`)
    })

    test('has vectors: one that counts, and one for each field that names another', () => {
      for (const one of ['good', ...compared.map(field => `another-${field}`)])
        assert.ok(existsSync(join(ROOT, `fixtures/evidence/vectors/${name}/${one}.json`)), one)
    })

    test('shows what a policy may require', () =>
      assert.deepEqual(
        compared.filter(field => !shown.includes(field)),
        [],
      ))
  })
}

test('no two are of one type, or have one word', () => {
  const all = Object.values<Predicate>(PREDICATES)
  assert.equal(new Set(all.map(({ type }) => type)).size, all.length)
  assert.equal(new Set(all.map(({ word }) => word)).size, all.length)
})

describe('a field that a policy may require', () => {
  const schema = JSON.parse(text('schemas/trust-policy.schema.json'))
  const required = schema.$defs.statement
  for (const field of COMPARED_FIELDS) {
    test(`${field}: some kind has it, and the schema, the specification and the page know it`, () => {
      assert.ok(typesWith(field).length > 0)
      assert.ok(Object.hasOwn(required.properties, field), 'schemas/trust-policy.schema.json')
      assert.match(text('docs/spec/trust-policy.md'), new RegExp(`\\*\\*K-45\\*\\*[^\\n]*\`${field}\``))
      assert.match(text('docs/spec/evidence.md'), new RegExp(`\`${field}\``))
      assert.match(PAGE, new RegExp(`\`${field}\` is `))
    })
  }
  test('is all that the schema has beside type, signers, and what only an identity says', () => {
    assert.deepEqual(
      Object.keys(required.properties).sort(),
      ['type', 'by', 'ref', ...COMPARED_FIELDS].sort(),
    )
  })
})
