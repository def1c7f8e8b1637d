// rlp trust add --for FOLDER: the rules that the bundles of a folder ask for, each for its own agent, and every bundle is signed by the signer.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { trustAdd } from '../../src/library/generated/trust.ts'
import { readWords } from '../../src/text/shell-words.ts'
import { temporary } from '../support/folder.ts'
import { made, OTHER, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { LATE, upTo } from '../support/runs.ts'

const folderFor = temporary('for-folder')

const GRANTS: Readonly<Record<string, string>> = {
  mailer: 'time = true\n',
  courier: 'net = ["api.mail.example:443"]\n',
  librarian: 'kb_read = ["books"]\n',
}

/** A host without a policy, and a folder with a bundle of each agent. */
function host(name: string, signed = RELEASE): World {
  const here = world(folderFor(name))
  rmSync(join(here.home, 'trust-policy.toml'))
  mkdirSync(join(here.cwd, 'dist/more'), { recursive: true })
  for (const [agent, caps] of Object.entries(GRANTS)) {
    const folder = agent === 'courier' ? 'dist/more' : 'dist'
    const bytes = made({ name: agent, version: '1.0.0', caps }, agent === 'librarian' ? signed : RELEASE)
    here.put(`${folder}/${agent}-1.0.0.agent.bundle`, bytes)
  }
  return here
}

const policyOf = (here: World) => readFileSync(join(here.home, 'trust-policy.toml'), 'utf8')
const ADD = ['trust', 'add', 'release', RELEASE.anchor, '--for'] as const

/** The words of `verify` on each bundle of the folder. */
async function words(here: World): Promise<string[]> {
  const { envelope } = await here.rlp('agent', 'verify', 'dist')
  return (envelope.result?.bundles ?? []).map(({ verdict }) => verdict)
}

describe('rlp trust add --for FOLDER', () => {
  test('each agent gets the rule that its bundle asks for, and no other', async () => {
    const here = host('each')
    const { exit, envelope } = await here.rlp(...ADD, 'dist', '--yes')
    assert.equal(exit, 0, JSON.stringify(envelope))
    const bundles = envelope.result?.bundles ?? []
    assert.deepEqual(
      bundles.map(({ target, verdict }) => [target, verdict]),
      ['dist/librarian', 'dist/mailer', 'dist/more/courier'].map(path => [
        `${path}-1.0.0.agent.bundle`,
        'trusted',
      ]),
    )
    assert.deepEqual(await words(here), ['trusted', 'trusted', 'trusted'])
    // What one of them was granted is granted to no other.
    here.put('x', made({ name: 'mailer', version: '1.0.1', caps: GRANTS['courier'] ?? '' }, RELEASE))
    const { envelope: other } = await here.rlp('agent', 'verify', 'x')
    assert.equal(other.result?.bundles?.[0]?.verdict, 'policy_denied')
  })

  test('writes what one call for each bundle writes', async () => {
    const [all, each] = [host('all'), host('each-alone')]
    await all.rlp(...ADD, 'dist', '--yes')
    for (const path of ['librarian', 'mailer', 'more/courier'])
      await each.rlp(...ADD, `dist/${path}-1.0.0.agent.bundle`, '--yes')
    assert.equal(policyOf(all), policyOf(each))
    const before = policyOf(all)
    const { envelope } = await all.rlp(...ADD, 'dist', '--yes')
    assert.equal(envelope.result?.['changed'], false)
    assert.equal(policyOf(all), before)
  })

  test('asks once, for all of them; without a person nothing is written', async () => {
    const here = host('asks')
    const { exit, envelope } = await here.rlp(...ADD, 'dist')
    assert.deepEqual([exit, envelope.code], [2, 'NEEDS_ANSWER'])
    assert.match(envelope.message ?? '', /3 bundles propose the rules, and no person can be asked$/)
    assert.throws(() => policyOf(here), { code: 'ENOENT' })
    const { stdout } = await here.say(...ADD, 'dist', '--dry-run')
    assert.match(stdout, /^3 bundles will be trusted$/m)
    assert.throws(() => policyOf(here), { code: 'ENOENT' })
  })

  test('one that the signer has not signed refuses all of it', async () => {
    for (const by of [OTHER, STRANGER]) {
      const here = host(`other-${by === OTHER}`, by)
      const { exit, envelope } = await here.rlp(...ADD, 'dist', '--yes')
      assert.deepEqual([exit, envelope.code], [1, 'NOT_VERIFIED'], JSON.stringify(envelope))
      assert.match(
        envelope.message ?? '',
        /librarian-1\.0\.0\.agent\.bundle" asks: it is not signed with a key of release$/,
      )
      assert.throws(() => policyOf(here), { code: 'ENOENT' })
    }
  })

  test('a damaged one refuses all of it', async () => {
    const here = host('damaged')
    here.put('dist/bad-1.0.0.agent.bundle', made({ name: 'bad' }, RELEASE).subarray(0, 512))
    const { exit, envelope } = await here.rlp(...ADD, 'dist', '--yes')
    assert.deepEqual([exit, envelope.code], [1, 'NOT_VERIFIED'], JSON.stringify(envelope))
    assert.throws(() => policyOf(here), { code: 'ENOENT' })
  })

  test('a folder without a bundle, and statements about several, are refused', async () => {
    const here = host('refused')
    mkdirSync(join(here.cwd, 'empty'))
    assert.equal((await here.rlp(...ADD, 'empty', '--yes')).envelope.code, 'NOT_FOUND')
    writeFileSync(join(here.cwd, 'x.jsonl'), '')
    const { envelope } = await here.rlp(...ADD, 'dist', '--yes', '--attestations', 'x.jsonl')
    assert.equal(envelope.code, 'USAGE')
    assert.match(envelope.message ?? '', /3 bundles are there/)
  })

  test('the library does the same', async () => {
    const here = host('library')
    const asked: number[] = []
    const { changed, bundles } = await trustAdd('release', {
      key: RELEASE.anchor,
      for: 'dist',
      cwd: here.cwd,
      home: here.home,
      mayGrant: ({ bundles }) => asked.push(bundles.length) > 0,
    })
    assert.deepEqual([changed, bundles.length, asked], [true, 3, [3]])
  })

  test('hundreds of agents take seconds', { skip: LATE }, async () => {
    const here = world(folderFor('hundreds'))
    mkdirSync(join(here.cwd, 'dist'))
    const count = upTo(30, 300)
    for (let at = 0; at < count; at++)
      here.put(
        `dist/agent_${at}-1.0.0.agent.bundle`,
        made({ name: `agent_${at}`, version: '1.0.0', caps: `kb_read = ["k${at}"]\n` }, OTHER),
      )
    rmSync(join(here.home, 'trust-policy.toml'))
    const line = readWords(`trust add other ${OTHER.anchor} --for dist --yes`)
    assert.ok('value' in line)
    const started = process.cpuUsage()
    const { exit, envelope } = await here.rlp(...line.value)
    const { user, system } = process.cpuUsage(started)
    assert.equal(exit, 0, JSON.stringify(envelope).slice(0, 500))
    assert.ok((user + system) / 1e6 < 20, `${(user + system) / 1e6} s`)
    assert.equal(new Set(await words(here)).size, 1)
  })
})
