// What is remembered of marks: a file that cannot be read, or is of another version, is never "no marks", keys are recorded under two policies, what the state says under
// the lock counts, and no sequence of installs, resets and policies makes a bundle trusted that is behind its mark.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decide, offerOf } from '../../src/install/decide.ts'
import { announce, reset, settle } from '../../src/install/record.ts'
import { noState } from '../../src/io/state/state.ts'
import type { InstallFlags } from '../../src/model/install.ts'
import type { AgentState } from '../../src/model/state.ts'
import { readAgentState, writeAgentState } from '../../src/state/agent-state.ts'
import { behindMarks, wasSigned } from '../../src/state/marks.ts'
import { isOlder } from '../../src/version/version.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, type World, world } from '../support/install-world.ts'
import { ALL as EVERY_CASE, slice } from '../support/runs.ts'
import {
  ASKING,
  type JudgeOptions,
  judge,
  KEYS,
  POLICY,
  signed,
  trustContext,
} from '../support/trust-world.ts'

const folderFor = temporary('mark-records')
const AT = '2026-11-20T00:00:00Z'

async function verdict(here: World, version: string, ...signers: Parameters<typeof made>[1][]) {
  const name = here.put('v', made({ version }, ...signers))
  const { envelope } = await here.rlp('agent', 'verify', name)
  return envelope.result?.bundles?.[0]?.verdict
}

test('half of a file is never "no marks"', async () => {
  const here = world(folderFor('half'))
  await here.install(here.put('b', made({ version: '2.0.0' }, RELEASE)), '--yes')
  const path = join(here.home, 'state/mini.json')
  const whole = readFileSync(path, 'utf8')
  assert.ok(readAgentState('x', Buffer.from(whole), 'mini').ok)
  for (const length of slice([...Array(whole.trimEnd().length).keys()], 7))
    assert.equal(readAgentState('x', Buffer.from(whole.slice(0, length)), 'mini').ok, false)
  assert.equal(await verdict(here, '1.0.0', RELEASE), 'rolled_back')
  writeFileSync(path, whole.slice(0, whole.length / 2), { mode: 0o600 })
  assert.equal(await verdict(here, '1.0.0', RELEASE), 'indeterminate')
})

test('a file of an older version stops the judgement, and says what to do', async () => {
  const here = world(folderFor('older'))
  await here.install(here.put('b', made({ version: '2.0.0' }, RELEASE)), '--yes')
  const path = join(here.home, 'state/mini.json')
  writeFileSync(path, JSON.stringify({ ...here.state(), version: 3 }), { mode: 0o600 })
  const ran = await here.rlp('agent', 'verify', here.put('c', made({ version: '2.0.0' }, RELEASE)))
  const [report] = ran.envelope.result?.bundles ?? []
  assert.deepEqual(
    [ran.exit, report?.verdict, report?.reasons[0]?.code],
    [3, 'indeterminate', 'state_unusable'],
  )
  assert.match(report?.reasons[0]?.message ?? '', /its version is 3, and this build reads 4/)
  assert.match(report?.reasons[0]?.hint ?? '', /^Use the rlp that wrote it\./)
  // As if nothing was ever installed.
  rmSync(path)
  assert.equal(await verdict(here, '2.0.0', RELEASE), 'trusted')
})

test('of two contents of one version that were trusted here, both are known', () => {
  const marks = ['1', '2'].map(digit => ({ version: '2.0.0', manifestDigest: digit.repeat(64) }))
  const behind = (digit: string, version = '2.0.0') =>
    behindMarks({ version, manifestDigest: digit.repeat(64) }, marks)?.is
  assert.deepEqual(
    [behind('1'), behind('2'), behind('3'), behind('1', '1.9.0')],
    [undefined, undefined, 'other_content', 'older'],
  )
})

const FLAGS: InstallFlags = {
  force: false,
  unpack: true,
  allowDowngrade: false,
  allowSignerChange: false,
  allowCapsChange: false,
  lockConsents: false,
}
const ALL = { ...FLAGS, force: true, allowDowngrade: true, allowSignerChange: true, allowCapsChange: true }
const onDisk = { root: '/r', file: { is: 'nothing' }, folder: 'nothing', isSettled: true } as const

/** Judges, decides and settles as `install` does, in memory. Undefined when it is refused. */
async function installInto(
  state: AgentState,
  tree: Parameters<typeof judge>[0],
  options: JudgeOptions,
  flags = FLAGS,
): Promise<AgentState | undefined> {
  const marks = state.marks.map(mark => ({ agent: 'mini', ...mark }))
  const verification = await judge(tree, { ...options, marks, wasSigned: wasSigned(state) })
  if (verification.bundle === undefined) return undefined
  const trust = trustContext(options)
  const offer = offerOf({ ...verification.bundle, payload: verification.payload }, trust, 'f'.repeat(64))
  const decision = decide(offer, { onDisk, state, trust }, flags, AT)
  return decision.is === 'install'
    ? settle(announce(state, decision.pending), '/r', 'f'.repeat(64))
    : undefined
}
const version = (number: string) => ({
  ...ASKING,
  'manifest.toml': String(ASKING['manifest.toml']).replace('version = "1.0.0"', `version = "${number}"`),
})

describe('two policies that call one key differently', () => {
  const RENAMED = POLICY.replaceAll(/^release =/gm, 'acme =')
  test('record the mark and the signer, and an older version is rolled back', async () => {
    const policies = [POLICY, RENAMED]
    assert.equal((await judge(signed(ASKING, 'release'), { policies })).report.verdict, 'trusted')
    const state = await installInto(noState('mini'), signed(version('2.0.0'), 'release'), { policies })
    assert.deepEqual(
      state?.marks.map(({ version, keys }) => [version, keys]),
      [['2.0.0', [KEYS.release.anchor]]],
    )
    assert.deepEqual(
      [state?.baselines.at(-1)?.signers, state?.baselines.at(-1)?.anchors],
      [[KEYS.release.anchor], ['release', 'acme']],
    )
    const marks = state?.marks.map(mark => ({ agent: 'mini', ...mark })) ?? []
    for (const order of [policies, [RENAMED, POLICY], [POLICY], [RENAMED]]) {
      const { report } = await judge(signed(ASKING, 'release'), { policies: order, marks })
      assert.equal(report.verdict, 'rolled_back')
    }
  })

  test('and that count different keys of one bundle record both', async () => {
    const security = POLICY.replaceAll('release =', 'x =')
      .replaceAll('security =', 'release =')
      .replace(`x = "${KEYS.release.anchor}"\n`, '')
      .replace('x = {', 'release = {')
    const only = POLICY.replace(`security = "${KEYS.security.anchor}"\n`, '')
    const both = signed(ASKING, ['release', 'security'])
    const state = await installInto(noState('mini'), both, { policies: [only, security] })
    assert.deepEqual(
      [...(state?.marks[0]?.keys ?? [])].sort(),
      [KEYS.release.anchor, KEYS.security.anchor].sort(),
    )
  })
})

describe('what the state says under the lock counts', () => {
  const marked = (state: AgentState | undefined): AgentState => {
    assert.ok(state !== undefined)
    return state
  }
  const offer = async (tree: Parameters<typeof judge>[0], options: JudgeOptions = {}) => {
    const { bundle, payload } = await judge(tree, options)
    assert.ok(bundle !== undefined)
    return offerOf({ ...bundle, payload }, trustContext(options), 'e'.repeat(64))
  }
  const around = (state: AgentState) => ({ onDisk, state, trust: trustContext() })
  const reasons = (decision: ReturnType<typeof decide>) =>
    decision.is === 'refused' ? decision.refusals.map(({ reason }) => reason) : decision.is

  test('a mark that rose since: older by flag only, other content by none', async () => {
    const one = await offer(signed(ASKING, 'release'))
    assert.equal(reasons(decide(one, around(noState('mini')), FLAGS, AT)), 'install')
    const newer = marked(await installInto(noState('mini'), signed(version('2.0.0'), 'release'), {}))
    assert.deepEqual(reasons(decide(one, around(newer), FLAGS, AT)), ['older'])
    assert.equal(reasons(decide(one, around(newer), { ...FLAGS, allowDowngrade: true }, AT)), 'install')
    const changed = { ...ASKING, 'manifest.toml': `# other\n${ASKING['manifest.toml']}` }
    const other = marked(await installInto(noState('mini'), signed(changed, 'release'), {}))
    assert.deepEqual(reasons(decide(one, around(other), ALL, AT)), ['other_content'])
  })

  test('an unsigned one, after a signed one was installed meanwhile, by no flag', async () => {
    const one = await offer(ASKING, { allowUnsigned: true })
    assert.equal(reasons(decide(one, around(noState('mini')), FLAGS, AT)), 'install')
    const since = marked(await installInto(noState('mini'), signed(ASKING, 'release'), {}))
    assert.deepEqual(reasons(decide(one, around(since), ALL, AT)), ['signature_required'])
  })
})

test('whatever is installed and reset, under whichever names, nothing behind the mark is trusted', async () => {
  const numbers = ['0.9.0', '1.0.0-rc.1', '1.0.0', '1.0.0+b', '1.1.0', '2.0.0']
  const names = ['release', 'acme', 'x']
  const policyOf = (a: string, b: string) =>
    `[anchors]\n${a} = "${KEYS.release.anchor}"\n${b === a ? 'y' : b} = "${KEYS.security.anchor}"\n[rules]\n${a} = { allow_caps = "any", allow_net = "any", allow_exec = true }\n${b === a ? 'y' : b} = { allow_caps = "any", allow_net = "any", allow_exec = true }\n`
  const number = fc.constantFrom(...numbers)
  const keys = fc.constantFrom<('release' | 'security')[]>(['release'], ['security'], ['release', 'security'])
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ number, keys, a: fc.constantFrom(...names), b: fc.constantFrom(...names) }),
    },
    { weight: 1, arbitrary: fc.record({ to: fc.option(number, { nil: undefined }) }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async steps => {
      let state = noState('mini')
      /** What the mark has to be, kept without the code under test: the newest trusted version since it was lowered. */
      let mark: string | undefined
      let everSigned = false
      for (const one of steps) {
        if ('to' in one) {
          if (mark === undefined || (one.to !== undefined && isOlder(mark, one.to))) continue
          state = reset(state, { at: AT, ...(one.to !== undefined && { to: one.to }) })
          mark = one.to
        } else {
          const options = { policies: [policyOf(one.a, one.b)] }
          const tree = signed(version(one.number), one.keys)
          const { report } = await judge(tree, {
            ...options,
            marks: state.marks.map(known => ({ agent: 'mini', ...known })),
          })
          const isBehind = mark !== undefined && isOlder(one.number, mark)
          if (isBehind) assert.equal(report.verdict, 'rolled_back')
          const next = await installInto(state, tree, options, { ...FLAGS, allowSignerChange: true })
          assert.equal(next !== undefined, report.verdict === 'trusted')
          if (next !== undefined) {
            state = next
            mark = one.number
            everSigned = true
          }
        }
        assert.equal(wasSigned(state), everSigned)
        assert.deepEqual(readAgentState('x', writeAgentState(state), 'mini'), { ok: true, state })
        const { bundle } = await judge(ASKING, { allowUnsigned: true, wasSigned: wasSigned(state) })
        assert.equal(bundle === undefined, everSigned)
      }
    }),
    { numRuns: EVERY_CASE ? 60 : 10 },
  )
})
