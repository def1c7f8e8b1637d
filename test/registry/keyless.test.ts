// Keyless signatures on their way: from the file beside a bundle through a registry, a copy, a pull and an install to another home, which judges by identity
// and without a network. The Sigstore bundles are those of fixtures/keyless.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type ReaderParts, readCarried } from '../../src/registry/open-carried.ts'
import { agentTree, bundleOf, digestOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { shell } from '../support/run.ts'
import { JOB_ANCHOR } from '../support/sigstore-world.ts'
import { KEYS, signed } from '../support/trust-world.ts'

const folder = temporary('keyless')
const FIXTURES = join(import.meta.dirname, '../../fixtures/keyless')
const fixture = (name: string) => readFileSync(join(FIXTURES, `${name}.json`))
const ROOT = fixture('root')
const TREE = agentTree({ name: 'mini' })
const RULE = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'
const CI = `ci = { ${JOB_ANCHOR} }`
const BUNDLE = 'mini-1.0.0.agent.bundle'

function policyOf(anchors: string, more = ''): string {
  const root = `[sigstore]\ntrusted_root = { file = "root.json", blake3 = "${digestOf(ROOT)}" }\n`
  return `[anchors]\n${anchors}\n[rules]\nci = ${RULE}\n${more}\n${root}`
}

/** A folder with a bundle and what came with it, and a home whose policy names the identity. */
function place(name: string, ...lines: readonly Buffer[]) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(cwd, BUNDLE), bundleOf(TREE))
  if (lines.length > 0) writeFileSync(join(cwd, `${BUNDLE}.intoto.jsonl`), Buffer.concat(lines))
  writeFileSync(join(home, 'root.json'), ROOT)
  const policy = (text: string) => writeFileSync(join(home, 'trust-policy.toml'), text, { mode: 0o600 })
  policy(policyOf(CI))
  const say = async (...words: readonly string[]) => {
    process.env['RUNLOOP_HOME'] = home
    const ran = await run([...words, '--json'], undefined, { cwd })
    const { result, error } = JSON.parse(ran.stdout)
    return { exit: ran.exit, result, error, text: ran.stdout + ran.stderr }
  }
  const verdict = async (target: string, ...more: readonly string[]) => {
    const { result, text } = await say('agent', 'verify', target, ...more)
    const [one] = result?.bundles ?? []
    assert.ok(one?.verdict, text)
    return [one.verdict, ...one.reasons.slice(0, 1).map(({ code }: { code: string }) => code)].join(' ')
  }
  return { cwd, home, policy, say, verdict, at: (path: string) => join(cwd, path) }
}

describe('a bundle that only a pipeline has signed', () => {
  test('is trusted by its identity, and a fork with the same names is not', async () => {
    const here = place('beside', fixture('signature'))
    assert.equal(await here.verdict(BUNDLE), 'trusted')
    const fork = place('fork', fixture('fork'))
    assert.equal(await fork.verdict(BUNDLE), 'untrusted no_counted_signature')
    const both = place('both', fixture('fork'), fixture('signature'))
    assert.equal(await both.verdict(BUNDLE), 'trusted')
    const none = place('none')
    assert.equal(await none.verdict(BUNDLE), 'unsigned no_signature')
  })

  test('goes through a registry, a copy, a pull and an install, and is judged the same everywhere', async () => {
    const here = place('way', fixture('signature'))
    const pushed = await here.say('agent', 'push', BUNDLE, 'oci-layout:store')
    assert.equal(pushed.exit, 0, pushed.text)
    assert.equal(pushed.result.bundles[0].attached.length, 1)
    const stored = 'oci-layout:store:1.0.0'
    assert.equal(await here.verdict(stored, '--expect', 'mini'), 'trusted')
    const copied = await here.say('agent', 'copy', stored, 'oci-layout:other')
    assert.equal(copied.exit, 0, copied.text)
    assert.equal(await here.verdict('oci-layout:other:1.0.0', '--expect', 'mini'), 'trusted')
    const pulled = await here.say(
      'agent',
      'pull',
      'oci-layout:other:1.0.0',
      '--expect',
      'mini',
      '--out-dir',
      'out',
    )
    assert.equal(pulled.exit, 0, pulled.text)
    assert.deepEqual(readFileSync(here.at(`out/${BUNDLE}.intoto.jsonl`)), fixture('signature'))
    assert.equal(await here.verdict(`out/${BUNDLE}`), 'trusted')
    for (const more of [[], ['--no-unpack']]) {
      const installed = await here.say(
        'agent',
        'install',
        `out/${BUNDLE}`,
        '--root',
        'root',
        '--yes',
        '--force',
        ...more,
      )
      assert.equal(installed.exit, 0, installed.text)
      const listed = await here.say('agent', 'list', '--root', 'root')
      assert.match(listed.text, /"trusted"|"mini"/)
    }
    assert.ok(existsSync(here.at('root/mini.agent.bundle.intoto.jsonl')))
    const gone = await here.say('agent', 'uninstall', 'mini', '--root', 'root', '--yes')
    assert.equal(gone.exit, 0, gone.text)
    assert.equal(existsSync(here.at('root/mini.agent.bundle.intoto.jsonl')), false)
  })

  test('is pinned by a lock with its identity, and the lock refuses another signer', async () => {
    const here = place('lock', fixture('signature'))
    const added = await here.say('lock', 'add', `./${BUNDLE}`)
    assert.equal(added.exit, 0, added.text)
    const lock = readFileSync(here.at('rlp.lock'), 'utf8')
    assert.match(
      lock,
      /signers = \["oidc:https:\/\/token\.actions\.githubusercontent\.com\?repository_id=123456789&/,
    )
    assert.equal(await here.verdict(BUNDLE, '--lock', 'rlp.lock'), 'trusted')
    here.policy(policyOf(`${CI.replace('repository_id', 'runner = "github-hosted", repository_id')}`))
    assert.equal(await here.verdict(BUNDLE, '--lock', 'rlp.lock'), 'untrusted not_as_locked')
  })

  test('is shown to people with who signed it, and where and when that was recorded', async () => {
    const here = place('inspect', fixture('signature'), fixture('fork'))
    const { result } = await here.say('agent', 'inspect', BUNDLE)
    const [signed, fork] = result.keyless
    assert.deepEqual(
      [signed.result, signed.certificate.repository_id, signed.logIndex, signed.time],
      ['proven', '123456789', '5', '2026-06-01T12:00:00Z'],
    )
    assert.deepEqual([fork.result, fork.time], ['unclaimed', null])
    const page = await run(['agent', 'inspect', BUNDLE], undefined, { cwd: here.cwd })
    assert.match(page.stdout, /2 keyless signatures/)
    assert.match(page.stdout, /repository 123456789, proven at 2026-06-01T12:00:00Z, entry 5 of its log/)
    here.policy(`[anchors]\nrelease = "${KEYS.release.anchor}"\n`)
    const unproven = await here.say('agent', 'inspect', BUNDLE)
    assert.equal(unproven.result.report.verdict, 'unsigned')
    assert.deepEqual(
      unproven.result.keyless.map((one: { result: string }) => one.result),
      ['unclaimed', 'unclaimed'],
    )
  })

  test('is accepted by the gate', async () => {
    const here = place('gate', fixture('signature'))
    const other = place('gate-fork', fixture('fork'))
    for (const [at, accepted] of [
      [here, true],
      [other, false],
    ] as const) {
      const line = `printf '{"id":1,"bundle":"${BUNDLE}"}\\n' | RUNLOOP_HOME='${at.home}' "$@" gate`
      const { stdout } = await shell(at.cwd, line, [])
      assert.equal(JSON.parse(stdout).allow, accepted, stdout)
    }
  })

  test('is accepted by a fleet, and judged anew when its line goes', async () => {
    const here = place('fleet', fixture('signature'))
    mkdirSync(here.at('many'))
    for (const name of ['a', 'b']) {
      mkdirSync(here.at(`many/${name}`))
      copyFileSync(here.at(BUNDLE), here.at(`many/${name}/${BUNDLE}`))
      copyFileSync(here.at(`${BUNDLE}.intoto.jsonl`), here.at(`many/${name}/${BUNDLE}.intoto.jsonl`))
    }
    const lines = async (...more: readonly string[]) => {
      process.env['RUNLOOP_HOME'] = here.home
      const ran = await run(['agent', 'verify', 'many', '--format', 'ndjson', ...more], undefined, {
        cwd: here.cwd,
      })
      const records = ran.stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      writeFileSync(here.at('before.ndjson'), ran.stdout)
      return records
        .filter(({ type }) => type === 'bundle')
        .map(({ verdict, reused }) => `${verdict} ${reused}`)
    }
    assert.deepEqual(await lines(), ['trusted false', 'trusted false'])
    assert.deepEqual(await lines('--since', 'before.ndjson'), ['trusted true', 'trusted true'])
    writeFileSync(here.at(`many/b/${BUNDLE}.intoto.jsonl`), fixture('fork'))
    assert.deepEqual((await lines('--since', 'before.ndjson')).sort(), ['trusted true', 'untrusted false'])
  })

  test('a statement by an identity is what a policy asks for', async () => {
    const here = place('statement', fixture('signature'), fixture('provenance'))
    const both = `ci = { ${JOB_ANCHOR}, use = ["sign", "attest"] }`
    const asks = (more: string) =>
      policyOf(
        both,
        `[require]\nattestations = [{ type = "https://slsa.dev/provenance/v1", by = ["ci"]${more} }]`,
      )
    const source = ', source = "https://github.com/acme/mini", ref = "refs/tags/v*"'
    here.policy(asks(source))
    assert.equal(await here.verdict(BUNDLE), 'trusted')
    here.policy(asks(source.replace('acme', 'mallory')))
    assert.equal(await here.verdict(BUNDLE), 'untrusted attestation_missing')
    here.policy(asks(source.replace('tags', 'heads')))
    assert.equal(await here.verdict(BUNDLE), 'untrusted attestation_missing')
  })

  test('is signed at the border with one key, which is all that hosts inside know', async () => {
    const here = place('border', fixture('signature'))
    assert.equal((await here.say('agent', 'push', BUNDLE, 'oci-layout:store')).exit, 0)
    const made = await here.say('key', 'generate', 'house', '--no-passphrase')
    const stored = 'oci-layout:store:1.0.0'
    const seen = await here.say('agent', 'inspect', stored)
    const expect = `${seen.result.report.identity}`
    const audit = ['--audit', 'audit.ndjson']
    const signed = await here.say(
      'agent',
      'sign',
      stored,
      '--key',
      'house',
      '--if-trusted',
      '--expect',
      expect,
      ...audit,
    )
    assert.equal(signed.exit, 0, signed.text)
    assert.match(readFileSync(here.at('audit.ndjson'), 'utf8'), /"oidc:https:/)
    here.policy(`[anchors]\nhouse = "${made.result.key ?? made.result.anchor}"\n[rules]\nhouse = ${RULE}\n`)
    assert.equal(await here.verdict(stored, '--expect', 'mini'), 'trusted')
    const pulled = await here.say('agent', 'pull', stored, '--expect', 'mini', '--out-dir', 'out')
    assert.equal(pulled.exit, 0, pulled.text)
    assert.equal(await here.verdict(`out/${BUNDLE}`), 'trusted')
  })

  test('nothing is signed at the border that is not trusted', async () => {
    const here = place('border-fork', fixture('fork'))
    assert.equal((await here.say('agent', 'push', BUNDLE, 'oci-layout:store')).exit, 0)
    await here.say('key', 'generate', 'house', '--no-passphrase')
    const { exit, text } = await here.say(
      ...[
        'agent',
        'sign',
        'oci-layout:store:1.0.0',
        '--key',
        'house',
        '--if-trusted',
        '--expect',
        'mini@1.0.0',
      ],
    )
    assert.equal(exit, 1, text)
    assert.equal(
      await here.verdict('oci-layout:store:1.0.0', '--expect', 'mini'),
      'untrusted no_counted_signature',
    )
  })

  test('a policy of keys alone looks at none of it, and an unsigned bundle is not pushed with statements about another', async () => {
    const here = place('keys', fixture('provenance'))
    here.policy(`[anchors]\nrelease = "${KEYS.release.anchor}"\n`)
    assert.equal(await here.verdict(BUNDLE), 'unsigned no_signature')
    assert.equal((await here.say('agent', 'push', BUNDLE, 'oci-layout:store')).exit, 1)
  })

  test('is read with the digest of what it has signed, which no other one needs', async () => {
    const here = place('unsigned-digest', fixture('signature'))
    const { exit, text } = await here.say('agent', 'push', BUNDLE, 'oci-layout:store')
    assert.equal(exit, 0, text)
    writeFileSync(here.at('b'), bundleOf(signed(TREE, 'release')))
    rmSync(here.at(`${BUNDLE}.intoto.jsonl`))
    assert.equal((await here.say('agent', 'push', 'b', 'oci-layout:plain')).exit, 0)
    const asks = async (store: string, unsigned?: boolean) => {
      let asked: boolean | undefined
      const parts = {
        readBundle: (_: unknown, read: { unsigned?: boolean | undefined }) => {
          asked = read.unsigned
          return {}
        },
      } as never as ReaderParts
      const reference = `oci-layout:${here.at(store)}:1.0.0`
      await readCarried(reference, 'any', { unsigned, access: { env: {} } }, 'parsed', parts)
      return asked
    }
    assert.deepEqual([await asks('store'), await asks('plain')], [true, false])
    assert.deepEqual([await asks('store', true), await asks('plain', true)], [true, true])
  })
})
