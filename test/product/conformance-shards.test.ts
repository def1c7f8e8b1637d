// The part of the conformance kit about shards: every target gets its shard from rlp and from the second reader, and a reader without one of
// the rules is found out by the vectors of this rule.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { shardEntryOf } from '../../fixtures/conformance/kit.ts'
import { SHARD_VECTORS } from '../../fixtures/conformance/shard-vectors.ts'
import { readShard, shardName } from '../../src/fleet/shard.ts'
import { temporary } from '../support/folder.ts'
import { pageOf, tableUnder } from '../support/format-doc.ts'
import { kitRunner, PYTHON, withoutPython } from '../support/kit-runner.ts'
import { answerToShard } from '../support/kit-shard.ts'
import { IN_CI } from '../support/runs.ts'
import { SHARD_STATEMENTS } from '../support/spec-statements.ts'

const ROOT = join(import.meta.dirname, '../..')
const SPEC = join(ROOT, 'docs/spec')
const folderFor = temporary('conformance-shards')
const vectors = SHARD_VECTORS()
const byId = new Map(vectors.map(vector => [vector.id, vector]))

/** These are about whole lists, and test/fleet/listing.test.ts holds them. */
const OF_LISTS = ['F-7', 'F-8']

describe('the vectors of shards', () => {
  test('each has a name of its own, and each that is refused a twin that has a shard', () => {
    assert.equal(byId.size, vectors.length)
    for (const { id, name, twin } of vectors) {
      assert.equal(name === undefined, twin !== undefined, id)
      if (twin !== undefined) assert.notEqual(byId.get(twin)?.name, undefined, id)
    }
  })
  test('no two ask the same', () => {
    const asked = vectors.map(({ target, of }) => JSON.stringify([target, of]))
    assert.equal(new Set(asked).size, asked.length)
  })
  test('each statement about one target has vectors, and no vector names another', () => {
    const named = new Set(vectors.flatMap(({ statements }) => statements))
    assert.deepEqual([...named, ...OF_LISTS].sort(), [...SHARD_STATEMENTS].sort())
  })
  test('each shard of eight has some', () => {
    const shards = vectors.filter(({ of }) => of === 8).map(vector => shardEntryOf(vector).verdict)
    assert.equal(new Set(shards.filter(one => one !== 'refused')).size, 8)
  })
  test('a name that differs from the right one has another shard', () => {
    const shardsOf = new Map<string, string>()
    for (const vector of vectors.filter(({ id }) => !/\/(?:of|spread)\//.test(id))) {
      const { verdict } = shardEntryOf(vector)
      const { name = '' } = vector
      assert.equal(shardsOf.get(verdict) ?? name, name, vector.id)
      shardsOf.set(verdict, name)
    }
  })
})

test('the page has the names and the shards of its examples', () => {
  const rows = tableUnder(pageOf('spec/shards.md'), '# 23 Shards').slice(0, 2)
  for (const [target = '', name, shard = ''] of rows.map(row => row.map(cell => cell.replaceAll('`', '')))) {
    assert.equal(shardName(target), name)
    assert.equal(answerToShard({ target, of: 8 }).verdict, shard)
    assert.notEqual(readShard(shard), undefined)
  }
})

describe('the programs that divide lists', () => {
  const noPython = withoutPython()
  let run: ReturnType<typeof kitRunner>
  before(() => {
    run = kitRunner(folderFor('kit'), '--shards')
  })

  test('rlp gives each vector its shard', () => {
    for (const vector of vectors) {
      if (vector.name !== undefined) assert.equal(shardName(vector.target), vector.name, vector.id)
      const { id, verdict, codes, ...asked } = shardEntryOf(vector)
      assert.deepEqual(answerToShard(asked), { verdict, codes }, id)
    }
  })
  const reader = `${PYTHON} '${join(SPEC, 'reader.py')}' --shards`
  test('the second reader agrees, in a line and in a process of its own', { skip: noPython }, () => {
    const { stdout, stderr } = run('--lines', `${reader} --lines`)
    assert.match(
      stdout,
      new RegExp(`^6 \\D+ ${vectors.length} +${vectors.length} +0 +0$`, 'm'),
      stdout + stderr,
    )
    // A path needs no quotes as JSON beside those that the number does not need.
    const some = `target={target} of={of}; printf '{"target":"%s","of":%s}\\n' "$target" "$of" | ${reader} --lines`
    assert.equal(run(some, '--only', 'shards/registries/', '--every', IN_CI ? '1' : '20').status, 0)
  })

  /** Each replaces one rule of the second reader; the vectors are those that it gets wrong. */
  const WRONG: readonly (readonly [rule: string, from: string, to: string, found: RegExp])[] = [
    [
      'the usual port is written',
      'if place[1] else',
      'if place[1] not in (None, 443) else',
      /^(?:usual-port|port-with-zeros)$/,
    ],
    ['two dots are no folder around a bundle', ' and segments[-2] != ".."', '', /^above(?:-a-folder)?$/],
    ['a backslash ends no tag', '{"/", "\\\\"}', '{"/"}', /^drive(?:-and-digest)?$/],
  ]
  for (const [rule, from, to, found] of WRONG)
    test(`a reader without a rule is found out: ${rule}`, { skip: noPython }, () => {
      const text = readFileSync(join(SPEC, 'reader.py'), 'utf8')
      const wrong = text.replace(from, to)
      assert.notEqual(wrong, text)
      const path = join(folderFor('reader'), 'reader.py')
      writeFileSync(path, wrong.replaceAll('__file__', JSON.stringify(join(SPEC, 'reader.py'))))
      const { status, stdout } = run('--lines', `${PYTHON} '${path}' --shards --lines`)
      assert.equal(status, 1, stdout)
      const ids = [...stdout.matchAll(/^shards\/[a-z]+\/(\S+): expected/gm)].map(([, id = '']) => id)
      assert.ok(ids.length > 0 && ids.every(id => found.test(id)), stdout)
    })
  test('a program that puts everything into the first shard differs in all others', () => {
    const { status, stdout } = run(
      '--lines',
      `while read -r line; do echo '{"verdict":"1/8","codes":[]}'; done`,
    )
    assert.equal(status, 1)
    const right = vectors.filter(vector => shardEntryOf(vector).verdict === '1/8').length
    assert.ok(right > 0)
    const counts = `${vectors.length} +${right} +${vectors.length - right} +0`
    assert.match(stdout, new RegExp(`^6 \\D+ ${counts}$`, 'm'))
  })
})
