// The conformance kit and the specification: every vector has the verdict that it names, every statement has a vector, and two readers agree.
// All vectors in `.ci/run`, every seventh of them here (RLP_TEST_RUNS).
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { allVectors, entryOf, indexText, policyText } from '../../fixtures/conformance/kit.ts'
import type { Vector } from '../../fixtures/conformance/vector.ts'
import { writeKit } from '../../fixtures/conformance/write-kit.ts'
import { temporary } from '../support/folder.ts'
import { judge } from '../support/trust-world.ts'

const ROOT = join(import.meta.dirname, '../..')
const SPEC = join(ROOT, 'docs/spec')
const DIGEST = join(ROOT, 'fixtures/conformance/DIGEST')
const PYTHON = '/usr/bin/python3'
const EVERY = process.env['RLP_TEST_RUNS'] === 'all' ? 1 : 7
const folderFor = temporary('conformance')

const vectors = allVectors()
const byId = new Map(vectors.map(vector => [vector.id, vector]))

/** The numbers of the statements on the pages. */
/** Their vectors are being written. */
const COMING = /^[KJXHUMWCTD]-/
const STATEMENTS = readdirSync(SPEC)
  .filter(name => name.endsWith('.md'))
  .flatMap(name => [...readFileSync(join(SPEC, name), 'utf8').matchAll(/^\*\*([A-Z]-[0-9]+)\*\* /gm)])
  .map(([, number = '']) => number)
  .filter(number => !COMING.test(number))

/** These refuse nothing by themselves: they say what is accepted, or what the words of another statement mean. */
const ACCEPTS_ONLY = ['A-1', 'A-6', 'G-4', 'S-19']

describe('the vectors', () => {
  test('each has a name of its own, also as a file', () => {
    assert.equal(byId.size, vectors.length)
    const names = new Set(vectors.map(vector => entryOf(vector).files.bundle.toLowerCase()))
    assert.equal(names.size, vectors.length)
  })
  test('each that is not accepted has an accepted twin of its level or a level below, with other bytes', () => {
    for (const { id, verdict, twin, level, bundle, codes } of vectors) {
      assert.equal(verdict === 'trusted', twin === undefined, id)
      assert.equal(verdict === 'trusted', codes.length === 0, id)
      if (twin === undefined) continue
      const other = byId.get(twin) as Vector
      assert.equal(other?.verdict, 'trusted', id)
      assert.ok(other.level <= level, id)
      assert.notEqual(Buffer.compare(other.bundle, bundle), 0, id)
    }
  })
  test('no two of one verdict have the same bytes', () => {
    const seen = new Map<string, string>()
    for (const vector of vectors.filter(({ verdict }) => verdict === 'invalid')) {
      const { sha256 } = entryOf(vector).files
      assert.equal(seen.get(sha256), undefined, vector.id)
      seen.set(sha256, vector.id)
    }
  })
  test('they are the same bytes as ever', () => {
    const digest = `${createHash('sha256').update(indexText(vectors)).digest('hex')}\n`
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(DIGEST, digest)
    assert.equal(readFileSync(DIGEST, 'utf8'), digest)
  })
})

describe('the statements', () => {
  test('each has one number', () => {
    assert.ok(STATEMENTS.length > 60)
    assert.equal(new Set(STATEMENTS).size, STATEMENTS.length)
  })
  test('each has a vector that is refused because of it', () => {
    const refused = new Set(
      vectors.flatMap(({ verdict, statements }) => (verdict === 'trusted' ? [] : statements)),
    )
    assert.deepEqual(
      STATEMENTS.filter(number => !refused.has(number)),
      ACCEPTS_ONLY,
    )
  })
  test('those that only accept have an accepted vector', () => {
    const accepted = new Set(
      vectors.flatMap(({ verdict, statements }) => (verdict === 'trusted' ? statements : [])),
    )
    assert.deepEqual(
      ACCEPTS_ONLY.filter(number => !accepted.has(number)),
      [],
    )
  })
  test('a vector names no other number', () => {
    const named = new Set(vectors.flatMap(({ statements }) => statements))
    assert.deepEqual(
      [...named].filter(number => !STATEMENTS.includes(number)),
      [],
    )
  })
})

test('rlp gives each vector its verdict and its code', async () => {
  const policies = [policyText()]
  const differing: string[] = []
  for (const [index, { id, bundle, verdict, codes }] of vectors.entries()) {
    if (index % EVERY !== 0) continue
    const { report } = await judge(bundle, { policies, now: '2026-06-01T00:00:00Z' })
    const [first] = report.reasons
    const isRight = verdict === 'trusted' ? first === undefined : codes.includes(first?.code ?? '')
    if (report.verdict !== verdict || !isRight)
      differing.push(`${id}: ${report.verdict} ${first?.code} ${first?.message}`)
  }
  assert.deepEqual(differing, [])
})

describe('the runner', () => {
  const noPython =
    spawnSync(PYTHON, ['-c', 'import tomllib, cryptography']).status !== 0 && 'no python3-cryptography'
  let kit = ''
  before(() => {
    kit = folderFor('kit')
    writeKit(kit, vectors, join(ROOT, 'fixtures/conformance'))
  })
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(kit, 'run.mjs'), ...args], {
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  test('rlp agrees', () => {
    const rlp = `RUNLOOP_HOME='${folderFor('home')}' '${process.execPath}' '${join(ROOT, 'dist/program/rlp.cjs')}'`
    const command = `${rlp} agent verify {bundle} --trust-policy {policy} --expect any --json`
    const { status, stdout, stderr } = run(command, '--every', '401')
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /^1 archive +[1-9]\d* +\d+ +0\n2 signature +[1-9]\d* +\d+ +0\n$/m)
  })
  test('the second reader agrees', { skip: noPython }, () => {
    const reader = `${PYTHON} '${join(SPEC, 'reader.py')}' --lines`
    const { status, stdout, stderr } = run('--lines', reader, '--every', String(EVERY))
    assert.equal(status, 0, stdout + stderr)
  })
  test('a reader without one of its rules is found out, by the vectors of this rule', {
    skip: noPython,
  }, () => {
    const text = readFileSync(join(SPEC, 'reader.py'), 'utf8')
    const wrong = text.replace(/^ {4}malformed\(y_of\(sig\[:32\]\).*\n/m, '')
    assert.notEqual(wrong, text)
    const path = join(folderFor('wrong'), 'reader.py')
    writeFileSync(path, wrong)
    const { status, stdout } = run('--lines', `${PYTHON} '${path}' --lines`, '--only', 'key/')
    assert.equal(status, 1)
    const found = [
      ...stdout.matchAll(/^(key\/\S+): expected invalid signature_invalid, found \w+ .*$/gm),
    ].map(([, id]) => id)
    const own = vectors
      .filter(({ statements }) => statements.includes('S-18'))
      .filter(({ verdict }) => verdict === 'invalid')
    assert.deepEqual(
      found,
      own.map(({ id }) => id),
    )
  })
  test('a reader that answers nothing, or nothing of use, differs everywhere', () => {
    for (const command of ['true {bundle}', 'echo trusted {bundle}', 'echo {} {bundle}', 'exit 3 {bundle}']) {
      const { status, stdout } = run(command, '--only', 'signature/sorted/pair-1')
      assert.equal(status, 1)
      assert.match(stdout, /^2 signature +\d+ +0 +[1-9]\d*$/m)
    }
  })
  test('a wrong call is a wrong call', () => {
    for (const args of [
      [],
      ['true'],
      ['true {bundle}', '--every', '0'],
      ['true {bundle}', '--only', 'nothing'],
      ['a', '--x'],
    ]) {
      const { status, stderr } = run(...args)
      assert.equal(status, 2)
      assert.match(stderr, /^Cannot run: /)
    }
  })
})
