// A secret has many names: each that looks up one variable. A rule that says where a secret may go holds for all of them, or another spelling
// would be a way around it. The judge is held here to what a call looks up, name by name.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { environmentSecrets } from '../../src/call/secrets/environment.ts'
import { grantedVariables } from '../../src/call/secrets.ts'
import { lint } from '../../src/library/generated/index.ts'
import { SECRET_ID } from '../../src/model/secret.ts'
import { readPolicy } from '../../src/policy/read.ts'
import { secretPlaces } from '../../src/policy/secret-id.ts'
import { excessOver, grownRule } from '../../src/trust-policy/rule-fields/index.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { execTool } from '../support/host.ts'
import { runs } from '../support/runs.ts'

const folder = temporary('one-secret')
const numRuns = runs(300)
const share = (one: string, other: string) =>
  secretPlaces(one).some(place => secretPlaces(other).includes(place))

/** Names of few parts, so that two of them often look up one variable. */
const NAME = fc
  .tuple(
    fc.constantFrom('', 'env/', 'env.', 'ENV/'),
    fc.array(fc.constantFrom('a', 'A', 'b', '1', '/', '.', '-', '_', 'ü'), { minLength: 1, maxLength: 4 }),
  )
  .map(([start, parts]) => start + parts.join(''))

/** The variables that a host reads for a grant: as a secret, and as a variable of `x-rlp.env`. */
async function lookedUp(name: string): Promise<Set<string>> {
  const read = new Set<string>()
  const env = new Proxy({} as Record<string, string>, {
    getOwnPropertyDescriptor(_, variable) {
      read.add(String(variable))
      return undefined
    },
  })
  if (SECRET_ID.test(name)) await environmentSecrets(env)(name, new AbortController().signal)
  const variable = /^env\/([A-Z_][A-Z0-9_]*)$/.exec(name)?.[1]
  const tool = execTool('/usr/bin/env', [], { rlp: { env: variable === undefined ? [] : [variable] } })
  grantedVariables(tool, { env, handsOver: 'all' })
  return read
}

const granted = (...secrets: string[]) => readPolicy({ capabilities: { secrets, model: true } })
const to = (secretsTo: Readonly<Record<string, readonly string[]>>) =>
  grownRule(undefined, { allowCaps: 'any', secretsTo })
const isInside = (lists: Readonly<Record<string, readonly string[]>>, name: string) =>
  excessOver(to(lists), granted(name)).length === 0

test('two names that a host looks up in one variable are one secret', async () => {
  assert.deepEqual([...(await lookedUp('vendor.key'))], ['VENDOR_KEY'])
  assert.deepEqual([...(await lookedUp('env/VENDOR_KEY'))], ['VENDOR_KEY'])
  await fc.assert(
    fc.asyncProperty(NAME, NAME, async (one, other) => {
      const [first, second] = [await lookedUp(one), await lookedUp(other)]
      if ([...first].some(variable => second.has(variable))) assert.ok(share(one, other), `${one} ${other}`)
      for (const variable of first) assert.ok(secretPlaces(one).includes(variable), one)
    }),
    { numRuns },
  )
})

describe('secrets_to', () => {
  test('holds for a secret under each of its names, and for no other secret', () => {
    assert.equal(isInside({ 'vendor/key': ['model'] }, 'vendor/key'), true)
    for (const name of ['vendor/key', 'vendor.key', 'vendor-key', 'Vendor_Key', 'env/VENDOR_KEY'])
      assert.equal(isInside({ 'vendor/key': [] }, name), false, name)
    for (const name of ['vendor/key2', 'vendorkey', 'env.vendor.key', 'env/ENV_VENDOR_KEY'])
      assert.equal(isInside({ 'vendor/key': [] }, name), true, name)
    fc.assert(
      fc.property(NAME, NAME, (named, name) => {
        assert.equal(isInside({ [named]: [] }, name), !share(named, name))
        assert.equal(isInside({ [named]: ['model'] }, name), true)
      }),
      { numRuns },
    )
  })

  test('two names that are one secret: what is in both lists', () => {
    const lists = (one: readonly string[], other: readonly string[]) => ({ 'a/b': one, 'a.b': other })
    assert.equal(isInside(lists(['model'], ['model', 'fs']), 'a-b'), true)
    assert.equal(isInside(lists(['model'], ['fs']), 'a-b'), false)
    assert.equal(isInside(lists(['fs'], ['model']), 'a/b'), false)
  })

  test('a list that is added under another name grows the one that is there', () => {
    const rule = (more: Readonly<Record<string, readonly string[]>>) =>
      grownRule(to({ 'vendor/key': ['/usr/bin/jq'] }), { secretsTo: more }).secretsTo
    assert.deepEqual(rule({ 'vendor/key': ['model'] }), { 'vendor/key': ['/usr/bin/jq', 'model'] })
    assert.deepEqual(rule({ 'vendor.key': ['model'] }), { 'vendor/key': ['/usr/bin/jq', 'model'] })
    assert.deepEqual(rule({ 'other/key': ['model'] }), {
      'vendor/key': ['/usr/bin/jq'],
      'other/key': ['model'],
    })
  })
})

test('lint finds two names of one secret, also where one is a variable', async () => {
  const collisions = async (name: string, ...secrets: string[]) => {
    const policy = `[capabilities]\nsecrets = [${secrets.map(id => JSON.stringify(id)).join(', ')}]\n`
    const path = writeTree(folder(name), agentTree({ files: { 'policy.caps': policy } }))
    const { findings } = await lint(path)
    return findings.filter(({ rule }) => rule === 'secrets/env-collision').map(({ message }) => message)
  }
  assert.deepEqual(await collisions('two', 'vendor/key', 'other/key'), [])
  assert.deepEqual(await collisions('spelling', 'vendor/key', 'vendor.key'), [
    '"vendor.key" and "vendor/key" are both the variable "VENDOR_KEY"',
  ])
  assert.deepEqual(await collisions('variable', 'env/VENDOR_KEY', 'vendor/key', 'env.vendor.key'), [
    '"vendor/key" and "env/VENDOR_KEY" are both the variable "VENDOR_KEY"',
    '"env.vendor.key" and "env/VENDOR_KEY" are both the variable "ENV_VENDOR_KEY"',
  ])
})
