// Campaign 6: rlp.lock. No damage to it makes it say less, many writers lose nothing, and a writer that is killed or finds the disk full
// leaves the old lock or the new one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { readLock } from '../../src/lock-file/read.ts'
import type { LockedAgent } from '../../src/model/lock.ts'
import { lockSourceOf } from '../../src/trust/read-lock.ts'
import { verify } from '../../src/verify/verify.ts'
import { made, policyText, RELEASE, world } from '../../test/support/install-world.ts'
import { policySource, trustContext } from '../../test/support/trust-world.ts'
import type { Campaign, Session } from './campaign.ts'
import type { Scenario } from './faults/scenarios.ts'
import { faultsIn } from './faults.ts'
import { left, odd, together } from './races/crowd.ts'

const MANY = 50
const MANY_IN_SLICE = 4
/** No ending that the campaign of faults takes for a lock between processes. */
const LOCK = 'agents.toml'

export const campaign: Campaign = {
  name: 'locks',
  summary: 'no damage makes a lock say less, and many or killed writers leave it whole',
  isEndless: true,
  async run(session) {
    await damage(session)
    for (const crowd of [adding, updating]) if (!session.isOver()) await crowd(session)
    if (!session.isOver()) await faultsIn(session, session.some(SCENARIOS, 1))
  },
}

const BUNDLE = made({ caps: 'net = ["a.example:443"]\n', files: { 'README.md': 'x' } }, RELEASE)

async function lockedWorld(session: Session, name: string) {
  const cwd = join(session.folder, name)
  mkdirSync(cwd, { recursive: true, mode: 0o755 })
  return world(cwd)
}

interface Damaged {
  readonly id: string
  readonly kind: string
  readonly bytes: Uint8Array
}

/** Whatever is changed: a bundle is accepted only if the lock still pins exactly what it pinned. */
async function damage(session: Session): Promise<void> {
  const here = await lockedWorld(session, 'damage')
  here.put('b.agent.bundle', BUNDLE)
  const { exit, envelope } = await here.rlp('lock', 'add', 'b.agent.bundle', '--lock', LOCK)
  if (exit !== 0) throw new Error(JSON.stringify(envelope))
  const good = readFileSync(join(here.cwd, LOCK))
  const bundle = await outline(await readBundle(BUNDLE, { keep: 'parsed' }))
  const trust = trustContext({ sources: [policySource(policyText())] })
  const pinned = pinsOf(good)
  const answers: Record<string, number> = {}
  for (const { id, kind, bytes } of session.some([...damages(session, good)], 40)) {
    if (session.isOver()) return
    if (!session.begin(id, kind)) continue
    const lock = lockSourceOf(LOCK, here.cwd, bytes)
    const { report, bundle: accepted } = await verify(bundle, { expect: 'any', trust, locks: [lock] })
    const [reason] = report.reasons
    const word = `${report.verdict} ${reason?.code ?? ''}`.trim()
    answers[word] = (answers[word] ?? 0) + 1
    const isSame = lock.lock !== undefined && pinsOf(bytes) === pinned
    const what =
      accepted !== undefined && !isSame
        ? 'it was accepted'
        : lock.lock === undefined &&
            (word !== 'indeterminate lock_unusable' || !/:\d+: /.test(reason?.message ?? ''))
          ? `${word}: ${reason?.message}`
          : lock.lock !== undefined && !isSame && word !== 'untrusted not_as_locked'
            ? word
            : undefined
    if (what !== undefined) session.defect({ case: id, what, input: bytes })
  }
  session.tally('damage', answers)
}

/** What decides about a bundle: all but the place that it comes from. */
function pinsOf(bytes: Uint8Array): string {
  const read = readLock(LOCK, bytes)
  if (!read.ok) return 'nothing'
  const plain = ({ source: _, oci: __, tools, ...rest }: LockedAgent) => ({
    ...rest,
    tools: [...tools].sort(),
  })
  const mini = read.lock.agents.get('mini')
  return mini === undefined ? 'nothing' : JSON.stringify(plain(mini))
}

function* damages(session: Session, good: Uint8Array): Generator<Damaged> {
  if (session.round === 0) {
    for (let bit = 0; bit < good.length * 8; bit++) {
      const bytes = Uint8Array.from(good)
      bytes[bit >> 3] = (good[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      yield { id: `bit ${bit}`, kind: 'bits', bytes }
    }
    for (let length = 0; length < good.length; length++)
      yield { id: `first ${length}`, kind: 'truncations', bytes: good.subarray(0, length) }
    yield* lineDamages(Buffer.from(good).toString().split('\n'))
  }
  const rounds = session.round === 0 ? 300 : 3000
  for (let index = 0; index < rounds; index++) {
    const random = session.random(session.round, 'several', index)
    const bytes = Uint8Array.from(good)
    for (let count = 1 + random.below(4); count > 0; count--)
      bytes[random.below(bytes.length)] = random.below(256)
    yield { id: `several ${index}`, kind: 'several bytes', bytes }
  }
}

function* lineDamages(lines: readonly string[]): Generator<Damaged> {
  const made = (id: string, changed: readonly string[]) => ({
    id,
    kind: 'lines',
    bytes: Buffer.from(changed.join('\n')),
  })
  for (const [at, line] of lines.entries()) {
    yield made(`without line ${at}`, lines.toSpliced(at, 1))
    yield made(`line ${at} twice`, lines.toSpliced(at, 0, line))
    for (const text of [
      '<<<<<<< ours',
      '=======',
      '>>>>>>> theirs',
      '',
      ' ',
      '# a comment',
      '[agents.mini]',
      '\ufeff',
    ])
      yield made(`line ${at} after ${JSON.stringify(text)}`, lines.toSpliced(at, 0, text))
    for (let other = at + 1; other < lines.length; other++)
      yield made(`lines ${at} and ${other} exchanged`, lines.with(at, lines[other] ?? '').with(other, line))
  }
}

/** Each adds one agent: all of them are there in the end, sorted. */
async function adding(session: Session): Promise<void> {
  if (!session.begin('add', 'crowds')) return
  const here = await lockedWorld(session, 'adding')
  const names = Array.from(
    { length: session.isSlice ? MANY_IN_SLICE : MANY },
    (_, index) => `a${String(index).padStart(2, '0')}`,
  )
  for (const name of names) here.put(`${name}.agent.bundle`, made({ name }, RELEASE))
  const ended = await together(
    session,
    here,
    names.map(name => ['lock', 'add', `${name}.agent.bundle`, '--lock', LOCK]),
  )
  const { envelope } = await here.rlp('lock', 'check', '--lock', LOCK)
  const rows = (envelope.result?.['agents'] ?? []) as { agent: string; is: string }[]
  const found = rows.map(({ agent, is }) => `${agent} ${is}`).join()
  const expected = names.map(name => `${name} same`).join()
  const wrong = [...odd(ended, [0]), ...left(here.cwd), ...(found === expected ? [] : [`there is ${found}`])]
  for (const what of wrong) session.defect({ case: 'add', what })
}

/** Each updates one agent of the same lock to its next version, while others check. */
async function updating(session: Session): Promise<void> {
  if (!session.begin('update', 'crowds')) return
  const here = await lockedWorld(session, 'updating')
  const names = Array.from(
    { length: session.isSlice ? MANY_IN_SLICE : MANY / 2 },
    (_, index) => `a${String(index).padStart(2, '0')}`,
  )
  for (const name of names) here.put(`${name}.agent.bundle`, made({ name }, RELEASE))
  await here.rlp('lock', 'add', '.', '--lock', LOCK)
  for (const name of names)
    writeFileSync(join(here.cwd, `${name}.agent.bundle`), made({ name, version: '1.0.1' }, RELEASE))
  const ended = await together(session, here, [
    ...names.map(name => ['lock', 'update', name, '--lock', LOCK]),
    ...names.map(name => ['lock', 'check', name, '--lock', LOCK]),
  ])
  const { exit } = await here.rlp('lock', 'check', '--lock', LOCK)
  const updates = ended.slice(0, names.length)
  const checks = ended.slice(names.length)
  const wrong = [
    ...odd(updates, [0]),
    ...odd(checks, [0, 1]),
    ...left(here.cwd),
    ...(exit === 0 ? [] : [`check ends with ${exit}`]),
  ]
  for (const what of wrong) session.defect({ case: 'update', what })
}

const put = (folder: string, name: string, bytes: Uint8Array | string) =>
  writeFileSync(join(folder, name), bytes)
const HOLDS = { file: `work/${LOCK}`, args: ['lock', 'list', '--lock', LOCK] } as const

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'lock add, the first',
    prepare({ work, home }) {
      put(home, 'trust-policy.toml', policyText())
      put(work, 'one.agent.bundle', made({ name: 'one' }, RELEASE))
    },
    args: ['lock', 'add', 'one.agent.bundle', '--lock', LOCK],
    holds: HOLDS,
  },
  {
    name: 'lock add',
    async prepare({ work, home, rlp }) {
      put(home, 'trust-policy.toml', policyText())
      for (const name of ['one', 'two']) put(work, `${name}.agent.bundle`, made({ name }, RELEASE))
      await rlp('lock', 'add', 'one.agent.bundle', '--lock', LOCK)
    },
    args: ['lock', 'add', 'two.agent.bundle', '--lock', LOCK],
    holds: HOLDS,
  },
  {
    name: 'lock update',
    async prepare({ work, home, rlp }) {
      put(home, 'trust-policy.toml', policyText())
      for (const name of ['one', 'two']) put(work, `${name}.agent.bundle`, made({ name }, RELEASE))
      await rlp('lock', 'add', '.', '--lock', LOCK)
      put(work, 'one.agent.bundle', made({ name: 'one', version: '1.0.1' }, RELEASE))
    },
    args: ['lock', 'update', '--lock', LOCK],
    holds: HOLDS,
  },
]
