// rlp agent verify --format sarif: what is not accepted, for code scanning.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { VERDICTS } from '../../src/model/verdict.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { rlp } from '../support/run.ts'
import { IN_CI } from '../support/runs.ts'
import { assertSarif } from '../support/sarif-schema.ts'
import { POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('fleet-sarif')
const POLICY_OF_MANY = POLICY.replace(', agents = ["mini"]', '')

interface Result {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly message: { readonly text: string }
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string; readonly uriBaseId?: string }
    }
  }[]
  readonly partialFingerprints: Readonly<Record<string, string>>
}
interface Log {
  readonly runs: readonly {
    readonly tool: {
      readonly driver: { readonly name: string; readonly rules: readonly { readonly id: string }[] }
    }
    readonly invocations: readonly { readonly executionSuccessful: boolean; readonly exitCode: number }[]
    readonly results: readonly Result[]
  }[]
}

type By = 'release' | 'stranger' | undefined

/** A folder `dist` with a bundle for each name, and the home that trusts `release`. */
function world(name: string, bundles: Readonly<Record<string, By>>, notAfter?: string) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  mkdirSync(join(cwd, 'dist'))
  writeFileSync(join(home, 'trust-policy.toml'), POLICY_OF_MANY, { mode: 0o600 })
  for (const [agent, by] of Object.entries(bundles)) {
    const tree = agentTree({ name: agent })
    const made = by === undefined ? tree : signed(tree, by, notAfter === undefined ? {} : { notAfter })
    writeFileSync(join(cwd, 'dist', `${agent}-1.0.0.agent.bundle`), bundleOf(made))
  }
  const verify = async (...args: readonly string[]) => {
    process.env['RUNLOOP_HOME'] = home
    const line = ['agent', 'verify', ...args, '--format', 'sarif']
    const ran = await run(line, undefined, { cwd, env: process.env })
    const [one, ...others] = !ran.stdout.startsWith('{"$schema') ? [] : assertSarif<Log>(ran.stdout).runs
    assert.deepEqual(others, [])
    return { ...ran, one, results: one?.results ?? [] }
  }
  return { cwd, home, verify }
}

const told = (results: readonly Result[]) =>
  results.map(({ ruleId, level, locations }) => [
    ruleId,
    level,
    locations[0]?.physicalLocation.artifactLocation.uri,
  ])

describe('verify as SARIF', () => {
  test('has no result for what is accepted, and one for each bundle that is not', async () => {
    const { verify } = world('mixed', { good: 'release', other: 'stranger', plain: undefined })
    const { exit, one, results, stderr } = await verify('dist')
    assert.deepEqual(told(results), [
      ['verify/untrusted', 'error', 'dist/other-1.0.0.agent.bundle'],
      ['verify/unsigned', 'error', 'dist/plain-1.0.0.agent.bundle'],
    ])
    assert.equal(exit, 1)
    assert.deepEqual(one?.invocations, [{ executionSuccessful: true, exitCode: exit }])
    assert.match(results[0]?.message.text ?? '', /^untrusted\. No /)
    assert.match(stderr, /3 bundles: 1 trusted, 1 untrusted, 1 unsigned/)
    for (const { ruleId, ruleIndex } of results) assert.equal(one?.tool.driver.rules[ruleIndex]?.id, ruleId)
    const names = results.map(({ partialFingerprints }) => partialFingerprints['rlpVerify/v1'])
    assert.equal(new Set(names).size, 2)
    const good = await verify('dist/good-1.0.0.agent.bundle')
    assert.deepEqual([good.exit, good.results, good.one?.invocations[0]?.exitCode], [0, [], 0])
    const allowed = await verify('dist/plain-1.0.0.agent.bundle', '--allow-unsigned')
    assert.deepEqual([allowed.exit, allowed.results], [0, []])
  })

  test('has a rule for each verdict against a bundle', async () => {
    const { one } = await world('rules', { good: 'release' }).verify('dist')
    const rules = one?.tool.driver.rules.map(({ id }) => id) ?? []
    for (const verdict of Object.keys(VERDICTS))
      assert.equal(rules.includes(`verify/${verdict}`), verdict !== 'trusted', verdict)
  })

  test('warns of what ends soon, and accepts it', async () => {
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().replace(/\.\d+/, '')
    const { exit, results } = await world('soon', { good: 'release' }, soon).verify('dist')
    assert.equal(exit, 0)
    assert.deepEqual(told(results), [
      ['verify/signature_ends_soon', 'warning', 'dist/good-1.0.0.agent.bundle'],
    ])
  })

  test('has what cannot be reached, and nothing at all where the call is wrong', async () => {
    const { verify } = world('missing', { good: 'release' })
    const gone = await verify('dist', 'gone-1.0.0.agent.bundle')
    assert.deepEqual(
      [gone.exit, ...told(gone.results)],
      [3, ['verify/indeterminate', 'error', 'gone-1.0.0.agent.bundle']],
    )
    const both = await verify('dist', '--json')
    assert.deepEqual([both.exit, /--format with --json/.test(both.stdout)], [2, true])
  })

  test('has no place for a signature', async () => {
    const { exit, stdout, stderr } = await world('signed', { good: 'release' }).verify('dist', '--key', 'ci')
    assert.deepEqual([exit, stdout], [2, ''])
    assert.match(stderr, /Cannot sign a report in sarif: it has no place for a signature/)
    assert.match(stderr, /Use --format ndjson, or leave --key out/)
  })

  test('takes a text of a bundle for no link and no command', async () => {
    const { verify } = world('evil', {})
    const name = '[a](https:x)\u{202e}::error::-1.0.0.agent.bundle'
    const { stdout, results } = await verify(`dist/${name}`)
    assert.equal(results.length, 1)
    assert.doesNotMatch(stdout, /\u{202e}/u)
    assert.match(results[0]?.message.text ?? '', /\[a\] \(https:x\)/)
  })

  test('stays one document where threads judge', { skip: !IN_CI && 'only with all cases' }, async () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`a_${at}`, 'stranger' as const]))
    const { cwd, home } = world('many', many)
    const line = ['agent', 'verify', 'dist', '--format', 'sarif']
    const { exit, stdout } = await rlp(line, { cwd, env: { RUNLOOP_HOME: home } })
    const { results = [] } = assertSarif<Log>(stdout).runs[0] ?? {}
    assert.deepEqual([exit, results.length], [1, 80], results[0]?.message.text)
  })
})
