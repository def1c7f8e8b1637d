// Mirrors of config.toml: what is written stays what counts, and what is read comes from where the operator says.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { bothConfigs, readConfig } from '../../src/config/config.ts'
import { copy, listVersions } from '../../src/library/generated/registry.ts'
import type { RegistryPlace } from '../../src/model/oci.ts'
import type { Report } from '../../src/model/report.ts'
import { placeText, readOciReference } from '../../src/oci/reference.ts'
import { mirroredPlace } from '../../src/registry/open-store.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, type World, world } from '../support/install-world.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'
import { authFile } from '../support/registry-access.ts'
import { runs } from '../support/runs.ts'

const folder = temporary('mirrors')

/** The lines of `[registries.mirrors]` → what config.toml states. */
function stated(...lines: readonly string[]) {
  const read = readConfig('config.toml', Buffer.from(`[registries.mirrors]\n${lines.join('\n')}\n`))
  if (!read.ok) assert.fail(read.message)
  return read.config
}

function mirrored(reference: string, lists: Parameters<typeof mirroredPlace>[1]): string {
  const read = readOciReference(reference)
  if ('problem' in read) assert.fail(read.problem)
  return placeText(mirroredPlace(read.value.place as RegistryPlace, lists))
}

const listsOf = (...lines: readonly string[]) => stated(...lines).mirrors?.value ?? []

describe('a prefix', () => {
  const lists = listsOf(
    '"oci://dev.example" = "oci://all.example/dev"',
    '"oci://dev.example/agents" = "oci://prod.example:5000/house/agents"',
    '"oci://dev.example/agents/mailer" = "oci-layout:/srv/mirror/"',
    '"oci://dev.example:8443/agents" = "oci://other.example/x"',
  )
  for (const [written, read] of [
    ['oci://dev.example/agents/sorter', 'oci://prod.example:5000/house/agents/sorter'],
    ['oci://dev.example/agents', 'oci://prod.example:5000/house/agents'],
    ['oci://dev.example/agents/mailer', 'oci-layout:/srv/mirror'],
    ['oci://dev.example/agents/mailer/pro', 'oci-layout:/srv/mirror/pro'],
    // Whole parts only.
    ['oci://dev.example/agentsmore/sorter', 'oci://all.example/dev/agentsmore/sorter'],
    ['oci://dev.example:8443/agents/a', 'oci://other.example/x/a'],
    ['oci://dev.example:8443/a', 'oci://dev.example:8443/a'],
    ['oci://DEV.example/agents/sorter', 'oci://prod.example:5000/house/agents/sorter'],
    ['oci://example/agents/sorter', 'oci://example/agents/sorter'],
    // What a mirror is called is not looked up again.
    ['oci://prod.example:5000/house/agents/a', 'oci://prod.example:5000/house/agents/a'],
  ] as const)
    test(`${written} is read from ${read}`, () => assert.equal(mirrored(written, lists), read))

  test('of the system decides before any of the user, however long', () => {
    const system = stated('"oci://dev.example" = "oci://system.example"')
    const user = stated(
      '"oci://dev.example/agents/mailer" = "oci://evil.example/agents/mailer"',
      '"oci://system.example" = "oci://evil.example"',
      '"oci://mine.example" = "oci://near.example"',
    )
    const both = bothConfigs(system, user).mirrors?.value ?? []
    assert.equal(mirrored('oci://dev.example/agents/mailer', both), 'oci://system.example/agents/mailer')
    assert.equal(mirrored('oci://mine.example/a', both), 'oci://near.example/a')
    assert.equal(
      mirrored('oci://mine.example/a', bothConfigs(stated(), user).mirrors?.value ?? []),
      'oci://near.example/a',
    )
  })

  test('keeps what is behind it, and no user changes what the system maps', () => {
    const part = fc.stringMatching(/^[a-z0-9]{1,3}$/)
    const parts = fc.array(part, { minLength: 1, maxLength: 4 })
    const line = (host: string) =>
      fc
        .tuple(fc.array(part, { maxLength: 3 }), parts)
        .map(
          ([from, to]) =>
            [
              `"${[`oci://${host}`, ...from].join('/')}" = "oci://${to.length > 2 ? 'x' : 'y'}.example/${to.join('/')}"`,
              from.join('/'),
            ] as const,
        )
    const lines = (host: string) => fc.uniqueArray(line(host), { maxLength: 4, selector: one => one[1] })
    fc.assert(
      fc.property(lines('dev.example'), lines('dev.example'), parts, (system, user, repository) => {
        const written = `oci://dev.example/${repository.join('/')}`
        const lists = [listsOf(...system.map(one => one[0])), listsOf(...user.map(one => one[0]))].map(list =>
          list.flat(),
        )
        const read = mirrored(written, lists)
        const bySystem = mirrored(written, lists.slice(0, 1))
        if (bySystem !== written) assert.equal(read, bySystem)
        const longest = (of: typeof system) =>
          of
            .map(one => one[1])
            .filter(prefix => prefix === '' || `${repository.join('/')}/`.startsWith(`${prefix}/`))
            .sort((a, b) => b.length - a.length)[0]
        const prefix = longest(system) ?? longest(user)
        if (prefix === undefined) assert.equal(read, written)
        else assert.ok(read.endsWith(repository.join('/').slice(prefix.length)))
      }),
      { numRuns: runs(500) },
    )
  })

  for (const [line, words] of [
    ['"oci://dev.example/agents" = 1', /it must be a text/],
    ['"dev.example/agents" = "oci://prod.example"', /it must be oci:\/\/HOST/],
    ['"oci://dev.example/agents:1.0.0" = "oci://prod.example"', /a repository has parts/],
    ['"oci://dev.example/agents/" = "oci://prod.example"', /a repository has parts/],
    ['"oci://" = "oci://prod.example"', /not host or host:port/],
    ['"oci-layout:/srv" = "oci://prod.example"', /it must be oci:\/\/HOST/],
    ['"oci://dev.example" = "https://prod.example"', /it must be oci:\/\/HOST/],
    ['"oci://dev.example" = "oci-layout:mirror"', /absolute path/],
    ['"oci://dev.example" = "oci://user@prod.example"', /not host or host:port/],
    ['"oci://dev.example/a" = "oci://x.example"\n"oci://DEV.example/a" = "oci://y.example"', /twice/],
  ] as const)
    test(`${line} is refused`, () => {
      const read = readConfig('config.toml', Buffer.from(`[registries.mirrors]\n${line}\n`))
      assert.match(read.ok ? '' : read.message, words)
    })

  test('of one repository cannot be a whole registry', () => {
    const lists = listsOf('"oci://dev.example/mailer" = "oci://prod.example"')
    assert.throws(() => mirrored('oci://dev.example/mailer', lists), { code: 'USAGE' })
  })
})

describe('a bundle that is written as of one registry and read from another', () => {
  let here: World
  let written: FakeRegistry
  let mirror: FakeRegistry
  let at = ''
  before(async () => {
    written = await new FakeRegistry({ referrers: true }).start()
    mirror = await new FakeRegistry({ referrers: true, login: 'alice:pw' }).start()
    here = world(folder('read'))
    here.put('b', made({}, RELEASE))
    at = `oci://${written.host}/agents/mini`
    assert.equal((await here.rlp('agent', 'push', 'b', at)).exit, 0)
    assert.equal((await here.rlp('lock', 'add', `${at}:1.0.0`)).exit, 0)
    const copied = await rlp('agent', 'copy', `${at}:1.0.0`, `oci://${mirror.host}/prod/`)
    assert.equal(copied.exit, 0, copied.stderr)
    configure(`"oci://${written.host}/agents" = "oci://${mirror.host}/prod"`)
  })
  after(() => Promise.all([written.stop(), mirror.stop()]))

  function configure(...lines: readonly string[]) {
    mkdirSync(here.home, { recursive: true })
    const text = `[registries.mirrors]\n${lines.join('\n')}\n`
    writeFileSync(join(here.home, 'config.toml'), text, { mode: 0o600 })
  }

  function rlp(...words: readonly string[]) {
    process.env['RUNLOOP_HOME'] = here.home
    const env = { RUNLOOP_HOME: here.home, ...authFile(here.cwd, { [mirror.host]: 'alice:pw' }) }
    return run([...words, '--json'], undefined, { cwd: here.cwd, env })
  }

  test('is judged, listed, pulled and installed by the mirror, under the written name', async () => {
    for (const words of [
      ['agent', 'verify', `${at}:1.0.0`],
      ['agent', 'verify', `${at}:1.0.0`, '--locked'],
      ['agent', 'list', at],
      ['agent', 'pull', `${at}:1.0.0`, '--out-dir', 'got'],
      ['agent', 'install', `${at}:1.0.0`, '--locked', '--yes'],
      ['lock', 'check'],
    ]) {
      written.asked.length = 0
      mirror.asked.length = 0
      const { exit, stdout } = await rlp(...words)
      assert.equal(exit, 0, `${words.join(' ')}: ${stdout}`)
      assert.deepEqual(written.asked, [], words.join(' '))
      assert.ok(mirror.asked.some(({ url }) => url.startsWith('/v2/prod/mini/')))
      assert.equal(stdout.includes(mirror.host), false, 'the written one is what is told')
    }
    const { stdout } = await rlp('agent', 'verify', `${at}:1.0.0`)
    const [report] = JSON.parse(stdout).result.bundles as Report[]
    assert.equal(report?.carried?.reference, `${at}:1.0.0`)
  })

  test('what is written goes to the written place', async () => {
    here.put('next', made({ version: '1.1.0' }, RELEASE))
    mirror.asked.length = 0
    assert.equal((await rlp('agent', 'push', 'next', at)).exit, 0)
    assert.deepEqual(mirror.asked, [])
    // The mirror has it not, and the written place is not asked for it.
    written.asked.length = 0
    const { exit, stdout } = await rlp('agent', 'pull', `${at}:1.1.0`)
    assert.equal(exit, 3)
    assert.match(JSON.parse(stdout).message, /its mirror oci:\/\/\S+\/prod\/mini has no 1\.1\.0/)
    assert.deepEqual(written.asked, [])
  })

  test('a mirror that refuses is final', async () => {
    mirror.meddle = (_, response) => say(response, 403, '{}')
    written.asked.length = 0
    try {
      const { exit } = await rlp('agent', 'pull', `${at}:1.0.0`, '--out-dir', 'more')
      assert.equal(exit, 3)
      assert.deepEqual(written.asked, [])
    } finally {
      mirror.meddle = undefined
    }
  })

  test('a folder can be the mirror, and a malformed file stops the command', async () => {
    const { cwd } = here
    configure()
    await copy(`${at}:1.0.0`, 'oci-layout:carried/', { cwd, home: false })
    configure(`"oci://${written.host}/agents" = "oci-layout:${join(cwd, 'carried')}"`)
    written.asked.length = 0
    const { exit, stdout } = await rlp('agent', 'verify', `${at}:1.0.0`)
    assert.equal(exit, 0, stdout)
    assert.deepEqual(written.asked, [])
    const near = await listVersions(at, { cwd, home: here.home })
    assert.deepEqual(
      near.versions.map(({ tag }) => tag),
      ['1.0.0'],
    )
    assert.deepEqual(written.asked, [])
    const far = await listVersions(at, { cwd, home: false })
    assert.deepEqual(
      far.versions.map(({ tag }) => tag),
      ['1.1.0', '1.0.0'],
    )
    configure('"oci://x" = 1')
    const malformed = await rlp('agent', 'list', at)
    assert.equal(malformed.exit, 2)
    assert.match(JSON.parse(malformed.stdout).message, /config\.toml:2:/)
  })
})
