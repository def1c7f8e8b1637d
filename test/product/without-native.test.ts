// Where the native BLAKE3 package is not installed, `@noble/hashes` answers: the same digests, and the same tests pass.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { preferNative } from '../../src/bundle/blake3.ts'
import { digests } from '../support/blake3-samples.ts'
import { compiled } from '../support/compile.ts'
import { temporary } from '../support/folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const folderFor = temporary('without-native')
const WITHOUT = pathToFileURL(join(ROOT, 'test/support/without-native.mjs')).href
/** The official vectors, and what judges bundles. The campaign on platforms runs more of them (docs/torture.md). */
const SUITE = ['bundle/blake3', 'verify/verdicts']

/**
 * In a process of its own, because the files of a room share one, and another of them may have loaded the native package: the digests go to
 * standard error, what the tests say to standard output.
 */
async function without(): Promise<{ exit: number | null; stdout: string; stderr: string }> {
  const tests = ['support/seed', ...SUITE.map(name => `${name}.test`)]
  const program = `import { preferNative } from './src/bundle/blake3.ts'
    import { digests } from './test/support/blake3-samples.ts'
    ${tests.map(name => `import './test/${name}.ts'`).join('\n')}
    console.error(JSON.stringify([await preferNative(), digests()]))`
  const file = await compiled(program, folderFor('compiled'))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--test-reporter=tap', file], {
    cwd: ROOT,
    encoding: 'utf8',
    // Programs that are started in turn are without it, too.
    env: { ...process.env, NODE_OPTIONS: `--import ${WITHOUT}`, NODE_TEST_CONTEXT: undefined },
    maxBuffer: 64 * 1024 * 1024,
  })
  return { exit: status, stdout, stderr }
}

describe('without the native package', () => {
  let ran: Awaited<ReturnType<typeof without>>
  before(async () => {
    ran = await without()
  })

  test('both give the same digests, and it is missed without a word', async t => {
    const [isNative, pure] = JSON.parse(ran.stderr) as [boolean, string[][]]
    assert.equal(isNative, false)
    assert.ok(pure.length > 10 && pure.every(([atOnce, inPieces]) => atOnce === inPieces))
    if (!(await preferNative())) return t.skip('the native package is not installed here')
    assert.deepEqual(digests(), pure)
  })

  test('the tests pass', () => {
    assert.equal(ran.exit, 0, ran.stdout.slice(-4000) + ran.stderr)
    assert.ok(Number(/^# pass ([0-9]+)$/m.exec(ran.stdout)?.[1]) > 100, ran.stdout.slice(-1000))
  })
})
