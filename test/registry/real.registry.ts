// Debian's registry and skopeo: npm run test:registry. `.ci/run` installs them, and fails where they are missing.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Report } from '../../src/model/report.ts'
import { sha256Of } from '../../src/oci/manifest.ts'
import { makeAuthority, makeCertificate } from '../support/certificate.ts'
import { temporary } from '../support/folder.ts'
import { made, policyText, RELEASE, world } from '../support/install-world.ts'
import { missing } from '../support/needs.ts'
import { type RealRegistry, realRegistry } from '../support/real-registry.ts'
import { registriesDoc, words } from '../support/registries-doc.ts'
import { rlp } from '../support/run.ts'

const skip = missing('docker-registry', 'skopeo')
const folder = temporary('real-registry')
const BUNDLE = made({}, RELEASE)
const started: RealRegistry[] = []
after(() => {
  for (const registry of started) registry.stop()
})

/** A server before another: the first connection that has carried so many bytes of answers dies. */
async function cutOnce(to: string, bytes: number) {
  const [host = '', port = ''] = to.split(':')
  let [isArmed, times] = [true, 0]
  const server = createServer(near => {
    const far = connect(Number(port), host)
    let seen = 0
    far.on('data', chunk => {
      seen += chunk.length
      if (isArmed && seen > bytes) {
        isArmed = false
        times++
        near.resetAndDestroy()
        far.destroy()
      } else near.write(chunk)
    })
    near.on('data', chunk => far.write(chunk))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    times: () => times,
    again: () => {
      isArmed = true
    },
    close: () => new Promise(resolve => server.close(resolve)),
  }
}

async function start(name: string, http = '', more = ''): Promise<string> {
  const registry = await realRegistry(folder(name), http, more)
  started.push(registry)
  return registry.host
}

describe('Debian’s registry and skopeo', { skip }, () => {
  let plain = ''
  before(async () => {
    plain = await start('plain')
  })

  test('every repository below a prefix, as the registry lists them, and nothing is fetched twice', async () => {
    const here = world(folder('prefix'))
    here.put('b', BUNDLE)
    for (const team of ['one', 'two'])
      assert.equal((await here.rlp('agent', 'push', 'b', `oci://${plain}/teams/${team}/`)).exit, 0)
    const verify = async (...more: string[]) => {
      const words = ['agent', 'verify', `oci://${plain}/teams/`, '--format', 'ndjson', ...more]
      const { exit, stdout } = await here.say(...words)
      assert.equal(exit, 0, stdout)
      writeFileSync(join(here.cwd, 'report'), stdout, { mode: 0o600 })
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    }
    const { bundles, listedBy, unfetched } = await verify()
    assert.deepEqual([bundles, listedBy, unfetched], [2, { [plain]: 2 }, undefined])
    assert.equal((await verify('--since', 'report')).unfetched, 2)
  })

  test('push, pull, list, a tag that stays, and a signature that is added', async () => {
    const here = world(folder('flow'))
    const at = `oci://${plain}/agents/mini`
    here.put('b', BUNDLE)
    const pushed = await here.rlp('agent', 'push', 'b', `oci://${plain}/agents/`)
    assert.equal(pushed.exit, 0, JSON.stringify(pushed.envelope))
    const again = await here.rlp('agent', 'push', 'b', at)
    assert.match(JSON.stringify(again.envelope.result), /"changed":false/)
    here.put('other', made({ files: { 'a.md': 'x' } }, RELEASE))
    assert.equal((await here.rlp('agent', 'push', 'other', at)).envelope.code, 'EXISTS')
    const pulled = await here.rlp('agent', 'pull', `${at}:1.0.0`, '--out-dir', 'out')
    assert.equal(pulled.exit, 0, JSON.stringify(pulled.envelope))
    assert.deepEqual(readFileSync(join(here.cwd, 'out/mini-1.0.0.agent.bundle')), BUNDLE)
    await here.say('key', 'generate', 'mine', '--no-passphrase')
    const mine = await here.say('key', 'show', 'mine')
    const anchor = /ed25519:\S+/.exec(mine.stdout)?.[0]
    writeFileSync(
      join(here.home, 'trust-policy.toml'),
      `${policyText().replace('[anchors]', `[anchors]\nmine = "${anchor}"`)}\n[require]\nanchors = ["release", "mine"]\n`,
    )
    const verdict = async () => {
      const { envelope } = await here.rlp('agent', 'verify', `${at}:1.0.0`)
      const report = envelope.result?.bundles?.[0] as Report
      return [report.verdict, report.carried?.manifest]
    }
    const [before, digest] = await verdict()
    assert.equal(before, 'untrusted')
    const expected = ['--expect', 'mini@1.0.0']
    assert.equal((await here.rlp('agent', 'sign', `${at}:1.0.0`, '--key', 'mine', ...expected)).exit, 0)
    assert.deepEqual(await verdict(), ['trusted', digest])
    // The tag that holds the signature is no bundle.
    const { exit, envelope } = await here.rlp('agent', 'verify', at)
    assert.deepEqual([exit, envelope.result?.bundles?.map(one => one.verdict)], [0, ['trusted']])
  })

  test('docs/registries.md: what it shows with a registry works, in its order', async () => {
    const here = world(folder('doc'))
    mkdirSync(join(here.cwd, 'dist'))
    here.put('dist/mailer-0.1.0.agent.bundle', made({ name: 'mailer', version: '0.1.0' }, RELEASE))
    for (const key of ['review', 'house'])
      assert.equal((await here.say('key', 'generate', key, '--no-passphrase')).exit, 0)
    const policy = here.put('policy.json', Buffer.from('{"default":[{"type":"insecureAcceptAnything"}]}'))
    const lines = registriesDoc()
      .filter(block => block.some(line => line.includes('localhost:5000')))
      .flat()
    assert.ok(lines.length > 5)
    for (const line of lines.map(one => one.replaceAll('localhost:5000', plain))) {
      if (line.startsWith('skopeo '))
        execFileSync('skopeo', ['--policy', policy, ...line.split(' ').slice(1)], {
          cwd: here.cwd,
          stdio: 'pipe',
        })
      else {
        const { exit, stdout, stderr } = await here.say(...words(line))
        assert.equal(exit, 0, `${line}\n${stdout}${stderr}`)
      }
    }
  })

  test('a bundle travels: to a folder, a registry and a mirror, to another machine, past a reviewer and a connection that dies', async () => {
    const author = world(folder('author'))
    const data = Buffer.alloc(3_000_000, 'abcdefg')
    const facts = { version: '1.0.0', files: { 'bin/data': data } }
    author.put('b', made(facts, RELEASE))
    author.put('other', made({ ...facts, files: { 'bin/data': data, 'README.md': 'other' } }, RELEASE))
    const [here, there] = [`oci://${plain}/travel/mini`, `${plain}/travel-mirror/mini`]
    for (const to of ['oci-layout:store', here]) {
      assert.equal((await author.rlp('agent', 'push', 'b', to)).exit, 0)
      const refused = await author.rlp('agent', 'push', 'other', to)
      assert.deepEqual([refused.exit, refused.envelope.code], [2, 'EXISTS'])
    }
    const policy = author.put('policy.json', Buffer.from('{"default":[{"type":"insecureAcceptAnything"}]}'))
    const insecure = ['--src-tls-verify=false', '--dest-tls-verify=false']
    const mirrored = [`docker://${here.slice('oci://'.length)}:1.0.0`, `docker://${there}:1.0.0`]
    execFileSync('skopeo', ['--policy', policy, 'copy', ...insecure, ...mirrored], {
      cwd: author.cwd,
      stdio: 'pipe',
    })

    const machine = world(folder('machine'))
    await machine.say('key', 'generate', 'review', '--no-passphrase')
    const review = /ed25519:\S+/.exec((await machine.say('key', 'show', 'review')).stdout)?.[0]
    const anchors = `[anchors]\nrelease = "${RELEASE.anchor}"\nreview = "${review}"\n[rules]\nrelease = { allow_caps = "any" }\n`
    writeFileSync(
      join(machine.home, 'trust-policy.toml'),
      `${anchors}[require]\nanchors = ["release", "review"]\n`,
    )
    const cut = await cutOnce(plain, 1_000_000)
    try {
      const from = `oci://127.0.0.1:${cut.port}/travel-mirror/mini:1.0.0`
      const pull = () => machine.rlp('agent', 'pull', from, '--out-dir', 'got')
      const before = await pull()
      assert.deepEqual([before.exit, before.envelope.reason], [1, 'untrusted'])
      const pinned = (before.envelope['carried'] as Report['carried'])?.manifest
      assert.equal(
        (
          await machine.rlp(
            'agent',
            'sign',
            `oci://${there}:1.0.0`,
            '--key',
            'review',
            '--expect',
            'mini@1.0.0',
          )
        ).exit,
        0,
      )
      cut.again()
      const after = await pull()
      assert.equal(after.exit, 0, JSON.stringify(after.envelope))
      assert.deepEqual(
        [cut.times(), (after.envelope.result?.['report'] as Report | undefined)?.carried?.manifest],
        [2, pinned],
      )
      const file = join(machine.cwd, 'got/mini-1.0.0.agent.bundle')
      const alone = await machine.rlp('agent', 'verify', file)
      assert.equal(alone.envelope.result?.bundles?.[0]?.verdict, 'trusted')
    } finally {
      await cut.close()
    }
  })

  test('a large bundle in pieces, byte for byte', async () => {
    const here = world(folder('large'))
    const at = `oci://${plain}/large/mini`
    // Made here alone: its digests take seconds, and mostly there is no registry to send it to.
    const large = made({ files: { 'bin/data': Buffer.alloc(150_000_000, 'abcdefg') } }, RELEASE)
    assert.equal((await here.rlp('agent', 'push', here.put('b', large), at)).exit, 0)
    assert.equal((await here.rlp('agent', 'pull', `${at}:1.0.0`, '--out-dir', 'out')).exit, 0)
    assert.equal(sha256Of(readFileSync(join(here.cwd, 'out/mini-1.0.0.agent.bundle'))), sha256Of(large))
  })

  test('skopeo copies it in both directions, byte for byte', async () => {
    const here = world(folder('skopeo'))
    const at = `${plain}/mirror/mini`
    assert.equal((await here.rlp('agent', 'push', here.put('b', BUNDLE), `oci://${at}`)).exit, 0)
    const policy = here.put('policy.json', Buffer.from('{"default":[{"type":"insecureAcceptAnything"}]}'))
    const copy = (from: string, to: string) =>
      execFileSync(
        'skopeo',
        ['--policy', policy, 'copy', '--src-tls-verify=false', '--dest-tls-verify=false', from, to],
        { cwd: here.cwd, stdio: 'pipe' },
      )
    copy(`docker://${at}:1.0.0`, 'oci:mirror:1.0.0')
    const report = async (reference: string) =>
      (await here.rlp('agent', 'verify', reference)).envelope.result?.bundles?.[0] as Report
    const [one, other] = [await report(`oci://${at}:1.0.0`), await report('oci-layout:mirror:1.0.0')]
    assert.deepEqual([one.verdict, other.verdict], ['trusted', 'trusted'])
    assert.equal(one.carried?.manifest, other.carried?.manifest)
    copy('oci:mirror:1.0.0', `docker://${plain}/back/mini:1.0.0`)
    assert.equal((await report(`oci://${plain}/back/mini:1.0.0`)).carried?.manifest, one.carried?.manifest)
    rmSync(join(here.cwd, 'mirror'), { recursive: true })
    assert.equal((await here.rlp('agent', 'push', 'b', 'oci-layout:ours')).exit, 0)
    copy('oci:ours:1.0.0', `docker://${plain}/ours/mini:1.0.0`)
    assert.equal((await report(`oci://${plain}/ours/mini:1.0.0`)).carried?.manifest, one.carried?.manifest)
  })

  test('with TLS: only where the certificate holds', async () => {
    const authority = makeAuthority('test')
    const { cert, key } = makeCertificate(authority, ['localhost'])
    const place = folder('certificates')
    writeFileSync(join(place, 'cert.pem'), cert)
    writeFileSync(join(place, 'ca.pem'), authority.cert)
    writeFileSync(join(place, 'key.pem'), key)
    const host = await start('tls', `, tls: {certificate: ${place}/cert.pem, key: ${place}/key.pem}`)
    const here = world(folder('tls-home'))
    here.put('b', BUNDLE)
    const push = (env: Record<string, string>) =>
      rlp(['agent', 'push', 'b', `oci://${host}/agents/mini`], {
        cwd: here.cwd,
        env: { RUNLOOP_HOME: here.home, ...env },
      })
    const refused = await push({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    assert.deepEqual([refused.exit, /certificate of localhost/.test(refused.stderr)], [3, true])
    const accepted = await push({ NODE_EXTRA_CA_CERTS: join(place, 'ca.pem') })
    assert.equal(accepted.exit, 0, accepted.stderr)
  })

  test('with a password', {
    skip: missing('htpasswd'),
  }, async () => {
    const place = folder('passwords')
    writeFileSync(
      join(place, 'htpasswd'),
      execFileSync('htpasswd', ['-Bbn', 'alice', 'canary-pw'], { encoding: 'utf8' }),
    )
    const host = await start('auth', '', `auth: {htpasswd: {realm: x, path: ${place}/htpasswd}}\n`)
    const here = world(folder('auth-home'))
    here.put('b', BUNDLE)
    const config = (password: string) =>
      here.put(
        'auth.json',
        Buffer.from(
          JSON.stringify({
            auths: { [host]: { auth: Buffer.from(`alice:${password}`).toString('base64') } },
          }),
        ),
      )
    for (const [password, exit] of [
      ['wrong', 3],
      ['canary-pw', 0],
    ] as const) {
      config(password)
      const env = { RUNLOOP_HOME: here.home, REGISTRY_AUTH_FILE: join(here.cwd, 'auth.json') }
      const ran = await rlp(['agent', 'push', 'b', `oci://${host}/agents/mini`], { cwd: here.cwd, env })
      assert.equal(ran.exit, exit, ran.stderr)
      assert.ok(!`${ran.stdout}${ran.stderr}`.includes(password === 'wrong' ? 'alice:wrong' : password))
    }
  })
})
