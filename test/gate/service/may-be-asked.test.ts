// What a question over HTTP may name: each refusal beside a question that passes.
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { GateQuestion } from '../../../src/gate/question-answer.ts'
import { askedIn } from '../../../src/gate/service/run-service.ts'
import { mayBeAsked, type ServedPlaces } from '../../../src/gate/service/served-places.ts'
import { temporary } from '../../support/folder.ts'

const folder = temporary('may-be-asked')
const cwd = folder('places')
const served = join(cwd, 'served')
mkdirSync(join(served, 'below/deep'), { recursive: true })
mkdirSync(join(cwd, 'served-not'))
writeFileSync(join(served, 'file'), '')
symlinkSync('below', join(served, 'linked'))
symlinkSync('../served-not', join(served, 'below/out'))

const PLACES: ServedPlaces = {
  folders: [served],
  references: ['oci://registry.example/agents', 'oci://other.example'],
  locks: new Map([['house', '/etc/house.lock']]),
  attestations: new Map([['nightly', '/srv/nightly.intoto.jsonl']]),
}
const QUESTION: GateQuestion = {
  id: 7,
  bundle: join(served, 'a.bundle'),
  expect: 'mini',
  withinMs: 1000,
  attestations: undefined,
  lock: undefined,
}

const asked = (more: Partial<GateQuestion>, places = PLACES) => mayBeAsked({ ...QUESTION, ...more }, places)

function passes(bundle: GateQuestion['bundle'], places = PLACES): void {
  assert.deepEqual(asked({ bundle }, places), { ...QUESTION, bundle })
}

function refuses(bundle: string, says: RegExp, places = PLACES): void {
  const answer = asked({ bundle }, places)
  assert.ok(typeof answer === 'string', `${bundle} may be asked about`)
  assert.match(answer, says)
}

const NOT_SERVED = /^".*" is not below what --serve names$/

describe('a bundle', () => {
  test('that is given as bytes needs no place', () => {
    passes(Uint8Array.of(1, 2, 3))
    passes(Uint8Array.of(1), { ...PLACES, folders: [], references: [] })
  })

  test('below a folder that is served passes, at any depth, and also if it is not there', () => {
    for (const path of ['a.bundle', 'file', 'below/a.bundle', 'below/deep/a.bundle', 'none/a.bundle', '...'])
      passes(join(served, path))
    // What is below a file is not there.
    passes(join(served, 'file/a.bundle'))
  })

  test('beside it, above it, or the folder itself is refused', () => {
    for (const path of [join(cwd, 'served-not/a.bundle'), served, cwd, '/etc/passwd', '/'])
      refuses(path, path === '/' ? /no absolute path/ : NOT_SERVED)
    refuses(join(served, 'a.bundle'), NOT_SERVED, { ...PLACES, folders: [] })
  })

  test('by a path that another program may read otherwise is refused', () => {
    for (const path of [
      'served/a.bundle',
      `${served}/../served-not/a.bundle`,
      `${served}/./a.bundle`,
      `${served}//a.bundle`,
      `${served}/below/`,
      `${served}/below/..`,
      `${served}/below/.`,
    ])
      refuses(path, /^".*" is no absolute path without "", "\." and "\.\." in it$/)
  })

  test('behind a link is refused at whatever depth', () => {
    for (const path of ['linked', 'linked/deep/a.bundle', 'below/out/a.bundle'])
      refuses(join(served, path), /" is a link$/)
  })

  test('anywhere passes where the whole file system is served, but not behind a link', () => {
    const whole = { ...PLACES, folders: ['/'] }
    passes(join(served, 'a.bundle'), whole)
    refuses(join(served, 'linked/a.bundle'), /is a link$/, whole)
  })
})

describe('a reference', () => {
  test('in a repository, below one, or on a host that is served passes', () => {
    for (const reference of [
      'oci://registry.example/agents:1.0.0',
      'oci://registry.example/agents/mini:1.0.0',
      `oci://registry.example/agents/team/mini@sha256:${'a'.repeat(64)}`,
      'oci://other.example/anything/mini:1',
    ])
      passes(reference)
  })

  test('in a repository or on a host that only begins like one is refused', () => {
    for (const reference of [
      'oci://registry.example/agents-of-others/mini:1.0.0',
      'oci://registry.example/mini:1.0.0',
      'oci://registry.example:5000/agents/mini:1.0.0',
      'oci://other.example.evil.example/mini:1',
      'oci://third.example/agents/mini:1',
    ])
      refuses(reference, NOT_SERVED)
  })

  test('that cannot be read is refused with the reason', () => {
    refuses('oci://registry.example/agents/Mini:1.0.0', /is no reference: a repository has parts of/)
    refuses('oci://registry.example', /is no reference: it names no repository/)
  })

  test('to a layout folder is held to the rules of paths', () => {
    passes(`oci-layout:${served}/store:1.0.0`)
    // The store that is served: its bundles are below it.
    passes(`oci-layout:${served}:1.0.0`)
    refuses(`oci-layout:${served}-not:1.0.0`, NOT_SERVED)
    refuses(`oci-layout:${join(cwd, 'served-not')}:1.0.0`, NOT_SERVED)
    refuses('oci-layout:store:1.0.0', /no absolute path/)
    refuses(`oci-layout:${served}/linked:1.0.0`, /is a link$/)
    refuses(`oci-layout:${served}/../served-not:1.0.0`, /no absolute path/)
  })
})

describe('a lock and attestations', () => {
  test('are called by the names that the gate was started with', () => {
    assert.deepEqual(asked({ lock: 'house', attestations: 'nightly' }), {
      ...QUESTION,
      lock: '/etc/house.lock',
      attestations: '/srv/nightly.intoto.jsonl',
    })
  })

  test('are refused by their paths, by the names of others, and by a name that is not there', () => {
    for (const lock of ['/etc/house.lock', 'nightly', 'none'])
      assert.equal(asked({ lock }), `there is no lock "${lock}" here`)
    for (const attestations of ['/srv/nightly.intoto.jsonl', 'house', 'none'])
      assert.equal(asked({ attestations }), `there are no attestations "${attestations}" here`)
  })
})

describe('the body of a request', () => {
  const read = (text: string) => askedIn(Buffer.from(text), PLACES)

  test('is a question, or is refused with its id', () => {
    const good = read(JSON.stringify({ id: 7, bundle: QUESTION.bundle, expect: 'mini' }))
    assert.ok('question' in good)
    assert.deepEqual([good.question.id, good.question.bundle], [7, QUESTION.bundle])
    const wrong = read('{"id":7,"bundle":1}')
    assert.ok('refused' in wrong)
    const { answer, decided } = wrong.refused
    assert.deepEqual(
      [wrong.status, answer.id, answer.allow, answer.reasons[0]?.code],
      [400, 7, false, 'bad_question'],
    )
    assert.deepEqual([decided.accepted, decided.target], [false, null])
  })

  test('that may not be asked is refused, and what it asked about is kept for the log', () => {
    const bundle = join(cwd, 'served-not/a.bundle')
    const path = read(JSON.stringify({ id: 'x', bundle, expect: 'mini' }))
    assert.ok('refused' in path)
    const { answer, decided } = path.refused
    assert.deepEqual(
      [path.status, answer.id, answer.allow, answer.verdict],
      [403, 'x', false, 'indeterminate'],
    )
    assert.match(answer.reasons[0]?.message ?? '', /^Cannot answer the question: ".*" is not below/)
    assert.deepEqual([decided.target, decided.accepted], [bundle, false])
    // Bytes have no name.
    const bytes = read(JSON.stringify({ bytes: 'AAAA', expect: 'mini', lock: 'none' }))
    assert.ok('refused' in bytes)
    assert.deepEqual([bytes.status, bytes.refused.decided.target], [403, null])
  })

  test('about a name that the system cannot have is refused, and ends nothing', () => {
    const long = read(JSON.stringify({ bundle: join(served, 'x'.repeat(300)), expect: 'mini' }))
    assert.ok('refused' in long)
    assert.deepEqual([long.status, long.refused.answer.allow], [403, false])
  })
})
