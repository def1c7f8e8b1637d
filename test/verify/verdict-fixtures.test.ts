// The nine verdicts: each is reached from a fixture, means what it says, and comes before those behind it in the table of verdicts.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { VERDICTS, type Verdict } from '../../src/model/verdict.ts'
import { bundleOf, digestOf, type Tree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { rlp } from '../support/run.ts'
import { ASKING, type JudgeOptions, judge, POLICY, signed, wordsOf } from '../support/trust-world.ts'
import { CASES, filesOf, readExpected, VERDICT_FIXTURES } from '../support/verdict-fixtures.ts'

const folderFor = temporary('verdict-fixtures')
const update = process.env['UPDATE_GOLDEN'] === '1'
const words = Object.keys(VERDICTS) as Verdict[]

test('every verdict has a fixture', () => {
  const covered = new Set(CASES.map(({ id }) => id.split('/')[0]))
  assert.deepEqual([...covered].sort(), [...words].sort())
  if (update) return
  const found = readdirSync(VERDICT_FIXTURES)
    .filter(name => name !== 'README.md')
    .flatMap(verdict => readdirSync(join(VERDICT_FIXTURES, verdict)).map(name => `${verdict}/${name}`))
  assert.deepEqual(found.sort(), CASES.map(({ id }) => id).sort())
})

describe('fixtures', { concurrency: 2 }, () => {
  for (const one of CASES) {
    test(one.id, async () => {
      const folder = join(VERDICT_FIXTURES, one.id)
      for (const [name, bytes] of filesOf(one)) {
        if (update) {
          mkdirSync(folder, { recursive: true })
          writeFileSync(join(folder, name), bytes)
        }
        assert.deepEqual(readFileSync(join(folder, name)), Buffer.from(bytes), name)
      }
      const expected = readExpected(one.id)
      const verdict = expected.get('verdict') as Verdict
      const bundle = readFileSync(join(folder, 'bundle.bin'))
      const { report } = await judge(bundle, {
        policies: one.policy === undefined ? [] : [one.policy],
        now: new Date().toISOString(),
        ...(one.flags?.[0] === '--expect' && { expect: one.flags[1] ?? '' }),
        ...(one.mark && { marks: [one.mark] }),
      })
      assert.deepEqual(wordsOf({ report }), [verdict, expected.get('reason')])
      assert.equal(report.verdict === 'trusted', report.reasons.length === 0)
    })
  }
})

describe('the command', () => {
  // For each exit code one process of its own; the others in this one.
  const seen = new Set<number>()
  for (const one of CASES.filter(({ mark }) => mark === undefined)) {
    const verdict = one.id.split('/')[0] as Verdict
    const how = seen.has(VERDICTS[verdict].exit) ? rlpHere : rlp
    seen.add(VERDICTS[verdict].exit)
    test(`${one.id} ends with the verdict’s exit code`, async () => {
      const home = folderFor('home')
      if (one.policy !== undefined)
        writeFileSync(join(home, 'trust-policy.toml'), one.policy, { mode: 0o600 })
      const args = ['agent', 'verify', join(VERDICT_FIXTURES, one.id, 'bundle.bin'), ...(one.flags ?? [])]
      const { exit, stdout } = await how(args, { cwd: home, env: { RUNLOOP_HOME: home } })
      assert.equal(exit, VERDICTS[verdict].exit, stdout)
      assert.match(stdout, new RegExp(`^${verdict}$`, 'm'))
    })
  }
})

/** What makes a bundle deserve a verdict, each independent of the others. */
interface Fault {
  readonly tree?: (tree: Tree) => Tree
  readonly policy?: (text: string) => string
  readonly more?: string
  readonly options?: JudgeOptions
  readonly isUnsigned?: true
  readonly notAfter?: string
}

const FAULTS: Readonly<Record<Exclude<Verdict, 'trusted'>, Fault>> = {
  invalid: { tree: tree => ({ ...tree, 'README.md': 'other' }) },
  indeterminate: { more: '[unknown]\n' },
  revoked: {
    policy: text =>
      `${text}\n[revoked]\n"blake3:${digestOf(ASKING['manifest.toml'] ?? '')}" = { reason = "x" }\n`,
  },
  unsigned: { isUnsigned: true },
  untrusted: { options: { expect: 'another' } },
  expired: { notAfter: '2020-01-01T00:00:00Z' },
  rolled_back: {
    options: { marks: [{ agent: 'mini', version: '9.0.0', manifestDigest: '', keys: [] }] },
  },
  policy_denied: { policy: text => text.replace('allow_exec = true, agents', 'allow_exec = false, agents') },
}

/** Without a signature there is no end, no signer whose marks count or whose right to grant could be checked. */
const IMPOSSIBLE = ['unsigned expired', 'unsigned rolled_back', 'unsigned policy_denied']

async function verdictWith(faults: readonly Fault[]): Promise<Verdict> {
  const notAfter = faults.find(fault => fault.notAfter)?.notAfter
  const isUnsigned = faults.some(fault => fault.isUnsigned)
  const whole = isUnsigned ? ASKING : signed(ASKING, 'release', notAfter === undefined ? {} : { notAfter })
  const tree = faults.reduce((tree, fault) => fault.tree?.(tree) ?? tree, whole)
  const policy = faults.reduce((text, fault) => fault.policy?.(text) ?? text, POLICY)
  const more = faults.flatMap(fault => fault.more ?? [])
  const options = Object.assign({}, ...faults.map(fault => fault.options ?? {}))
  // A policy that is malformed says nothing of what else it holds, so it is a second one.
  return (await judge(bundleOf(tree), { policies: [policy, ...more], ...options })).report.verdict
}

describe('precedence', () => {
  test('without a fault it is trusted, and each fault alone has its word', async () => {
    assert.equal(await verdictWith([]), 'trusted')
    for (const [word, fault] of Object.entries(FAULTS)) assert.equal(await verdictWith([fault]), word)
  })
  const pairs = Object.keys(FAULTS).flatMap((first, index, all) =>
    all.slice(index + 1).map(second => [first, second] as [keyof typeof FAULTS, keyof typeof FAULTS]),
  )
  for (const [first, second] of pairs) {
    if (IMPOSSIBLE.includes(`${first} ${second}`)) continue
    test(`${first} before ${second}`, async () => {
      assert.equal(await verdictWith([FAULTS[first], FAULTS[second]]), first)
      assert.equal(await verdictWith([FAULTS[second], FAULTS[first]]), first)
    })
  }
  test('all that can come together', async () => {
    const { unsigned: _, ...rest } = FAULTS
    const faults = Object.values(rest)
    const order = words.filter(word => word in rest)
    for (let from = 0; from < order.length; from++) {
      const some = order.slice(from).map(word => rest[word as keyof typeof rest])
      assert.equal(await verdictWith(some), order[from])
    }
    assert.equal(faults.length, 7)
  })
})
