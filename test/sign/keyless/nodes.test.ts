// The same on every Node that is supported: signed without a key, and judged by identity. What was built is run.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { runtimes } from '../../../scripts/bench/nodes.ts'
import { isNeeded } from '../../support/needs.ts'
import { rlp } from '../../support/run.ts'
import { IN_CI } from '../../support/runs.ts'
import { SIGNED_NAME as NAME, signingWorld } from '../../support/signing-world.ts'

const world = signingWorld('keyless-nodes')
const SUPPORTED = ['Node 20', 'Node 22', 'Node 24', 'Node 26']

describe('signing and judging without a key', () => {
  // In `.ci/run`: each takes a processor for a second.
  const all = IN_CI ? runtimes() : runtimes().slice(0, 1)
  test('is tried on every Node that is supported', {
    skip: !isNeeded('nodes') && 'RLP_NEEDS does not name nodes',
  }, () => {
    assert.deepEqual(
      all.map(({ name }) => name),
      SUPPORTED,
    )
  })
  for (const { name, path } of all)
    for (const config of ['signing.json', 'signing-2.json'])
      test(`${name}, ${config}`, async () => {
        const cwd = world.place()
        const policy = ['--trust-policy', join(cwd, 'home/trust-policy.toml')]
        const call = async (token: string, ...args: readonly string[]) =>
          rlp(args, { cwd, node: path, env: { SIGSTORE_ID_TOKEN: token } })
        const sign = (token: string) =>
          call(token, 'agent', 'sign', NAME, '--keyless', '--yes', '--signing-config', config)
        const verdict = async () => {
          const { stdout } = await call('', 'agent', 'verify', NAME, ...policy, '--json')
          return JSON.parse(stdout).result.bundles[0].verdict
        }
        const other = await sign(world.services.token({ repository_id: '7' }))
        assert.equal(other.exit, 0, other.stderr)
        assert.equal(await verdict(), 'untrusted')
        renameSync(join(cwd, `${NAME}.intoto.jsonl`), join(cwd, 'other'))
        const signed = await sign(world.services.token())
        assert.equal(signed.exit, 0, signed.stderr)
        assert.equal(await verdict(), 'trusted')
        assert.equal(readFileSync(join(cwd, `${NAME}.intoto.jsonl`), 'utf8').split('\n').length, 2)
        copyFileSync(join(cwd, 'other'), join(cwd, `${NAME}.intoto.jsonl`))
        assert.equal(await verdict(), 'untrusted')
      })
})
