// What the build rewrites so that it is compiled at once means what it meant, and scripts/starts.json still names what is there.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { inParentheses } from '../scripts/eager.ts'

const MODULE = `
import { join } from 'node:path'
export const early = later(1) + plain(1)
export function later(a, { b = 2 } = {}) { return a + b }
function plain(a) { return [a, a + 1].map(x => x * 2).reduce((sum, x) => sum + x, 0) }
export const object = {
  base: 10,
  arrow: a => ({ a }),
  async slow(a) { return this.base + a },
  * check(list) { for (const x of list) yield join('a', String(x)) },
  get size() { return 3 },
  ['computed']() { return 4 },
}
export class Holder { value = 5; all() { return [1].map(x => x + this.value) } }
export function counted() { const own = () => arguments.length; return own() }
export const child = { __proto__: { hello() { return 'hello' } }, hello() { return super.hello() + '!' } }
`
const NAMES = new Set([
  'later',
  'plain',
  'arrow',
  'slow',
  'check',
  'all',
  'counted',
  'own',
  'hello',
  'size',
  'computed',
])

suite('functions in parentheses', () => {
  test('mean the same', async () => {
    const rewritten = inParentheses(MODULE, NAMES)
    assert.ok(rewritten.indexOf('const later = (function later(') < rewritten.indexOf('early'))
    assert.match(rewritten, /check: \(function\* \(list\)/)
    assert.match(rewritten, /arrow: \(function \(a\)/)
    assert.deepEqual(await answers(rewritten), await answers(MODULE))
  })

  test('are none where none is named, apart from those without a name', () => {
    assert.equal(
      inParentheses('export function a() {}\nexport const b = { c: x => x }', new Set()),
      'export function a() {}\nexport const b = { c: x => x }',
    )
  })

  test('stand in modules that exist and name them', () => {
    const starts = JSON.parse(readFileSync('scripts/starts.json', 'utf8')) as Record<string, string[]>
    const own = Object.entries(starts).filter(([module]) => module.startsWith('src/'))
    const names = own.flatMap(([module, called]) => called.map(name => ({ module, name })))
    const gone = names.filter(({ module, name }) =>
      existsSync(module)
        ? !readFileSync(module, 'utf8').includes(name.split(' ').at(-1) ?? '')
        : !module.includes('/generated/'),
    )
    assert.ok(
      own.length > 100 && gone.length * 20 < names.length,
      `npm run record-starts records them again; gone: ${gone.map(({ module, name }) => `${module} ${name}`)}`,
    )
  })
})

async function answers(code: string): Promise<unknown> {
  const { early, later, object, Holder, counted, child } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  )
  return {
    early,
    later: [later(1), later(1, { b: 5 }), later.name, later.length],
    object: [
      object.arrow(1),
      object.arrow.name,
      await object.slow(2),
      [...object.check([1, 2])],
      object.size,
      object.computed(),
    ],
    holder: new Holder().all(),
    counted: counted(1, 2, 3),
    child: child.hello(),
  }
}
