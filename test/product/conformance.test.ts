// The conformance kit and the specification: every vector has the verdict that it names, every statement has a vector, and two readers agree.
// All vectors are made here and their digests compared; every 97th of the light ones of each table and verdict is judged, all of them in `.ci/run`.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { CHANNEL_VECTORS } from '../../fixtures/conformance/channel-vectors.ts'
import { bytesOf, numberOf, TORSION } from '../../fixtures/conformance/curve.ts'
import {
  allVectors,
  entryOf,
  heavyVectors,
  indexText,
  KIT_PARTS,
  textEntryOf,
} from '../../fixtures/conformance/kit.ts'
import { TEXTS } from '../../fixtures/conformance/text-vectors.ts'
import { VERSION, type Vector } from '../../fixtures/conformance/vector.ts'
import { writeArchive } from '../../fixtures/conformance/write-archive.ts'
import { writeKit } from '../../fixtures/conformance/write-kit.ts'
import { preferNative } from '../../src/bundle/blake3.ts'
import { builtProgram } from '../support/built.ts'
import { compiled } from '../support/compile.ts'
import { temporary } from '../support/folder.ts'
import { tableUnder } from '../support/format-doc.ts'
import { answerTo, lineFor, type Serve } from '../support/kit-judge.ts'
import { answerToText } from '../support/kit-texts.ts'
import { IN_CI, LATE, slice, step, upTo } from '../support/runs.ts'
import { CHANNEL_STATEMENTS, READER_STATEMENTS } from '../support/spec-statements.ts'

const ROOT = join(import.meta.dirname, '../..')
const SPEC = join(ROOT, 'docs/spec')
const RECORD_SCHEMAS = join(ROOT, 'schemas/agent-tool')
const DIGEST = join(ROOT, 'fixtures/conformance/DIGEST')
const PYTHON = '/usr/bin/python3'
const folderFor = temporary('conformance')

// Digests of thousands of bundles.
await preferNative()
const light = allVectors()
const vectors = IN_CI ? [...light, ...heavyVectors()] : light
const texts = TEXTS()
const TEXT_BY_ID = new Map(texts.map(text => [text.id, text]))
const byId = new Map(vectors.map(vector => [vector.id, vector]))

/** Everything that the verdict depends on. */
function questionOf(vector: Vector): string {
  const { files, policy, arguments: given, clock, state } = entryOf(vector)
  const name = vector.given?.fileName ?? ''
  return JSON.stringify([files.sha256, files.beside, name, policy, given, clock, state])
}

/** These refuse nothing by themselves: they say what is accepted, or what the words of another statement mean. */
const ACCEPTS_ONLY = ['A-6', 'G-3', 'S-18', 'V-7']
/** Their limits are many megabytes: `.ci/run` has the vectors. */
const HEAVY_ONLY = IN_CI ? [] : ['U-3', 'U-4', 'U-15', 'W-4']

describe('the vectors', () => {
  test('each has a name of its own, also as a file', () => {
    assert.equal(byId.size, vectors.length)
    const names = new Set(vectors.map(vector => entryOf(vector).files.bundle.toLowerCase()))
    assert.equal(names.size, vectors.length)
  })
  test('each that is not accepted has an accepted twin of its level or a level below, which asks something else', () => {
    for (const vector of vectors) {
      const { id, verdict, twin, level, codes } = vector
      assert.equal(verdict === 'trusted', twin === undefined, id)
      assert.equal(verdict === 'trusted', codes.length === 0, id)
      if (twin === undefined) continue
      const other = byId.get(twin) as Vector
      assert.equal(other?.verdict, 'trusted', id)
      assert.ok(other.level <= level, id)
      assert.notEqual(questionOf(other), questionOf(vector), id)
    }
  })
  test('no two that are refused ask the same', () => {
    const seen = new Map<string, string>()
    for (const vector of vectors.filter(({ verdict }) => verdict !== 'trusted')) {
      const question = questionOf(vector)
      assert.equal(seen.get(question), undefined, vector.id)
      seen.set(question, vector.id)
    }
  })
  test('they are the same bytes as ever', () => {
    const digestOf = (list: readonly Vector[]) => createHash('sha256').update(indexText(list)).digest('hex')
    const [known = '', all = ''] = readFileSync(DIGEST, 'utf8').split('\n')
    const digests = [digestOf(light), IN_CI ? digestOf(vectors) : all]
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(DIGEST, `${digests.join('\n')}\n`)
    else assert.deepEqual([known, all], digests)
  })
})

test('S-17 lists each y of a point of small order, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/spec/signature.md'), 'utf8')
  const listed = page.match(/^[0-9a-f]{64}$/gm)
  assert.deepEqual(listed, [...new Set(TORSION.map(({ y }) => bytesOf(y).toString('hex')))].sort(byNumber))
})

/** Little-endian. */
function byNumber(one: string, two: string): number {
  const [a, b] = [one, two].map(hex => numberOf(Buffer.from(hex, 'hex'))) as [bigint, bigint]
  return a < b ? -1 : 1
}

describe('the statements', () => {
  test('each has one number', () => {
    assert.ok(READER_STATEMENTS.length > 60)
    assert.equal(new Set(READER_STATEMENTS).size, READER_STATEMENTS.length)
  })
  test('each has a vector that is refused because of it', () => {
    const refused = new Set(
      vectors.flatMap(({ verdict, statements }) => (verdict === 'trusted' ? [] : statements)),
    )
    assert.deepEqual(
      READER_STATEMENTS.filter(number => !refused.has(number)).sort(),
      [...ACCEPTS_ONLY, ...HEAVY_ONLY].sort(),
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
      [...named].filter(number => !READER_STATEMENTS.includes(number)),
      [],
    )
  })
})

describe('the table of codes', () => {
  // A range may have gaps: a statement that is gone leaves its number unused.
  const KNOWN = [...READER_STATEMENTS, ...CHANNEL_STATEMENTS]
  const rows = tableUnder(readFileSync(join(SPEC, 'codes.md'), 'utf8'), '# 17 The codes').map(
    ([code = '', verdict = '', numbers = '']) => ({
      words: `${verdict} ${code}`.replaceAll('`', ''),
      numbers: numbers
        .split(', ')
        .flatMap(numbersIn)
        .filter(number => KNOWN.includes(number)),
    }),
  )
  const named = new Map<string, Set<string>>()
  for (const { undecided, statements } of CHANNEL_VECTORS())
    if (undecided !== undefined) {
      const words = `indeterminate ${undecided}`
      named.set(words, new Set([...(named.get(words) ?? []), ...statements]))
    }
  for (const { verdict, codes, statements } of vectors)
    for (const code of codes) {
      const words = `${verdict} ${code}`
      named.set(words, new Set([...(named.get(words) ?? []), ...statements]))
    }
  test('has each code of a vector with its verdict once, and no other', () => {
    assert.deepEqual(rows.map(({ words }) => words).sort(), [...named.keys()].sort())
  })
  test('names statements that refuse a vector with this code', () => {
    const without = rows.flatMap(({ words, numbers }) =>
      numbers
        .filter(number => !named.get(words)?.has(number) && !HEAVY_ONLY.includes(number))
        .map(number => `${words} ${number}`),
    )
    assert.deepEqual(without, [])
    assert.ok(rows.every(({ numbers }) => numbers.length > 0))
  })
})

/** `A-3 to A-5` and the like. */
function numbersIn(text: string): string[] {
  const [, letter, first = '', last = first] = /^([A-Z])-(\d+)(?: to [A-Z]-(\d+))?$/.exec(text) ?? []
  if (letter === undefined) throw new Error(`no numbers of statements: ${text}`)
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => `${letter}-${Number(first) + n}`)
}

test('the kit is not written by a call for help, or by a wrong one', () => {
  const script = join(ROOT, 'scripts/conformance.ts')
  const called = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, ...args], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    return `${status} ${stdout}${stderr}`
  }
  assert.match(called('--help'), /^0 Usage: npm run conformance /)
  assert.match(called('--larg'), /^2 conformance: .*'--larg'/)
  assert.match(called('one', 'two'), /^2 conformance: There is more than one folder\n/)
})

test('rlp reads each text, or refuses it with one of its codes', () => {
  for (const vector of texts) {
    const { id, syntax, text, codes, twin } = vector
    const [code] = answerToText(text, syntax).codes
    if (code === undefined) assert.deepEqual(codes, [], id)
    else assert.ok(codes.includes(code), `${id}: ${code}`)
    if (twin !== undefined) assert.deepEqual(TEXT_BY_ID.get(twin)?.codes, [], id)
    assert.ok(
      textEntryOf(vector).statements.every(number => READER_STATEMENTS.includes(number)),
      id,
    )
  }
})

test('each member that a kind of record must have, or that has a type, has a vector that is refused because of it', () => {
  const kinds = readdirSync(RECORD_SCHEMAS)
  assert.equal(kinds.length, 15)
  for (const name of kinds) {
    const { required, properties } = JSON.parse(readFileSync(join(RECORD_SCHEMAS, name), 'utf8'))
    const typed = Object.entries(properties as Record<string, object>).flatMap(([member, schema]) =>
      'type' in schema || 'enum' in schema ? [`${member}-1`] : [],
    )
    const own = `records/${name.replace('.schema.json', '')}`
    for (const rest of [...typed, ...required.map((member: string) => `without-${member}`)])
      assert.equal(byId.get(`${own}/${rest}`)?.twin, `${own}/all`, `${own}/${rest}`)
  }
})

/** A vector that accepts, for programs that answer nothing of use. */
const ONE = 'signature/sorted/pair-1'

describe('the readers', () => {
  const noPython =
    spawnSync(PYTHON, ['-c', 'import tomllib, cryptography']).status !== 0 && 'no python3-cryptography'
  const judged = slice(vectors, 97, ({ id, verdict }) => `${id.slice(0, id.indexOf('/'))} ${verdict}`)
  const smallOrder = vectors.filter(({ statements }) => statements.includes('S-17'))
  // All of it has a hundred megabytes.
  const kept = vectors.filter(
    vector => judged.includes(vector) || smallOrder.includes(vector) || vector.id === ONE,
  )
  let kit = ''
  before(() => {
    kit = folderFor('kit')
    writeKit(kit, kept, join(ROOT, 'fixtures/conformance'), ['texts'])
  })
  test('rlp gives each vector its verdict and its code', async () => {
    const differing: string[] = []
    const asked = judged.map(entryOf)
    const { serve } = (await import(join(kit, 'serve.mjs'))) as { serve: Serve }
    const registry = await serve(asked, kit)
    for (const entry of asked) {
      const { id, verdict, codes, mayRefuse } = entry
      const answer = await answerTo(lineFor(kit, entry, registry.host))
      if (mayRefuse && answer.verdict === 'refused') continue
      const [first] = answer.codes
      const isRight = verdict === 'trusted' ? first === undefined : codes.includes(first ?? '')
      if (answer.verdict !== verdict || !isRight)
        differing.push(`${id}: ${answer.verdict} ${first} ${answer.message}`)
    }
    registry.close()
    assert.deepEqual(differing, [])
  })
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(kit, 'run.mjs'), ...args], {
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  test('the archive of a release holds the kit, and runs', { skip: LATE }, () => {
    const some = join(folderFor('some'), 'kit')
    const few = kept.filter(
      ({ id }, index) => id === ONE || index % Math.ceil(kept.length / upTo(20, 80)) === 0,
    )
    writeKit(some, few, join(ROOT, 'fixtures/conformance'), IN_CI ? KIT_PARTS : [])
    const target = writeArchive(some)
    assert.equal(basename(target), `rlp-conformance-${VERSION}.tar.gz`)
    const folder = folderFor('unpacked')
    assert.equal(spawnSync('tar', ['-xzf', target, '-C', folder]).status, 0)
    const unpacked = join(folder, `rlp-conformance-${VERSION}`)
    const names = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
    assert.deepEqual(names(unpacked), names(some))
    for (const name of ['index.json', 'run.mjs', 'serve.mjs'])
      assert.deepEqual(readFileSync(join(unpacked, name)), readFileSync(join(some, name)))
    const args = [join(unpacked, 'run.mjs'), 'echo {} {bundle}', '--only', ONE]
    assert.equal(spawnSync(process.execPath, args).status, 1)
    const tar = gunzipSync(readFileSync(target))
    assert.deepEqual(gunzipSync(readFileSync(writeArchive(some))), tar)
  })
  test('run.mjs asks for the vectors of a statement alone', () => {
    const { stdout } = run('echo {bundle}', '--statement', 'S-17')
    const counts = [...stdout.matchAll(/^\d \D+ (\d+) +\d+ +\d+ +\d+$/gm)].map(([, count]) => Number(count))
    assert.ok(smallOrder.length > 0)
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      smallOrder.length,
    )
  })
  test('rlp agrees', () => {
    const rlp = `RUNLOOP_HOME='${folderFor('home')}' '${process.execPath}' '${builtProgram()}'`
    const command = `${rlp} agent verify {bundle} {policy:--trust-policy} {expect:--expect} {dev:--allow-dev} {attestations:--attestations} {lock:--lock} --json`
    const { status, stdout, stderr } = run(command, '--every', `${Math.ceil(kept.length / upTo(6, 12))}`)
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /^1 archive +[1-9]\d* +\d+ +0 +0\n2 signature +[1-9]\d* +\d+ +0 +0\n/m)
  })
  test('rlp agrees on what a registry answers', { skip: LATE }, () => {
    const rlp = `RUNLOOP_HOME='${folderFor('home')}' '${process.execPath}' '${builtProgram()}'`
    const command = `${rlp} agent verify {bundle} {policy:--trust-policy} {expect:--expect} --json`
    const { status, stdout, stderr } = run(command, '--only', 'http/', '--every', '8')
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /^6 registry and evidence +[1-9]\d* +\d+ +0 +0\n/m)
  })
  test('the second reader agrees', { skip: noPython }, () => {
    const { stdout, stderr } = run('--lines', `${PYTHON} '${join(SPEC, 'reader.py')}' --lines`)
    // It does not know all of level 6: locks, layouts and registries.
    for (const level of [1, 2, 3, 4, 5])
      assert.match(stdout, new RegExp(`^${level} \\D+ [1-9]\\d* +[1-9]\\d* +0 +0$`, 'm'), stdout + stderr)
  })
  describe('the pseudocode of page 10', { skip: noPython }, () => {
    const PAGE = join(SPEC, 'judging.md')
    const runPage = (page: string, ...args: string[]) => {
      const reader = join(ROOT, 'test/support/page-judge.py')
      return run('--lines', `${PYTHON} '${reader}' '${ROOT}' '${page}'`, ...args)
    }
    test('agrees, with the questions of the second reader', () => {
      const { stdout, stderr } = runPage(PAGE)
      for (const level of [1, 2, 3, 4, 5])
        assert.match(stdout, new RegExp(`^${level} \\D+ [1-9]\\d* +[1-9]\\d* +0 +0$`, 'm'), stdout + stderr)
    })
    test('differs if it answers something else for a bundle without signatures', () => {
      const page = readFileSync(PAGE, 'utf8')
      const wrong = page.replace('"unsigned", "no_signature"', '"untrusted", "no_signature"')
      assert.notEqual(wrong, page)
      const path = join(folderFor('page'), 'judging.md')
      writeFileSync(path, wrong)
      const { stdout } = runPage(path)
      assert.match(stdout, /expected unsigned no_signature, found untrusted no_signature/)
    })
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
    const own = smallOrder.filter(({ verdict }) => verdict === 'invalid')
    assert.deepEqual(
      found,
      own.map(({ id }) => id),
    )
  })
  const runTexts = (command: string, ...args: string[]) => run('--texts', command, ...args)
  /** All of them are read above too, in this process. */
  const EVERY_TEXT = step(7)
  // By day, rlp reads each text in this process, above.
  test('rlp agrees on texts', { skip: !IN_CI }, async () => {
    const program = await compiled("import './test/support/kit-text-reader.ts'", folderFor('reader'))
    const reader = `'${process.execPath}' '${program}'`
    const { status, stdout, stderr } = runTexts(reader, '--lines', '--every', `${EVERY_TEXT}`)
    assert.equal(status, 0, stdout + stderr)
    const count = Math.ceil(texts.length / EVERY_TEXT)
    assert.match(stdout, new RegExp(`^3 text +${count} +${count} +0 +0\n$`, 'm'))
  })
  test('the second reader agrees on texts, in a line and in a process of its own', { skip: noPython }, () => {
    const reader = `${PYTHON} '${join(SPEC, 'reader.py')}' --texts`
    for (const { status, stdout, stderr } of [
      runTexts(`${reader} --lines`, '--lines', '--every', `${EVERY_TEXT}`),
      runTexts(`${reader} {file} {syntax}`, '--every', IN_CI ? '97' : '193'),
    ]) {
      assert.equal(status, 0, stdout + stderr)
      assert.match(stdout, /^3 text +[1-9]/m)
    }
  })
  test('a reader that accepts every text differs in those that are refused, and in no other', () => {
    const accepts = `while read -r line; do echo '{"verdict":"accepted","codes":[]}'; done`
    const { status, stdout } = runTexts(accepts, '--lines', '--every', `${EVERY_TEXT}`)
    assert.equal(status, 1)
    const asked = texts.filter((_, index) => index % EVERY_TEXT === 0)
    const refused = asked.filter(({ codes }) => codes.length > 0)
    const accepted = asked.length - refused.length
    assert.match(stdout, new RegExp(`^3 text +${asked.length} +${accepted} +${refused.length} +0\n$`, 'm'))
    const printed = (text: string) => [...text.matchAll(/^(\S+): expected refused/gm)].map(([, id]) => id)
    const ids = refused.map(({ id }) => id)
    assert.ok(ids.length > 40)
    assert.deepEqual(printed(stdout), ids.slice(0, 40))
    assert.ok(stdout.includes(`\nand ${ids.length - 40} more, which --all prints too\n`), stdout)
    const whole = runTexts(accepts, '--lines', '--all', '--every', `${EVERY_TEXT}`)
    assert.equal(whole.status, 1)
    assert.deepEqual(printed(whole.stdout), ids)
    assert.doesNotMatch(whole.stdout, /^and /m)
  })
  test('a reader that answers nothing, or nothing of use, differs everywhere', () => {
    const answers = [
      ['true', 'exit 3'],
      ['echo trusted', 'echo {}'],
    ].flatMap(kind => slice(kind, 2))
    for (const answer of answers) {
      const { status, stdout } = run(`${answer} {bundle}`, '--only', ONE)
      assert.equal(status, 1)
      assert.match(stdout, /^2 signature +\d+ +0 +[1-9]\d* +0$/m)
    }
  })
  test('a wrong call is a wrong call', () => {
    const wrong = [
      [],
      ['true {bundle}', '--every', '0'],
      ['true'],
      ['true {bundle}', '--only', 'nothing'],
      ['a', '--x'],
    ]
    for (const args of slice(wrong, 2)) {
      const { status, stderr } = run(...args)
      assert.equal(status, 2)
      assert.match(stderr, /^Cannot run: /)
    }
  })
})
