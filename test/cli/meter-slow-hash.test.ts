// What the bar says of the slow BLAKE3. In a process of its own, because BLAKE3 is chosen once (`--without-native` does it), and with as
// little loaded as can be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preferNative } from '../../src/bundle/blake3.ts'
import { defineCommand } from '../../src/cli/command.ts'
import { EXIT } from '../../src/model/exit-code.ts'
import { run } from '../support/fake-terminal.ts'
import { onlySlow, workSlowly } from '../support/slow-command.ts'

const command = defineCommand({
  name: 'slow',
  summary: 'works',
  options: { 'without-native': { type: 'boolean', describe: 'twice, without the native BLAKE3' } },
  examples: [['rlp slow', 'works']],
  async run({ withoutNative }, io) {
    if (withoutNative) {
      await import(new URL('../support/without-native.mjs', import.meta.url).href)
      assert.equal(await preferNative(), false)
    }
    for (let times = withoutNative ? 2 : 1; times > 0; times--) await workSlowly(io)
    return EXIT.ok
  },
})
const registry = onlySlow(command)

test('a line says once that the slow BLAKE3 is in use', async () => {
  const said = (text: string) =>
    text.replace(/\s+/g, ' ').match(/far slower: npm install @napi-rs\/blake-hash /g)?.length
  const how = { isTTY: { stdin: true, stdout: true, stderr: true }, columns: 40 }
  const before = await run(['slow'], registry, how)
  assert.match(before.stderr, /MiB\/s/)
  assert.equal(said(before.stderr), undefined)
  const { stderr } = await run(['slow', '--without-native'], registry, how)
  assert.equal(said(stderr), 1)
  for (const line of stderr.split(/[\r\n]/)) assert.ok(line.length <= 40, line)
})
