// The entries of the package as they were built: each has the names of its types when it runs, and no other.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ENTRIES } from '../../scripts/entries.ts'
import { builtProgram } from '../support/built.ts'
import { declaredBy } from '../support/kept-types.ts'
import { ROOT } from '../support/lint-fixtures.ts'
import { FUNCTION_OPTIONS } from '../support/verbs.ts'

builtProgram()
const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, { readonly [how: string]: { readonly types: string; readonly default: string } }>
}
/** By the name of the entry: what users import. */
const PACKED = Object.keys(ENTRIES).map(name => {
  const { import: asModule, require: asCommonJs } = exports[name === 'index' ? '.' : `./${name}`] ?? {}
  assert.ok(asModule && asCommonJs, name)
  return { name, asModule, asCommonJs }
})
const require = createRequire(import.meta.url)
const offered = new Map<string, string[]>()

describe('the names of an entry are those of its types', () => {
  for (const { name, asModule, asCommonJs } of PACKED)
    test(name, async () => {
      for (const path of [asModule.types, asCommonJs.types]) assert.ok(existsSync(join(ROOT, path)), path)
      const { values } = declaredBy(join(asCommonJs.types))
      const imported = Object.keys(await import(pathToFileURL(join(ROOT, asModule.default)).href))
      assert.deepEqual(imported.sort(), values)
      assert.deepEqual(Object.keys(require(join(ROOT, asCommonJs.default))).sort(), values)
      offered.set(name, imported)
    })
})

test('each function is in one entry; those that verify are in the small one, too', () => {
  const { verify = [], contract = [], ...others } = Object.fromEntries(offered)
  assert.ok(verify.includes('verifyBundle') && contract.length > 10)
  const all = Object.values(others).flat()
  const functions = Object.keys(FUNCTION_OPTIONS).sort()
  assert.ok(functions.length > 60)
  assert.deepEqual(all.filter(name => functions.includes(name)).sort(), functions)
})
