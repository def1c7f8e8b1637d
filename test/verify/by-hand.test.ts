// docs/verify-by-hand.md, run: its commands accept a good bundle, and each finds what it is there to find. Its archives are the golden ones.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { agentTree, bundleOf, digestOf, type Tree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { PROGRAM } from '../support/run.ts'
import { LATE } from '../support/runs.ts'
import { KEYS, keyFile, signatureFile, signed } from '../support/trust-world.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/verify-by-hand.md'), 'utf8')
const folderFor = temporary('by-hand')

const missing = ['tar', 'b3sum', 'sha256sum', 'openssl', 'jq', 'base64'].filter(
  tool => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0,
)
if (!/GNU tar/.test(String(spawnSync('tar', ['--version']).stdout))) missing.push('GNU tar')
const skip = missing.length === 0 ? false : `not here: ${missing.join(', ')}`

function block(name: string): string {
  if (name === 'unsigned') return 'tar -xf "$BUNDLE"'
  const [, text] = new RegExp(`^\`\`\`sh ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE) ?? []
  assert.ok(text, `no block "${name}"`)
  return text
}

const END = '2999-12-31T23:59:59Z'
const TREE = agentTree({
  name: 'mini',
  variant: 'pro',
  files: { 'README.md': '# mini\n', 'docs/a.md': 'one', 'policy.caps': '[capabilities]\ntime = true\n' },
})
const GOOD = signed(TREE, ['release', 'security'], { notAfter: END })

/** Runs blocks in one folder with one bundle, as a person would, and stops at the first that fails. */
function byHand(bundle: Tree | Uint8Array, blocks: readonly string[], signer = 'release') {
  const folder = folderFor('run')
  writeFileSync(join(folder, 'mini.bundle'), bundle instanceof Uint8Array ? bundle : bundleOf(bundle))
  // The command as if it were installed.
  writeFileSync(
    join(folder, 'rlp'),
    `#!/bin/sh\nexec ${[process.execPath, ...PROGRAM].map(part => `'${part}'`).join(' ')} "$@"\n`,
    { mode: 0o755 },
  )
  const env = {
    PATH: `${folder}:${process.env['PATH']}`,
    HOME: folder,
    LC_ALL: 'C.UTF-8',
    BUNDLE: join(folder, 'mini.bundle'),
    SIGNER: keyFile(signer, 'pub'),
    KEY: keyFile(signer),
  }
  let output = ''
  for (const name of blocks) {
    // "unlisted" goes on where "digests" has gone.
    const cwd = name === 'unlisted' ? join(folder, 'agent.bundle') : folder
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', block(name)], { cwd, env, encoding: 'utf8' })
    output += stdout + stderr
    if (status !== 0) return { failed: name, output, folder }
  }
  return { failed: undefined, output, folder }
}

const ALL = ['unpack', 'identity', 'digests', 'unlisted', 'signature', 'statement', 'make', 'form']

describe('by hand', { skip: LATE || skip }, () => {
  test('a good bundle passes, for each of its signers', () => {
    for (const signer of ['release', 'security']) {
      const { failed, output } = byHand(GOOD, ALL, signer)
      assert.equal(failed, undefined, output)
      for (const path of Object.keys(TREE).filter(path => path !== 'manifest.toml'))
        assert.ok(output.includes(`${path}: OK`), path)
      assert.match(output, /Signature Verified Successfully/)
      assert.equal(output.match(/manifest\.toml: OK/g)?.length, 2)
      assert.match(output, /^mini\n1\.0\.0\npro\n2999-12-31T23:59:59Z$/m)
      assert.match(output, /name "mini"\nversion "1\.0\.0"\nvariant "pro"/)
    }
  })

  const bytes = bundleOf(GOOD)
  const cases: [what: string, bundle: Tree | Uint8Array, at: string][] = [
    ['a changed file', { ...GOOD, 'docs/a.md': 'One' }, 'digests'],
    ['a missing file', without(GOOD, 'docs/a.md'), 'digests'],
    ['an unlisted file', { ...GOOD, 'more.txt': '' }, 'unlisted'],
    ['no signature', TREE, 'unpack'],
    ['a signature by a stranger', signed(TREE, 'stranger'), 'signature'],
    ['a changed statement', { ...GOOD, 'SIGNATURES/manifest.sig': later() }, 'signature'],
    ['a changed manifest', { ...GOOD, 'manifest.toml': `# hello\n${GOOD['manifest.toml']}` }, 'statement'],
    [
      'the signature of another bundle',
      { ...GOOD, 'SIGNATURES/manifest.sig': signatureFile(agentTree(), [KEYS.release]) },
      'statement',
    ],
    ['bytes after the end', Buffer.concat([bytes, Buffer.alloc(512)]), 'form'],
    ['another order of the files', reordered(bytes), 'form'],
  ]
  // The good one passes each of these blocks above.
  for (const [what, bundle, at] of cases) {
    test(`${what} is found at "${at}"`, () => {
      assert.equal(byHand(bundle, ALL).failed, at)
    })
  }

  // Unsigned, with long paths, every sign and both modes.
  const GOLDEN = join(import.meta.dirname, '../../fixtures/bundles')
  for (const name of readdirSync(GOLDEN).filter(name => name.endsWith('.agent.bundle')))
    test(`${name} is what tar makes of its files`, () => {
      const { failed, output } = byHand(readFileSync(join(GOLDEN, name)), [
        'unsigned',
        'digests',
        'unlisted',
        'make',
        'form',
      ])
      assert.equal(failed, undefined, output)
    })

  test('b3sum --check BLAKE3SUMS', () => {
    const { stdout } = spawnSync('b3sum', ['--check', 'BLAKE3SUMS'], { cwd: GOLDEN, encoding: 'utf8' })
    assert.equal(stdout.match(/: OK$/gm)?.length, 3)
  })

  test('the identity is what rlp prints as manifest', () => {
    const { output } = byHand(GOOD, ['unpack', 'identity'])
    assert.match(output, new RegExp(`^${digestOf(String(GOOD['manifest.toml']))}$`, 'm'))
  })

  test('openssl signs what rlp exports, and rlp takes it back', () => {
    const { failed, output, folder } = byHand(TREE, ['outside'])
    assert.equal(failed, undefined, output)
    assert.deepEqual(readFileSync(join(folder, 'mini.bundle')), bundleOf(signed(TREE, 'release')))
  })
})

test('every block is run here', () => {
  const names = [...PAGE.matchAll(/^```(.*)$/gm)].map(([, info]) => info).filter(info => info !== '')
  assert.deepEqual(
    names,
    [...ALL, 'outside'].map(name => `sh ${name}`),
  )
})

function without(tree: Tree, path: string): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([name]) => name !== path))
}

/** Two neighbours exchanged, each a header and one block. */
function reordered(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const [a, b] = ['README.md', 'docs/a.md'].map(path => bytes.indexOf(`agent.bundle/${path}`)) as [
    number,
    number,
  ]
  copy.set(bytes.subarray(b, b + 1024), a)
  copy.set(bytes.subarray(a, a + 1024), b)
  return copy
}

/** The same signatures under a statement with another end. */
function later(): string {
  const envelope = JSON.parse(String(GOOD['SIGNATURES/manifest.sig']))
  const statement = Buffer.from(envelope.payload, 'base64').toString().replace('2999', '3999')
  return JSON.stringify({ ...envelope, payload: Buffer.from(statement).toString('base64') })
}
