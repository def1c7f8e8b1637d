// Versions: the order of SemVer 2.0, and what is not a version.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectationOfFileName, meets, readExpectation, readRange } from '../../src/version/reference.ts'
import { isOlder, isSameVersion, isVersion } from '../../src/version/version.ts'

/** In ascending order (SemVer 2.0, item 11, and some of our own). */
const ASCENDING = [
  '0.0.0-0',
  '0.0.0',
  '0.0.9',
  '0.0.10',
  '0.2.0',
  '0.10.0',
  '1.0.0--',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '9007199254740990.0.0',
  '9007199254740991.0.0',
]

test('versions in order', () => {
  for (const [index, version] of ASCENDING.entries()) {
    assert.ok(isVersion(version), version)
    for (const [other, later] of ASCENDING.entries()) {
      assert.equal(isOlder(version, later), index < other, `${version} < ${later}`)
      assert.equal(isSameVersion(version, later), index === other)
    }
  }
})

test('what is no version', () => {
  const none = [
    '9007199254740992.0.0',
    '',
    '1',
    '1.2',
    '01.2.3',
    '1.2.3-',
    '1.2.3-01',
    '1.2.3+',
    '1.2.3-a..b',
    'v1.2.3',
    '=1.2.3',
  ]
  for (const text of [...none, ' 1.2.3', '1.2.3\n', '1.2.3-ä', `1.2.${'3'.repeat(260)}`]) {
    assert.equal(isVersion(text), false, JSON.stringify(text))
    // Nothing slips past the comparison because it cannot be compared.
    assert.equal(isOlder(text, '1.0.0'), true)
    assert.equal(isOlder('1.0.0', text), false)
    assert.equal(isSameVersion(text, '1.0.0'), false)
    assert.equal(isSameVersion(text, text), true)
  }
})

test('an exact version and a range in an expectation', () => {
  const cases: [expect: string, version: string, isMet: boolean][] = [
    ['mini@=1.2.3', '1.2.3', true],
    ['mini@=1.2.3', '1.2.3+build', false],
    ['mini@1.2.3', '1.2.3+build', false],
    ['mini@v1.2.3', '1.2.3+build', false],
    ['mini@v1.2.3', '1.2.3', true],
    ['mini@1.2.3+good', '1.2.3+good', true],
    ['mini@=1.2.3+good', '1.2.3+good', true],
    ['mini@=1.2.3+good', '1.2.3+evil', false],
    ['mini@=v1.2.3+good', '1.2.3+evil', false],
    ['mini@1.2.3+good', '1.2.3', false],
    ['mini@^1.2', '1.9.0+build', true],
    ['mini@=1.2.3', '1.2.4', false],
    ['mini@1.2.3', '1.2.3', true],
    ['mini@v1.2.3', '1.2.4', false],
    ['mini@^1.2', '1.9.0', true],
    ['mini@^1.2', '1.9.0-rc.1', true],
    ['mini@^1.2', '2.0.0', false],
    ['mini@^1.2', 'none', false],
    ['mini@>=1 <3', '2.9.9', true],
    ['mini@*', '0.0.1', true],
  ]
  for (const [text, version, isMet] of cases) {
    const expected = readExpectation(text)
    assert.ok(expected, text)
    assert.equal(meets({ name: 'mini', version }, expected), isMet, `${text} ${version}`)
  }
  assert.equal(expectationOfFileName('mini-01.2.3.agent.bundle'), undefined)
  const named = expectationOfFileName('mini@pro-1.2.3-rc.1.agent.bundle')
  assert.ok(named && meets({ name: 'mini', variant: 'pro', version: '1.2.3-rc.1' }, named))
  assert.ok(!meets({ name: 'mini', variant: 'pro', version: '1.2.3' }, named))
  for (const end of ['', '.gz']) {
    const built = expectationOfFileName(`mini-1.2.3+good.agent.bundle${end}`)
    assert.ok(built && meets({ name: 'mini', version: '1.2.3+good' }, built))
    for (const version of ['1.2.3', '1.2.3+evil', '1.2.3+good.1'])
      assert.ok(!meets({ name: 'mini', version }, built), version)
  }
  // A range that names build metadata would compare none of it.
  for (const text of ['mini@^1.2.3+good', 'mini@>=1.2.3+good <2', 'mini@1.2.3+a || 1.2.3+b'])
    assert.equal(readExpectation(text), undefined, text)
  // A variable that is unset would mean every version.
  for (const text of ['||', '1.2.3 ||', '|| 1.2.3', '^1 || || ^2', ' || '])
    assert.equal(readExpectation(`mini@${text}`), undefined, text)
  assert.ok(readExpectation('mini@^1||^2'))
})

test('numbers of a pre-release that 64 bits cannot tell apart', () => {
  const [low, high] = ['1.0.0-9007199254740992', '1.0.0-9007199254740993']
  assert.deepEqual([isOlder(low, high), isOlder(high, low), isSameVersion(low, high)], [true, false, false])
  assert.ok(isOlder(high, '1.0.0-10000000000000000'))
})

test('what follows a number that is left out says nothing', () => {
  const accepts = (range: string, version: string) => readRange(range)?.(version)
  assert.deepEqual([accepts('1.2.x', '1.2.9'), accepts('1.2.x', '1.3.0')], [true, false])
  for (const range of ['1.x.3', '1.*.3', '1.X.0'])
    assert.deepEqual([accepts(range, '1.9.4'), accepts(range, '2.0.0')], [true, false], range)
  assert.equal(accepts('x.1.2', '9.9.9'), true)
  for (const text of ['1.0.0 - 2.0.0', '>= 1.0.0', '^v1.0.0', '1.x-rc', '1.0.0\t<2', '1.0.0+a', '1.0 ||'])
    assert.equal(readRange(text), undefined, text)
})
