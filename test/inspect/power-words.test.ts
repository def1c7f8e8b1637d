// What a bundle may do, as a page says it: each kind of power, by how many tools it is used, and what of it is new.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '../../src/inspect/page/page.ts'
import type { Power, PowerKind, PowerUse } from '../../src/inspect/page/powers.ts'
import { maySection } from '../../src/inspect/page/sections/permissions.ts'
import { warningsSection } from '../../src/inspect/page/sections/rest.ts'
import { permissionLines } from '../../src/inspect/permission-lines.ts'
import type { Report } from '../../src/model/report.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'

const use = (tool: string, how: string, more: Partial<PowerUse> = {}): PowerUse => ({
  tool,
  how,
  confirm: false,
  ...more,
})
const power = (
  kind: PowerKind,
  name: string,
  uses: readonly PowerUse[] = [],
  grants: readonly string[] = [],
): Power => ({
  kind,
  name,
  uses,
  grants,
})

function lines(items: readonly Item[], depth = 0): string[] {
  return items.flatMap(({ isNew, mark, words, more = [] }) => {
    const text = words.map(part => (typeof part === 'string' ? part : part.text)).join('')
    return [`${'  '.repeat(depth)}${isNew ? 'new ' : ''}${mark ?? '-'} ${text}`, ...lines(more, depth + 1)]
  })
}

const told = (powers: readonly Power[], before?: readonly Power[]) =>
  lines(maySection(powers, before, 'trusted').items)

test('each kind that no tool uses', () => {
  assert.deepEqual(
    told([
      power('unknown', 'x:y'),
      power('code', '/bin/sh'),
      power('every program', ''),
      power('program', '/bin/x'),
      power('host', 'http://h.example:80'),
      power('host', 'h.example'),
      power('host', 'h.example:443'),
      { ...power('host', '', [], ['net:allow_http']), hosts: ['127.0.0.1:80'] },
      power('secret', 'mail/key'),
      power('write', '/a'),
      power('read', '/a'),
      power('other', 'model', [], ['model']),
      power('read', 'kb_read:docs', [], ['kb_read:docs']),
    ]),
    [
      'danger uses a capability that this build does not know: x:y',
      'danger runs code given as text, with /bin/sh (the program inside may; no tool does)',
      'danger may run every program (the program inside may; no tool does)',
      '- runs /bin/x (the program inside may; no tool does)',
      'danger reaches http://h.example:80, unencrypted over the network (the program inside may; no tool does)',
      '- reaches h.example, on every port (the program inside may; no tool does)',
      '- reaches h.example:443 (the program inside may; no tool does)',
      'danger reaches 127.0.0.1:80 without encryption (the program inside may; no tool does)',
      '- uses the secret mail/key (the program inside may; no tool does)',
      '- reads and writes files below /a (the program inside may; no tool does)',
      '- reads files below /a (the program inside may; no tool does)',
      '- calls its model (the program inside may; no tool does)',
      '- reads the knowledge base docs (the program inside may; no tool does)',
    ],
  )
})

test('one tool is told in the same line, several below it', () => {
  const sends = use('send', 'POST /v1', { verb: 'POST', confirm: true })
  const gets = use('get', 'GET /v1', { verb: 'GET' })
  assert.deepEqual(
    told([
      power('host', 'h.example:443', [sends]),
      power('secret', 'mail/key', [use('send', 'https://h.example')]),
      power('program', '/bin/x', [use('run', '/bin/x -a')]),
      power('host', 'h.example:443', [sends, gets, gets]),
      power('program', '/bin/x', [use('run', '/bin/x'), use('also', '/bin/x')]),
    ]),
    [
      '- reaches h.example:443: POST /v1, by the tool send; asks first',
      '- uses the secret mail/key, given to https://h.example by the tool send',
      '- runs /bin/x -a as the tool run',
      '- reaches h.example:443: 3 tools, 2 GET and 1 POST',
      '  - send: POST /v1; asks first',
      '  - get: GET /v1',
      '  - get: GET /v1',
      '- runs /bin/x: 2 tools',
      '  - run: /bin/x',
      '  - also: /bin/x',
    ],
  )
})

test('a secret names five receivers, each once, and counts the rest', () => {
  const given = (count: number) => {
    const uses = Array.from({ length: count }, (_, at) => use('t', `r${at}`))
    return told([power('secret', 's', [...uses, use('t', 'r0')])])[0]
  }
  assert.equal(given(5), '- uses the secret s, given to r0, r1, r2, r3, r4')
  assert.equal(given(7), '- uses the secret s, given to r0, r1, r2, r3, r4 and 2 more')
})

test('what is new: a power, the use of one, and nothing without another version', () => {
  const one = power('program', '/bin/x', [use('run', '/bin/x')])
  const two = power('program', '/bin/x', [use('run', '/bin/x'), use('also', '/bin/x')])
  const line = '- runs /bin/x as the tool run'
  assert.deepEqual(told([one]), [line])
  assert.deepEqual(told([one], [one]), [line])
  assert.deepEqual(told([one], []), [`new ${line}`])
  assert.deepEqual(told([one], [power('program', '/bin/x')]), [`new ${line}`])
  const confirmed = power('program', '/bin/x', [use('run', '/bin/x', { confirm: true })])
  assert.deepEqual(told([one], [confirmed]), [`new ${line}`])
  assert.deepEqual(told([two], [one]), ['- runs /bin/x: 2 tools', '  - run: /bin/x', '  new - also: /bin/x'])
})

test('nothing at all is said too, and what is granted only of a trusted bundle', () => {
  assert.deepEqual(told([]), ['good It has no permissions, and no tool that may run.'])
  assert.deepEqual(permissionLines({ policy: NO_GRANTS, tools: [], entry: '' }), [
    'has no permissions and no tools',
  ])
  const { note, title } = maySection([], undefined, 'expired')
  assert.deepEqual(
    [title, note],
    ['What it asks for', ['Nothing of this is granted while the verdict is expired.']],
  )
  assert.equal(maySection([], undefined, 'source').note, undefined)
  assert.equal(maySection([], undefined, 'trusted').note, undefined)
})

test('what ends soon has a part of its own, if there is any', () => {
  assert.deepEqual(warningsSection({} as Report), [])
  const [section] = warningsSection({ warnings: [{ code: 'signature_ends_soon', message: 'soon' }] } as never)
  assert.deepEqual(lines(section?.items ?? []), ['warning soon'])
})
