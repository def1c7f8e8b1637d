// The part of the conformance kit about identities: every pair of an identity and a certificate gets its answer from rlp and from the second reader, and each
// member of an identity has pairs in which it alone does not fit.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { IDENTITY_VECTORS } from '../../fixtures/conformance/identity-vectors.ts'
import { identityEntryOf } from '../../fixtures/conformance/kit.ts'
import { IDENTITY_MEMBERS } from '../../src/model/anchor.ts'
import { CERTIFIED } from '../../src/model/keyless.ts'
import { temporary } from '../support/folder.ts'
import { pageOf, statements, tableUnder } from '../support/format-doc.ts'
import { answerToIdentity } from '../support/kit-identity.ts'
import { kitRunner, PYTHON, withoutPython } from '../support/kit-runner.ts'
import { IN_CI, step } from '../support/runs.ts'
import { READER_STATEMENTS } from '../support/spec-statements.ts'

const ROOT = join(import.meta.dirname, '../..')
const SPEC = join(ROOT, 'docs/spec')
const folderFor = temporary('conformance-identities')
const vectors = IDENTITY_VECTORS()
const byId = new Map(vectors.map(vector => [vector.id, vector]))

describe('the vectors of identities', () => {
  test('each has a name of its own, and each that is refused a twin that counts and asks something else', () => {
    assert.equal(byId.size, vectors.length)
    for (const { id, twin, refused, anchor, facts, statements } of vectors) {
      assert.equal(refused === undefined, twin === undefined, id)
      assert.ok(statements.length > 0 && statements.every(number => READER_STATEMENTS.includes(number)), id)
      if (twin === undefined) continue
      const other = byId.get(twin)
      assert.ok(other !== undefined && other.twin === undefined, `${id}: ${twin}`)
      assert.notDeepEqual([other.anchor, other.facts], [anchor, facts], id)
    }
  })
  test('no two that are refused ask the same', () => {
    const asked = vectors.flatMap(({ refused, anchor, facts }) =>
      refused === undefined ? [] : JSON.stringify([anchor, facts]),
    )
    assert.equal(new Set(asked).size, asked.length)
  })
  test('each member of an identity is the one that does not fit, and counts', () => {
    for (const member of ['issuer', ...IDENTITY_MEMBERS]) {
      assert.ok(vectors.filter(({ refused }) => refused === member).length > 3, member)
      assert.ok(
        vectors.some(({ refused, anchor }) => refused === undefined && member in anchor),
        member,
      )
    }
  })
  test('the page has the number of each text that a certificate says, and the order of the members', () => {
    const cells = tableUnder(pageOf('spec/keyless.md'), '## 21.3 What a certificate says').flat()
    const texts = cells.flatMap((cell, at) => (at % 2 === 0 && cell !== '' ? [[cell, cells[at + 1]]] : []))
    assert.deepEqual(
      Object.fromEntries(texts),
      Object.fromEntries(Object.entries(CERTIFIED).map(([name, number]) => [`\`${name}\``, String(number)])),
    )
    const said = statements().get('K-18')?.words ?? ''
    const inOrder = said.slice(said.indexOf('in this order'))
    const order = [...inOrder.matchAll(/`([a-z_]+)`(?=, `|\.)/g)].map(([, name]) => name)
    assert.deepEqual(order.slice(0, IDENTITY_MEMBERS.length), [...IDENTITY_MEMBERS])
  })
})

describe('the readers of identities', () => {
  const noPython = withoutPython()
  let run: ReturnType<typeof kitRunner>
  before(() => {
    run = kitRunner(folderFor('kit'), '--identities')
  })

  test('rlp gives each vector its answer', () => {
    for (const vector of vectors) {
      const { id, verdict, codes, ...asked } = identityEntryOf(vector)
      assert.deepEqual(answerToIdentity(asked), { verdict, codes }, id)
    }
  })
  /** The second reader answers this part of the vectors. rlp answers all of them. */
  const EVERY = step(6)
  test('the second reader agrees, in a line and in a process of its own', { skip: noPython }, () => {
    const reader = `${PYTHON} '${join(SPEC, 'reader.py')}' --identities`
    const { stdout, stderr } = run('--lines', `${reader} --lines`, '--every', `${EVERY}`)
    const count = Math.ceil(vectors.length / EVERY)
    assert.match(stdout, new RegExp(`^6 \\D+ ${count} +${count} +0 +0$`, 'm'), stdout + stderr)
    const some = `printf '{"anchor":%s,"facts":%s}\\n' {anchor} {facts} | ${reader} --lines`
    assert.equal(run(some, '--every', IN_CI ? '60' : '140').status, 0)
  })
  const PREFIX = IN_CI ? 'identities/' : 'identities/subject-'
  test('a reader without one of its rules is found out, by the vectors of this rule', {
    skip: noPython,
  }, () => {
    const text = readFileSync(join(SPEC, 'reader.py'), 'utf8')
    const wrong = text.replace(' and "repository_id" not in facts', '')
    assert.notEqual(wrong, text)
    const path = join(folderFor('wrong'), 'reader.py')
    writeFileSync(path, wrong.replaceAll('parents[2]', `parents[0] / "${ROOT}"`))
    const { status, stdout } = run('--lines', `${PYTHON} '${path}' --identities --lines`, '--only', PREFIX)
    assert.equal(status, 1, stdout)
    const found = [...stdout.matchAll(/^(identities\/\S+): expected refused subject, found counts/gm)]
    assert.deepEqual(
      found.map(([, id]) => id),
      ['identities/subject-kinds/with-a-repository'],
    )
  })
  test('a reader that lets every identity count differs in those that do not, and in no other', () => {
    const { status, stdout } = run(
      '--lines',
      `while read -r line; do echo '{"verdict":"counts","codes":[]}'; done`,
    )
    assert.equal(status, 1)
    const refused = vectors.filter(one => one.refused !== undefined).length
    assert.match(
      stdout,
      new RegExp(`^6 \\D+ ${vectors.length} +${vectors.length - refused} +${refused} +0$`, 'm'),
    )
  })
})
