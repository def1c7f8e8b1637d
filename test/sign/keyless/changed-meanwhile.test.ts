// A bundle that changes while the services are asked: no signature is put beside another one than was signed.
import assert from 'node:assert/strict'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, test } from 'node:test'
import { agentTree, bundleOf, type Tree, writeTree } from '../../support/agent.ts'
import { SIGNED_NAME, signingWorld } from '../../support/signing-world.ts'

const world = signingWorld('keyless-changed')
afterEach(() => {
  world.services.meddle = undefined
})

const OTHER = agentTree({ name: 'mini', version: '2.0.0' })

for (const form of ['a file', 'an unpacked bundle'] as const)
  describe(`while the services are asked about ${form}`, () => {
    const name = form === 'a file' ? SIGNED_NAME : 'agent.bundle'
    const put = (cwd: string, tree: Tree) => {
      const path = join(cwd, name)
      if (form === 'an unpacked bundle') return void writeTree(path, tree)
      writeFileSync(`${path}.new`, bundleOf(tree))
      renameSync(`${path}.new`, path)
    }
    const signedAfter = async (change: (cwd: string) => void) => {
      const cwd = world.place()
      put(cwd, agentTree({ name: 'mini' }))
      world.services.meddle = ({ service }) => {
        if (service === 'rekor') change(cwd)
        return false
      }
      const ran = await world.sign(cwd, [name, '--yes'])
      return { ...ran, isBeside: existsSync(join(cwd, `${name}.intoto.jsonl`)) }
    }

    test('the same bundle is signed, also if it is written again', async () => {
      for (const change of [() => {}, (cwd: string) => put(cwd, agentTree({ name: 'mini' }))]) {
        const { exit, isBeside, stderr } = await signedAfter(change)
        assert.deepEqual([exit, isBeside], [0, true], stderr)
      }
    })

    test('another sound bundle gets nothing', async () => {
      const { stderr, isBeside } = await signedAfter(cwd => put(cwd, OTHER))
      assert.match(stderr, /it changed while the signer was asked/)
      assert.equal(isBeside, false)
    })

    test('one that is no longer sound gets nothing', async () => {
      const { exit, isBeside } = await signedAfter(cwd => put(cwd, { ...OTHER, 'policy.caps': 'x' }))
      assert.deepEqual([exit, isBeside], [1, false])
    })
  })
