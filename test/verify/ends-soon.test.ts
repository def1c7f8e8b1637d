// A warning from 14 days before the end of a signature or a policy, to the second, in every place where a verdict is reported.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { InspectResult } from '../../src/inspect/inspected-bundle.ts'
import type { Report } from '../../src/model/report.ts'
import { bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { madeTree, policyText, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { signedTree } from '../support/signed.ts'
import { ASKING, type JudgeOptions, judge, POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('ends-soon')
const NOW = '2026-11-20T12:00:00Z'
const DAY = 86_400_000
/** So many milliseconds after {@link NOW}, as it is written. */
const after = (ms: number, from = Date.parse(NOW)) => `${new Date(from + ms).toISOString().slice(0, 19)}Z`

describe('14 days, to the second', () => {
  const until = (end: string) => `valid_until = "${end}"\n${POLICY}`
  const codes = async (notAfter: string | undefined, options: JudgeOptions = {}) => {
    const tree = signed(ASKING, 'release', notAfter === undefined ? {} : { notAfter })
    const { report } = await judge(tree, { now: NOW, ...options })
    return [report.verdict, ...(report.warnings ?? []).map(({ code }) => code)]
  }

  for (const [ms, words] of [
    [14 * DAY + 1000, []],
    [14 * DAY, ['in 14 days']],
    [14 * DAY - 1000, ['in 13 days']],
    [DAY, ['in 1 day']],
    [DAY - 1000, ['in less than a day']],
    [0, ['in less than a day']],
  ] as const) {
    test(`${ms / 1000} seconds before the end`, async () => {
      const end = after(ms)
      const { report } = await judge(signed(ASKING, 'release', { notAfter: end }), { now: NOW })
      assert.equal(report.verdict, 'trusted')
      assert.deepEqual(
        report.warnings?.map(({ message }) => message) ?? [],
        words.map(left => `The signature ends at ${end}, ${left}`),
      )
      const both = await judge(signed(ASKING, 'release'), { now: NOW, policies: [POLICY, until(end)] })
      assert.deepEqual(
        both.report.warnings?.map(({ message }) => message) ?? [],
        words.map(
          left => `The trust policy policy-2.toml ends at ${end}, ${left}; after that it decides nothing`,
        ),
      )
    })
  }

  test('what is past decides, and is no warning', async () => {
    assert.deepEqual(await codes(after(-1000)), ['expired'])
    assert.deepEqual(await codes(undefined, { policies: [until(after(-1000))] }), ['indeterminate'])
  })

  test('no end, no member', async () => {
    const { report } = await judge(signed(ASKING, 'release'), { now: NOW })
    assert.equal('warnings' in report, false)
  })

  test('a policy is told of whatever the verdict is, the signature of what is not accepted is not', async () => {
    const policies = [until(after(DAY))]
    assert.deepEqual(await codes(after(DAY), { policies }), [
      'trusted',
      'signature_ends_soon',
      'policy_ends_soon',
    ])
    const { report } = await judge(signed(ASKING, 'stranger', { notAfter: after(DAY) }), {
      now: NOW,
      policies,
    })
    assert.equal(report.verdict, 'untrusted')
    assert.deepEqual(
      report.warnings?.map(({ code }) => code),
      ['policy_ends_soon'],
    )
  })
})

describe('every place where a verdict is reported', () => {
  const SIGNATURE = /^The signature ends at \S+Z, in 2 days$/
  const POLICY_ENDS =
    /^The trust policy \S+trust-policy\.toml ends at \S+Z, in 4 days; after that it decides nothing$/
  /** A bundle that ends in two and a half days, and a policy that ends in four and a half. */
  function host(name: string): World & { end: string } {
    const here = world(folder(name))
    const end = after(2.5 * DAY, Date.now())
    here.put('b', bundleOf(signedTree(madeTree(), [RELEASE], { notAfter: end })))
    here.put('never', bundleOf(signedTree(madeTree(), [RELEASE])))
    const policy = `valid_until = "${after(4.5 * DAY, Date.now())}"\n${policyText()}`
    writeFileSync(join(here.home, 'trust-policy.toml'), policy, { mode: 0o644 })
    return { ...here, end }
  }
  const textsOf = (report: Pick<Report, 'warnings'> | undefined) =>
    report?.warnings?.map(({ message }) => message) ?? []
  function assertBoth(texts: readonly unknown[]) {
    assert.equal(texts.length, 2, JSON.stringify(texts))
    assert.match(`${texts[0]}`.replace(/^b: /, ''), SIGNATURE)
    assert.match(`${texts[1]}`, POLICY_ENDS)
  }

  test('verify: in the report, and once in the envelope or on standard error', async () => {
    const here = host('verify')
    const { exit, envelope } = await here.rlp('agent', 'verify', 'b')
    assert.equal(exit, 0)
    assertBoth(textsOf(envelope.result?.bundles?.[0]))
    assertBoth(envelope['warnings'] as string[])
    const said = await here.say('agent', 'verify', 'b')
    assertBoth(
      said.stderr
        .trimEnd()
        .split('\n')
        .map(line => line.replace(/^warning: /, '')),
    )
    assert.doesNotMatch(said.stdout, /ends at/)
    const two = await here.rlp('agent', 'verify', 'b', 'never')
    assertBoth(two.envelope['warnings'] as string[])
  })

  test('many: on each line of JSON, and once for people', async () => {
    const here = host('many')
    mkdirSync(join(here.cwd, 'all'))
    for (let at = 0; at < 3; at++) {
      const name = `agent_${at}`
      const tree = signedTree(madeTree({ name }), [RELEASE], {
        notAfter: after((5 - at) * DAY + 3_600_000, Date.now()),
      })
      writeFileSync(join(here.cwd, `all/${name}-1.0.0.agent.bundle`), bundleOf(tree))
    }
    const stranger = signedTree(madeTree({ name: 'other' }), [STRANGER], { notAfter: after(DAY, Date.now()) })
    writeFileSync(join(here.cwd, 'all/other-1.0.0.agent.bundle'), bundleOf(stranger))
    const people = await here.say('agent', 'verify', 'all')
    const lines = people.stderr.split('\n').filter(line => line.startsWith('warning:'))
    assert.equal(lines.length, 2, people.stderr)
    assert.match(lines[0] ?? '', /The trust policy .* in 4 days/)
    assert.match(
      lines[1] ?? '',
      /3 signatures end within 14 days; the first one, of all\/agent_2-1\.0\.0\.agent\.bundle, at \S+Z$/,
    )
    const ndjson = await here.say('agent', 'verify', 'all', '--format', 'ndjson')
    const records = ndjson.stdout
      .split('\n')
      .slice(0, 4)
      .map(line => JSON.parse(line))
    assert.deepEqual(
      records.map(one => [one.verdict, ...one.warnings.map((each: { code: string }) => each.code)]),
      [
        ...[0, 1, 2].map(() => ['trusted', 'signature_ends_soon', 'policy_ends_soon']),
        ['untrusted', 'policy_ends_soon'],
      ],
    )
    // A verdict that is used again gets the time that is left now, not that of the earlier report.
    const earlier = ndjson.stdout.replaceAll(/, in \d days?/g, ', in 99 days')
    writeFileSync(join(here.cwd, 'report.ndjson'), earlier, { mode: 0o600 })
    const again = await here.say('agent', 'verify', 'all', '--format', 'ndjson', '--since', 'report.ndjson')
    const reused = again.stdout
      .split('\n')
      .slice(0, 4)
      .map(line => JSON.parse(line))
    assert.deepEqual(
      reused,
      records.map(one => ({ ...one, reused: true })),
    )
  })

  test('install, inspect and explain', async () => {
    const here = host('others')
    const inspected = await here.rlp('agent', 'inspect', 'b')
    assertBoth(textsOf((inspected.envelope.result as unknown as InspectResult).report))
    assertBoth(inspected.envelope['warnings'] as string[])
    const page = (await here.say('agent', 'inspect', 'b')).stdout
    assert.match(page, /What ends soon\n/)
    assert.doesNotMatch((await here.say('agent', 'inspect', 'never')).stdout, /The signature ends/)
    const out = join(here.cwd, 'page.html')
    await here.say('agent', 'inspect', 'b', '--out', 'page.html')
    assert.match(readFileSync(out, 'utf8'), /The signature ends at/)
    assertBoth((await here.rlp('trust', 'explain', 'b')).envelope['warnings'] as string[])
    const { exit, envelope } = await here.install('b', '--yes')
    assert.equal(exit, 0)
    assertBoth(envelope['warnings'] as string[])
  })

  test('a loaded bundle, in its report', async () => {
    const { loadBundle } = await import('../../src/library/generated/index.ts')
    const here = host('load')
    const loaded = await loadBundle(join(here.cwd, 'b'), { expect: 'any', home: here.home })
    assertBoth(textsOf(loaded.report))
  })
})
