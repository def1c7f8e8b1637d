// The picture as it is drawn: its boxes lie beside each other and inside of it, its lines begin and end at boxes, and what is new is told without colour.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { svgOf } from '../../src/inspect/page/html.ts'
import type { Box, Picture } from '../../src/inspect/page/page.ts'
import { makePicture } from '../../src/inspect/page/picture.ts'
import type { Power } from '../../src/inspect/page/powers.ts'

const box = (label: string, more: Partial<Box> = {}): Box => ({ label, detail: '', isNew: false, ...more })
const picture = (groups: number, reached: number, more: Partial<Picture> = {}): Picture => ({
  agent: 'mini 1.0.0',
  groups: Array.from({ length: groups }, (_, at) => box(`g${at}`)),
  reached: Array.from({ length: reached }, (_, at) => ({ ...box(`r${at}`), isDangerous: false })),
  lines: Array.from({ length: Math.min(groups, reached) }, (_, at) => ({ from: at, to: at, isNew: false })),
  ...more,
})

/** Numbers of an element, by the names of its attributes. */
function attributes(text: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="(-?[\d.]+)"/g)].map(([, name, value]) => [name, Number(value)]),
  )
}

function drawn(given: Picture) {
  const svg = svgOf(given)
  const [, width = '', height = ''] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? []
  const rects = [...svg.matchAll(/<rect [^>]*>/g)].map(
    ([text]) => attributes(text) as Record<'x' | 'y' | 'width' | 'height' | 'rx', number>,
  )
  const curves = [
    ...svg.matchAll(
      /<path[^>]* d="M([\d.]+) ([\d.]+)C([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)"/g,
    ),
  ].map(([, ...numbers]) => numbers.map(Number))
  return { svg, width: Number(width), height: Number(height), rects, curves }
}

for (const [groups, reached] of [
  [1, 1],
  [3, 5],
  [16, 2],
] as const)
  test(`${groups} groups of tools and ${reached} things: no box leaves the picture or covers another`, () => {
    const { width, height, rects, curves } = drawn(picture(groups, reached))
    assert.equal(rects.length, 1 + groups + reached)
    for (const [at, one] of rects.entries()) {
      assert.ok(one.x >= 0 && one.x + one.width <= width, JSON.stringify(one))
      assert.ok(one.y >= 0 && one.y + one.height <= height, JSON.stringify(one))
      for (const other of rects.slice(at + 1)) {
        const isBeside = one.x + one.width < other.x || other.x + other.width < one.x
        const isBelow = one.y + one.height < other.y || other.y + other.height < one.y
        assert.ok(isBeside || isBelow, JSON.stringify([one, other]))
      }
    }
    const [root, ...rest] = rects
    assert.ok(root)
    assert.ok(Math.abs(root.y + root.height / 2 - height / 2) < 0.2, 'the agent is in the middle')
    // A line begins at the right edge of a box, at half of its height, and ends at the left edge of another.
    const edges = (side: 'left' | 'right') =>
      rects.map(
        ({ x, y, width, height }) => [side === 'left' ? x - 1 : x + width + 1, y + height / 2] as const,
      )
    const isAt = (list: ReturnType<typeof edges>, x = 0, y = 0) =>
      list.some(([a, b]) => Math.abs(a - x) < 0.2 && Math.abs(b - y) < 0.2)
    assert.equal(curves.length, groups + Math.min(groups, reached))
    for (const [x1 = 0, y1, bend1, level1, bend2, level2, x2 = 0, y2] of curves) {
      assert.ok(isAt(edges('right'), x1, y1) && isAt(edges('left'), x2, y2))
      // It leaves and arrives level, and turns half-way.
      assert.deepEqual([bend1, level1, bend2, level2], [(x1 + x2) / 2, y1, (x1 + x2) / 2, y2])
    }
    assert.equal(rest.length, groups + reached)
  })

describe('a box', () => {
  const one = (given: Partial<Box> & { isDangerous?: boolean }) => {
    const reached = [{ ...box('r'), isDangerous: false, ...given }]
    const { svg, rects } = drawn(picture(1, 1, { reached }))
    const text = svg.slice(svg.lastIndexOf('<g'))
    const [, kind] = /^<g(?: class="([^"]*)")?>/.exec(text) ?? []
    const texts = [...text.matchAll(/<text([^>]*)>([^<]*)</g)].map(([, given = '', shown = '']) => ({
      ...attributes(given),
      shown,
    }))
    return { kind, texts, rect: rects.at(-1) }
  }

  test('that is new has a plus sign and round corners, and one that is dangerous a class of its own', () => {
    const kinds = [{}, { isNew: true }, { isDangerous: true }, { isNew: true, isDangerous: true }].map(one)
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      [undefined, 'fresh', 'alarm', 'fresh alarm'],
    )
    assert.deepEqual(
      kinds.map(({ texts }) => texts[0]?.shown),
      ['r', '+ r', 'r', '+ r'],
    )
    const [old, fresh] = kinds
    assert.ok((fresh?.rect?.rx ?? 0) > 2 * (old?.rect?.rx ?? 0))
  })

  test('has its texts inside, one below the other', () => {
    const { texts, rect } = one({ label: 'label', detail: 'detail' })
    assert.ok(rect)
    assert.deepEqual(
      texts.map(({ shown }) => shown),
      ['label', 'detail'],
    )
    const [first, second] = texts as unknown as Record<'x' | 'y', number>[]
    assert.ok(first && second)
    assert.equal(first.x, second.x)
    for (const { x, y } of [first, second]) assert.ok(x > rect.x && y > rect.y && y < rect.y + rect.height)
    assert.ok(second.y - first.y >= 12)
    assert.equal(one({ label: 'label' }).texts.length, 1)
  })

  test('has as much of a text as fits, and of wide letters half as many', () => {
    const shown = (label: string) => one({ label, detail: 'd' }).texts.map(text => text.shown)
    const [narrow = '', rest = '', ...more] = shown('x'.repeat(100))
    const letters = narrow.length
    assert.deepEqual(more, ['d'])
    assert.match(rest, /^x+…x+$/)
    assert.ok(rest.length <= letters)
    // A letter is about half as wide as it is high, which is 15 here.
    assert.ok(letters > 30 && letters * 7.5 < (one({}).rect?.width ?? 0), `${letters}`)
    assert.equal(shown('\u10ff'.repeat(100))[0]?.length, letters)
    assert.equal(shown('\u1100'.repeat(100))[0]?.length, Math.floor(letters / 2))
    assert.deepEqual(shown('x'.repeat(letters)), ['x'.repeat(letters), 'd'])
    const [first] = one({ label: 'x'.repeat(100), isNew: true }).texts
    assert.equal(first?.shown, `+ ${'x'.repeat(letters - 2)}`)
  })

  test('is as high as its lines need', () => {
    const { texts, rect } = one({ label: 'x'.repeat(100), detail: 'd' })
    assert.ok(rect)
    const rows = texts as unknown as Record<'y', number>[]
    assert.equal(rows.length, 3)
    for (const [at, { y }] of rows.entries()) {
      assert.ok(y > rect.y + 10 && y < rect.y + rect.height - 3, `${y}`)
      assert.ok(at === 0 || y - (rows[at - 1]?.y ?? 0) >= 12)
    }
  })

  test('never looks like another with a long path that differs from its own', () => {
    const labels = ['alpha', 'beta', 'alpha2'].map(
      name => `reads files below /srv/${'a/'.repeat(40)}${name}/${'b/'.repeat(40)}notes`,
    )
    const { svg } = drawn(
      picture(1, 3, { reached: labels.map(label => ({ ...box(label), isDangerous: false })) }),
    )
    const texts = svg
      .split('<g')
      .slice(-3)
      .map(text => text.replaceAll(/<title>[^<]*<\/title>|<[^>]*>/g, ''))
    assert.equal(new Set(texts).size, 3, texts.join('\n'))
  })
})

test('says in words what it shows, and what of it is new', () => {
  const reached = [
    { ...box('a <b>'), isDangerous: false },
    { ...box('c', { isNew: true }), isDangerous: false },
  ]
  const { svg } = drawn(picture(1, 2, { reached, lines: [{ from: 0, to: 1, isNew: true }] }))
  assert.ok(svg.includes('<title id="picture-title">What mini 1.0.0 reaches</title>'))
  assert.ok(svg.includes('<desc id="picture-text">a &lt;b&gt;; new: c</desc>'))
  assert.equal(svg.split('<path class="fresh"').length - 1, 1)
})

describe('what is drawn', () => {
  const power = (kind: Power['kind'], name: string, uses: Power['uses'] = []): Power => ({
    kind,
    name,
    grants: [],
    uses,
  })
  const use = (tool: string, verb?: string) => ({ tool, verb, how: `${verb ?? 'x'} /`, confirm: false })

  test('says of a host how it is called, of all else how many tools use it, and of what no tool uses nothing', () => {
    const { reached } = makePicture(
      'mini',
      [
        power('host', 'h:443', [use('a', 'GET'), use('a', 'GET'), use('b', 'POST')]),
        power('host', 'i:443', [use('a')]),
        power('program', '/bin/x', [use('a', 'GET'), use('b'), use('a')]),
        power('secret', 's'),
      ],
      undefined,
    )
    assert.deepEqual(
      reached.map(({ detail }) => detail),
      ['2 GET and 1 POST', '1 tool', '2 tools', ''],
    )
  })

  test('has a group as new if any of its tools is, and a line as new if one of its ends is', () => {
    const before = [power('host', 'a', [use('x'), use('y')]), power('host', 'b', [use('z')])]
    const after = [
      power('host', 'a', [use('x'), use('y'), use('w')]),
      power('host', 'b', [use('z')]),
      power('host', 'c', [use('z')]),
    ]
    const { groups, reached, lines } = makePicture('mini', after, before)
    assert.deepEqual(
      groups.map(({ label, detail, isNew }) => [label, detail, isNew]),
      [
        ['3 tools', 'x, y, w', true],
        ['z', '', true],
      ],
    )
    assert.deepEqual(
      reached.map(({ isNew }) => isNew),
      [false, false, true],
    )
    assert.deepEqual(
      lines.map(({ isNew }) => isNew),
      [true, true, true],
    )
  })
})
