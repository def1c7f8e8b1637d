// What seems to have happened to a file: exact where the stated text can be made of it again, silent where it cannot.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { firstDifference } from '../../src/pack/compare.ts'
import { firstChangedValue } from '../../src/text/changed-value.ts'
import { diagnoseText } from '../../src/text/diagnose.ts'
import { agentTree, bundleOf, digestOf, type Tree } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'
import { processorTime } from '../support/processor-time.ts'
import { judge, signed } from '../support/trust-world.ts'

const TEXT = '# Mini\n\nIt sends mail.\n'
const text = (content: string) => new TextEncoder().encode(content)
const diagnosis = (found: string | Uint8Array, stated: string = TEXT) =>
  diagnoseText(typeof found === 'string' ? text(found) : found, digestOf(stated))

describe('a text', () => {
  const crlf = TEXT.replaceAll('\n', '\r\n')
  const cases: [found: string, stated: string, says: string | undefined][] = [
    [crlf, TEXT, 'the stated text with CRLF line ends'],
    [TEXT, crlf, 'the stated text with LF line ends in place of CRLF'],
    [TEXT.replace('\n', '\r\n'), TEXT, 'the stated text with CRLF line ends'],
    [`\ufeff${TEXT}`, TEXT, 'the stated text with a byte order mark'],
    [TEXT, `\ufeff${TEXT}`, 'the stated text without its byte order mark'],
    [`${TEXT}\n`, TEXT, 'the stated text with one line end more at its end'],
    [TEXT.trimEnd(), TEXT, 'the stated text without its last line end'],
    [crlf.trimEnd(), crlf, 'the stated text without its last line end'],
    [TEXT.replace('Mini', 'Mini  \t'), TEXT, 'the stated text with white space at the ends of lines'],
    [`\ufeff${crlf}`, TEXT, 'the stated text with CRLF line ends, with a byte order mark'],
    [TEXT, TEXT, undefined],
    [TEXT.replace('mail', 'post'), TEXT, undefined],
    [TEXT.replaceAll('\n', '\r\n').replace('mail', 'post'), TEXT, undefined],
    ['', TEXT, undefined],
  ]
  for (const [found, stated, says] of cases) {
    test(`${JSON.stringify(found.slice(0, 16))} for ${JSON.stringify(stated.slice(0, 16))}: ${says}`, () => {
      assert.equal(diagnosis(found, stated), says)
    })
  }

  test('bytes that are no UTF-8 are not mangled on the way', () => {
    const found = Buffer.from([0xff, 0x0d, 0x0a, 0xfe])
    assert.equal(
      diagnoseText(found, digestOf(Uint8Array.from([0xff, 0x0a, 0xfe]))),
      'the stated text with CRLF line ends',
    )
  })

  test('large files, binaries and a million spaces take no time', () => {
    const begin = processorTime()
    assert.equal(diagnosis(Buffer.alloc(50_000_000, 32)), undefined)
    assert.equal(diagnosis(Uint8Array.from([0, 13, 10])), undefined)
    assert.equal(diagnosis(' '.repeat(200_000)), undefined)
    assert.equal(diagnosis('\r\n'.repeat(100_000)), undefined)
    assert.ok(processorTime() - begin < 5000)
  })
})

describe('a document', () => {
  const at = (path: string, a: string, b: string) => firstChangedValue(path, text(a), text(b))
  const cases: [path: string, a: string, b: string, key: string | undefined][] = [
    ['tools.json', '{"tools":[{"id":"a"}]}', '{"tools":[{"id":"b"}]}', '/tools/0/id'],
    ['tools.json', '{"tools":[]}', '{"tools":[1]}', '/tools/0'],
    ['tools.json', '{"tools":[1,2]}', '{"tools":[1]}', '/tools/1'],
    ['tools.json', '{"a/b":{"~":1}}', '{"a/b":{"~":2}}', '/a~1b/~0'],
    ['tools.json', '{"a":1}', '{"a":1,"b":2}', '/b'],
    ['tools.json', '{"a":{}}', '{"a":[]}', '/a'],
    ['tools.json', '[]', '{}', 'the whole document'],
    ['tools.json', '{"a":1}', '{ "a": 1 }', undefined],
    ['tools.json', '{"a":1}', '{"a":', undefined],
    ['policy.caps', '[capabilities]\nnet = ["a"]', '[capabilities]\nnet = ["a", "b"]', 'capabilities.net[1]'],
    ['manifest.toml', '[agent]\nversion = "1"', '[agent]\nversion = "2"', 'agent.version'],
    [
      'manifest.toml',
      '[artifacts.files]\n"a b" = "1"',
      '[artifacts.files]\n"a b" = "2"',
      'artifacts.files."a b"',
    ],
    ['README.md', 'a', 'b', undefined],
  ]
  for (const [path, a, b, key] of cases)
    test(`${a} and ${b}: ${key}`, () => assert.equal(at(path, a, b), key))
})

const TREE = agentTree({ files: { 'README.md': TEXT } })

describe('verification says it beside the verdict', () => {
  test('for a file', async () => {
    const { report } = await judge({ ...TREE, 'README.md': TEXT.replaceAll('\n', '\r\n') })
    assert.equal(report.verdict, 'invalid')
    assert.deepEqual(report.diagnoses, [
      { path: 'README.md', message: 'It looks like the stated text with CRLF line ends' },
    ])
  })

  test('for a signed manifest', async () => {
    const tree = signed(TREE, 'release')
    const { report } = await judge({
      ...tree,
      'manifest.toml': String(tree['manifest.toml']).replaceAll('\n', '\r\n'),
    })
    assert.equal(report.verdict, 'invalid')
    assert.deepEqual(report.diagnoses, [
      { path: 'manifest.toml', message: 'It looks like the signed text with CRLF line ends' },
    ])
  })

  test('and decides nothing', async () => {
    assert.deepEqual((await judge(TREE)).report.diagnoses, [])
    const { report, bundle } = await judge({ ...TREE, 'README.md': `${TEXT}\n` }, { allowUnsigned: true })
    assert.deepEqual([report.verdict, bundle], ['invalid', undefined])
  })
})

describe('sources against a bundle', () => {
  const bundle = readBundle(bundleOf(TREE), { keep: 'all' })
  const difference = async (tree: Tree) => firstDifference(withContent(tree), await bundle)?.detail

  test('name the key, and the file behind a changed digest', async () => {
    assert.equal(await difference(TREE), undefined)
    const tools = { 'tools.json': '{"version":1,"tools":[],"x-note":1}' }
    assert.match(
      (await difference({ ...TREE, ...tools })) ?? '',
      /^tools\.json differs: .*first at line 1, \/x-note$/,
    )
    assert.match(
      (await difference(agentTree({ files: { 'README.md': TEXT, ...tools } }))) ?? '',
      /^manifest\.toml differs: .*, artifacts\.tools\.blake3; tools\.json differs: .*, \/x-note$/,
    )
    assert.match(
      (await difference({ ...TREE, 'README.md': TEXT.replaceAll('\n', '\r\n') })) ?? '',
      /; here it is the bundle’s text with CRLF line ends$/,
    )
  })
})

/** Files whose bytes are held, as `readTree` holds them for comparing. */
function withContent(tree: Tree): ReturnType<typeof memoryFiles> {
  const files = memoryFiles(tree)
  const list = files.list.map(entry => ({ ...entry, content: Buffer.from(tree[entry.path] as string) }))
  const index = new Map(list.map(entry => [entry.path, entry]))
  return { ...files, list, get: path => index.get(path) }
}
