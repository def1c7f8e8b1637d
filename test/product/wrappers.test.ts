// The list of wrappers around a bundle: what every command does with each, and the pages that name them. A wrapper that is new is asked for
// here: how it is made, that it is opened wherever a bundle is read and refused wherever it may not be, and that nothing of it goes unbounded.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { GZIP_VECTORS } from '../../fixtures/conformance/gzip-vectors.ts'
import { NotCanonical } from '../../src/bundle/reader.ts'
import { HEAD_BYTES, unwrappedName, WRAPPERS, wrapperAt } from '../../src/bundle/wrappers/index.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { isBundleName } from '../../src/io/find/bundle-name.ts'
import { openerOf } from '../../src/io/wrappers/index.ts'
import { WRAPPER_NAMES, type WrapperName } from '../../src/model/bundle-form.ts'
import { otherArchive } from '../../src/pack/foreign.ts'
import { foreignReasons } from '../../src/pack/foreign-archive.ts'
import { plainLayer } from '../../src/registry/open-carried.ts'
import { expectationOfFileName, expectationText } from '../../src/version/reference.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { archive, entry } from '../support/archive.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { collect } from '../support/memory.ts'
import { ASKING, installKeys, POLICY, signed } from '../support/trust-world.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = (path: string) => readFileSync(join(ROOT, 'docs', path), 'utf8')
const folderFor = temporary('wrappers')
const BUNDLE = bundleOf(signed(ASKING, 'release'))
const NAME = 'mini-1.0.0.agent.bundle'

/** By another program, as small as it can be. */
const WRAP: Readonly<Record<WrapperName, (bytes: Uint8Array) => Buffer>> = { gzip: bytes => gzipSync(bytes) }
/** The table of the conformance kit that has bundles in it. */
const WRAPPED_VECTORS = { gzip: GZIP_VECTORS } satisfies Record<WrapperName, unknown>

async function* pieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** What is inside, or undefined if it is refused. */
async function inside(name: WrapperName, bytes: Uint8Array, how: 'unwrap' | 'unwrapForeign') {
  const taken: Buffer[] = []
  const opener = await openerOf(name)
  try {
    await opener[how](pieces(bytes, 5), piece => taken.push(Buffer.from(piece)))
    return Buffer.concat(taken)
  } catch (error) {
    if (error instanceof NotCanonical) return undefined
    throw error
  }
}

test('an archive as it is has none, and bytes are told before the first of them is used', () => {
  assert.equal(wrapperAt(BUNDLE), undefined)
  assert.equal(unwrappedName(NAME), NAME)
  assert.equal(wrapperAt(new Uint8Array()), undefined)
})

for (const name of WRAPPER_NAMES) {
  const { ending, begins, word } = WRAPPERS[name]
  const wrapped = WRAP[name](BUNDLE)
  const fileName = `${NAME}${ending}`

  describe(name, () => {
    test('is told by its first bytes, and is no archive of others', () => {
      assert.equal(wrapperAt(wrapped), name)
      assert.equal(wrapperAt(Uint8Array.from(begins)), name)
      assert.equal(otherArchive(wrapped), undefined)
      assert.ok(begins.length > 0 && begins.length <= HEAD_BYTES)
      for (const other of WRAPPER_NAMES) {
        const isPrefix = WRAPPERS[other].begins.every((byte, at) => begins[at] === byte)
        assert.equal(isPrefix, other === name, other)
      }
    })

    test('is told by its name where a folder is searched and where a name promises an agent', () => {
      assert.equal(unwrappedName(fileName), NAME)
      assert.deepEqual([isBundleName(fileName), isBundleName(`${fileName}${ending}`)], [true, false])
      const promised = expectationOfFileName(fileName)
      assert.equal(promised && expectationText(promised), 'mini@=1.0.0')
    })

    test('holds what is inside, whole or by pieces, and nothing that is damaged, cut or followed by more', async () => {
      const damaged = Uint8Array.from(wrapped)
      const middle = Math.floor(damaged.length / 2)
      damaged[middle] = (damaged[middle] ?? 0) ^ 0xff
      for (const how of ['unwrap', 'unwrapForeign'] as const) {
        assert.deepEqual(await inside(name, wrapped, how), BUNDLE)
        assert.equal(await inside(name, damaged, how), undefined)
        assert.equal(await inside(name, wrapped.subarray(0, -1), how), undefined)
        assert.equal(await inside(name, Buffer.concat([wrapped, Buffer.of(0)]), how), undefined)
        assert.equal(await inside(name, Buffer.concat([wrapped, wrapped]), how), undefined)
      }
    })

    test('is opened piece by piece, and no further than what takes the pieces wants', async () => {
      const bomb = WRAP[name](new Uint8Array(64 * 1024 * 1024))
      const { unwrap, unwrapForeign } = await openerOf(name)
      for (const open of [unwrap, unwrapForeign]) {
        let taken = 0
        const take = (piece: Uint8Array) => {
          taken += piece.length
          if (taken > 1024) throw new RangeError('enough')
        }
        await assert.rejects(open(pieces(bomb), take), RangeError)
        assert.ok(taken <= 1024 * 1024, `${taken} bytes`)
      }
    })

    test('verifies, installs and is pushed as the bundle inside', async () => {
      const cwd = folderFor(name)
      const home = join(cwd, 'home')
      mkdirSync(home, { mode: 0o700 })
      writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
      process.env['RUNLOOP_HOME'] = home
      installKeys(home)
      mkdirSync(join(cwd, 'all'))
      writeFileSync(join(cwd, 'all', fileName), wrapped)
      const ran = (...line: string[]) => run(line, undefined, { cwd, env: process.env })
      const verified = await ran('agent', 'verify', 'all', '--json')
      const { bundles } = JSON.parse(verified.stdout).result
      assert.deepEqual([bundles.length, bundles[0].verdict, bundles[0].form], [1, 'trusted', name])
      const report = await ran('agent', 'verify', 'all', '--format', 'ndjson')
      writeFileSync(join(cwd, 'report'), report.stdout, { mode: 0o600 })
      const again = await ran('agent', 'verify', 'all', '--format', 'ndjson', '--since', 'report')
      assert.equal(JSON.parse(again.stdout.split('\n')[0] ?? '').reused, true)

      const good = async (...line: string[]) => {
        const { exit, stderr } = await ran(...line)
        assert.equal(exit, 0, stderr)
      }
      await good('agent', 'install', `all/${fileName}`, '--root', 'root', '--yes')
      assert.deepEqual(readFileSync(join(cwd, 'root/mini.agent.bundle')), BUNDLE)
      await good('agent', 'push', `all/${fileName}`, 'oci-layout:store:1.0.0')
      await good('agent', 'pull', 'oci-layout:store:1.0.0', '--expect', 'mini', '--out-dir', 'pulled')
      assert.deepEqual(readFileSync(join(cwd, 'pulled', NAME)), BUNDLE)

      const refused = await ran('agent', 'sign', `all/${fileName}`, '--key', 'release')
      assert.match(refused.stderr, new RegExp(`it is wrapped in ${word}\n`))
    })

    test('twice is refused, as a bundle, as a foreign archive and as a layer', async () => {
      const cwd = folderFor(`twice-${name}`)
      const twice = WRAP[name](wrapped)
      assert.equal((await readBundle(twice, { keep: 'parsed' })).refusal?.why, 'form')
      writeFileSync(join(cwd, 'twice.tar'), twice)
      const ran = await run(['agent', 'pack', 'twice.tar'], undefined, { cwd })
      assert.match(ran.stderr, new RegExp(`it is compressed twice[\\s\\S]*Take it out of ${word} first`))
      await assert.rejects(collect(plainLayer(pieces(wrapped), 'x')), { code: 'STORE' })
      assert.deepEqual(await collect(plainLayer(pieces(BUNDLE), 'x')), BUNDLE)
    })

    test('is looked into where an archive of others is told', async () => {
      const cwd = folderFor(`foreign-${name}`)
      const odd = archive(
        entry('manifest.toml', 'x'),
        entry('a', '', header => void header.fill(0x35, 156, 157)),
      )
      const saidOf = async (bytes: Uint8Array) => {
        writeFileSync(join(cwd, 'odd'), bytes)
        return foreignReasons(join(cwd, 'odd'), 'odd')
      }
      assert.equal((await saidOf(odd)).length, 1)
      assert.deepEqual(await saidOf(WRAP[name](odd)), await saidOf(odd))
    })

    test('packs: a foreign archive in it becomes the bundle that it would be without', async () => {
      const cwd = folderFor(`packs-${name}`)
      const tree = agentTree()
      writeFileSync(join(cwd, 'plain.tar'), bundleOf(tree))
      writeFileSync(join(cwd, 'wrapped.tar'), WRAP[name](bundleOf(tree)))
      for (const one of ['plain', 'wrapped'])
        assert.equal((await run(['agent', 'pack', `${one}.tar`, '--out', one], undefined, { cwd })).exit, 0)
      assert.deepEqual(readFileSync(join(cwd, 'wrapped')), readFileSync(join(cwd, 'plain')))
    })

    test('has its words on the pages and its vectors', () => {
      assert.ok(page('format.md').includes(`wrapped in ${word}`), 'docs/format.md: the word')
      assert.ok(page('format.md').includes(`\`${ending}\``), 'docs/format.md: the ending')
      for (const one of ['verdicts.md', 'fleet.md'])
        assert.match(page(one), new RegExp(`\\| \`form\` \\|[^\\n]*\`${name}\``), one)
      const bytes = begins.map(byte => `0x${byte.toString(16).padStart(2, '0')}`).join(' ')
      assert.match(page('spec/archive.md'), new RegExp(`\\*\\*A-1\\*\\*[\\s\\S]{0,200}\`${bytes}\``))
      const vectors = WRAPPED_VECTORS[name]().filter(({ bundle }) => wrapperAt(bundle) === name)
      for (const one of ['invalid', 'trusted'])
        assert.ok(
          vectors.some(({ verdict }) => verdict === one),
          `no vector is ${one}`,
        )
    })
  })
}
