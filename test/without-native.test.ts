// Where the native BLAKE3 package is not installed, `@noble/hashes` answers: the same digests, and the same tests pass.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { blake3Hex, hasher, preferNative } from '../src/format/blake3.ts'

const ROOT = join(import.meta.dirname, '..')
const WITHOUT = pathToFileURL(join(ROOT, 'test/support/without-native.mjs')).href
/** Around the edges of blocks, chunks and subtrees (BLAKE3 specification, §2.1 and §2.4). */
const SIZES = [0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 3999, 4000, 31_744, 102_400, 1_048_579]

/** What makes and judges bundles. The campaign on platforms runs all of them (docs/torture.md). */
const SUITE = ['load', 'verdicts', 'verify-folder']

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

function without(...args: string[]): { readonly exit: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', ...args], {
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

  test('it is missed without a word', () => {
    const source = `const { preferNative } = await import('./src/format/blake3.ts'); console.log(await preferNative())`
    assert.deepEqual(without('--input-type=module', '--eval', source), { exit: 0, output: 'false\n' })
  })

  test('the tests pass', () => {
    const files = SUITE.map(name => `test/${name}.test.ts`)
    const { exit, output } = without('--test', '--test-reporter=tap', '--test-concurrency=2', ...files)
    assert.equal(exit, 0, output.slice(-4000))
    assert.ok(Number(/^# pass ([0-9]+)$/m.exec(output)?.[1]) > 100, output.slice(-1000))
  })
})
