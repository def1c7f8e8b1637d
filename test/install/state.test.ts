// ~/.runloop/state: read strictly, written by its owner only; what cannot be relied upon makes verification undecided, never "no marks".
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { announce, forget, installIn, reset, settle, withdraw } from '../../src/install/record.ts'
import { Ways } from '../../src/io/owner/ways.ts'
import { updateState } from '../../src/io/state/change-state.ts'
import { findMarks, noState, readState } from '../../src/io/state/state.ts'
import type { AgentState, Install, Mark, Pending } from '../../src/model/state.ts'
import { NO_GRANTS } from '../../src/scaffold/grant.ts'
import { readAgentState, writeAgentState } from '../../src/state/agent-state.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { made, OTHER, RELEASE, type World, world } from '../support/install-world.ts'
import { IS_ROOT } from '../support/run.ts'
import { slice } from '../support/runs.ts'

const folderFor = temporary('state')
const AT = '2026-11-20T00:00:00Z'
const D1 = '1'.repeat(64)
const D2 = '2'.repeat(64)

const mark = (version: string, manifestDigest = D1): Mark => ({
  version,
  manifestDigest,
  keys: [RELEASE.anchor],
  at: AT,
})

function install(root = '/r', fileDigest = D1, version = '1.0.0'): Install {
  const about = { version, manifestDigest: D1, anchors: ['release'], signers: [RELEASE.anchor], at: AT }
  return { ...about, root, fileDigest, verdict: 'trusted', allowed: [], unpacked: true }
}

function pending(root = '/r', fileDigest = D1, version = '1.0.0'): Pending {
  const { anchors, signers, manifestDigest, at } = install(root)
  const permissions = { policy: NO_GRANTS, tools: [], entry: D1 }
  return {
    install: install(root, fileDigest, version),
    mark: mark(version),
    baseline: { root, version, manifestDigest, anchors, signers, at, permissions },
  }
}

const EXAMPLE: AgentState = {
  agent: 'mini',
  marks: [mark('1.0.0')],
  wasInstalled: true,
  baselines: [
    { ...(pending().baseline as NonNullable<Pending['baseline']>), root: '/q' },
    {
      ...(pending().baseline as NonNullable<Pending['baseline']>),
      permissions: {
        policy: {
          ...NO_GRANTS,
          net: { hosts: ['a.example'], allowHttp: true },
          kbRead: true,
          exec: ['/bin/x'],
          time: true,
          unknown: ['gpu'],
        },
        tools: [
          {
            id: 'a',
            kind: 'exec',
            command: '/bin/x',
            args: ['-a'],
            stdin: true,
            env: ['TZ'],
            secrets: ['s'],
            confirm: true,
            fills: [{ path: 'a.b', schema: { enum: ['x'] }, beside: '' }],
            isWithheld: true,
            told: { title: 'A', description: 'x', words: D1, schemas: D2 },
          },
          {
            id: 'b',
            kind: 'http',
            method: 'GET',
            target: 'https://a.example:443',
            path: '/x',
            headers: [['x-a', 'b']],
            secrets: [],
            confirm: false,
            fills: [],
            told: { description: 'y', words: D1, schemas: D2 },
          },
        ],
        entry: D2,
      },
    },
  ],
  installs: [
    { ...install('/r'), oci: `sha256:${D2}`, notAfter: '2027-02-20T00:00:00Z', lock: 'mail' },
    { ...install('/s'), allowed: ['unsigned', 'dev'], verdict: 'unsigned', anchors: [], signers: [] },
  ],
  pending: [pending('/t')],
  resets: [
    { at: AT, reason: 'a typing error', marks: [mark('9.0.0')] },
    { at: AT, to: '0.9.0', marks: [{ version: '1.0.0', manifestDigest: null, keys: [], at: AT }] },
  ],
}

describe('the file', () => {
  const parse = (text: string, agent = 'mini') => readAgentState('x', new TextEncoder().encode(text), agent)

  test('is read as it was written', () => {
    assert.deepEqual(readAgentState('x', writeAgentState(EXAMPLE), 'mini'), { ok: true, state: EXAMPLE })
    assert.deepEqual(readAgentState('x', writeAgentState(noState('a@b')), 'a@b'), {
      ok: true,
      state: noState('a@b'),
    })
  })

  test('is pinned: every version of rlp has to read what this one writes', () => {
    const text = new TextDecoder().decode(writeAgentState(noState('mini')))
    assert.deepEqual(JSON.parse(text), {
      version: 4,
      agent: 'mini',
      marks: [],
      wasInstalled: false,
      baselines: [],
      installs: [],
      pending: [],
      resets: [],
    })
  })

  const WHOLE = JSON.parse(new TextDecoder().decode(writeAgentState(EXAMPLE)))
  /** Every place in the example, as a path of keys. */
  const places = (value: unknown, at: (string | number)[] = []): (string | number)[][] =>
    typeof value === 'object' && value !== null
      ? [
          at,
          ...Object.entries(value).flatMap(([key, child]) =>
            places(child, [...at, Array.isArray(value) ? Number(key) : key]),
          ),
        ]
      : [at]
  const withAt = (
    at: readonly (string | number)[],
    change: (holder: Record<string, unknown>, key: string) => void,
  ) => {
    const copy = structuredClone({ root: WHOLE })
    let holder: Record<string, unknown> = copy
    const path = ['root', ...at]
    for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>
    change(holder, String(path.at(-1)))
    return JSON.stringify(copy.root)
  }

  /** A JSON Schema may hold anything: what is wrong in it makes it another one. */
  const isInSchema = (at: readonly (string | number)[]) => at.slice(0, -1).includes('schema')

  test('with anything of another type anywhere in it is refused', () => {
    const all = places(WHOLE)
    assert.ok(all.length > 100)
    const cases = all.flatMap(at => [null, 7, 'nonsense\u0000', { a: 1 }, [[]]].map(wrong => ({ at, wrong })))
    for (const { at, wrong } of slice(cases, 3, ({ at }) => at.join('.'))) {
      if (isInSchema(at)) continue
      const text = withAt(at, (holder, key) => {
        holder[key] = wrong
      })
      // A mark that a reset has set binds no content.
      const isMark = at.some(key => key === 'mark' || key === 'marks')
      if (wrong === null && isMark && at.at(-1) === 'manifestDigest') continue
      // Free texts may say anything.
      const isFree =
        typeof wrong === 'string' &&
        /reason|anchor|title|description|id|command|args|env|secrets|method|target|headers|hosts|exec|unknown/.test(
          String(at.filter(key => typeof key === 'string').at(-1)),
        )
      const isSchema = at.at(-1) === 'schema' && typeof wrong === 'object' && !Array.isArray(wrong)
      if (!isFree && !(isSchema && wrong !== null))
        assert.equal(parse(text).ok, false, `${at.join('.')} = ${JSON.stringify(wrong)}`)
    }
  })

  test('without any one of its members, or with one more, is refused', () => {
    const mayBeAbsent = [
      'reason',
      'baseline',
      'mark',
      'to',
      'unknown',
      'isWithheld',
      'title',
      'oci',
      'notAfter',
      'lock',
    ]
    for (const at of places(WHOLE)) {
      if (isInSchema(at)) continue
      const key = at.at(-1)
      if (typeof key === 'string' && !mayBeAbsent.includes(key)) {
        const text = withAt(at, holder => {
          delete holder[key]
        })
        assert.equal(parse(text).ok, false, `without ${at.join('.')}`)
      }
      const more = withAt(at, (holder, name) => {
        const value = holder[name]
        if (name !== 'schema' && typeof value === 'object' && value !== null && !Array.isArray(value))
          Object.assign(value, { extra: 1 })
      })
      if (more !== JSON.stringify(WHOLE)) assert.equal(parse(more).ok, false, `more in ${at.join('.')}`)
    }
  })

  const bad: [what: string, text: string][] = [
    ['nothing', ''],
    ['no JSON', '{'],
    ['no object', '[]'],
    [
      'a key twice',
      '{"version":4,"version":4,"agent":"mini","marks":[],"wasInstalled":false,"baselines":[],"installs":[],"pending":[],"resets":[]}',
    ],
    ['another agent', JSON.stringify({ ...WHOLE, agent: 'other' })],
    [
      'a mark with an invalid version',
      JSON.stringify({ ...WHOLE, marks: [{ ...WHOLE.marks[0], version: 'x' }] }),
    ],
    ['too many levels', `${'['.repeat(100)}${']'.repeat(100)}`],
  ]
  for (const [what, text] of bad) test(`${what} is refused`, () => assert.equal(parse(text).ok, false))
  test('of another version, older or newer, is refused with what to do', () => {
    for (const version of [1, 2, 3, 5, '4', null]) {
      const read = parse(JSON.stringify({ ...WHOLE, version }))
      assert.ok(!read.ok)
      assert.equal(read.problem, `its version is ${JSON.stringify(version)}, and this build reads 4`)
      assert.match(read.hint, /^Use the rlp that wrote it\. If there is none any more, move the file away/)
    }
    const { version: _, ...without } = WHOLE
    const read = parse(JSON.stringify(without))
    assert.deepEqual([read.ok, !read.ok && read.problem], [false, 'the state.version is missing'])
  })

  test('the example itself is not', () => assert.equal(parse(JSON.stringify(WHOLE)).ok, true))

  test('no bytes make it throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes =>
        assert.equal(readAgentState('x', bytes, 'mini').ok, false),
      ),
    )
  })
})

describe('what happens to it', () => {
  const root = fc.constantFrom('/r', '/s')
  const version = fc.constantFrom('1.0.0', '1.1.0', '2.0.0-rc.1', '2.0.0')
  const digest = fc.constantFrom(D1, D2)
  const step = fc.oneof(
    fc.record({ do: fc.constant('announce' as const), root, digest, version }),
    fc.record({ do: fc.constant('settle' as const), root, digest }),
    fc.record({ do: fc.constantFrom('withdraw', 'forget'), root }),
  )
  const apply = (
    state: AgentState,
    one: { do: string; root: string; digest?: string; version?: string },
  ): AgentState => {
    if (one.do === 'announce') return announce(state, pending(one.root, one.digest, one.version))
    if (one.do === 'settle') return settle(state, one.root, one.digest ?? '')
    return one.do === 'forget' ? forget(state, one.root) : withdraw(state, one.root)
  }

  test('a mark never goes down, and one root never has two installs', () => {
    const order = ['1.0.0', '1.1.0', '2.0.0-rc.1', '2.0.0']
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), steps => {
        let state = noState('mini')
        for (const one of steps) {
          const next = apply(state, one)
          for (const { version } of state.marks) {
            assert.equal(next.marks.length > 0, true)
            for (const now of next.marks) assert.ok(order.indexOf(now.version) >= order.indexOf(version))
          }
          for (const list of [next.installs, next.pending.map(({ install }) => install)])
            assert.equal(new Set(list.map(({ root }) => root)).size, list.length)
          if (one.do !== 'settle') assert.deepEqual(next.marks, state.marks)
          state = next
        }
      }),
    )
  })

  test('what was announced counts only when its file is there', () => {
    const announced = announce(noState('mini'), pending())
    assert.deepEqual(announced.marks, [])
    assert.deepEqual(settle(announced, '/r', D2), noState('mini'))
    assert.deepEqual(settle(announced, '/other', D1), announced)
    const settled = settle(announced, '/r', D1)
    assert.deepEqual(
      [settled.marks, settled.baselines.map(({ root, version }) => [root, version]), settled.pending],
      [[mark('1.0.0')], [['/r', '1.0.0']], []],
    )
    assert.deepEqual(settle(settled, '/r', D1), settled)
  })

  test('of each root a few baselines are kept, the newest at the end, and not too many of all', () => {
    const settled = (state: AgentState, root: string, digest: string, version: string): AgentState => {
      const one = pending(root, D1, version)
      const baseline = { ...(one.baseline as NonNullable<Pending['baseline']>), manifestDigest: digest }
      return settle(announce(state, { ...one, baseline }), root, D1)
    }
    let state = noState('mini')
    for (const n of [1, 2, 3, 4, 5, 6]) state = settled(state, '/r', String(n).repeat(64), `${n}.0.0`)
    state = settled(state, '/s', D1, '1.0.0')
    // The same content again is one baseline, and the last.
    state = settled(state, '/r', '4'.repeat(64), '4.0.0')
    assert.deepEqual(
      state.baselines.map(({ root, version }) => `${root} ${version}`),
      ['/r 3.0.0', '/r 5.0.0', '/r 6.0.0', '/s 1.0.0', '/r 4.0.0'],
    )
    for (let n = 0; n < 100; n++) state = settled(state, `/r${n}`, D1, '1.0.0')
    assert.deepEqual([state.baselines.length, state.baselines.at(-1)?.root], [32, '/r99'])
    assert.equal(forget(state, '/r99').baselines.length, 32)
  })

  test('an install is found by its root, and by its file where that is asked', () => {
    const state = announce(settle(announce(noState('mini'), pending()), '/r', D1), pending('/r', D2, '2.0.0'))
    assert.equal(installIn(state, '/r')?.version, '1.0.0')
    assert.equal(installIn(state, '/r', D2)?.version, '2.0.0')
    assert.equal(installIn(state, '/s'), undefined)
  })

  test('a reset is remembered', () => {
    const { marks, resets, baselines } = reset(EXAMPLE, { at: AT, reason: 'why' })
    assert.deepEqual(
      [marks, resets.at(-1), baselines],
      [[], { at: AT, reason: 'why', marks: EXAMPLE.marks }, EXAMPLE.baselines],
    )
  })
})

describe('on disk', () => {
  test('folder and file are their owner’s alone', async () => {
    const home = join(folderFor('modes'), 'home')
    await updateState('mini', () => EXAMPLE, { home })
    const modeOf = (path: string) => lstatSync(join(home, path)).mode & 0o777
    assert.deepEqual([modeOf('state'), modeOf('state/mini.json'), modeOf('')], [0o700, 0o600, 0o700])
    assert.deepEqual(await readState('mini', home), EXAMPLE)
    assert.deepEqual(readdirSync(join(home, 'state')), ['mini.json'])
  })

  test('reading makes nothing', async () => {
    const home = join(folderFor('reading'), 'home')
    assert.deepEqual(await readState('mini', home), noState('mini'))
    assert.deepEqual(await findMarks('mini', new Ways(), home), { marks: [], wasSigned: false })
    assert.deepEqual(snapshot(join(home, '..')), {})
  })

  test('an invalid name never gets near the disk', async () => {
    for (const name of ['../x', 'a/b', '', 'A', 'a@b@c', 'a@../b'])
      await assert.rejects(readState(name, '/nowhere'), TypeError)
  })

  test('many at once lose nothing', async () => {
    const home = join(folderFor('many'), 'home')
    const roots = Array.from({ length: 8 }, (_, index) => `/r${index}`)
    await Promise.all(
      roots.map(root =>
        updateState('mini', state => settle(announce(state, pending(root)), root, D1), { home }),
      ),
    )
    assert.deepEqual((await readState('mini', home)).installs.map(({ root }) => root).sort(), roots.sort())
  })

  test('what could not be read again is not written', async () => {
    const home = join(folderFor('large'), 'home')
    const huge = 'x'.repeat(17 * 1024 * 1024)
    await assert.rejects(
      updateState('mini', state => ({ ...state, resets: [{ at: AT, reason: huge, marks: [] }] }), { home }),
      { code: 'LIMIT_EXCEEDED' },
    )
    assert.deepEqual(await readState('mini', home), noState('mini'))
  })
})

describe('state that cannot be relied upon', () => {
  const file = (here: World) => join(here.home, 'state/mini.json')
  const harm: [what: string, do_: (here: World) => void, says: RegExp, needsRoot?: true][] = [
    ['a file that others may write', here => chmodSync(file(here), 0o620), /others may write it/],
    [
      'a folder that others may write',
      here => chmodSync(join(here.home, 'state'), 0o777),
      /others may write it/,
    ],
    ['one with the sticky bit', here => chmodSync(join(here.home, 'state'), 0o1777), /others may write it/],
    ['a home that others may write', here => chmodSync(here.home, 0o775), /others may write it/],
    ['a file of another user', here => chownSync(file(here), 12345, 12345), /another user/, true],
    [
      'a folder of another user',
      here => chownSync(join(here.home, 'state'), 12345, 12345),
      /another user/,
      true,
    ],
    ['no JSON', here => writeFileSync(file(here), '{'), /Cannot rely on/],
    ['an empty file', here => writeFileSync(file(here), ''), /Cannot rely on/],
    [
      'another agent’s file',
      here => writeFileSync(file(here), writeAgentState(noState('other'))),
      /another agent/,
    ],
    [
      'a link to a good one',
      here => {
        renameSync(file(here), `${file(here)}.moved`)
        symlinkSync('mini.json.moved', file(here))
      },
      /symbolic link/,
    ],
    [
      'a folder in its place',
      here => {
        rmSync(file(here))
        mkdirSync(file(here))
      },
      /not a regular file/,
    ],
    [
      'a file in the place of its folder',
      here => {
        rmSync(join(here.home, 'state'), { recursive: true })
        writeFileSync(join(here.home, 'state'), '')
      },
      /file, not a folder/,
    ],
    [
      'one that is too long',
      here => writeFileSync(file(here), Buffer.alloc(17 * 1024 * 1024, 0x20)),
      /bytes/,
    ],
  ]
  const SAME = made({}, RELEASE)
  const OLDER = made({ version: '0.9.0' }, RELEASE)
  const UNSIGNED = made()
  for (const [what, do_, says, needsRoot] of harm) {
    test(`${what}: undecided`, {
      skip: needsRoot && !IS_ROOT ? 'only root can give files away' : false,
    }, async () => {
      const here = world(folderFor(what))
      const name = here.put('same', SAME)
      await here.install(name, '--yes')
      assert.equal((await here.rlp('agent', 'verify', name)).exit, 0)
      do_(here)
      const names = [name, here.put('older', OLDER), here.put('unsigned', UNSIGNED)]
      const verified = await here.rlp('agent', 'verify', ...names, '--allow-unsigned')
      const reports = verified.envelope.result?.bundles ?? []
      assert.deepEqual([verified.exit, reports.length], [3, 3])
      // A home that others may write makes the trust policy in it unusable first.
      for (const { verdict, reasons } of reports) {
        assert.equal(verdict, 'indeterminate')
        assert.match(JSON.stringify(reasons), says)
      }
      const before = snapshot(here.cwd)
      const flags = ['--allow-unsigned', '--allow-downgrade', '--force', '--yes']
      const { exit, envelope } = await here.install('unsigned', ...flags)
      assert.deepEqual([exit, envelope.reason], [3, 'indeterminate'])
      assert.deepEqual(snapshot(here.cwd), before)
    })
  }

  test('of one agent says nothing against another', async () => {
    const here = world(folderFor('other-agent'))
    await here.install(here.put('b', made({}, RELEASE)), '--yes')
    writeFileSync(file(here), '{')
    const { exit } = await here.install(here.put('c', made({ name: 'other' }, RELEASE)), '--yes')
    assert.equal(exit, 0)
    assert.equal(readFileSync(file(here), 'utf8'), '{')
  })
})

describe('marks and verification', () => {
  test('verify, install and the library see them alike', async () => {
    const here = world(folderFor('alike'))
    await here.install(here.put('b', made({ version: '1.1.0' }, RELEASE)), '--yes')
    const old = here.put('a', made({ version: '1.0.0' }, RELEASE))
    const { exit, envelope } = await here.rlp('agent', 'verify', old)
    const [report] = envelope.result?.bundles ?? []
    assert.deepEqual([exit, report?.verdict, report?.reasons[0]?.code], [1, 'rolled_back', 'older'])
    assert.equal((await here.install(old)).envelope.reason, 'rolled_back')
    const { loadBundle } = await import('../../src/library/generated/index.ts')
    await assert.rejects(loadBundle(join(here.cwd, old), { expect: 'mini' }), { verdict: 'rolled_back' })
    assert.equal((await loadBundle(join(here.cwd, 'b'), { expect: 'mini' })).agent.version, '1.1.0')
  })

  test('only a trusted install raises them', async () => {
    const here = world(folderFor('raise'))
    for (const bytes of [made({ version: '3.0.0' }), made({ version: '2.0.0' }, RELEASE)]) {
      await here.rlp('agent', 'verify', here.put('b', bytes))
    }
    assert.throws(() => here.state())
    await here.install(here.put('u', made({ version: '3.0.0' })), '--allow-unsigned', '--yes')
    assert.deepEqual(here.state().marks, [])
  })

  test('they belong to the agent: another signer changes nothing', async () => {
    const here = world(folderFor('anchor'))
    await here.install(here.put('b', made({ version: '2.0.0' }, RELEASE)), '--yes')
    for (const key of [RELEASE, OTHER]) {
      const verify = (version: string) => here.rlp('agent', 'verify', here.put('a', made({ version }, key)))
      assert.equal((await verify('2.0.1')).exit, 0)
      const { exit, envelope } = await verify('1.0.0')
      assert.deepEqual([exit, envelope.result?.bundles?.[0]?.verdict], [1, 'rolled_back'])
    }
  })
})
