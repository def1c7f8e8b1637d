// One page in its three forms, line by line: which signs, which gaps, what opens below what, and what is cut.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createStyle } from '../../src/cli/render/style.ts'
import { htmlOf } from '../../src/inspect/page/html.ts'
import { markdownOf } from '../../src/inspect/page/markdown.ts'
import type { Item, Page, Section } from '../../src/inspect/page/page.ts'
import { renderPage } from '../../src/inspect/render-page.ts'

const item = (text: string, more: Partial<Item> = {}): Item => ({ words: ['it is ', { text }], ...more })
const section = (more: Partial<Section> = {}): Section => ({ id: 's', title: 'A title', items: [], ...more })
const page = (more: Partial<Page> = {}): Page => ({
  title: 'mini 1.0.0',
  target: 'mini.bundle',
  verdict: 'untrusted',
  decided: ['because of ', { text: 'x' }],
  facts: [],
  made: [],
  sections: [],
  ...more,
})

describe('text', () => {
  const plain = (given: Page, columns = 80) => renderPage(given, createStyle(false), columns).split('\n')

  test('begins with the verdict, and with the name if the file is called otherwise', () => {
    assert.deepEqual(plain(page()), ['untrusted  mini.bundle', '  mini 1.0.0', '  ✗ because of x', ''])
    assert.deepEqual(plain(page({ title: 'mini.bundle' })), [
      'untrusted  mini.bundle',
      '  ✗ because of x',
      '',
    ])
    assert.equal(plain(page({ verdict: 'trusted' }))[2], '  ✓ because of x')
    assert.equal(plain(page({ verdict: 'source' }))[2], '  - because of x')
  })

  test('says what to do unless it is trusted, and which bundle it is', () => {
    const facts = [['identity ', { text: 'blake3:1' }]]
    assert.deepEqual(plain(page({ hint: 'Do it', facts })).slice(3), [
      '  hint: Do it',
      '  identity blake3:1',
      '',
    ])
    assert.equal(plain(page({ hint: 'Do it', verdict: 'trusted' })).length, 4)
  })

  test('has the texts of a list in one column, whatever is before them', () => {
    const items = [
      item('a'),
      item('b', { mark: 'good' }),
      item('c', { isNew: true }),
      item('d', { isNew: true, mark: 'danger' }),
      item('e', { mark: 'gone' }),
      item('f', { mark: 'bad' }),
      item('g', { mark: 'warning' }),
    ]
    assert.deepEqual(
      plain(page({ sections: [section({ note: ['Read ', { text: 'this' }], items })] })).slice(3),
      [
        '',
        'A title',
        '  Read this',
        '  -  it is a',
        '  ✓  it is b',
        '  +  it is c',
        '  +! it is d',
        '  -  it is e',
        '  ✗  it is f',
        '  !  it is g',
        '',
      ],
    )
    const narrow = plain(page({ sections: [section({ items: items.slice(0, 2) })] })).slice(5)
    assert.deepEqual(narrow, ['  - it is a', '  ✓ it is b', ''])
  })

  test('opens three lines below one, and more only where they are worth it', () => {
    const more = (count: number) => Array.from({ length: count }, (_, at) => item(`${at}`))
    const below = (one: Item) => plain(page({ sections: [section({ items: [one] })] })).slice(5, -1)
    assert.deepEqual(below(item('a', { more: more(3) })), [
      ...['  - it is a', '      it is 0', '      it is 1', '      it is 2'],
    ])
    assert.deepEqual(below(item('a', { more: more(4) })), ['  - it is a'])
    assert.equal(below(item('a', { more: more(4), isOpen: true })).length, 5)
    const marked = item('a', { more: [item('b', { mark: 'bad' }), item('c', { isNew: true, mark: 'good' })] })
    assert.deepEqual(below(marked), ['  - it is a', '      ✗ it is b', '      +✓ it is c'])
  })

  test('goes on below its own text where it is wider than the screen', () => {
    const long = 'word '.repeat(12).trim()
    const items = [item(long, { mark: 'bad', more: [item(long, { mark: 'good' })] })]
    const lines = plain(page({ sections: [section({ note: [long], items })] }), 40).slice(5, -1)
    assert.ok(lines.every(line => line.length <= 40))
    assert.deepEqual(lines, [
      '  word word word word word word word',
      '  word word word word word',
      '  ✗ it is word word word word word word',
      '    word word word word word word',
      '      ✓ it is word word word word word',
      '        word word word word word word',
      '        word',
    ])
  })

  test('is dim where something is gone, and a text of any length is cut', () => {
    const gone = renderPage(
      page({ sections: [section({ items: [item('a', { mark: 'gone' })] })] }),
      createStyle(true),
      80,
    )
    assert.ok(gone.includes('\u001b[2mit is a\u001b[22m'))
    const kept = renderPage(
      page({ sections: [section({ items: [item('a', { mark: 'bad' })] })] }),
      createStyle(true),
      80,
    )
    assert.ok(!kept.includes('\u001b[2mit is a'))
    const lines = plain(page({ sections: [section({ items: [item('x'.repeat(400))] })] }), 1000)
    assert.equal(/x+/.exec(lines[5] ?? '')?.[0].length, 300)
  })

  test('lists five hundred lines, and counts the rest', () => {
    const items = Array.from({ length: 502 }, (_, at) => item(`${at}`))
    const lines = plain(page({ sections: [section({ items })] }))
    assert.equal(lines.at(-2), '  - … and 2 more; --json lists all of them')
    assert.equal(lines.length, 5 + 501 + 1)
  })
})

describe('markdown', () => {
  const lines = (given: Page) => markdownOf(given).split('\n')

  test('has a head, a heading for each section, and a list that opens inwards', () => {
    const items = [
      item('a', { isNew: true, mark: 'danger', more: [item('b', { mark: 'bad' })] }),
      item('c', { mark: 'gone' }),
      item('d', { mark: 'warning' }),
      item('e', { mark: 'good' }),
      item('f'),
    ]
    const given = page({
      hint: 'Do it',
      made: [['made now']],
      facts: [['identity ', { text: 'i' }]],
      sections: [section({ note: ['Read ', { text: 'this' }], items }), section({ title: 'B <b> `c`' })],
    })
    assert.deepEqual(lines(given), [
      ...['# `mini 1.0.0`', '', '**untrusted**: because of `x`', ''],
      ...['What to do: `Do it`', '', '- `mini.bundle`', '- identity `i`', '- made now', ''],
      ...['## A title', '', 'Read `this`', ''],
      '- **new** **look here** it is `a`',
      '  - **no** it is `b`',
      '- ~~gone~~ it is `c`',
      '- *note* it is `d`',
      '- ok it is `e`',
      '- it is `f`',
      ...['', '## B b c', ''],
    ])
  })

  test('leaves out a hint and a note that are not there', () => {
    assert.deepEqual(lines(page({ sections: [section()] })), [
      ...['# `mini 1.0.0`', '', '**untrusted**: because of `x`', '', '- `mini.bundle`', '', '## A title', ''],
    ])
  })

  test('is cut at a whole line where it would be longer than a runner takes, and no sooner', () => {
    const line = (length: number) => item('x'.repeat(length))
    const of = (count: number, last: number) => {
      const items = [...Array.from({ length: count }, () => line(238)), line(last)]
      return markdownOf(page({ sections: [section({ items })] }))
    }
    const whole = of(150, 1)
    assert.ok(!whole.includes('more lines are missing'))
    const cut = of(199, 1)
    assert.ok(Buffer.byteLength(cut) <= 60_000 || !cut.includes('missing'))
    // Each line has 250 bytes: with the head there is room for some of them.
    const sections = [0, 1, 2].map(() => section({ items: Array.from({ length: 150 }, () => line(238)) }))
    const long = markdownOf(page({ sections }))
    assert.ok(
      Buffer.byteLength(long) <= 60_000 && Buffer.byteLength(long) > 59_500,
      `${Buffer.byteLength(long)}`,
    )
    const [, missing = ''] = /\n(\d+) more lines are missing here/.exec(long) ?? []
    const shown = long.split('\n').filter(text => text.startsWith('- it is')).length
    assert.ok(Number(missing) >= 450 - shown && Number(missing) <= 450 - shown + 12, `${missing} ${shown}`)
  })

  test('lists two hundred lines of a section, and counts the rest', () => {
    const items = Array.from({ length: 203 }, (_, at) => item(`${at}`))
    const found = lines(page({ sections: [section({ items })] }))
    assert.equal(found.filter(text => text.startsWith('- it is')).length, 200)
    assert.ok(found.includes('- … and 3 more; --json lists all of them'))
  })
})

describe('html', () => {
  const body = (given: Page) => htmlOf(given).split('<main>\n')[1]?.split('\n</main>')[0] ?? ''

  test('has a head, a section for each, and a list that opens', () => {
    const items = [
      item('<a>', { isNew: true, mark: 'danger', more: [item('b')] }),
      item('c', { mark: 'bad', more: [] }),
    ]
    const given = page({
      hint: 'Do "<it>"',
      facts: [['identity ', { text: 'i' }]],
      sections: [section({ note: ['Read ', { text: 'this' }], items }), section({ id: 't' })],
    })
    assert.deepEqual(body(given).split('\n'), [
      '<h1><bdi>mini 1.0.0</bdi></h1>',
      '<p class="soft"><bdi>mini.bundle</bdi></p>',
      '<div class="verdict is-bad"><p><strong>untrusted</strong> <span>because of <code><bdi>x</bdi></code></span></p>',
      '<p>What to do: Do &quot;&lt;it&gt;&quot;</p>',
      '</div>',
      '<p class="soft">identity <code><bdi>i</bdi></code></p>',
      '<section aria-labelledby="s">',
      '<h2 id="s">A title</h2>',
      '<p>Read <code><bdi>this</bdi></code></p>',
      '<ul>',
      '<li><details><summary><span class="mark new">new</span> <span class="mark danger">look here</span> it is <code><bdi>&lt;a&gt;</bdi></code></summary><ul>',
      '<li>it is <code><bdi>b</bdi></code></li>',
      '</ul></details></li>',
      '<li><span class="mark bad">no</span> it is <code><bdi>c</bdi></code></li>',
      '</ul>',
      '</section>',
      '<section aria-labelledby="t">',
      '<h2 id="t">A title</h2>',
      '</section>',
    ])
  })

  test('leaves out what is not there', () => {
    assert.deepEqual(
      body(page({ verdict: 'trusted' }))
        .split('\n')
        .slice(2),
      [
        '<div class="verdict is-good"><p><strong>trusted</strong> <span>because of <code><bdi>x</bdi></code></span></p>',
        '</div>',
      ],
    )
    for (const verdict of ['unsigned', 'indeterminate', 'source'] as const)
      assert.ok(body(page({ verdict })).includes('<div class="verdict is-unclear">'), verdict)
  })

  test('has the picture below what it may do, and nowhere else', () => {
    const picture = () => ({ agent: 'mini', groups: [], reached: [], lines: [] })
    const sections = [section({ id: 'new' }), section({ id: 'may' }), section({ id: 'files' })]
    const parts = body(page({ sections, picture })).split('<section')
    assert.deepEqual(
      parts.map(part => part.includes('<figure>')),
      [false, false, true, false],
    )
    assert.ok(!body(page({ sections })).includes('<figure>'))
  })

  test('cuts a text of any length, and a list of five hundred lines', () => {
    const long = body(page({ sections: [section({ items: [item('x'.repeat(400))] })] }))
    assert.equal(/x{9,}/.exec(long)?.[0].length, 300)
    const items = Array.from({ length: 502 }, (_, at) => item(`${at}`))
    const many = body(page({ sections: [section({ items })] }))
    assert.equal(many.split('<li>').length - 1, 501)
    assert.ok(many.includes('… and 2 more; --json lists all of them'))
  })
})

describe('all lines of a page together', () => {
  const open = (count: number, below: number): Page => {
    const more = Array.from({ length: below }, () => item('b'))
    const items = Array.from({ length: count }, () => item('a', { more, isOpen: true }))
    return page({ sections: [section({ items })] })
  }
  const lines = (text: string, line: RegExp) => text.match(line)?.length

  // What is cut is counted in a line of its own, and one line of each list is shown in any case.
  test('are four thousand in html', () => {
    assert.equal(lines(htmlOf(open(10, 450)), /<li>/g), 10 + 8 * 450 + 391 + 2)
  })

  test('are two thousand in markdown', () => {
    assert.equal(lines(markdownOf(open(40, 60)), /^ *- (?:it is|…)/gm), 40 + 32 * 60 + 41 + 7 * 2)
  })

  test('are two thousand in text', () => {
    const text = renderPage(open(99, 20), createStyle(false), 80)
    assert.equal(lines(text, /^ +(?:- )?(?:it is|…)/gm), 99 + 95 * 20 + 4 * 2)
  })
})
