// Statements about a bundle on their way: pushed beside it, pulled elsewhere, and demanded there.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { width } from '../../src/cli/render/layout.ts'
import { push } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { attestation, linesOf, PROVENANCE } from '../support/attested.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { upTo } from '../support/runs.ts'
import { ASKING, installKeys, KEYS, signed } from '../support/trust-world.ts'

const FILES = signed(ASKING, 'release')
const NAME = 'mini-1.0.0.agent.bundle'
const folder = temporary('attached')
const POLICY = `[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
attestations = [{ type = "${PROVENANCE}", by = ["ci"] }]
`
const good = attestation(FILES, [KEYS.second])
const bill = attestation(FILES, [KEYS.second], { type: 'https://cyclonedx.org/bom', predicate: {} })
const other = attestation(agentTree({ name: 'mini', version: '2.0.0' }), [KEYS.second])

before(() => {
  const home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
})

const subjectOf = (line: Buffer) =>
  JSON.parse(Buffer.from(JSON.parse(String(line)).payload, 'base64').toString()).subject[0]

function place(...lines: readonly (Uint8Array | string)[]) {
  const cwd = folder('cwd')
  writeFileSync(join(cwd, NAME), bundleOf(FILES))
  writeFileSync(join(cwd, 'evidence.jsonl'), linesOf(...lines))
  return cwd
}

const rlp = (cwd: string, ...args: string[]) => run(args, undefined, { cwd })
const PUSH = ['agent', 'push', NAME, 'oci-layout:store']
const PULL = ['agent', 'pull', 'oci-layout:store:1.0.0', '--expect', 'mini', '--out-dir', 'got']

describe('statements about a stored bundle', () => {
  test('are pushed beside it, and pulled with it: then it is trusted', async () => {
    const cwd = place(good, bill, other, 'foreign')
    assert.equal((await rlp(cwd, ...PUSH)).exit, 0)
    const without = await rlp(cwd, ...PULL)
    assert.equal(without.exit, 1)
    assert.match(without.stderr, /untrusted: The required provenance by ci is missing: no statement came/)
    const pushed = await rlp(cwd, ...PUSH, '--attach', 'evidence.jsonl')
    assert.equal(pushed.exit, 0, pushed.stderr)
    assert.equal(pushed.stdout.match(/attached: sha256:/g)?.length, 2)
    const pulled = await rlp(cwd, ...PULL)
    assert.equal(pulled.exit, 0, pulled.stderr)
    const lines = readFileSync(join(cwd, 'got', `${NAME}.intoto.jsonl`), 'utf8')
      .trim()
      .split('\n')
    assert.deepEqual(lines.sort(), [String(good), String(bill)].sort())
    const verified = await rlp(cwd, 'agent', 'verify', join('got', NAME))
    assert.equal(verified.exit, 0)
    // Once more: nothing is added.
    const again = await rlp(cwd, ...PUSH, '--attach', 'evidence.jsonl')
    assert.match(again.stdout, /is already at/)
    assert.equal((await rlp(cwd, ...PULL)).exit, 0)
    assert.equal(
      readFileSync(join(cwd, 'got', `${NAME}.intoto.jsonl`), 'utf8')
        .trim()
        .split('\n').length,
      2,
    )
  })

  test('beside the bundle go with it, unless they are to stay', async () => {
    const cwd = place()
    writeFileSync(join(cwd, `${NAME}.intoto.jsonl`), linesOf(good))
    const attached = async (...args: string[]) => {
      const { exit, stdout } = await rlp(cwd, ...PUSH.slice(0, -1), ...args)
      assert.equal(exit, 0)
      return stdout.match(/attached: sha256:/g)?.length
    }
    assert.equal(await attached('oci-layout:without', '--no-attach'), undefined)
    assert.equal(await attached('oci-layout:with'), 1)
  })

  test('are installed with it', async () => {
    const cwd = place(good)
    await rlp(cwd, ...PUSH, '--attach', 'evidence.jsonl')
    const args = ['agent', 'install', 'oci-layout:store:1.0.0', '--expect', 'mini', '--yes', '--root', 'root']
    const installed = await rlp(cwd, ...args)
    assert.equal(installed.exit, 0, installed.stderr)
    assert.deepEqual(readFileSync(join(cwd, 'root/mini.agent.bundle.intoto.jsonl')), linesOf(good))
  })

  test('by strangers hinder nothing, however many there are: what anchors have stated is found among them', async () => {
    const cwd = place()
    const attach = (...lines: readonly (Uint8Array | string)[]) =>
      push(join(cwd, NAME), 'oci-layout:store', { cwd, attach: linesOf(...lines) })
    const pulled = (to: string) => rlp(cwd, ...PULL.slice(0, -1), to)
    const stranger = (stated: object) => attestation(FILES, [KEYS.stranger], stated)
    const forged = JSON.parse(String(stranger({})))
    forged.signatures[0].keyid = KEYS.second.anchor
    const subject = [subjectOf(other), subjectOf(good)]
    const large = { large: 'x'.repeat(700_000) }
    await attach(
      JSON.stringify(forged),
      ...Array.from({ length: upTo(3, 63) }, (_, run) => stranger({ predicate: { run } })),
    )
    await attach(stranger({ predicate: large }))
    await attach(stranger({ predicate: large, subject }))
    const without = await pulled('without')
    assert.equal(without.exit, 1)
    assert.match(
      without.stderr,
      /is missing: what is attached to it: it has more than 64 envelopes or 1 MiB.*, and only those by keys that attest here/,
    )
    await attach(good)
    const withIt = await pulled('with')
    assert.equal(withIt.exit, 0, withIt.stderr)
    // What counts comes first into the file beside it, which has its own limits.
    assert.ok(readFileSync(join(cwd, 'with', `${NAME}.intoto.jsonl`)).includes(good))
    assert.equal((await rlp(cwd, 'agent', 'verify', join('with', NAME))).exit, 0)
    const { stdout } = await run(['agent', 'inspect', 'oci-layout:store:1.0.0'], undefined, {
      cwd,
      columns: 300,
    })
    assert.match(stdout, /✓ provenance by ci: counts/)
    assert.match(stdout, /only those by keys that attest here were looked at/)
  })

  test('by one anchor: 64 of them are looked at, and what is required may be among the others', async () => {
    const cwd = place()
    const all = Array.from({ length: 65 }, (_, run) =>
      attestation(FILES, [KEYS.second], { type: `x-${run}` }),
    )
    await push(join(cwd, NAME), 'oci-layout:store', { cwd, attach: linesOf(...all.slice(0, 64)) })
    const known = await rlp(cwd, ...PULL)
    assert.equal(known.exit, 1)
    assert.match(
      known.stderr,
      /untrusted: Nothing that came with the bundle is the required provenance by ci/,
    )
    await push(join(cwd, NAME), 'oci-layout:store', { cwd, attach: linesOf(all[64] ?? '') })
    const { exit, stderr } = await rlp(cwd, ...PULL)
    assert.equal(exit, 3)
    assert.match(
      stderr,
      /indeterminate: The required provenance by ci is missing: .* it has more than 64 envelopes or 1 MiB.* by ed25519:/,
    )
  })

  for (const [name, lines, why] of [
    ['about other bundles alone', [other], /no statement in it is about this bundle/],
    ['of which there are too many', ['x\n'.repeat(65_537)], /it has more than 65536 envelopes/],
  ] as const) {
    test(`${name} are not pushed, and the bundle is not either`, async () => {
      const cwd = place(...lines)
      const ran = await rlp(cwd, ...PUSH, '--attach', 'evidence.jsonl')
      assert.notEqual(ran.exit, 0)
      assert.match(ran.stderr, why)
      assert.notEqual((await rlp(cwd, 'agent', 'list', 'oci-layout:store')).exit, 0)
    })
  }
})

describe('inspect ends with what hangs on a stored bundle', () => {
  const policy = `${POLICY.replace('[rules]', `review = "${KEYS.security.anchor}"\ndev = { key = "${KEYS.dev.anchor}", allow_dev = true }\n[rules]`)}`
  let cwd = ''
  before(async () => {
    cwd = place(good, bill, attestation(FILES, [KEYS.stranger]))
    writeFileSync(join(cwd, 'policy.toml'), policy, { mode: 0o600 })
    await rlp(cwd, ...PUSH, '--attach', 'evidence.jsonl')
    for (const key of ['security', 'dev', 'stranger'])
      assert.equal(
        (await rlp(cwd, 'agent', 'sign', 'oci-layout:store:1.0.0', '--key', key, '--expect', 'mini@1.0.0'))
          .exit,
        0,
      )
    attachForeign(join(cwd, 'store'))
  })
  const inspect = async (columns: number, ...args: string[]) => {
    const line = ['agent', 'inspect', 'oci-layout:store:1.0.0', '--trust-policy', 'policy.toml', ...args]
    const { exit, stdout, stderr } = await run(line, undefined, { cwd, columns })
    assert.equal(exit, 0, stderr)
    return stdout
  }

  test('as the last part of the text, as a tree', async () => {
    const text = await inspect(300)
    const tree = text.slice(text.indexOf('Attached to it, and which of it counts')).trimEnd().split('\n')
    const said = tree.map(line => line.replace(/ ?\(?(?:sha256|ed25519):[^\s)]+\)?/g, ''))
    assert.deepEqual(said, [
      'Attached to it, and which of it counts',
      '  - 3 countersignatures',
      '      ! countersignature by dev: does not count, its key is a development key',
      '      ✓ countersignature by review: counts',
      '      ! countersignature: does not count, no trust policy names its key',
      '  - 3 statements',
      '      ! bill of materials by ci: believed, no trust policy requires it',
      '      ! a statement: not checked, signed by no key that attests here',
      '      ✓ provenance by ci: counts, a trust policy requires it; builder https://ci.example/builders/1; source https://git.example/acme/mini; no commit named',
      '  - 1 other thing',
      '      ! not checked, it is no manifest of a signature: its artifactType is not application/vnd.runloop.agent.signature.v1',
    ])
    assert.match(await inspect(200, '--allow-dev'), /✓ countersignature by dev: counts \(ed25519:/)
    assert.match(text, /! dev ed25519:\S+ SHA256:\S+, which does not count: its key is a development key/)
  })

  for (const columns of [40, 80, 200]) {
    test(`in ${columns} columns, where only a digest, a key or a path may be longer`, async () => {
      for (const line of (await inspect(columns)).split('\n'))
        if (width(line) > columns) assert.match(line, /^\s*\S+\s?\S{32,}$/)
    })
  }

  test('in each other format, at the end', async () => {
    const markdown = await inspect(80, '--format', 'markdown')
    assert.match(markdown, /\n## Attached to it, and which of it counts\n(?:\n|\s*- [^\n]*\n)*$/)
    const html = await inspect(80, '--format', 'html')
    assert.match(html, /<h2 id="attached">Attached to it, and which of it counts<\/h2>(?:(?!<h2)[\s\S])*$/)
    const { result } = JSON.parse(await inspect(80, '--json'))
    assert.deepEqual(
      result.report.carried.added.map(({ result }: { result: string }) => result),
      ['merged', 'merged', 'unnamed', 'other'],
    )
    assert.equal(result.statements.length, 3)
  })

  test('which may be nothing, and is left out for a file that nothing came with', async () => {
    const bare = place()
    await rlp(bare, ...PUSH)
    const stored = await rlp(bare, 'agent', 'inspect', 'oci-layout:store:1.0.0')
    assert.match(stored.stdout, /counts\n {2}Nothing is attached to it where it is stored\.\n$/)
    assert.doesNotMatch((await rlp(bare, 'agent', 'inspect', NAME)).stdout, /Attached to it, and/)
  })
})

/** What another program attaches, here to the only bundle in a layout folder. */
function attachForeign(store: string): void {
  const put = (bytes: Buffer) => {
    const hex = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(store, 'blobs/sha256', hex), bytes)
    return { digest: `sha256:${hex}`, size: bytes.length }
  }
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const index = JSON.parse(readFileSync(join(store, 'index.json'), 'utf8'))
  const subject = index.manifests.find((one: { annotations?: object }) => one.annotations !== undefined)
  const { digest, size } = subject
  const manifest = {
    schemaVersion: 2,
    mediaType,
    artifactType: 'application/vnd.example.scan',
    config: { mediaType: 'application/vnd.oci.empty.v1+json', ...put(Buffer.from('{}')) },
    layers: [{ mediaType: 'text/plain', ...put(Buffer.from('nothing found')) }],
    subject: { mediaType, digest, size },
  }
  const stored = put(Buffer.from(JSON.stringify(manifest)))
  index.manifests.push({ mediaType, ...stored, artifactType: manifest.artifactType })
  writeFileSync(join(store, 'index.json'), JSON.stringify(index))
}
