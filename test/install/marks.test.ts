// High-water marks: they belong to the agent, know content and keys, and nothing that a carrier or an anchor's name can change
// lets an older bundle in. Each refusal has its control: the same bytes in a world where nothing newer was installed.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type InstallResult, loadBundle } from '../../src/library/generated/index.ts'
import { temporary } from '../support/folder.ts'
import { DEV, made, OTHER, policyText, RELEASE, REVIEW, type World, world } from '../support/install-world.ts'

const folderFor = temporary('marks')

async function installed(here: World, bytes: Uint8Array, ...flags: string[]) {
  const { exit, envelope } = await here.install(here.put('i', bytes), '--yes', ...flags)
  assert.deepEqual([exit, envelope.ok], [0, true], JSON.stringify(envelope))
  return envelope.result as unknown as InstallResult
}

/** The words of `verify`, of `loadBundle` and of `install`, which have to be the same. */
async function wordsFor(here: World, bytes: Uint8Array): Promise<string> {
  const name = here.put('w', bytes)
  const { envelope } = await here.rlp('agent', 'verify', name)
  const [report] = envelope.result?.bundles ?? []
  const loaded = await loadBundle(join(here.cwd, name), { expect: 'any' }).then(
    ({ report }) => report.verdict,
    error => error.verdict,
  )
  assert.equal(loaded, report?.verdict)
  if (report?.verdict !== 'trusted')
    assert.equal((await here.install(name, '--yes')).envelope['verdict'], report?.verdict)
  return report?.verdict === 'trusted' ? 'trusted' : `${report?.verdict}: ${report?.reasons[0]?.code}`
}

const V1 = { version: '1.0.0' }
const V2 = { version: '2.0.0' }
const ONE = made(V1, RELEASE)
const TWO = made(V2, RELEASE)

describe('an older bundle is rolled back', () => {
  test('also without the signature of who signed the newer one', async () => {
    const here = world(folderFor('stripped'))
    await installed(here, made(V1, RELEASE, REVIEW))
    assert.equal(await wordsFor(here, made(V1, REVIEW)), 'trusted')
    await installed(here, TWO)
    assert.equal(await wordsFor(here, made(V1, RELEASE, REVIEW)), 'rolled_back: older')
    assert.equal(await wordsFor(here, made(V1, REVIEW)), 'rolled_back: older')
    assert.equal(await wordsFor(here, made(V1, OTHER)), 'rolled_back: older')
    assert.equal(
      await wordsFor(here, made({ ...V2, files: { 'a.md': 'x' } }, REVIEW)),
      'rolled_back: other_content',
    )
  })

  test('whatever its anchor is called since, and although the newer one’s anchor is gone', async () => {
    const here = world(folderFor('renamed'))
    await installed(here, ONE)
    const rename = (text: string) => text.replaceAll('release =', 'acme =')
    const policies = [rename(policyText()), policyText().replaceAll(/^release = .*$/gm, '')]
    for (const text of policies) {
      writeFileSync(join(here.home, 'trust-policy.toml'), text)
      assert.equal(await wordsFor(here, made(V1, text.includes('acme') ? RELEASE : REVIEW)), 'trusted')
    }
    here.policy()
    await installed(here, TWO)
    for (const text of policies) {
      writeFileSync(join(here.home, 'trust-policy.toml'), text)
      assert.equal(
        await wordsFor(here, made(V1, text.includes('acme') ? RELEASE : REVIEW)),
        'rolled_back: older',
      )
    }
  })

  test('a renamed anchor is the same signer, and another key under its name is not', async () => {
    const here = world(folderFor('same-name'))
    await installed(here, ONE)
    const swapped = policyText()
      .replace(`release = "${RELEASE.anchor}"`, `swapped = "${OTHER.anchor}"`)
      .replace(`other = "${OTHER.anchor}"`, `other = "${RELEASE.anchor}"`)
      .replaceAll('swapped', 'release')
    writeFileSync(join(here.home, 'trust-policy.toml'), swapped)
    const { envelope } = await here.install(here.put('b', made(V2, OTHER)), '--yes')
    assert.equal(envelope.reason, 'signer_changed')
    await installed(here, TWO)
  })
})

describe('--allow-downgrade', () => {
  test('waives an older version, and no other content under the same version', async () => {
    const here = world(folderFor('downgrade'))
    await installed(here, ONE)
    await installed(here, TWO)
    const other = here.put('o', made({ ...V2, files: { 'a.md': 'x' } }, RELEASE))
    const { exit, envelope } = await here.install(other, '--allow-downgrade', '--force', '--yes')
    assert.deepEqual([exit, envelope.reason], [1, 'rolled_back'])
    assert.match(
      envelope.hint ?? '',
      /^Ask the signer for a new version.* rlp trust reset mini --to 2\.0\.0 /,
    )
    assert.equal((await installed(here, ONE, '--allow-downgrade')).install.verdict, 'rolled_back')
    assert.equal(here.state().marks[0]?.version, '2.0.0')
  })
})

describe('rlp trust reset', () => {
  test('never forgets that the agent was installed signed', async () => {
    const here = world(folderFor('reset-signed'))
    const unsigned = made({ version: '3.0.0' })
    const control = world(folderFor('reset-control'))
    await installed(control, unsigned, '--allow-unsigned')
    await installed(here, ONE)
    await here.rlp('agent', 'uninstall', 'mini', '--yes')
    for (const args of [['--to', '1.0.0'], []]) {
      assert.equal((await here.rlp('trust', 'reset', 'mini', ...args)).exit, 0)
      const { exit, envelope } = await here.install(here.put('u', unsigned), '--allow-unsigned', '--yes')
      assert.deepEqual([exit, envelope.reason], [1, 'unsigned'])
      const loading = loadBundle(join(here.cwd, 'u'), { expect: 'mini', allowUnsigned: true })
      await assert.rejects(loading, { verdict: 'unsigned' })
    }
  })

  test('--to lets that version in again, with other content too, and nothing older', async () => {
    const here = world(folderFor('reset-to'))
    await installed(here, made({ version: '9.0.0' }, RELEASE))
    const bytes = made({ version: '0.9.1', files: { 'a.md': 'x' } }, RELEASE)
    assert.equal(await wordsFor(here, bytes), 'rolled_back: older')
    const { exit } = await here.rlp('trust', 'reset', 'mini', '--to', '0.9.1', '--reason', 'a typing error')
    assert.equal(exit, 0)
    assert.equal(await wordsFor(here, made({ version: '0.9.0' }, RELEASE)), 'rolled_back: older')
    // Without a flag: what the reset has forgotten is not in the way either.
    await installed(here, bytes)
    const { marks, resets } = here.state()
    assert.deepEqual(
      marks.map(({ version, keys, manifestDigest }) => [version, keys, manifestDigest !== null]),
      [['0.9.1', [RELEASE.anchor], true]],
    )
    assert.deepEqual(
      resets.map(({ to, reason, marks }) => [to, reason, marks[0]?.version]),
      [['0.9.1', 'a typing error', '9.0.0']],
    )
    // And from now on the content of that version is bound again.
    assert.equal(await wordsFor(here, made({ version: '0.9.1' }, RELEASE)), 'rolled_back: other_content')
  })

  test('--to the version of the mark lets other content in', async () => {
    const here = world(folderFor('reset-same'))
    await installed(here, ONE)
    const other = made({ ...V1, files: { 'a.md': 'x' } }, RELEASE)
    assert.equal(await wordsFor(here, other), 'rolled_back: other_content')
    assert.equal((await here.rlp('trust', 'reset', 'mini', '--to', '1.0.0')).exit, 0)
    await installed(here, other)
    assert.equal(await wordsFor(here, ONE), 'rolled_back: other_content')
  })

  test('without --to any version is let in, once', async () => {
    const here = world(folderFor('reset-any'))
    await installed(here, TWO)
    assert.equal((await here.rlp('trust', 'reset', 'mini')).exit, 0)
    await installed(here, ONE)
    assert.equal(await wordsFor(here, made({ version: '0.1.0' }, RELEASE)), 'rolled_back: older')
  })

  test('raises nothing: --to a newer version, or where there is no mark, is refused', async () => {
    const here = world(folderFor('reset-newer'))
    const none = await here.rlp('trust', 'reset', 'mini', '--to', '1.0.0')
    assert.deepEqual([none.exit, none.envelope.code], [2, 'NOT_FOUND'])
    await installed(here, ONE)
    const before = here.state()
    for (const to of ['1.0.1', '2', 'x', '']) {
      const { exit, envelope } = await here.rlp('trust', 'reset', 'mini', '--to', to)
      assert.deepEqual([exit, envelope.code], [2, 'USAGE'], to)
    }
    const { envelope } = await here.rlp('trust', 'reset', 'mini', '--to', '0.1.0', '--dry-run')
    assert.deepEqual([envelope.result?.['to'], envelope.result?.['changed']], ['0.1.0', true])
    assert.deepEqual(here.state(), before)
  })

  test('the signer is compared as before', async () => {
    const here = world(folderFor('reset-signer'))
    await installed(here, TWO)
    assert.equal((await here.rlp('trust', 'reset', 'mini', '--to', '1.0.0')).exit, 0)
    const { envelope } = await here.install(here.put('b', made(V1, OTHER)), '--yes')
    assert.equal(envelope.reason, 'signer_changed')
    await installed(here, ONE)
  })
})

describe('--allow-dev', () => {
  test('an install that needed it raises no mark', async () => {
    const here = world(folderFor('dev'))
    await installed(here, ONE)
    const result = await installed(
      here,
      made({ version: '9.0.0' }, DEV),
      '--allow-dev',
      '--allow-signer-change',
    )
    assert.deepEqual(result.install.allowed, ['signer-change', 'dev'])
    assert.equal(here.state().marks[0]?.version, '1.0.0')
    assert.equal(await wordsFor(here, TWO), 'trusted')
    // The key that vouched for the mark is still a former signer. What is in the place is newer, so it takes a flag to replace it.
    const { envelope } = await here.install(here.put('b', TWO))
    assert.equal(envelope.reason, 'older')
    await installed(here, TWO, '--allow-downgrade')
    assert.deepEqual(
      here.state().marks.map(({ version, keys }) => [version, keys]),
      [['2.0.0', [RELEASE.anchor]]],
    )
  })

  test('where it was given and not needed, the mark is raised, and not by the development key', async () => {
    const here = world(folderFor('dev-beside'))
    const result = await installed(here, made(V1, RELEASE, DEV), '--allow-dev')
    assert.deepEqual([result.install.allowed, result.install.signers], [[], [RELEASE.anchor]])
    assert.deepEqual(
      here.state().marks.map(({ version, keys }) => [version, keys]),
      [['1.0.0', [RELEASE.anchor]]],
    )
    // Where two have to sign, it was needed.
    const strict = world(folderFor('dev-needed'))
    strict.policy('[require]\nsignatures = 2\n')
    const needed = await installed(strict, made(V1, RELEASE, DEV), '--allow-dev')
    assert.deepEqual([needed.install.allowed, strict.state().marks], [['dev'], []])
  })

  test('what was installed by it is no longer installed unsigned', async () => {
    const here = world(folderFor('dev-unsigned'))
    await installed(here, made(V1, DEV), '--allow-dev')
    const { envelope } = await here.install(here.put('u', made(V2)), '--allow-unsigned', '--yes')
    assert.equal(envelope.reason, 'unsigned')
  })
})

describe('build metadata', () => {
  const good = made({ version: '1.0.0+good' }, RELEASE)
  const evil = made({ version: '1.0.0+evil' }, RELEASE)
  test('a file name or an expectation that names it holds exactly it', async () => {
    const here = world(folderFor('build'))
    const name = 'mini-1.0.0+good.agent.bundle'
    const expect = 'mini@1.0.0+good'
    for (const [bytes, word] of [
      [good, 'trusted'],
      [evil, 'untrusted'],
      [ONE, 'untrusted'],
    ] as const) {
      for (const args of [[here.put(name, bytes)], [here.put('b', bytes), '--expect', expect]]) {
        const { envelope } = await here.rlp('agent', 'verify', ...args)
        const [report] = envelope.result?.bundles ?? []
        assert.equal(report?.verdict, word, args.join(' '))
        if (word !== 'trusted') assert.equal(report?.reasons[0]?.code, 'unexpected_agent')
      }
      const loading = loadBundle(join(here.cwd, 'b'), { expect }).then(
        ({ report }) => report.verdict,
        error => error.verdict,
      )
      assert.equal(await loading, word)
    }
    const refused = await here.install(here.put(name, evil), '--yes')
    assert.deepEqual([refused.exit, refused.envelope.reason], [1, 'untrusted'])
    assert.equal((await here.install(here.put(name, good), '--yes')).exit, 0)
    // Two builds of one version have no order: the second is other content of the same version.
    assert.equal(await wordsFor(here, evil), 'rolled_back: other_content')
  })
})
