// What other code has added to `Object.prototype` in a process is no option and no member of a policy. Each verb of the library is run while
// every name of an option leads to a getter there, which notes who reads it; and bundles that are refused stay refused, whatever such a name says.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { settingOf } from '../../src/io/library/caller.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { callVerb, closeOpened, EVERY_VERB, makeWorld, type World } from '../support/every-verb.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import { ROOT } from '../support/lint-fixtures.ts'
import { slice } from '../support/runs.ts'
import { KEYS, type KeyName, signed } from '../support/trust-world.ts'
import { FUNCTION_OPTIONS } from '../support/verbs.ts'

const folder = temporary('inherited-options')
const NAMES: readonly string[] = [...new Set(Object.values(FUNCTION_OPTIONS).flat())]

/** Files that read members of documents by such a name, and no options. */
const DOCUMENTS = /\/src\/(?:lint\/rules\/|json\/|tools\/detect-tools|agentcli\/|convert\/exporters\/)/

const EXECUTES = {
  'policy.caps': '[capabilities]\nexec = ["/bin/true"]\n',
  'tools.json': JSON.stringify({
    version: 1,
    tools: [
      {
        id: 'do.it',
        description: 'Does it',
        input_schema: { type: 'object' },
        result_schema: true,
        transport: { kind: 'exec', command: '/bin/true' },
      },
    ],
  }),
}

/** Of an error, what it says of the bundle; of a bundle that was loaded, its verdict. */
function said(got: unknown): string {
  if (!(got instanceof Error)) return `loaded: ${(got as rlp.LoadedBundle).report.verdict}`
  return got instanceof rlp.NotVerifiedError
    ? `refused: ${got.report.verdict}`
    : `${got.name}: ${got.message}`
}

/** Runs something while `Object.prototype` has other members, and takes them away again. */
async function among<T>(
  added: Readonly<Record<string, PropertyDescriptor>>,
  work: () => Promise<T>,
): Promise<T> {
  for (const name of Object.keys(added)) assert.ok(!(name in Object.prototype), name)
  for (const [name, descriptor] of Object.entries(added))
    Object.defineProperty(Object.prototype, name, { ...descriptor, configurable: true })
  try {
    return await work()
  } finally {
    for (const name of Object.keys(added)) Reflect.deleteProperty(Object.prototype, name)
  }
}

const maps = new Map<string, SourceMap>()

/** A line of a stack, with the place in the source. By itself a compiled file names its own lines, unless source maps are enabled. */
function sourceOf(frame: string): string {
  const [, file, line, column] = /file:\/\/(\/.+\/\.tests\/.+\.js):(\d+):(\d+)/.exec(frame) ?? []
  if (file === undefined) return frame
  const map =
    maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload)
  maps.set(file, map)
  const entry = map.findEntry(Number(line) - 1, Number(column) - 1)
  return 'originalSource' in entry ? `${entry.originalSource}:${entry.originalLine + 1}` : frame
}

/** A getter for each name; `seen` gets the places in src/ that read one. */
function watched(names: readonly string[], seen: Set<string>): Readonly<Record<string, PropertyDescriptor>> {
  const getter = (name: string): PropertyDescriptor => ({
    get() {
      const limit = Error.stackTraceLimit
      Error.stackTraceLimit = 2
      const [, , reader = ''] = (new Error().stack ?? '').split('\n')
      Error.stackTraceLimit = limit
      const place = /(\/src\/[^:]+:\d+)/.exec(sourceOf(reader))?.[1]
      if (place !== undefined && !DOCUMENTS.test(place)) seen.add(`${name} in ${place}`)
      return undefined
    },
    // An assignment to a member that an object lacks makes one, as without the getter.
    set(value) {
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
    },
  })
  return Object.fromEntries(names.map(name => [name, getter(name)]))
}

describe('no verb reads an option that is inherited', () => {
  let world: World
  before(async () => {
    world = await makeWorld(folder('world'))
  })
  after(closeOpened)

  test('a getter sees a file of src/ that reads one', async () => {
    const seen = new Set<string>()
    await among(watched(NAMES, seen), async () => settingOf({}))
    assert.ok(
      [...seen].some(read => /^cwd in .*caller\.ts:\d+$/.test(read)),
      [...seen].join(),
    )
  })

  for (const [name, given] of slice(Object.entries(EVERY_VERB), 3))
    test(name, async () => {
      const here = await world.fresh()
      const seen = new Set<string>()
      await among(watched(NAMES, seen), () => callVerb(name, given(here)))
      await closeOpened()
      assert.deepEqual([...seen], [])
    })
})

/** Names of members of a policy, a lock, a manifest and what else has a schema. */
const OF_DOCUMENTS = readdirSync(join(ROOT, 'schemas'))
  .filter(name => name.endsWith('.json'))
  .flatMap(name =>
    [...readFileSync(join(ROOT, 'schemas', name), 'utf8').matchAll(/"([a-z][a-z_]+)": \{/g)].flatMap(
      ([, key]) => key ?? [],
    ),
  )

/** What would let more count, if it were read: a flag, a list of everything, and a function that says yes. */
const VALUES: readonly unknown[] = [true, 'any', ['any'], () => true]

describe('a bundle is judged as if nothing had been added', () => {
  const names = [...new Set([...NAMES, ...OF_DOCUMENTS])].filter(name => !(name in Object.prototype))
  const cases = names.flatMap(name => VALUES.map(value => ({ name, value })))
  const widens = cases.filter(({ name }) => /^allow|^(?:expect|bundle|anchors|rules)$/.test(name))
  const tried = [...new Set([...widens, ...slice(cases, 200)])]
  const policy = {
    anchors: { release: KEYS.release.anchor, dev: { key: KEYS.dev.anchor, allow_dev: true } },
    rules: { release: { allow_caps: 'any', allow_net: [], agents: ['mini'] } },
  } as const
  const wide = { ...policy, rules: { release: { ...policy.rules.release, allow_exec: true } } }
  const given = { expect: 'mini', home: false, trustPolicy: wide } as const
  const tree = agentTree({ version: '1.0.0', files: EXECUTES })
  const by = (key: KeyName) => bundleOf(signed(tree, key))
  const good = by('release')
  const loads: Readonly<Record<string, readonly [says: string, load: () => Promise<unknown>]>> = {
    'a good one': ['loaded: trusted', () => rlp.loadBundle(good, given)],
    unsigned: ['refused: unsigned', () => rlp.loadBundle(bundleOf(tree), given)],
    'by a stranger': ['refused: untrusted', () => rlp.loadBundle(by('stranger'), given)],
    'by a key of development': ['refused: untrusted', () => rlp.loadBundle(by('dev'), given)],
    'another agent': ['refused: untrusted', () => rlp.loadBundle(good, { ...given, expect: 'other' })],
    'more than its signer may grant': [
      'refused: policy_denied',
      () => rlp.loadBundle(good, { ...given, trustPolicy: policy }),
    ],
    'without a policy': [
      'refused: indeterminate',
      () => rlp.loadBundle(good, { expect: 'mini', home: false }),
    ],
    'without an expectation': [
      'UsageError: Cannot call loadBundle: expect is missing',
      () => rlp.loadBundle(good, { home: false, trustPolicy: wide } as never),
    ],
  }

  for (const [what, [says, load]] of Object.entries(loads))
    test(what, async () => {
      const answer = () => load().then(said, said)
      assert.equal(await answer(), says)
      for (const { name, value } of tried) {
        const got = await among({ [name]: { value, writable: true, enumerable: true } }, answer)
        assert.equal(got, says, `with ${name}: ${String(value)}`)
      }
    })
})

test('an object of a class, or one made from another, is refused as options and as a table in them', async () => {
  class Given {
    readonly home = false
    get expect() {
      return 'mini'
    }
  }
  const plain = { expect: 'any', home: false } as const
  const bundle = new Uint8Array(1)
  assert.equal((await rlp.verifyBundle(bundle, plain)).verdict, 'invalid')
  // Of no prototype, and of another realm.
  assert.equal((await rlp.verifyBundle(bundle, Object.assign(Object.create(null), plain))).verdict, 'invalid')
  const foreign = runInNewContext('({ expect: "any", home: false })')
  assert.equal((await rlp.verifyBundle(bundle, foreign)).verdict, 'invalid')
  for (const [options, what] of [
    [new Given(), 'the options of verifyBundle'],
    [Object.create(plain), 'the options of verifyBundle'],
    [{ ...plain, trustPolicy: Object.create({ anchors: {} }) }, 'the option trustPolicy'],
    [{ ...plain, trustPolicy: { anchors: new Map() } }, 'the option trustPolicy'],
    [{ ...plain, limits: Object.create({ files: 1 }) }, 'the option limits'],
  ] as const)
    await assert.rejects(rlp.verifyBundle(bundle, options as never), {
      code: 'USAGE',
      message: `Cannot use ${what}: some members may come from a class or from another object`,
      hint: 'Copy the members into a plain object',
    })
})
