// `rlp agent version`: the next version, in place; a version that is not newer, and what is no version, is refused.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'

const folderFor = temporary('set-version')
let count = 0

function world(version: string) {
  const cwd = folderFor(`v${count++}`)
  const folder = writeTree(join(cwd, 'mini'), agentTree({ version }))
  const manifest = join(folder, 'manifest.toml')
  const commented = readFileSync(manifest, 'utf8').replace(/^version = .*$/m, '$&  # ours\r')
  writeFileSync(manifest, commented)
  return {
    manifest: () => readFileSync(manifest, 'utf8'),
    set: (how: string, ...more: string[]) =>
      run(['agent', 'version', how, 'mini', ...more], undefined, { cwd }),
    edit: (text: string) => writeFileSync(manifest, text),
  }
}

describe('rlp agent version', () => {
  for (const [before, how, after] of [
    ['0.1.0', 'patch', '0.1.1'],
    ['0.1.9', 'minor', '0.2.0'],
    ['0.1.9', 'major', '1.0.0'],
    ['1.2.0-rc.1', 'patch', '1.2.0'],
    ['1.2.0-rc.1', 'minor', '1.2.0'],
    ['1.2.1-rc.1', 'minor', '1.3.0'],
    ['2.0.0-rc.1', 'major', '2.0.0'],
    ['2.1.0-rc.1', 'major', '3.0.0'],
    ['1.0.0+build.7', 'patch', '1.0.1'],
    ['0.1.0', '1.0.0-rc.1', '1.0.0-rc.1'],
  ] as const)
    test(`${before} and ${how} are ${after}, and nothing else changes`, async () => {
      const here = world(before)
      const text = here.manifest()
      const { exit, stdout } = await here.set(how)
      assert.deepEqual([exit, stdout], [0, `mini  ${before} → ${after}\n`])
      assert.equal(here.manifest(), text.replace(`"${before}"`, `"${after}"`))
    })

  test('in the agent’s own folder no name is needed', async () => {
    const cwd = folderFor('here')
    writeTree(join(cwd, 'mini'), agentTree({ version: '1.0.0' }))
    const { exit, stdout } = await run(['agent', 'version', 'minor'], undefined, { cwd: join(cwd, 'mini') })
    assert.deepEqual([exit, stdout], [0, '.  1.0.0 → 1.1.0\n'])
  })

  test('what is no version, and what is not newer, is refused and leaves the file', async () => {
    const here = world('1.2.0')
    const text = here.manifest()
    for (const how of ['1.2', 'next', 'PATCH', '1.2.0', '1.1.9', '1.2.0+other', '1.2.0-rc.1', '']) {
      const { exit, stderr } = await here.set(how)
      assert.equal(exit, 2, how)
      assert.match(stderr, /^rlp: Cannot /)
    }
    assert.equal(here.manifest(), text)
    here.edit(text.replace('version = "1.2.0"', 'version = "one"'))
    const { exit, stderr } = await here.set('patch')
    assert.deepEqual(
      [exit, stderr.split('\n')[0]],
      [1, 'rlp: Cannot set the version of "mini": manifest.toml has none'],
    )
  })
})
