// The part of a page about what hangs on a bundle: which countersignatures and statements count, and why the others do not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InspectedStatement } from '../../src/inspect/inspected.ts'
import type { Item } from '../../src/inspect/page/page.ts'
import { attachedSection } from '../../src/inspect/page/sections/attached.ts'
import type { CheckedAddition } from '../../src/model/carried.ts'
import type { Report } from '../../src/model/report.ts'

const sectionsOf = (
  added: readonly CheckedAddition[] | undefined,
  statements: readonly InspectedStatement[] = [],
  { incomplete = null, signers = [] }: { incomplete?: string | null; signers?: readonly object[] } = {},
) => {
  const carried = added === undefined ? undefined : { added, incomplete }
  return attachedSection({ carried, judgements: [{ signers }] } as unknown as Report, { statements })
}

/** A line for each item, further in for what opens below it. */
function lines(items: readonly Item[] | undefined, depth = 0): string[] {
  return (items ?? []).flatMap(({ mark, words, more }) => {
    const text = words.map(part => (typeof part === 'string' ? part : part.text)).join('')
    return [`${'  '.repeat(depth)}${mark ?? '-'} ${text}`, ...lines(more, depth + 1)]
  })
}

const addition = (digest: string, facts: Partial<CheckedAddition>): CheckedAddition => ({
  digest,
  keyid: null,
  result: 'merged',
  detail: '',
  ...facts,
})
const statement = (where: string, facts: Partial<InspectedStatement>): InspectedStatement => ({
  where,
  type: null,
  by: [],
  result: 'not checked',
  detail: 'no key attests',
  ...facts,
})

test('a file that nothing came with has no such part; a stored bundle with nothing says so', () => {
  assert.deepEqual(sectionsOf(undefined), [])
  assert.equal(sectionsOf(undefined, [statement('1', {})]).length, 1)
  const [empty] = sectionsOf([])
  assert.deepEqual(empty?.note, ['Nothing is attached to it where it is stored.'])
  assert.deepEqual(empty?.items, [])
  const [more] = sectionsOf([], [], { incomplete: 'too many' })
  assert.equal(more?.note, undefined)
  assert.deepEqual(lines(more?.items), ['warning More may be attached than was read: too many'])
})

test('countersignatures: what counts, by whom, and why another does not', () => {
  const signers = [
    { signer: 'k1', anchor: undefined, is: 'no anchor' },
    { signer: 'k1', anchor: 'ci', is: 'counted' },
    { signer: 'k2', anchor: undefined, is: 'no anchor' },
    { signer: 'k3', anchor: 'old', is: 'revoked' },
    { signer: 'k4', anchor: 'dev', is: 'a development key' },
  ]
  const added = [
    addition('d1', { keyid: 'k1' }),
    addition('d2', { keyid: 'k2' }),
    addition('d3', { keyid: 'k3' }),
    addition('d4', { keyid: 'k4' }),
    addition('d5', { keyid: 'k5' }),
    addition('d6', { result: 'invalid', detail: 'it is damaged' }),
    addition('d7', { result: 'other', detail: 'a thing of another tool' }),
  ]
  assert.deepEqual(lines(sectionsOf(added, [], { signers })[0]?.items), [
    '- 6 countersignatures',
    '  good countersignature by ci: counts (k1)',
    '  warning countersignature: does not count, no trust policy names its key (k2)',
    '  warning countersignature by old: does not count, its key is revoked (k3)',
    '  warning countersignature by dev: does not count, its key is a development key (k4)',
    '  warning countersignature: does not count, no trust policy was asked (k5)',
    '  warning countersignature: does not count, it is damaged (d6)',
    '- 1 other thing',
    '  warning not checked, a thing of another tool (d7)',
  ])
})

test('statements: what each says, of whom, and what a provenance does not name', () => {
  const provenance = { source: 'https://s.example', builder: null } as never
  const statements = [
    statement('line 1', {
      type: 'https://x.example/v1',
      by: ['ci', 'qa'],
      result: 'counts',
      detail: 'it is required',
    }),
    statement('line 2', {
      type: 'https://slsa.dev/provenance/v1',
      by: ['ci'],
      result: 'believed',
      detail: 'it is not',
      provenance,
    }),
    statement('line 3', {}),
  ]
  assert.deepEqual(lines(sectionsOf(undefined, statements)[0]?.items), [
    '- 3 statements',
    '  good https://x.example/v1 by ci and qa: counts, it is required (line 1)',
    '  warning provenance by ci: believed, it is not (line 2); source https://s.example; no builder named',
    '  warning a statement: not checked, no key attests (line 3)',
  ])
})

test('more than three that do not count for one reason are one line that opens', () => {
  const statements = (count: number) => Array.from({ length: count }, (_, at) => statement(`line ${at}`, {}))
  const counting = statement('last', { by: ['ci'], result: 'counts', detail: 'x' })
  const told = (count: number) => lines(sectionsOf(undefined, [...statements(count), counting])[0]?.items)
  assert.deepEqual(told(3).length, 5)
  assert.deepEqual(told(4), [
    '- 5 statements',
    '  warning 4 statements: not checked, no key attests',
    '    - line 0',
    '    - line 1',
    '    - line 2',
    '    - line 3',
    '  good a statement by ci: counts, x (last)',
  ])
})
