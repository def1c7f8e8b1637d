// An entry of a lock against what takes its place: what is the same, what is wider, and which flag each concern needs.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { isSameSource, lockChanges, lockConcerns } from '../../src/lock/compare-entries.ts'
import { isSameEntry } from '../../src/lock-file/write.ts'
import type { LockedAgent } from '../../src/model/lock.ts'
import { madeTree } from '../support/install-world.ts'
import { memoryFiles } from '../support/memory.ts'
import { KEYS, trustContext } from '../support/trust-world.ts'

const ENTRY: LockedAgent = {
  source: './a.bundle',
  oci: undefined,
  version: '1.0.0',
  identity: 'a'.repeat(64),
  signers: [KEYS.release.anchor],
  caps: ['time'],
  tools: new Map([['say.it', '0'.repeat(64)]]),
}
const changed = (more: Partial<LockedAgent>): LockedAgent => ({ ...ENTRY, ...more })
const OTHER = changed({ identity: 'b'.repeat(64), version: '1.1.0' })
const agent = (caps: string) => read(memoryFiles(madeTree({ caps })), 'mini', 'bundle')

test('an entry is the same with the same facts, wherever it comes from; the order of tools says nothing', () => {
  const two = changed({
    tools: new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
  })
  assert.ok(
    isSameEntry(
      two,
      changed({
        tools: new Map([
          ['b', '2'],
          ['a', '1'],
        ]),
      }),
    ),
  )
  assert.ok(isSameEntry(ENTRY, changed({ source: './b.bundle', oci: 'sha256:0', expect: 'mini@^1' })))
  for (const more of [
    { version: '1.0.1' },
    { identity: 'b'.repeat(64) },
    { signers: [] },
    { caps: [] },
    { tools: new Map([['say.it', '1'.repeat(64)]]) },
    { tools: new Map([['say.other', '0'.repeat(64)]]) },
  ])
    assert.ok(!isSameEntry(ENTRY, changed(more)), JSON.stringify(more))
})

test('a source is the same with its range and its digest', () => {
  assert.ok(isSameSource(ENTRY, changed({ version: '2.0.0', caps: [] })))
  for (const more of [{ source: './b.bundle' }, { expect: 'mini@^1' }, { oci: 'sha256:0' }])
    assert.ok(!isSameSource(ENTRY, changed(more)), JSON.stringify(more))
})

describe('what changes', () => {
  test('is said as diff says it where the locked bundle is there', () => {
    const changes = lockChanges(ENTRY, OTHER, agent('model = true\n'), agent('time = true\n'))
    assert.deepEqual(changes, {
      widened: ['may read the clock'],
      narrowed: ['may call its model'],
      described: [],
      tools: [],
      isExact: true,
    })
  })

  test('is each capability and each tool where it is not, or where only the lock says something else', () => {
    const now = changed({
      identity: OTHER.identity,
      caps: ['model', 'time'],
      tools: new Map([
        ['say.it', '1'.repeat(64)],
        ['say.more', '2'.repeat(64)],
      ]),
    })
    const expected = {
      widened: [
        'has the capability model',
        'has the tool say.more',
        'has another definition of the tool say.it',
      ],
      narrowed: [],
      described: [],
      tools: ['say.it'],
      isExact: false,
    }
    assert.deepEqual(lockChanges(ENTRY, now, undefined, agent('')), expected)
    const edited = { ...now, identity: ENTRY.identity }
    assert.deepEqual(lockChanges(ENTRY, edited, agent(''), agent('')), expected)
    const back = lockChanges(now, ENTRY, undefined, agent(''))
    assert.deepEqual(back.narrowed, ['has the capability model', 'has the tool say.more'])
    assert.deepEqual(back.tools, ['say.it'])
  })

  test('is nothing where both are the same', () => {
    assert.deepEqual(lockChanges(ENTRY, ENTRY, undefined, agent('')), {
      widened: [],
      narrowed: [],
      described: [],
      tools: [],
      isExact: false,
    })
  })
})

describe('what is of concern', () => {
  const concerns = (now: Partial<LockedAgent>, widened: readonly string[] = [], old = ENTRY) =>
    lockConcerns(
      'mini',
      old,
      { ...OTHER, ...now },
      { widened, narrowed: [], described: [], tools: [], isExact: true },
      trustContext(),
    ).map(({ flag, message }) => `${flag}: ${message}`)

  test('a newer version that may do no more is of none', () => assert.deepEqual(concerns({}), []))

  test('what it may do more: the first of it, and how much more there is', () => {
    const says = 'caps-change: Unlike 1.0.0, mini 1.1.0 may read the clock'
    assert.deepEqual(concerns({}, ['may read the clock']), [says])
    assert.deepEqual(concerns({}, ['may read the clock', 'x', 'y']), [`${says} (and 2 more)`])
    assert.deepEqual(concerns({}, ['may read the clock', 'x']), [`${says} (and 1 more)`])
  })

  test('a signer that is missing, each of them; one more is no concern', () => {
    const [message] = concerns({ signers: [] })
    assert.match(
      message ?? '',
      /^signer-change: The signature of release \(ed25519:\S+\), which the lock lists, is missing$/,
    )
    assert.deepEqual(concerns({ signers: [KEYS.release.anchor, KEYS.security.anchor] }), [])
    const both = changed({ signers: [KEYS.release.anchor, KEYS.security.anchor] })
    assert.deepEqual(concerns({}, [], both).length, 1)
    assert.match(concerns({ signers: [] }, [], both)[0] ?? '', /\) and security \(ed25519:/)
  })

  test('an older version, and other content of the same one, which no flag allows', () => {
    assert.deepEqual(concerns({ version: '0.9.0' }), ['downgrade: mini 1.0.0 is locked, and 0.9.0 is older'])
    assert.deepEqual(concerns({ version: '1.0.0' }), [
      'none: mini 1.0.0 has other content than the 1.0.0 that is locked',
    ])
    assert.deepEqual(concerns({ version: '1.0.0', identity: ENTRY.identity }), [])
  })
})
