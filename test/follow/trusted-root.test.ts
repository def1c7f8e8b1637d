// A policy with identities on its way through a trust channel: its trusted root is one of the files of a release, and without it no host takes the release.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { policyProblem } from '../../src/channel/check-contents.ts'
import { agentTree, bundleOf, digestOf } from '../support/agent.ts'
import {
  channelWith,
  filesOf,
  NOTHING,
  PEOPLE,
  pinOf,
  publish,
  rootOne,
  withHeartbeat,
  withRelease,
} from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import { rlp } from '../support/run.ts'
import { JOB_ANCHOR } from '../support/sigstore-world.ts'

const folder = temporary('trusted-root')
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, `../../fixtures/keyless/${name}.json`))
const ROOT = fixture('root')
const POLICY = `[anchors]
ci = { ${JOB_ANCHOR} }
[rules]
ci = { allow_caps = "any", allow_net = "any", allow_exec = true }
[sigstore]
trusted_root = { file = "root.json", blake3 = "${digestOf(ROOT)}" }
`
const BUNDLE = 'mini-1.0.0.agent.bundle'

function world(name: string) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(cwd, BUNDLE), bundleOf(agentTree({ name: 'mini' })))
  writeFileSync(join(cwd, `${BUNDLE}.intoto.jsonl`), fixture('signature'))
  const run = async (...args: readonly string[]) => {
    const ran = await rlp([...args, '--json'], { cwd, env: { RUNLOOP_HOME: home } })
    return { ...ran, ...JSON.parse(ran.stdout) }
  }
  return { cwd, channel: `oci-layout:${join(cwd, 'house')}`, run }
}

describe('a policy with identities in a channel', () => {
  test('is judged by, with the root that came with it, and by no other', async () => {
    const { channel, run } = world('follow')
    const now = new Date()
    const first = { ...NOTHING, roots: [rootOne(now)] }
    const two = [PEOPLE.ada, PEOPLE.grace]
    const contents = withHeartbeat(withRelease(first, POLICY, now, two, 30, { 'root.json': ROOT }), now)
    await publish(contents, channel)
    const followed = await run('trust', 'follow', channel, '--root', pinOf(contents))
    assert.equal(followed.exit, 0, followed.stdout)
    const { result } = await run('agent', 'verify', BUNDLE)
    assert.equal(result.bundles[0].verdict, 'trusted')
    assert.equal(result.bundles[0].policies[0].channel.name, 'house')
  })
  test('is taken by no host without its root, or with another one', () => {
    assert.equal(policyProblem(filesOf(POLICY, { 'root.json': ROOT })), undefined)
    assert.match(policyProblem(filesOf(POLICY)) ?? '', /there is no file root\.json beside the policy/)
    assert.match(policyProblem(filesOf(POLICY, { 'root.json': Buffer.from('{}') })) ?? '', /another digest/)
  })
  test('a release takes the root that is beside the policy along', async () => {
    const { cwd, run } = world('release')
    const now = new Date()
    await publish(channelWith('[anchors]\n', now), `oci-layout:${join(cwd, 'house')}`)
    writeFileSync(join(cwd, 'policy.toml'), POLICY)
    const refused = await run('channel', 'release', 'house', 'policy.toml')
    assert.equal(refused.exit, 1, refused.stdout)
    assert.match(refused.error?.message ?? refused.message, /no host would take it.*root\.json/)
    writeFileSync(join(cwd, 'root.json'), ROOT)
    const drafted = await run('channel', 'release', 'house', 'policy.toml')
    assert.equal(drafted.exit, 0, drafted.stdout)
    assert.match(drafted.stdout, /root\.json/)
  })
})
