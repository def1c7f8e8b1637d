// Chance and a seed → one question for both readers: a bundle, and what is given beside it.
import { policyText } from '../../../fixtures/conformance/kit.ts'
import { archive, inOrder } from '../../../fixtures/conformance/ustar.ts'
import type { Given, Vector } from '../../../fixtures/conformance/vector.ts'
import { envelopeOf, SIGNER } from '../../../fixtures/conformance/world.ts'
import { mutateBytes } from '../mutate/bytes.ts'
import { mutateJson } from '../mutate/json.ts'
import { mutateTar } from '../mutate/tar.ts'
import { mutateText } from '../mutate/text.ts'
import { mutateToml } from '../mutate/toml.ts'
import { mutateWasm } from '../mutate/wasm.ts'
import type { Random } from '../random.ts'
import { WORDS } from '../targets/words.ts'
import { filesIn, resealed, type Seeds } from './seeds.ts'

export interface Question {
  readonly bundle: Uint8Array
  readonly given: Given
}

type Make = (random: Random, seeds: Seeds) => Question

/** How many of a hundred, and how they are made. */
export const KINDS: Readonly<Record<string, readonly [share: number, make: Make]>> = {
  bytes: [3, (random, { all }) => changed(random.pick(all), bundle => mutateBytes(random, bundle))],
  archive: [4, (random, { all }) => changed(random.pick(all), bundle => mutateTar(random, filesIn(bundle)))],
  file: [40, file],
  envelope: [6, envelope],
  policy: [
    14,
    (random, { judged }) => given(random.pick(judged), 'policy', text => toml(random, text, WORDS.trust)),
  ],
  expectation: [10, expectation],
  name: [5, name],
  state: [4, (random, { all }) => aged(random, random.pick(all))],
  lock: [
    8,
    (random, { locked }) =>
      given(random.pick(locked), 'lock', text =>
        toml(random, text, ['version', 'agents', '"mailer@pro"', 'source']),
      ),
  ],
  mixed: [6, mixed],
}

function changed({ bundle, given = {} }: Vector, change: (bundle: Uint8Array) => Uint8Array): Question {
  return { bundle: change(bundle), given }
}

function given(
  { bundle, given = {} }: Vector,
  name: 'policy' | 'lock',
  change: (text: string) => Uint8Array,
): Question {
  const text = given[name]
  return { bundle, given: { ...given, [name]: change(typeof text === 'string' ? text : policyText()) } }
}

function toml(random: Random, text: string, words: readonly string[]): Uint8Array {
  return random.once(3) ? mutateText(random, text, words) : mutateToml(random, text, words)
}

/** One file, with all digests and the signature made again. */
function file(random: Random, { all }: Seeds): Question {
  const files = filesIn(random.pick(all).bundle)
  const paths = Object.keys(files).filter(path =>
    /^(?:manifest\.toml|policy\.caps|tools\.json|interfaces\.json|schemas\/.*\.json|.*\.wasm)$/.test(path),
  )
  const path = random.pick(paths)
  const before = files[path] ?? Buffer.alloc(0)
  const after = mutated(random, path, before)
  const isSigned = 'SIGNATURES/manifest.sig' in files
  const others = isSigned ? resealed(files, path, after) : { ...files, [path]: after }
  return { bundle: archived(others), given: {} }
}

function mutated(random: Random, path: string, before: Buffer): Buffer {
  if (path.endsWith('.wasm')) return random.once(2) ? mutateWasm(random) : mutateBytes(random, before)
  const text = before.toString()
  if (path === 'manifest.toml') return mutateToml(random, text, WORDS.manifest)
  if (path === 'policy.caps') return mutateToml(random, text, WORDS.policy)
  const words =
    path === 'tools.json' ? WORDS.tools : path === 'interfaces.json' ? WORDS.interfaces : WORDS.schema
  return mutateJson(random, JSON.parse(text), random.once(3) ? WORDS.schema : words)
}

function archived(files: Readonly<Record<string, Uint8Array>>): Buffer {
  return archive(inOrder(Object.entries(files).map(([path, content]) => ({ path, content }))))
}

/** What is signed, or the envelope around it. */
function envelope(random: Random, { all }: Seeds): Question {
  const files = filesIn(random.pick(all).bundle)
  const sig = files['SIGNATURES/manifest.sig']
  if (sig === undefined) return { bundle: archived(files), given: {} }
  const read = JSON.parse(sig.toString())
  const statement = JSON.parse(Buffer.from(read.payload, 'base64').toString())
  const inside = () =>
    Buffer.from(JSON.stringify(envelopeOf(mutateJson(random, statement, WORDS.envelope), [SIGNER])))
  const outside = () => (random.once(2) ? mutateJson(random, read, WORDS.envelope) : mutateBytes(random, sig))
  return {
    bundle: archived({ ...files, 'SIGNATURES/manifest.sig': random.once(2) ? inside() : outside() }),
    given: {},
  }
}

/** A bundle of one, and the circumstances of another. */
function mixed(random: Random, { all, judged }: Seeds): Question {
  const { given = {} } = random.pick(judged)
  const { bundle, given: others = {} } = random.pick(random.once(2) ? all : judged)
  const { policy } = others
  return {
    bundle,
    given: { ...given, ...(random.once(3) && policy !== undefined && { system: policy as string }) },
  }
}

const SIGNS = ['', '', '', '=', '^', '^', '~', '~', '>=', '>', '<=', '<', '<', '= ', 'v', '~>']
const VERSION_PARTS = [
  ...'0123',
  ...'0123',
  ...'0123',
  ...'xX*9',
  '10',
  '01',
  '9007199254740991',
  '9007199254740992',
]
const BEFORE = [
  ...Array<string>(12).fill(''),
  '-0',
  '-rc',
  '-rc.1',
  '-1.a',
  '-01',
  '-',
  '+a',
  '-9007199254740993',
  '-rc+b.01',
]

function versionIn(random: Random, most: number): string {
  const parts = Array.from({ length: random.between(1, most) }, () => random.pick(VERSION_PARTS))
  return `${parts.join('.')}${random.pick(BEFORE)}`
}

function rangeIn(random: Random): string {
  const set = () =>
    Array.from(
      { length: random.between(1, 2) },
      () => `${random.pick(SIGNS)}${versionIn(random, random.once(9) ? 4 : 3)}`,
    ).join(random.once(9) ? '  ' : ' ')
  return Array.from({ length: random.between(1, 2) }, set).join(random.pick(['||', ' || ']))
}

function expectation(random: Random, { expected }: Seeds): Question {
  const { bundle, given = {} } = random.pick(expected)
  const words = ['@', '^', '~', '||', '-', '*', ' ', '1', '.', '\u00a0', '\ufeff', '\u0085']
  const [agent = 'mailer'] = String(given.expect).split('@')
  const text = random.once(2)
    ? `${agent}@${rangeIn(random)}`
    : mutateText(random, String(given.expect), words).toString()
  return { bundle, given: { ...given, expect: text } }
}

/** The name of a file, in signs that a disk and a line can hold. */
function name(random: Random, { named }: Seeds): Question {
  const { bundle, given = {} } = random.pick(named)
  const version = random.once(2) ? versionIn(random, 4) : undefined
  const before = given.fileName ?? ''
  const text =
    version === undefined
      ? mutateText(random, before, ['@', '-', '.', '+', '1', 'a']).toString()
      : before.replace(/[0-9].*(?=\.agent)/, version)
  const fileName = text.replace(/[/\0-\x1f\ufffd\x7f]/g, '_').slice(0, 60)
  return { bundle, given: { ...given, fileName: /^\.*$/.test(fileName) ? 'x' : fileName } }
}

/** What was installed before, and the time. */
function aged(random: Random, { bundle, given = {} }: Vector): Question {
  const text = filesIn(bundle)['manifest.toml']?.toString() ?? ''
  const [, agent = 'kit'] = /^name = "(.*)"$/m.exec(text) ?? []
  const [, version = '1.0.0'] = /^version = "(.*)"$/m.exec(text) ?? []
  const versions = [
    version,
    `${version.split('+')[0]}+zz`,
    '0.0.1',
    '1.0.0-9007199254740993',
    '1.0.0-rc.1',
    '99.0.0',
  ]
  const mark = () => ({
    version: random.pick(versions),
    identity: random.pick([null, `blake3:${'0'.repeat(64)}`]),
  })
  const state = { [random.once(9) ? `${agent}@x` : agent]: Array.from({ length: random.below(4) }, mark) }
  const clock = random.pick([
    undefined,
    '2026-11-20T00:00:00Z',
    '2026-11-20T00:00:00.001Z',
    '2027-01-01T00:00:00Z',
    '2025-12-31T23:59:59.9Z',
  ])
  return { bundle, given: { ...given, state, ...(clock !== undefined && { clock }) } }
}
