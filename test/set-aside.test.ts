// What the build puts into files of their own, so that commands do not load it, is what it was; and they do without it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { before, suite, test } from 'node:test'
import { transformSync } from 'esbuild'
import { makeAgent, makeSigned } from '../scripts/bench/inputs.ts'
import { loadLater } from '../scripts/later.ts'
import { inHalves } from '../scripts/set-aside.ts'
import { temporary } from './support/folder.ts'

/** As the bundler writes it. */
const MODULE = `
import { sep, join as join2 } from "node:path";
import "node:os";
var LIMIT = 3;
var WORDS = new Set(["a", LIMIT, \`b\${-1}\`]);
var known;
var count = 0;
var first = count;
var Holder = class extends Map { size2 = LIMIT; all() { return [...this.keys(), shown()] } };
var Fault = class extends Error { code = 1 };
var made = [early(1), early(2)];
function early(n) { return n * LIMIT; }
function compare(a, b) { return a - b; }
function once() { return known ??= [...WORDS, join2("x", "y")]; }
function add() { count += 1; return count; }
async function slow(n) { return [n, once().length, add()]; }
function* all() { yield* new Holder([["k", 1]]).all(); }
function shown({ LIMIT: own = LIMIT, ...rest } = {}) { return { own, rest, text: \`\${made}\` }; }
function fail() { throw new Fault("no"); }
var arrow = (n) => early(n) + 1;
var hot = (function hot2(list, isOdd) {
  list.sort(compare);
  try { if (isOdd) fail(); } catch (error) { return [error instanceof Fault, error.code]; }
  return isOdd === void 0 ? [list, sep, count] : [slow(1), once(), [...all()], arrow(2), shown({ x: 1 })];
});
function seen() { return [first, count]; }
export { hot, slow as later, shown, LIMIT, seen };
`

const WAYS = { kept: './kept.cjs', rest: 'later:rest' }

const folder = temporary('set-aside')('all')

suite('a module in two halves', () => {
  const { kept, rest } = inHalves(MODULE, WAYS)

  test('answers the same', async () => {
    const whole = await answers('whole.cjs', { 'whole.cjs': MODULE })
    assert.deepEqual(await answers('kept.cjs', { 'kept.cjs': kept, 'rest.cjs': rest }), whole)
  })

  test('functions that are only declared are apart, with what only they use', () => {
    for (const apart of [
      'function once',
      'var known',
      'var WORDS',
      'slow(n)',
      'var arrow',
      'var Holder',
      'all()',
    ])
      assert.ok(rest.includes(apart) && !kept.includes(`\n${apart}`), apart)
  })

  test('what is run, passed on, exported or given another value stays', () => {
    for (const stays of [
      'function early',
      'function compare',
      'var LIMIT',
      'function add',
      'var Fault',
      'var made',
    ])
      assert.ok(kept.includes(stays) && !rest.includes(stays), stays)
  })

  test('each imports what it uses and no more of a module', () => {
    assert.match(kept, /import \{ sep \} from "node:path"/)
    assert.match(rest, /import \{ join as join2 \} from "node:path"/)
    assert.ok(kept.includes('import "node:os"') && !rest.includes('node:os'))
  })

  test('two exports under one name are refused', () => {
    const clash = 'var a = Date.now(); var b = 2; function f() { return a }\nexport { b as a };'
    assert.throws(() => inHalves(clash, WAYS), {
      message: './kept.cjs exports something else as a',
    })
  })

  async function answers(entry: string, files: Readonly<Record<string, string>>): Promise<unknown> {
    for (const [name, code] of Object.entries(files))
      writeFileSync(join(folder, name), loadLater(transformSync(code, { format: 'cjs' }).code))
    const module = createRequire(join(folder, entry))(`./${entry}`)
    const [promise, ...others] = module.hot([3, 1], false)
    return [
      await promise,
      others,
      module.hot([3, 1], true),
      module.hot([3, 1]),
      await module.later(7),
      module.shown({ LIMIT: 5, z: 1 }),
      module.LIMIT,
      module.seen(),
    ]
  }
})

suite('the program', () => {
  const program = resolve('dist/program/rlp.cjs')
  let start: (...args: string[]) => string[]

  before(() => {
    const { bundle, home } = makeSigned(folder)
    makeAgent(folder, { name: 'mini' })
    const list = join(folder, 'list.cjs')
    writeFileSync(
      list,
      "process.on('exit', () => console.error('loaded ' + JSON.stringify(Object.keys(require.cache))))",
    )
    start = (verb, ...args) => {
      const command = ['agent', verb, verb === 'verify' ? bundle : 'mini', ...args]
      const { stderr } = spawnSync(process.execPath, ['--require', list, program, ...command], {
        cwd: folder,
        encoding: 'utf8',
        env: { RUNLOOP_HOME: home },
      })
      const loaded = JSON.parse(/^loaded (.*)$/m.exec(stderr)?.[1] ?? '[]') as string[]
      assert.ok(loaded.includes(program), stderr)
      return loaded
        .filter(path => path.endsWith('-rest.cjs'))
        .map(path => basename(path).replace(/-\w+-rest/, ''))
    }
  })

  test('names nothing that it does not have', () => {
    const biome = resolve('node_modules/@biomejs/biome/bin/biome')
    // A folder of its own: what is built is nothing that the project's settings speak of.
    const copies = join(folder, 'program')
    cpSync(dirname(program), copies, {
      recursive: true,
      filter: path => !basename(path).startsWith('browser-'),
    })
    writeFileSync(join(copies, 'biome.json'), '{ "javascript": { "globals": ["arguments"] } }')
    writeFileSync(join(copies, 'control.cjs'), 'module.exports = () => notThere')
    const args = [
      'lint',
      '--only=correctness/noUndeclaredVariables',
      '--colors=off',
      '--max-diagnostics=20',
      '.',
    ]
    const { stdout, stderr } = spawnSync(process.execPath, [biome, ...args], {
      cwd: copies,
      encoding: 'utf8',
    })
    const names = [...`${stdout}${stderr}`.matchAll(/The (\S+) variable is undeclared/g)].map(
      ([, name]) => name,
    )
    assert.deepEqual(names, ['notThere'], stdout)
  })

  test('verifies a trusted bundle, and lints, digests and packs an agent, with one half of each', () => {
    const loaded = ['verify', 'lint', 'digest', 'pack'].map(verb => [verb, start(verb)])
    assert.deepEqual(loaded, [
      ['verify', []],
      ['lint', []],
      ['digest', []],
      ['pack', []],
    ])
  })

  test('loads the other for what is seldom said', () => {
    assert.deepEqual(start('verify', '--expect', 'other'), ['agent-verify.cjs'])
  })
})
