// Words that people and shells write in another way than a command takes them: a file of statements beside its bundle, and two arguments in the other
// order.
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { good, made, madeTree, RELEASE, world } from '../support/install-world.ts'

const folder = temporary('other-order')
const BUNDLE = 'mini-1.0.0.agent.bundle'
const BESIDE = `${BUNDLE}.intoto.jsonl`
const KEY = ['--key', './release.pem']

test('dist/* of a shell names statements, too: each command leaves them out beside their bundle, and says so', async () => {
  const here = world(folder('statements'))
  copyFileSync('fixtures/keys/test-only-release.pem', join(here.cwd, 'release.pem'))
  chmodSync(join(here.cwd, 'release.pem'), 0o600)
  here.put(BUNDLE, made({}, RELEASE))
  const sbom = ['agent', 'sbom', BUNDLE, ...KEY]
  await good(here, ...sbom)
  assert.ok(existsSync(join(here.cwd, BESIDE)))
  writeFileSync(join(here.cwd, 'scan.json'), '{"result":"PASSED"}')
  const attest = ['--type', 'https://example.com/scan/v1', '--predicate', 'scan.json', ...KEY]
  for (const words of [
    ['agent', 'sbom', BUNDLE, BESIDE, ...KEY],
    ['agent', 'attest', BUNDLE, BESIDE, ...attest],
    ['agent', 'provenance', BUNDLE, BESIDE, '--builder', 'https://ci.example/1', ...KEY],
    ['agent', 'push', BUNDLE, BESIDE, 'oci-layout:store/'],
    ['lock', 'add', BESIDE, BUNDLE],
    ['lock', 'update', BUNDLE, BESIDE],
    ['agent', 'sign', BUNDLE, BESIDE, ...KEY],
  ]) {
    const { exit, stderr } = await here.say(...words)
    assert.equal(exit, 0, `${words.join(' ')}: ${stderr}`)
    const said = `${BESIDE} was left out: it holds statements about a bundle that is named, too`
    assert.ok(stderr.split('\n').includes(said), `${words.join(' ')}: ${stderr}`)
  }
  const verified = await good(here, 'agent', 'verify', BUNDLE, BESIDE)
  assert.deepEqual(
    verified.bundles?.map(({ target }) => target),
    [BUNDLE],
  )
  // Named without its bundle it is no bundle.
  assert.equal((await here.rlp('agent', 'sign', BESIDE, ...KEY)).exit, 1)
  rmSync(join(here.cwd, BUNDLE))
  assert.notEqual((await here.rlp('agent', 'verify', BUNDLE, BESIDE)).exit, 0)
})

test('agent version with the agent first says in which order it takes them', async () => {
  const here = world(folder('version'))
  writeTree(join(here.cwd, 'agents/mini'), madeTree())
  await good(here, 'agent', 'version', 'minor', 'mini')
  for (const version of ['minor', '1.2.0']) {
    const { exit, envelope } = await here.rlp('agent', 'version', 'agents/mini', version)
    assert.deepEqual([exit, envelope['field']], [2, 'version'])
    assert.equal(envelope.message, `Cannot set the version to "agents/mini": ${version} is the version`)
    assert.equal(envelope.hint, `Name the version first: rlp agent version ${version} agents/mini`)
  }
  const { envelope } = await here.rlp('agent', 'version', 'mini', 'other')
  assert.doesNotMatch(envelope.hint ?? '', /version first/)
})

test('tool call with the bundle first says in which order it takes them', async () => {
  const here = world(folder('call'))
  here.put(BUNDLE, made({}, RELEASE))
  await good(here, 'agent', 'install', BUNDLE, '--yes')
  const first = await here.rlp('tool', 'call', 'text.echo', 'mini')
  assert.equal(first.envelope.code ?? first.envelope['kind'], 'tool_not_found')
  for (const bundle of [BUNDLE, 'mini']) {
    const { exit, envelope } = await here.rlp('tool', 'call', bundle, 'text.echo')
    assert.deepEqual([exit, envelope['field']], [2, 'id'])
    assert.equal(envelope.message, `Cannot call "${bundle}": it is a bundle, and no tool`)
    assert.equal(envelope.hint, `Name the tool first: rlp tool call text.echo ${bundle}`)
  }
  const { envelope } = await here.rlp('tool', 'call', 'text.echo', 'nothing')
  assert.doesNotMatch(envelope.hint ?? '', /tool first/)
})
