// Powers, the picture of them, and lists that are cut: what comes first, what is marked, and what is left when there is too much.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Item, type Page, shortenPage } from '../../src/inspect/page/page.ts'
import { makePicture } from '../../src/inspect/page/picture.ts'
import { type Power, type PowerKind, powersOf } from '../../src/inspect/page/powers.ts'
import { dangerousTools, isDangerous } from '../../src/inspect/page/sections/permissions.ts'
import { acceptedBy } from '../../src/inspect/permission-lines.ts'
import type { Tool } from '../../src/model/tools.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'
import { TOOL } from '../support/arbitrary-caps.ts'

const use = (tool: string) => ({ tool, how: 'GET /', confirm: false })
const power = (kind: PowerKind, name: string, ...tools: readonly string[]): Power => ({
  kind,
  name,
  grants: [],
  uses: tools.map(use),
})

describe('powers', () => {
  const exec = (id: string, command: string, ...capabilities: readonly string[]): Tool => ({
    ...TOOL,
    id,
    capabilities,
    transport: { kind: 'exec', command, args: [] },
  })

  test('of one kind: what more tools use comes first, then by name', () => {
    const tools = [exec('a', '/bin/b'), exec('b', '/bin/c'), exec('c', '/bin/c'), exec('d', '/bin/a')]
    const found = powersOf({ policy: { ...NO_GRANTS, exec: ['/bin/0'] }, tools })
    assert.deepEqual(
      found.map(({ name }) => name),
      ['/bin/c', '/bin/a', '/bin/b', '/bin/0'],
    )
  })

  test('plain http is a power of its own, without a name', () => {
    const policy = { ...NO_GRANTS, net: { hosts: ['h.example:80'], allowHttp: true } }
    assert.deepEqual(
      powersOf({ policy, tools: [] }).map(({ kind, name, grants }) => [kind, name, ...grants]),
      [
        ['host', '', 'net:allow_http'],
        ['host', 'h.example:80', 'net:h.example:80'],
      ],
    )
  })

  test('are dangerous by kind, without encryption, and where that is granted', () => {
    const dangerous = [
      power('unknown', 'x', 'a'),
      power('code', '/bin/sh', 'b'),
      power('every program', ''),
      power('host', 'http://h.example:80', 'c'),
      { ...power('host', ''), grants: ['net:allow_http'] },
    ]
    const others = [
      power('program', '/bin/x', 'd'),
      power('host', 'h.example:443', 'e'),
      power('secret', 'https://x', 'f'),
      { ...power('host', 'h.example'), grants: ['net:h.example'] },
    ]
    assert.deepEqual([dangerous.every(isDangerous), others.some(isDangerous)], [true, false])
    assert.deepEqual([...dangerousTools([...others, ...dangerous])], ['a', 'b', 'c'])
  })
})

test('of the values that an argument may have, five are listed', () => {
  assert.equal(acceptedBy({ enum: [1, 2, 3, 4, 'e'] }), '1 or 2 or 3 or 4 or "e"')
  assert.equal(acceptedBy({ enum: [1, 2, 3, 4, 5, 6] }), '1 or 2 or 3 or 4 or 5 or others')
  assert.equal(acceptedBy(false), 'nothing')
  for (const schema of [true, {}, { title: 'x' }]) assert.equal(acceptedBy(schema), 'any value')
  assert.equal(acceptedBy({ type: ['string', 'null'], title: 'x' }), 'any string or null')
  assert.equal(acceptedBy({ type: 'string', maxLength: 3 }), 'any string within its schema')
})

describe('a picture', () => {
  const hosts = (count: number) =>
    Array.from({ length: count }, (_, at) => power('host', `h${at}.example:443`, `t${at}`))

  test('has a box for each of sixteen', () => {
    const { groups, reached, lines } = makePicture('mini', hosts(16), undefined)
    assert.deepEqual([groups.length, reached.length, lines.length], [16, 16, 16])
    assert.ok(lines.every(({ from, to, isNew }) => from === to && !isNew))
    assert.deepEqual([reached[15]?.label, groups[15]?.label], ['reaches h15.example:443', 't15'])
  })

  test('has one for all that are more, and lines that lead to it', () => {
    const { groups, reached, lines } = makePicture('mini', hosts(40), undefined)
    assert.deepEqual([groups.length, reached.length], [16, 16])
    assert.deepEqual([reached[14]?.label, reached[15]?.label], ['reaches h14.example:443', '25 more'])
    assert.deepEqual(
      lines.map(({ from, to }) => [from, to]),
      Array.from({ length: 16 }, (_, at) => [at, at]),
    )
  })

  test('draws tools that reach the same as one box, and what none uses from the program inside', () => {
    const powers = [power('host', 'a', 'x', 'y'), power('host', 'b', 'x', 'y', 'z'), power('host', 'c')]
    const { groups, lines } = makePicture('mini', powers, undefined)
    assert.deepEqual(
      groups.map(({ label, detail }) => [label, detail]),
      [
        ['2 tools', 'x, y'],
        ['z', ''],
        ['the program inside', ''],
      ],
    )
    assert.deepEqual(
      lines.map(({ from, to }) => [from, to]),
      [
        [0, 0],
        [0, 1],
        [1, 1],
        [2, 2],
      ],
    )
  })

  test('marks what is new: a thing, a tool, the rest with one of either, and lines to them', () => {
    const before = hosts(20)
    const same = makePicture('mini', before, before)
    assert.ok([...same.groups, ...same.reached, ...same.lines].every(({ isNew }) => !isNew))
    const after = [...before.slice(0, 19), power('host', 'new.example:443', 'fresh')]
    const { groups, reached, lines } = makePicture('mini', after, before)
    for (const list of [groups, reached, lines])
      assert.deepEqual(
        list.map(({ isNew }) => isNew),
        Array.from({ length: 16 }, (_, at) => at === 15),
      )
  })
})

describe('a page that is cut', () => {
  const item = (word: string, ...more: readonly Item[]): Item => ({
    words: [word],
    ...(more.length > 0 && { more }),
  })
  const list = (count: number, word = 'x') => Array.from({ length: count }, () => item(word))
  const page = (...items: readonly Item[]) =>
    ({ sections: [{ id: 'a', title: 'a', items }] }) as unknown as Page
  const counts = (cut: Page) => cut.sections[0]?.items.map(({ more }) => more?.length)
  const rest = (count: number) => ({ words: [`… and ${count} more; --json lists all of them`] })

  test('counts what it leaves out of a list', () => {
    const most = { items: 1000, list: 3, below: 2 }
    assert.deepEqual(shortenPage(page(...list(3)), most).sections[0]?.items, list(3))
    assert.deepEqual(shortenPage(page(...list(4)), most).sections[0]?.items, [...list(3), rest(1)])
    const [below] = shortenPage(page(item('x', ...list(5))), most).sections[0]?.items ?? []
    assert.deepEqual(below?.more, [...list(2), rest(3)])
  })

  test('spends what is left of all its lines from the top, and tells one line of each list at least', () => {
    const three = [item('a', ...list(4)), item('b', ...list(4)), item('c', ...list(4))]
    // Three lines of the section; four below the first, and of the second what is left.
    const most = (items: number) => ({ items, list: 10, below: 10 })
    assert.deepEqual(counts(shortenPage(page(...three), most(15))), [4, 4, 4])
    assert.deepEqual(counts(shortenPage(page(...three), most(14))), [4, 4, 4])
    assert.deepEqual(counts(shortenPage(page(...three), most(9))), [4, 3, 2])
    assert.deepEqual(counts(shortenPage(page(...three), most(0))), [2, 2, 2])
  })

  test('cuts below what opens below', () => {
    const deep = page(item('a', item('b', ...list(9))))
    const [top] = shortenPage(deep, { items: 100, list: 5, below: 2 }).sections[0]?.items ?? []
    assert.deepEqual(top?.more?.[0]?.more, [...list(2), rest(7)])
  })
})
