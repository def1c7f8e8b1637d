// Where the native BLAKE3 package is not installed, `@noble/hashes` answers: the same digests, and the same tests pass.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { blake3Hex, hasher, preferNative } from '../../src/format/blake3.ts'
import { compiled } from '../support/compile.ts'
import { temporary } from '../support/folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const folderFor = temporary('without-native')
const WITHOUT = pathToFileURL(join(ROOT, 'test/support/without-native.mjs')).href
/** Around the edges of blocks, chunks and subtrees (BLAKE3 specification, §2.1 and §2.4). */
const SIZES = [0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 3999, 4000, 31_744, 102_400, 1_048_579]

/** What judges bundles. The campaign on platforms runs more of them (docs/torture.md). */
const SUITE = ['verdicts']

function bytesOf(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => index % 251)
}

/** Both ways to hash: at once, and in pieces. */
function digests(): string[][] {
  return SIZES.map(bytesOf).map(bytes => [
    blake3Hex(bytes),
    hasher().update(bytes.subarray(0, 1000)).update(bytes.subarray(1000)).hex(),
  ])
}

async function without(
  program: string,
  ...flags: string[]
): Promise<{ readonly exit: number | null; readonly output: string }> {
  const file = await compiled(program, folderFor('compiled'))
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, file], {
    cwd: ROOT,
    encoding: 'utf8',
    // Programs that are started in turn are without it, too.
    env: { ...process.env, NODE_OPTIONS: `--import ${WITHOUT}`, NODE_TEST_CONTEXT: undefined },
    maxBuffer: 64 * 1024 * 1024,
  })
  return { exit: status, output: stdout + stderr }
}

describe('without the native package', () => {
  test('both give the same digests', async t => {
    const pure = digests()
    assert.ok(pure.every(([atOnce, inPieces]) => atOnce === inPieces))
    if (!(await preferNative())) return t.skip('the native package is not installed here')
    assert.deepEqual(digests(), pure)
  })

  test('it is missed without a word', async () => {
    const source = `import { preferNative } from './src/format/blake3.ts'; console.log(await preferNative())`
    assert.deepEqual(await without(source), { exit: 0, output: 'false\n' })
  })

  test('the tests pass', async () => {
    const all = ['support/seed', ...SUITE.map(name => `verify/${name}.test`)]
    const program = all.map(name => `import './test/${name}.ts'`).join('\n')
    const { exit, output } = await without(program, '--test-reporter=tap')
    assert.equal(exit, 0, output.slice(-4000))
    assert.ok(Number(/^# pass ([0-9]+)$/m.exec(output)?.[1]) > 100, output.slice(-1000))
  })
})
