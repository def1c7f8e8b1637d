// CONTRIBUTING.md, "Where a change goes": each place that the table names is there, and each list has a file and a line for each member.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EXPORTERS } from '../../src/convert/exporters/index.ts'
import { FLEET_FORMATS } from '../../src/fleet/formats/index.ts'
import { FORMATS } from '../../src/lint/formats/index.ts'
import { VERDICTS } from '../../src/model/verdict.ts'
import { TRANSPORT_KINDS } from '../../src/tools/transports/index.ts'
import { ROOMS } from '../support/architecture.ts'

const ROOT = join(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const PAGE = text('CONTRIBUTING.md')

/** The rows of the table: the change, and the places in backticks. */
const SECTION = PAGE.split('## Where a change goes\n')[1]?.split('\n## ')[0] ?? ''
const ROWS = SECTION.split('\n')
  .filter(line => /^\| (?!change )/.test(line))
  .map(line => {
    const [, change = '', places = ''] = line.split('|').map(cell => cell.trim())
    return { change, places: [...places.matchAll(/`([^`]+)`/g)].map(([, place = '']) => place) }
  })

test('the table holds the changes, each with its places', () => {
  assert.ok(ROWS.length > 13)
  for (const { change, places } of ROWS) assert.ok(places.length > 0, change)
})

test('every place is there', () => {
  const missing = ROWS.flatMap(({ places }) => places).filter(place => !isThere(place))
  assert.deepEqual(missing, [])
  assert.ok(!isThere('src/model/transports/<kind>.tsx'), 'a pattern that fits nothing is not there')
})

/** `<…>` stands for the name of a member: what has members has one by that pattern. A room that is to come is listed. */
function isThere(place: string): boolean {
  const room = /^src\/([a-z]+)\/$/.exec(place)?.[1]
  if (room !== undefined) return ROOMS.includes(room)
  if (!place.includes('<')) return existsSync(join(ROOT, place))
  return fitting('', place.replace(/\/$/, '').split('/'))
}

function fitting(folder: string, [segment = '', ...rest]: readonly string[]): boolean {
  const pattern = new RegExp(`^${segment.replaceAll('.', '\\.').replaceAll(/<[a-z]+>/g, '[a-z0-9_-]+')}$`)
  const names = readdirSync(join(ROOT, folder)).filter(name => pattern.test(name))
  if (rest.length === 0) return names.length > 0
  return names.some(name => !name.includes('.') && fitting(`${folder}${name}/`, rest))
}

/** Folders of members, and the files in them that are no members. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  'src/model/transports': [],
  'src/tools/fields': ['field'],
  'src/tools/transports': ['kind'],
  'src/signature/kinds': ['kind'],
  'src/statement/predicates': ['predicate'],
  'src/bundle/wrappers': ['wrapper'],
  'src/io/wrappers': [],
  'src/fleet/formats': ['format'],
  'src/call/methods': ['method'],
  'src/sign/signers': ['kind', 'pem'],
  'src/lint/formats': ['fingerprints', 'format'],
  'src/convert/exporters': ['exporter', 'fates', 'named-tools', 'object-root', 'openai-schema'],
  'src/convert/importers': ['facts', 'importer', 'refuse', 'run-choice'],
}

for (const [folder, others] of Object.entries(LISTS)) {
  test(`every file of ${folder} has its line in the index`, () => {
    const index = text(`${folder}/index.ts`)
    const listed = [...index.matchAll(/(?:from |import\()'\.\/([a-z0-9-]+)\.ts'/g)].map(
      ([, name = '']) => name,
    )
    const files = readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter(entry => entry.isFile() && entry.name !== 'index.ts')
      .map(({ name }) => name.replace(/\.ts$/, ''))
    assert.deepEqual(
      listed.filter(name => !others.includes(name)).sort(),
      files.filter(name => !others.includes(name)).sort(),
    )
    for (const name of others) assert.ok(files.includes(name), `${folder}/${name}.ts is gone`)
  })
}

test('a transport kind has a file in each of its places, and the schema knows it', () => {
  const schema = JSON.parse(text('schemas/tools.v1.schema.json')) as { $defs: Record<string, unknown> }
  for (const kind of TRANSPORT_KINDS) {
    for (const place of [
      `src/model/transports/${kind}.ts`,
      `src/tools/transports/${kind}.ts`,
      `src/call/${kind}`,
    ])
      assert.ok(existsSync(join(ROOT, place)), place)
    assert.match(JSON.stringify(schema.$defs), new RegExp(`"const":"${kind}"`))
    assert.match(text('docs/running.md'), new RegExp(`\`${kind}\``))
  }
})

test('pages name every member of the lists that they are about', () => {
  const unnamed = (page: string, words: readonly string[]) => words.filter(word => !text(page).includes(word))
  assert.deepEqual(unnamed('docs/verdicts.md', Object.keys(VERDICTS)), [])
  assert.deepEqual(
    unnamed(
      'docs/lint.md',
      FORMATS.map(({ name }) => `\`${name}\``),
    ),
    [],
  )
  assert.deepEqual(
    unnamed(
      'docs/fleet.md',
      FLEET_FORMATS.filter(({ isData }) => isData).map(({ name }) => `--format ${name}`),
    ),
    [],
  )
  assert.deepEqual(
    unnamed(
      'docs/conversions.md',
      EXPORTERS.map(({ format }) => format),
    ),
    [],
  )
})

test('the map of the house has every folder of src/, and every file that it names is there', () => {
  const map = text('docs/architecture.md')
  const tree = map.split('```')[1] ?? ''
  const drawn = [...tree.matchAll(/^ {2}((?:[a-z-]+\/ )+)/gm)].flatMap(([, folders = '']) =>
    folders.trimEnd().replaceAll('/', '').split(' '),
  )
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter(one => one.isDirectory())
  assert.deepEqual(drawn.toSorted(), folders.map(({ name }) => name).sort())
  assert.deepEqual(
    drawn.filter(name => ROOMS.includes(name)),
    ROOMS,
    'in the order of the flow',
  )
  const named = [...map.matchAll(/`([a-z-]+(?:\/[a-z-]+)*\/(?:[a-z0-9-]+\.ts)?)`/g)].map(
    ([, path = '']) => path,
  )
  assert.ok(named.length > 20)
  assert.deepEqual(
    named.filter(path => !existsSync(join(ROOT, 'src', path)) && !existsSync(join(ROOT, path))),
    [],
  )
})
