// Cases of names, references and where agents are looked for.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readReference, referenceText } from '../../../src/agent/agent-name.ts'
import { readBundle } from '../../../src/io/bundle/read-bundle.ts'
import { findAgents } from '../../../src/io/find/find-agents.ts'
import { bundlePath, folderPath } from '../../../src/io/root/root-places.ts'
import { rootsFor } from '../../../src/io/root/roots.ts'
import { refuseBadName } from '../../../src/scaffold/scaffold.ts'
import { parseToml } from '../../../src/toml/parse.ts'
import { agentTree, bundleOf, writeTree } from '../../support/agent.ts'
import { temporary } from '../../support/folder.ts'
import { world } from '../../support/install-world.ts'
import { type Checks, check } from '../case.ts'

const folderFor = temporary('cases-places')

interface Named {
  readonly name: string
  readonly variant: string | null
}
interface Tree {
  readonly files: Readonly<Record<string, string>>
  readonly searchDirs: readonly string[]
}

export const places: Checks = {
  agentName: check<string, { ok: boolean; error?: string }>((name, { ok, error }) => {
    if (ok) return refuseBadName(name)
    assert.throws(
      () => refuseBadName(name),
      (thrown: Error & { code: string; hint: string }) => {
        assert.equal(thrown.code, 'USAGE')
        assert.equal(thrown.message, `Cannot scaffold "${name}": invalid agent name`)
        // What is meant is ours to add.
        const own = thrown.hint.replace(/^Did you mean \S+\? /, '')
        const hint = own.charAt(0).toLowerCase() + own.slice(1)
        assert.equal(error, `invalid agent name '${name}' (${hint})`)
        return true
      },
    )
  }),

  // Openings are written here and not read. What is behind `agent:` is a reference like any other, and names are stricter than
  // in openings: those of bundles.
  agentUse: check<string, Named & { error?: string }>((text, expected) => {
    const reference = text.startsWith('agent:') ? readReference(text.slice('agent:'.length)) : undefined
    const isOurs = expected.error === undefined && /^[a-z][a-z0-9_]*$/.test(expected.name)
    if (isOurs) assert.deepEqual({ ...reference, variant: reference?.variant ?? null }, expected)
    else assert.equal(reference, undefined)
  }),

  agentSpec: check<Named, string>(({ name, variant }, expected) =>
    assert.equal(referenceText({ name, variant: variant ?? undefined }), expected),
  ),

  // Each place is looked at when those before it are empty.
  candidateRoots: check<Named, readonly string[]>(async ({ name, variant }, expected) => {
    const cwd = folderFor('candidates')
    const reference = referenceText({ name, variant: variant ?? undefined })
    for (const place of expected) writeTree(join(cwd, 'agents', place), { 'manifest.toml': '' })
    for (const place of expected) {
      const [found, ...more] = await findAgents([reference], { agentsDir: 'agents', cwd })
      assert.deepEqual([found?.label, more], [`agents/${place}`, []])
      rmSync(join(cwd, 'agents', place, 'manifest.toml'))
    }
    await assert.rejects(findAgents([reference], { agentsDir: 'agents', cwd }), { code: 'NOT_FOUND' })
  }),

  findManifest: check<Tree & { request: Named }, string>(async ({ files, searchDirs, request }, expected) => {
    const cwd = writeTree(folderFor('find'), files)
    const { name, variant } = request
    const reference = referenceText({ name, variant: variant ?? undefined })
    const found = await findAgents([reference], { agentsDir: searchDirs[0] ?? '', cwd })
    assert.deepEqual(
      found.map(({ label }) => `${label}/manifest.toml`),
      [expected],
    )
  }),

  listAgents: check<
    Tree,
    readonly { name: string; variant: null; version: string; manifest: string }[] | { error: string }
  >(async ({ files, searchDirs }, expected) => {
    const here = world(folderFor('list'))
    for (const [path, text] of Object.entries(files)) writeTree(here.cwd, wholeAgent(path, text))
    const [dir = ''] = searchDirs
    const { exit, envelope } = await here.rlp('agent', 'list', '--root', dir)
    assert.equal(exit, 0)
    const agents = envelope.result?.['agents'] as readonly Readonly<Record<string, unknown>>[] | undefined
    const rows = agents?.map(({ name, variant, version, manifest, status }) => ({
      name,
      variant,
      version,
      manifest,
      status,
    }))
    const good = { ...row('writer'), manifest: join(here.cwd, 'a/writer/manifest.toml') }
    if ('error' in expected) {
      // One broken manifest hides no other agent: it is a row with its issues.
      const bad = { name: 'a/bad', variant: null, version: null, status: 'invalid' }
      assert.deepEqual(rows, [{ ...bad, manifest: join(here.cwd, 'a/bad/manifest.toml') }, good])
      return
    }
    // A root is a folder: what names a manifest is no root, and nothing is in it.
    const listed = Object.hasOwn(files, dir) ? [] : expected
    assert.deepEqual(
      rows,
      listed.map(({ name, manifest }) => ({ ...row(name), manifest: join(here.cwd, manifest) })),
    )
  }),

  // There is no workspace and no configuration file here: authors have --agents-dir, else ./agents, and what is installed is in fixed
  // roots, of which the last two are the system's.
  searchDirs: check<{ agentsDir?: string; config: string[]; noneExist?: boolean }, readonly string[]>(
    async ({ agentsDir = '/ws/agents', config, noneExist }, expected) => {
      if (noneExist) {
        const paths = (await rootsFor(undefined, '/nowhere')).map(({ path }) => path)
        assert.ok(
          expected.slice(1).every(path => paths.includes(path)),
          paths.join(),
        )
        return
      }
      const cwd = folderFor('search')
      const [first = '', ...others] = expected.map(path => path.slice(1))
      for (const dir of [first, ...others]) writeTree(join(cwd, dir, 'writer'), { 'manifest.toml': '' })
      const options =
        agentsDir === '/ws/agents' ? { agentsDir: 'agents', cwd: join(cwd, 'ws') } : { agentsDir: first, cwd }
      const [found] = await findAgents(['writer'], options)
      assert.equal(found?.path, join(cwd, first, 'writer'))
      rmSync(join(cwd, first, 'writer'), { recursive: true })
      await assert.rejects(findAgents(['writer'], options), { code: 'NOT_FOUND' }, `${config} is looked at`)
    },
  ),

  installDest: check<Named, string>(({ name, variant }, expected) => {
    const agent = referenceText({ name, variant: variant ?? undefined })
    const root = { path: '<root>', label: '<root>' }
    // The file is what counts, and the folder is where other runtimes look for it.
    assert.equal(folderPath(root, agent), expected)
    assert.equal(bundlePath(root, agent), `${expected}.agent.bundle`)
  }),

  // A bundle's name says nothing, its bytes do: every kind of source under every name.
  installSource: check<string, string>(async (path, expected) => {
    const place = join(folderFor('source'), path.split('/').at(-1) ?? '')
    const tree = agentTree()
    const { gzipSync } = await import('node:zlib')
    const plain = bundleOf(tree)
    const gzip = gzipSync(plain)
    // Readers accept no date, and the byte for the system that they do not look at.
    gzip.fill(0, 4, 8)
    if (expected === 'directory') {
      mkdirSync(place)
      writeTree(place, tree)
    } else writeFileSync(place, expected === 'tar.gz' ? gzip : plain)
    const { form } = await readBundle(place, { keep: 'parsed' })
    assert.equal(form, FORMS[expected] ?? expected)
  }),
}

/** Upstream goes by the suffix, and `.TAR` is not among its own. */
const FORMS: Readonly<Record<string, string>> = { 'tar.gz': 'gzip', unsupported: 'archive' }

function row(name: string) {
  return { name, variant: null, version: '1.0.0', status: 'ok' }
}

/** The cases have manifests of three lines. Around one is what else an agent needs; a broken one stays as it is. */
function wholeAgent(path: string, text: string): Record<string, string | Uint8Array> {
  const parsed = parseToml('x', new TextEncoder().encode(text))
  const { agent } = (parsed.ok ? parsed.document.value : {}) as { agent?: { name?: string } }
  const name = agent?.name
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const tree = agentTree({ name: name ?? 'bad' })
  const files = name === undefined ? { ...tree, 'manifest.toml': text } : tree
  const named = Object.entries(files).map(([file, content]) => [
    `${folder}${file === 'manifest.toml' ? path.slice(folder.length) : file}`,
    content,
  ])
  return Object.fromEntries(named)
}
