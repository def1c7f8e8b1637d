// docs/channels.md, "Publish a channel": each block is run as it is written, one after the other, with a registry in place of the one it names.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readWords } from '../../src/text/shell-words.ts'
import { publishing } from '../support/channel-world.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { LATE } from '../support/runs.ts'

const page = readFileSync('docs/channels.md', 'utf8')
const [, part = ''] = /\n## Publish a channel\n([\s\S]*?)\n## /.exec(page) ?? []
const blocks = [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.trim().split('\n'))

test('what the page says about publishing is so', { skip: LATE }, async () => {
  assert.equal(blocks.length, 6)
  const here = publishing(temporary('channels-doc')('people'))
  here.publicKeys('ada', 'alan', 'grace', 'beat', 'linus')
  process.env['RUNLOOP_HOME'] = here.home
  const registry = await new FakeRegistry().start()
  const at = `oci://${registry.host}/trust/house`
  const say = async (line: string) => {
    const words = readWords(line.replaceAll('oci://registry.example/trust/house', at))
    assert.ok('value' in words)
    const { exit, stdout, stderr } = await run(words.value.slice(1), undefined, {
      cwd: here.cwd,
      env: { RUNLOOP_HOME: here.home },
    })
    assert.equal(exit, 0, `${line}\n${stdout}${stderr}`)
    return stdout
  }
  try {
    for (const [number, block] of blocks.entries()) {
      let said = ''
      for (const line of block) said = await say(line)
      if (number === 1) assert.match(said, /root 1 and release 1 wait for a heartbeat there/)
      if (number === 2) assert.match(said, /hosts take release 1, root 1, until /)
      if (number === 3) {
        const root = /hosts follow it with --root (blake3:[0-9a-f]{64})\n$/.exec(said)?.[1]
        assert.match(
          await say(`rlp trust follow ${at} --root ${root}`),
          /✓ house: updated: release 1, root 1/,
        )
      }
      if (number === 4) {
        assert.match(said, /the drafts are stored/)
        for (const line of [...(blocks[1] ?? []), ...(blocks[2] ?? [])]) said = await say(line)
        assert.match(said, /hosts take release 2, root 1, until /)
        await say(`rlp channel pull ${at} house`)
      }
    }
    const { draft } = await here.good('status', 'house')
    // Ada and Alan have signed release 2, so it is drafted again.
    assert.deepEqual([draft.root.version, draft.release.version], [2, 3])
    assert.match(await say('rlp trust update'), /✓ house: updated: release 2, root 1/)
  } finally {
    await registry.stop()
  }
})
