// What strangers attach to a stored bundle beside its keyless signature: none of it keeps the bundle from being trusted where it is stored, after a copy, a
// pull or an install.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { referenceIn } from '../../src/io/reference.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { KEYLESS_LIMITS } from '../../src/model/limits.ts'
import { type AttachedDocument, attestationDocument, sigstoreDocument } from '../../src/oci/manifest.ts'
import { attachDocument } from '../../src/registry/attach.ts'
import { find } from '../../src/registry/open-carried.ts'
import { agentTree, bundleOf, digestOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { JOB_ANCHOR } from '../support/sigstore-world.ts'

const folder = temporary('sigstore-strangers')
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, `../../fixtures/keyless/${name}.json`))
const [SIGNATURE, FORK, ROOT] = [fixture('signature'), fixture('fork'), fixture('root')]
const FILE = 'mini-1.0.0.agent.bundle'
const POLICY = `[anchors]
ci = { ${JOB_ANCHOR} }
[rules]
ci = { allow_caps = "any", allow_net = "any", allow_exec = true }
[sigstore]
trusted_root = { file = "root.json", blake3 = "${digestOf(ROOT)}" }
`

/** A home that knows the identity, and a bundle in a layout folder with these documents beside it. */
async function stored(name: string, documents: readonly AttachedDocument[]) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'root.json'), ROOT)
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
  writeFileSync(join(cwd, FILE), bundleOf(agentTree({ name: 'mini' })))
  const say = async (...words: readonly string[]) => {
    const before = process.env['RUNLOOP_HOME']
    process.env['RUNLOOP_HOME'] = home
    try {
      return await run([...words, '--json'], undefined, { cwd })
    } finally {
      if (before === undefined) delete process.env['RUNLOOP_HOME']
      else process.env['RUNLOOP_HOME'] = before
    }
  }
  const verdict = async (target: string, ...more: readonly string[]) => {
    const { stdout, stderr } = await say('agent', 'verify', target, '--expect', 'mini', ...more)
    const [one] = JSON.parse(stdout).result?.bundles ?? []
    assert.ok(one?.verdict, stdout + stderr)
    return [one.verdict, ...one.reasons.slice(0, 1).map(({ code }: { code: string }) => code)].join(' ')
  }
  const done = async (...words: readonly string[]) => {
    const { exit, stdout, stderr } = await say(...words)
    assert.equal(exit, 0, stdout + stderr)
  }
  await done('agent', 'push', FILE, 'oci-layout:store', '--allow-unsigned')
  const at = `oci-layout:${join(cwd, 'store')}:1.0.0`
  const deadline = new Deadline(new AbortController().signal)
  const { store, manifest } = await find(
    referenceIn(at, 'read'),
    { access: { env: {} }, deadline },
    { writes: true },
    at,
  )
  try {
    for (const one of documents) await attachDocument(store, manifest, one)
  } finally {
    await store.close()
  }
  return { cwd, verdict, done }
}

/** The same JSON with blanks around it, each another one, of so many bytes. */
const padded = (count: number, length = KEYLESS_LIMITS.bytes) =>
  Array.from({ length: count }, (_, at) => {
    const text = FORK.toString().trim()
    const after = length - text.length - at
    return sigstoreDocument(Buffer.from(' '.repeat(at) + text + ' '.repeat(after)))
  })
const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => attestationDocument(Buffer.from(`${at}\n${at}`)))

const STORED = 'oci-layout:store:1.0.0'

/** Everything that is done with a stored bundle. */
async function isTrustedEverywhere({ cwd, verdict, done }: Awaited<ReturnType<typeof stored>>) {
  assert.equal(await verdict(STORED), 'trusted')
  await done('agent', 'copy', STORED, 'oci-layout:other')
  assert.equal(await verdict('oci-layout:other:1.0.0'), 'trusted')
  await done('agent', 'pull', 'oci-layout:other:1.0.0', '--expect', 'mini', '--out-dir', 'out')
  assert.equal(await verdict(join('out', FILE)), 'trusted')
  await done('agent', 'install', join('out', FILE), '--root', 'root', '--yes')
  assert.equal(await verdict(join('root', 'mini.agent.bundle')), 'trusted')
  return readFileSync(join(cwd, 'out', `${FILE}.intoto.jsonl`))
}

describe('beside a keyless signature', () => {
  test('many lines in what strangers attach push nothing out of a file', async () => {
    const here = await stored('lines', [sigstoreDocument(SIGNATURE), ...lines(70)])
    const file = await isTrustedEverywhere(here)
    assert.ok(file.includes(SIGNATURE.subarray(0, -1)))
  })

  test('sixty others of the largest size leave it where it is', async () => {
    await isTrustedEverywhere(await stored('large', [sigstoreDocument(SIGNATURE), ...padded(60)]))
  })

  test('a signature of several lines becomes one', async () => {
    const pretty = JSON.stringify(JSON.parse(String(SIGNATURE)), null, 2)
    const here = await stored('pretty', [sigstoreDocument(Buffer.from(pretty))])
    const file = await isTrustedEverywhere(here)
    assert.equal(String(file).trimEnd().split('\n').length, 1)
  })

  test('one whose member is spelled otherwise counts nowhere', async () => {
    const spelled = String(SIGNATURE).replace('verificationMaterial', 'verificationM\\u0061terial')
    const here = await stored('spelled', [sigstoreDocument(Buffer.from(spelled))])
    assert.equal(await here.verdict(STORED), 'unsigned no_signature')
    writeFileSync(join(here.cwd, `${FILE}.intoto.jsonl`), spelled)
    assert.equal(await here.verdict(FILE), 'unsigned no_signature')
  })

  test('more than are read may leave it undecided, and hinder no copy', async () => {
    const here = await stored('many', [sigstoreDocument(SIGNATURE), ...padded(110)])
    const answer = await here.verdict(STORED)
    // Whether it is among those that are read is decided by the digests of the manifests.
    assert.match(answer, /^(trusted|indeterminate keyless_incomplete)$/)
    await here.done('agent', 'copy', STORED, 'oci-layout:other')
    assert.equal(await here.verdict('oci-layout:other:1.0.0'), answer)
  })
})
