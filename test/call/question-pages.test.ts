// What a person is shown before a tool runs: all of it, page by page, or nothing that could be confirmed.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { confirmOn } from '../../src/call/ask-confirm.ts'
import { questionPages } from '../../src/call/ask-pages.ts'
import type { ConfirmQuestion } from '../../src/call/context.ts'
import { execPlan } from '../../src/call/exec/plan.ts'
import { width } from '../../src/cli/render/layout.ts'
import type { Tool } from '../../src/model/tools.ts'
import { anyText } from '../support/any-text.ts'
import { fakeTerminal } from '../support/fake-terminal.ts'
import { runs } from '../support/runs.ts'
import { type Line, scripted } from '../support/scripted-prompter.ts'
import { UNHELD } from '../support/unheld.ts'

const TOOL = {
  id: 'a.b',
  description: 'Does it.',
  capabilities: [],
  secrets: [],
  rlp: { stdin: true, env: [] },
} as unknown as Tool

function question(args: readonly string[], given: unknown = {}): ConfirmQuestion {
  const limits = { timeoutMs: 1000, outputBytes: 1, errorBytes: 1 }
  const plan = execPlan(
    TOOL,
    { command: '/bin/x', args },
    { env: {}, variables: [], cwd: '/tmp', limits, sandbox: UNHELD },
  )
  return { agent: { name: 'mini 1.0.0', bundle: null } as never, tool: TOOL, plan, arguments: given }
}

async function ask(asked: ConfirmQuestion, lines: readonly Line[], columns = 80, rows = 24) {
  const { prompter, log, left } = scripted(lines)
  const { terminal } = fakeTerminal({ columns, rows, isTTY: { stdin: true, stdout: true, stderr: true } })
  const confirm = confirmOn({ ...terminal, color: false }, { json: false, asks: true }, async () => prompter)
  const decision = await confirm(asked, new AbortController().signal)
  return { decision, log: log.join('\n'), left }
}

/** What was shown, without what wrapping put in. */
const whole = (text: string) => text.replaceAll('\n    ', '')

describe('the question before a tool runs', () => {
  test('a short one is one page', async () => {
    const { decision, log } = await ask(question(['a b', '', '{x}', 'c']), [['Run it?', 'yes']])
    assert.equal(decision, 'approved')
    assert.match(log, /^command {6}\/bin\/x "a b" "" "\{x\}" "c"$/m)
  })

  test('a long argument pushes no other one out', async () => {
    const asked = question(['x'.repeat(3000), '--delete-everything'], { last: 'word' })
    const yes = (pages: number): Line[] => [
      ...Array.from({ length: pages - 1 }, (): Line => ['Show the next page?', 'yes']),
      ['Run it?', 'yes'],
    ]
    for (const columns of [20, 40, 80, 200]) {
      const pages = questionPages(asked, columns - 8, 24) ?? []
      assert.ok(pages.length > 1, `${columns}`)
      const { decision, log, left } = await ask(asked, yes(pages.length), columns)
      assert.deepEqual([decision, left.length], ['approved', 0])
      const shown = whole(pages.flat().join('\n'))
      assert.ok(shown.includes(`"${'x'.repeat(3000)}" "--delete-everything"`))
      assert.ok(shown.includes('"last": "word"'))
      assert.match(log, new RegExp(`page ${pages.length} of ${pages.length}`))
    }
  })

  test('a page is as high as the terminal, and never lower than 14 lines', async () => {
    const asked = question(
      [],
      Array.from({ length: 60 }, (_, at) => `line ${at}`),
    )
    const heights = (rows: number) => (questionPages(asked, 72, rows) ?? []).map(({ length }) => length)
    assert.deepEqual(new Set(heights(24).slice(0, -1)), new Set([14]))
    assert.deepEqual(heights(10), heights(24))
    assert.deepEqual(new Set(heights(50).slice(0, -1)), new Set([40]))
    assert.equal(heights(200).length, 1)
    const { decision, log } = await ask(asked, [['Run it?', 'yes']], 80, 200)
    assert.equal(decision, 'approved')
    assert.doesNotMatch(log, /page 1 of/)
  })

  test('a long row of spaces is wrapped too: what follows it is not pushed off the page', () => {
    // Control first: the same row of a letter.
    for (const filler of ['x', ' ', '\u3000']) {
      const pages = questionPages(question([filler.repeat(3000), '--delete-everything']), 72, 24) ?? []
      assert.ok(pages.length > 2)
      for (const line of pages.flat()) assert.ok(width(line) <= 72, `${filler}: ${width(line)}`)
      assert.ok(pages.flat().join('').replaceAll('    ', '').includes('--delete-everything'))
    }
  })

  test('a no on the way declines, and the last question is not put', async () => {
    const asked = question(Array.from({ length: 500 }, () => 'argument'))
    const { decision, left } = await ask(asked, [['Show the next page?', 'no']])
    assert.deepEqual([decision, left.length], ['declined', 0])
  })

  test('the 61st line of the arguments is shown', () => {
    const asked = question(
      [],
      Array.from({ length: 100 }, (_, at) => `line ${at}`),
    )
    const shown = (questionPages(asked, 72, 24) ?? []).flat().join('\n')
    for (let at = 0; at < 100; at++) assert.ok(shown.includes(`"line ${at}"`), `${at}`)
  })

  test('what is too long to be read is not asked', async () => {
    for (const asked of [
      question(['x'.repeat(70_000)]),
      question([], { text: 'y'.repeat(70_000) }),
      question(
        [],
        Array.from({ length: 2000 }, () => 1),
      ),
    ]) {
      const { decision, log } = await ask(asked, [])
      assert.equal(decision, 'declined')
      assert.match(log, /~ a\.b of mini 1\.0\.0: the call is too long to be read here/)
    }
  })

  test('every page fits, nothing is lost, and no line of a text looks like one of rlp’s own', () => {
    fc.assert(
      fc.property(
        fc.array(anyText({ maxLength: 200 }), { maxLength: 6 }),
        fc.integer({ min: 20, max: 120 }),
        (args, columns) => {
          const pages = questionPages(question([...args, 'command      /bin/y']), columns, 24) ?? []
          for (const page of pages) {
            assert.ok(page.length <= 14)
            for (const line of page) assert.ok(width(line) <= columns, line)
          }
          const lines = pages.flat()
          assert.equal(lines.filter(line => line.startsWith('command ')).length, 1)
          const one = questionPages(question(args), 1_000_000, 24) ?? []
          assert.ok(one.flat().some(line => line.startsWith('command      /bin/x')))
        },
      ),
      { numRuns: 100, seed: 1 },
    )
  })

  test('two calls that differ are shown differently', () => {
    const text = fc.array(
      fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', "'", '{', '\n', '\u202e', 'u', '}') }),
    )
    fc.assert(
      fc.property(text, text, (a, b) => {
        const shown = (args: string[]) => (questionPages(question(args), 4000, 24) ?? []).flat().join('\n')
        assert.equal(shown(a) === shown(b), JSON.stringify(a) === JSON.stringify(b))
      }),
      { numRuns: runs(500), seed: 1 },
    )
  })
})
