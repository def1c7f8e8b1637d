// Agents and bundles with something in them that steers a terminal: in each text that they hold, in names, and in what is no text.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'smol-toml'
import { agentTree, bundleOf, type Tree } from '../../../test/support/agent.ts'
import { archive, entry, text } from '../../../test/support/archive.ts'
import { KEYS, signatureFile, signed } from '../../../test/support/trust-world.ts'
import {
  custom,
  exportOf,
  importOf,
  rawModule,
  section,
  type as typeOf,
  vec,
} from '../../../test/support/wasm.ts'
import { digested, fixtureTree, textOf } from '../fixture-tree.ts'
import { HOSTILE, poisoned } from './poison.ts'

export interface Variant {
  readonly id: string
  /** The agent's folder. */
  readonly tree: Tree
  /** A bundle, when it is not that of the tree with a signature. */
  readonly bundle?: Uint8Array
  /** Puts into the folder what no tree holds. */
  readonly harm?: (folder: string) => void
}

const AGENT = fixtureTree('every-transport')
const RECORDS = fixtureTree('interfaces')
const SCHEMA = 'schemas/mail.send.request.v1.json'

/** A name on a disk has no slash. */
const NAME = HOSTILE.replaceAll('/', '')

export function variants(): Variant[] {
  return [
    ...json(AGENT, 'tools.json'),
    ...json(AGENT, SCHEMA),
    ...json(RECORDS, 'interfaces.json'),
    ...toml(AGENT, 'policy.caps'),
    ...toml(AGENT, 'manifest.toml'),
    ...raw(),
    ...modules(),
    ...names(),
    ...signatures(),
    ...archives(),
  ]
}

function json(base: Tree, path: string): Variant[] {
  return [...poisoned(JSON.parse(textOf(base, path)))].map(([id, value]) => ({
    id: `${path} ${id}`,
    tree: digestedIfPossible({ ...base, [path]: JSON.stringify(value) }),
  }))
}

function toml(base: Tree, path: string): Variant[] {
  return [...poisoned(parse(textOf(base, path)))].map(([id, value]) => ({
    id: `${path} ${id}`,
    tree: digestedIfPossible({ ...base, [path]: stringify(value) }),
  }))
}

/** Most of them can no longer be digested: then they are looked at as they are. */
function digestedIfPossible(tree: Tree): Tree {
  try {
    return digested(tree)
  } catch {
    return tree
  }
}

/** Files that are no documents at all, or are ones up to a place. */
function raw(): Variant[] {
  return ['manifest.toml', 'policy.caps', 'tools.json', SCHEMA, 'README.md'].flatMap(path => [
    { id: `${path}, all of it`, tree: { ...AGENT, [path]: HOSTILE } },
    { id: `${path}, its end`, tree: { ...AGENT, [path]: `${textOf(AGENT, path)}${HOSTILE}` } },
    { id: `${path}, a comment`, tree: { ...AGENT, [path]: `# ${HOSTILE}\n${textOf(AGENT, path)}` } },
    {
      id: `${path}, bytes`,
      tree: { ...AGENT, [path]: Buffer.from([0x1b, 0x5b, 0x32, 0x4a, 0xff, 0xfe, 0x9b]) },
    },
  ])
}

function modules(): Variant[] {
  const made = (...sections: readonly (readonly number[])[]) => ({
    ...AGENT,
    'bin/mailer.wasm': rawModule(...sections),
  })
  const types = section(1, vec([typeOf([], [])]))
  return [
    { id: 'an import’s module', tree: made(types, section(2, vec([importOf(HOSTILE, 'x')]))) },
    { id: 'an import’s name', tree: made(types, section(2, vec([importOf('runloop', HOSTILE)]))) },
    {
      id: 'an export’s name',
      tree: made(
        types,
        section(2, vec([importOf('runloop', 'time_now')])),
        section(7, vec([exportOf(HOSTILE, 'function')])),
      ),
    },
    { id: 'the name of a section', tree: made(custom(HOSTILE)) },
    { id: 'no module', tree: { ...AGENT, 'bin/mailer.wasm': HOSTILE } },
  ].map(({ id, tree }) => ({ id, tree: digestedIfPossible(tree) }))
}

function names(): Variant[] {
  const tree = AGENT
  return [
    { id: 'the name of a file', tree, harm: folder => writeFileSync(join(folder, NAME), 'x') },
    { id: 'the name of a dot file', tree, harm: folder => writeFileSync(join(folder, `.${NAME}`), 'x') },
    { id: 'the name of a folder', tree, harm: folder => mkdirSync(join(folder, `d${NAME}`)) },
    { id: 'the name of a link', tree, harm: folder => symlinkSync('/nowhere', join(folder, `l${NAME}`)) },
    { id: 'where a link leads', tree, harm: folder => symlinkSync(`/nowhere/${NAME}`, join(folder, 'link')) },
    {
      id: 'a pattern',
      tree,
      harm: folder => writeFileSync(join(folder, '.bundleignore'), `${HOSTILE}\n*${HOSTILE}*****\n`),
    },
    {
      id: 'a file that is left out',
      tree,
      harm: folder => writeFileSync(join(folder, '.bundleignore'), `README.md\n# ${HOSTILE}\n`),
    },
  ]
}

function signatures(): Variant[] {
  const good = agentTree()
  const made = (options: Parameters<typeof signatureFile>[2]) =>
    bundleOf({ ...good, 'SIGNATURES/manifest.sig': signatureFile(good, [KEYS.release], options) })
  return [
    {
      id: 'a key id',
      tree: good,
      bundle: made({ envelope: { 'signatures/0/keyid': `ed25519:${HOSTILE}` } }),
    },
    { id: 'a payload type', tree: good, bundle: made({ envelope: { payloadType: HOSTILE } }) },
    {
      id: 'the agent of a statement',
      tree: good,
      bundle: made({ statement: { 'predicate/agent/name': HOSTILE } }),
    },
    {
      id: 'the version of a statement',
      tree: good,
      bundle: made({ statement: { 'predicate/agent/version': HOSTILE } }),
    },
    { id: 'the type of a statement', tree: good, bundle: made({ statement: { predicateType: HOSTILE } }) },
    {
      id: 'the end of a statement',
      tree: good,
      bundle: made({ statement: { 'predicate/notAfter': HOSTILE } }),
    },
    { id: 'no envelope', tree: good, bundle: bundleOf({ ...good, 'SIGNATURES/manifest.sig': HOSTILE }) },
    {
      id: 'a manifest that was signed',
      tree: good,
      bundle: bundleOf(signed({ ...good, 'manifest.toml': `# ${HOSTILE}` }, 'release')),
    },
  ]
}

/** Archives that are not ours: install says what about them is not. */
function archives(): Variant[] {
  const tree = agentTree()
  const odd = (change: (header: Uint8Array) => void) =>
    archive(entry('manifest.toml', 'x'), entry('z', 'x', change))
  const name = Buffer.from(`agent.bundle/${HOSTILE}`).subarray(0, 99)
  return [
    { id: 'the name of an entry', tree, bundle: odd(header => header.set(name, 0)) },
    {
      id: 'the name of a link',
      tree,
      bundle: odd(header => {
        header.set(name, 0)
        text(header, 156, 1, '2')
      }),
    },
    {
      id: 'the target of a link',
      tree,
      bundle: odd(header => {
        text(header, 156, 1, '2')
        header.set(name, 157)
      }),
    },
    { id: 'an owner', tree, bundle: odd(header => header.set(name.subarray(0, 31), 265)) },
    {
      id: 'a name of pax',
      tree,
      bundle: archive(
        entry('manifest.toml', 'x'),
        entry('p', `99 path=${HOSTILE}\n`, header => text(header, 156, 1, 'x')),
        entry('z', 'x'),
      ),
    },
    { id: 'no archive', tree, bundle: Buffer.from(HOSTILE.repeat(50)) },
  ]
}
