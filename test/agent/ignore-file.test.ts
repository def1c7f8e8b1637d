// .bundleignore: gitignore's syntax, and no pattern that keeps it busy or brings the engine down.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readIgnoreFile } from '../../src/agent/ignore-file.ts'

function ignored(text: string, paths: readonly string[]): string[] {
  const file = readIgnoreFile(text)
  assert.ok(file.ok, JSON.stringify(file))
  return paths.filter(path => file.ignores(path.replace(/\/$/, ''), path.endsWith('/')))
}

const refusalOf = (text: string) => {
  const file = readIgnoreFile(text)
  return file.ok ? 'it was read' : `${file.line}: ${file.reason}`
}

test('reads as git does', () => {
  const paths = [
    'a.log',
    'keep.log',
    'docs/a.log',
    'build/',
    'build/x',
    'src/build',
    'a/x/b',
    'a/x/y/b',
    'a/b',
  ]
  assert.deepEqual(ignored('*.log\n!keep.log\n/build/\n', paths), [
    'a.log',
    'docs/a.log',
    'build/',
    'build/x',
  ])
  assert.deepEqual(ignored('a/**/b\n', paths), ['a/x/b', 'a/x/y/b', 'a/b'])
  assert.deepEqual(ignored('keep.log\r\na/b\r', paths), ['keep.log', 'a/b'])
  assert.deepEqual(ignored('**/a/**/b\r\n# **/**/**/**/x\n', paths), ['a/x/b', 'a/x/y/b', 'a/b'])
})

describe('what is refused', () => {
  const cases: [what: string, text: string, refusal: string][] = [
    ['too many lines', 'x\n'.repeat(1000), '1000: it has more than 1000 lines'],
    ['a line that is too long', `ok\n${'('.repeat(1001)}`, '2: it is longer than 1000 characters'],
    ['old line ends', 'a\rb\r', '1: it has a carriage return that is no line end'],
    ['one in a comment', 'a\n# b\rc\n', '2: it has a carriage return that is no line end'],
    ['two before a line feed', 'a\r\r\n', '1: it has a carriage return that is no line end'],
    ['too many wildcards', 'a*b*c*d*e', '1: a segment has more than 3 wildcards'],
    ['two ** between segments', 'x\n**/a/**/a/**/b', '2: it has ** between two segments more than once'],
    [
      'a hundred and one lines with one',
      'a/**/b\n'.repeat(101),
      '101: more than 100 lines have ** between two segments',
    ],
  ]
  for (const [what, text, refusal] of cases) test(what, () => assert.equal(refusalOf(text), refusal))

  test('and not: a long comment, the same within the bounds', () => {
    assert.equal(refusalOf(`#${'x'.repeat(5000)}\n`), 'it was read')
    assert.equal(
      refusalOf(`${'x'.repeat(1000)}\na*b*c*d\n**/a/**/b\n${'a/**/b\n'.repeat(99)}`),
      'it was read',
    )
  })
})

test('the worst that is read ends: a pattern at every bound, the deepest path there is', () => {
  const worst = ['**/a/**/b', 'a/**/*a*a*[!a]', '['.repeat(1000), '\\'.repeat(999), `${'?'.repeat(999)}*`]
  const deep = `${'a/'.repeat(127)}a`
  // Four ** take a minute here; the test's own time limit would end it.
  assert.deepEqual(ignored(worst.join('\n'), [deep, 'a'.repeat(256), 'b']), [])
  assert.deepEqual(ignored('a\n', ['x'.repeat(300)]), [])
})
