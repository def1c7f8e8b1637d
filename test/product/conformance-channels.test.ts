// The part of the conformance kit about trust channels: every vector gets its answer from rlp and from the second reader, each is of a statement, and each
// statement has one. By day, both readers answer a quarter of the vectors.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { CHANNEL_VECTORS } from '../../fixtures/conformance/channel-vectors.ts'
import { channelEntryOf } from '../../fixtures/conformance/kit.ts'
import { writeKit } from '../../fixtures/conformance/write-kit.ts'
import { temporary } from '../support/folder.ts'
import { tableUnder } from '../support/format-doc.ts'
import { answerToChannel } from '../support/kit-channel.ts'
import { IN_CI, slice } from '../support/runs.ts'
import { CHANNEL_STATEMENTS } from '../support/spec-statements.ts'

const ROOT = join(import.meta.dirname, '../..')
const SPEC = join(ROOT, 'docs/spec')
const PYTHON = '/usr/bin/python3'
const folderFor = temporary('conformance-channels')
const vectors = CHANNEL_VECTORS()
const byId = new Map(vectors.map(vector => [vector.id, vector]))
describe('the vectors of trust channels', () => {
  test('each has a name of its own, and each that is refused or undecided a twin that is neither', () => {
    assert.equal(byId.size, vectors.length)
    for (const { id, twin, refused, undecided } of vectors) {
      assert.equal(refused === undefined && undecided === undefined, twin === undefined, id)
      if (twin === undefined) continue
      const other = byId.get(twin)
      assert.ok(other !== undefined && other.twin === undefined, `${id}: ${twin}`)
      assert.notDeepEqual(
        [other.root, other.updates, other.clock],
        [byId.get(id)?.root, byId.get(id)?.updates, byId.get(id)?.clock],
      )
    }
  })
  test('each statement has one that is against it, and no vector names another statement', () => {
    const against = new Set(vectors.flatMap(({ twin, statements }) => (twin === undefined ? [] : statements)))
    assert.deepEqual(
      CHANNEL_STATEMENTS.filter(number => !against.has(number)),
      [],
    )
    const named = new Set(vectors.flatMap(({ statements }) => statements))
    assert.deepEqual(
      [...named].filter(number => !CHANNEL_STATEMENTS.includes(number)),
      [],
    )
  })
  test('the page has each code of an update, and names the statements that give it', () => {
    const rows = tableUnder(
      readFileSync(join(SPEC, 'trust-channels.md'), 'utf8'),
      '## 20.5 The codes of an update',
    )
    const codes = rows.map(([code = '']) => code.replaceAll('`', ''))
    const given = new Set(vectors.flatMap(({ refused }) => refused ?? []))
    assert.deepEqual([...codes].sort(), [...given].sort())
    for (const [code = '', numbers = ''] of rows) {
      const own = vectors.filter(({ refused }) => refused === code.replaceAll('`', ''))
      assert.ok(
        own.some(({ statements }) => statements.some(number => numbersIn(numbers).includes(number))),
        code,
      )
    }
  })
})

function numbersIn(text: string): string[] {
  return text.split(', ').flatMap(part => {
    const [, first = '', last = first] = /^N-(\d+)(?: to N-(\d+))?$/.exec(part) ?? []
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => `N-${Number(first) + n}`)
  })
}

describe('the readers of trust channels', () => {
  const noPython =
    spawnSync(PYTHON, ['-c', 'import tomllib, cryptography']).status !== 0 && 'no python3-cryptography'
  let kit = ''
  before(() => {
    kit = folderFor('kit')
    writeKit(kit, [], join(ROOT, 'fixtures/conformance'), ['channels'])
  })
  const run = (command: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(kit, 'run.mjs'), '--channels', '--lines', command, ...args], {
      encoding: 'utf8',
    })
  /** The second reader answers this part of the vectors. */
  const EVERY = IN_CI ? 1 : 9

  test('rlp gives a vector its answer', async () => {
    // By day one of eight of those with the same end.
    const asked = slice(
      vectors,
      IN_CI ? 1 : 8,
      ({ refused, undecided }) => refused ?? undecided ?? 'accepted',
    )
    for (const vector of asked) {
      const { id, root, updates, clock, verdict, codes, known, undecided } = channelEntryOf(vector)
      const inFolders = updates.map(update => ({ clock: update.clock, folder: join(kit, update.folder) }))
      const inLayouts = updates.map(update => ({ clock: update.clock, layout: join(kit, update.layout) }))
      for (const updates of [inFolders, inLayouts]) {
        const answer = await answerToChannel({ root, updates, clock })
        assert.deepEqual(answer, { verdict, codes, ...known, undecided }, `${id} ${JSON.stringify(updates)}`)
      }
    }
  })
  test('the second reader agrees', { skip: noPython }, () => {
    for (const from of ['--channels', '--layouts']) {
      const reader = `${PYTHON} '${join(SPEC, 'reader.py')}' ${from} --lines`
      const { stdout, stderr } = run(reader, '--every', `${EVERY}`)
      const count = Math.ceil(vectors.length / EVERY)
      assert.match(stdout, new RegExp(`^6 \\D+ ${count} +${count} +0 +0$`, 'm'), from + stdout + stderr)
    }
  })
  /** By day, the vectors of updates alone: they have each that is ahead of its clock. */
  const PREFIX = IN_CI ? 'channels/' : 'channels/update/a-'
  test('a reader without one of its rules is found out, by the vectors of this rule', {
    skip: noPython,
  }, () => {
    const text = readFileSync(join(SPEC, 'reader.py'), 'utf8')
    const without = text
      .replaceAll('parents[2]', `parents[0] / "${ROOT}"`)
      .replace(/^ {8}need\(seconds\(heartbeat\.issued\) - seconds\(clock\).*\n/m, '')
    const path = join(folderFor('wrong'), 'reader.py')
    writeFileSync(path, without)
    const { status, stdout } = run(`${PYTHON} '${path}' --channels --lines`, '--only', PREFIX)
    assert.equal(status, 1, stdout)
    const found = [...stdout.matchAll(/^(channels\/\S+): expected refused ahead, found accepted/gm)]
    assert.deepEqual(
      found.map(([, id]) => id),
      vectors.flatMap(({ id, refused }) => (refused === 'ahead' && id.startsWith(PREFIX) ? id : [])),
    )
  })
  test('a reader that takes everything, or nothing, differs', () => {
    for (const answer of [
      'accepted","codes":[],"root":1,"release":[1,1]',
      'refused","codes":["missing"],"root":0',
    ])
      assert.equal(
        run(`while read -r line; do echo '{"verdict":"${answer}}'; done`, '--every', `${EVERY}`).status,
        1,
      )
  })
})
