// Campaign 1: a signed bundle has one byte sequence. Every small change of it is `invalid`, for the reason of its place; who carries it
// can take signatures away and nothing else, and that has its word as well.
import { gunzipSync, gzipSync } from 'node:zlib'
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import type { TrustContext } from '../../src/model/trust.ts'
import { verify } from '../../src/verify/verify.ts'
import { agentTree, bundleOf, type Tree } from '../../test/support/agent.ts'
import {
  additions,
  blocks,
  type Change,
  flips,
  regionsOf,
  swaps,
  truncations,
} from '../../test/support/bundle-changes.ts'
import { KEYS, type KeyName, signed, trustContext } from '../../test/support/trust-world.ts'
import type { Campaign, Session } from './campaign.ts'
import { randomAgent } from './random-agent.ts'

const ANY = '{ allow_caps = "any", allow_net = "any" }'
const POLICY = `[anchors]\na = "${KEYS.release.anchor}"\nb = "${KEYS.security.anchor}"\n[rules]\na = ${ANY}\nb = ${ANY}\n`
const TRUST = trustContext({ policies: [POLICY] })
const BOTH = trustContext({ policies: [`${POLICY}[require]\nsignatures = 2\n`] })

export const campaign: Campaign = {
  name: 'malleability',
  summary: 'no change of a signed bundle is trusted, and each has the right word',
  isEndless: true,
  async run(session) {
    if (session.round === 0) await everyChange(session)
    else await randomBundles(session)
  },
}

export interface Judged {
  readonly verdict: string
  readonly codes: readonly string[]
  readonly isAccepted: boolean
}

export async function judge(bytes: Uint8Array, trust: TrustContext = TRUST): Promise<Judged> {
  const { report, bundle } = await verify(await outline(await readBundle(bytes, { keep: 'parsed' })), {
    expect: 'any',
    trust,
  })
  return {
    verdict: report.verdict,
    codes: report.reasons.map(({ code }) => code),
    isAccepted: bundle !== undefined,
  }
}

/** The smallest signed bundle there is, with every change of it. */
async function everyChange(session: Session): Promise<void> {
  const tree = signed(
    agentTree({ name: 'm', files: { 'tools.json': '{"version":1,"tools":[]}' } }),
    'release',
  )
  const bundle = bundleOf(tree)
  const regions = regionsOf(tree)
  await control(session, bundle)
  const bits = Array.from({ length: bundle.length * 8 }, (_, bit) => bit)
  const lengths = Array.from({ length: bundle.length }, (_, length) => length)
  const kinds: [kind: string, changes: Iterable<Change>][] = [
    ['bits', flips(bundle, regions, session.some(bits, 300))],
    ['cuts', truncations(bundle, session.some(lengths, 60))],
    ['more', fewer(session, additions(bundle))],
    ['swaps', fewer(session, swaps(tree))],
    ['blocks', fewer(session, blocks(bundle))],
  ]
  for (const [kind, changes] of kinds) for (const change of changes) await refused(session, kind, change)
  await control(session, bundle)
  await wrapped(session, bundle)
  await stripped(session, tree)
}

/** The unchanged bundle is trusted: without this a verifier that refuses everything would pass. */
async function control(session: Session, bundle: Uint8Array): Promise<void> {
  if (!session.begin('control')) return
  const { verdict, isAccepted } = await judge(bundle)
  if (verdict !== 'trusted' || !isAccepted) session.defect({ case: 'control', what: `it is ${verdict}` })
}

function fewer(session: Session, changes: Iterable<Change>): Change[] {
  return session.some([...changes], 40)
}

async function refused(session: Session, kind: string, { id, bytes, says }: Change): Promise<void> {
  if (!session.begin(id, kind)) return
  const { verdict, codes, isAccepted } = await judge(bytes)
  if (verdict === 'invalid' && !isAccepted && codes.some(code => says.test(code))) return
  const what = `expected invalid with ${says}, found ${verdict} with ${codes.join(', ')}`
  session.defect({ case: id, what, input: Uint8Array.from(bytes) })
}

/** The same through gzip, where some bits mean nothing: trusted only when what is inside is the very bundle. */
async function wrapped(session: Session, bundle: Uint8Array): Promise<void> {
  const whole = gzipSync(bundle, { level: 9 })
  const bits = Array.from({ length: whole.length * 8 }, (_, bit) => bit)
  const bytes = Uint8Array.from(whole)
  for (const bit of session.some(bits, 60)) {
    const id = `gzip bit ${bit}`
    if (!session.begin(id, 'gzip')) continue
    const at = bit >> 3
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
    const { verdict } = await judge(bytes)
    const isSame = verdict === 'trusted' && gunzipSync(bytes).equals(bundle)
    if (verdict !== 'invalid' && !isSame) {
      session.defect({ case: id, what: `it is ${verdict}`, input: Uint8Array.from(bytes) })
    }
    bytes[at] = whole[at] ?? 0
  }
}

/** Signatures that were taken away: the one thing a carrier can do. */
async function stripped(session: Session, tree: Tree): Promise<void> {
  const { 'SIGNATURES/manifest.sig': _, ...bare } = tree
  const cases: [id: string, tree: Tree, trust: TrustContext, expected: string][] = [
    ['both signatures', signed(bare, ['release', 'security']), BOTH, 'trusted'],
    ['one of two', signed(bare, 'release'), BOTH, 'untrusted'],
    ['none', bare, TRUST, 'unsigned'],
    ['none, with an empty file', { ...bare, 'SIGNATURES/manifest.sig': '' }, TRUST, 'invalid'],
    ['none, with an empty list', signed(bare, []), TRUST, 'invalid'],
    [
      'under another name',
      { ...bare, 'SIGNATURES/other.sig': tree['SIGNATURES/manifest.sig'] ?? '' },
      TRUST,
      'invalid',
    ],
    ['a stranger’s', signed(bare, 'stranger'), TRUST, 'untrusted'],
    ['a stranger’s beside ours', signed(bare, ['release', 'stranger']), TRUST, 'trusted'],
  ]
  for (const [id, one, trust, expected] of cases) {
    if (!session.begin(id, 'signatures')) continue
    const bytes = bundleOf(one)
    const { verdict } = await judge(bytes, trust)
    if (verdict !== expected)
      session.defect({ case: id, what: `expected ${expected}, found ${verdict}`, input: bytes })
  }
}

/** Bundles of all sizes; pieces of one put into another, and several bytes at once. */
async function randomBundles(session: Session): Promise<void> {
  for (let n = 0; n < 200 && !session.isOver(); n++) {
    const random = session.random(session.round, n)
    const names: KeyName[] = random.once(2) ? ['release'] : ['release', 'security']
    const tree = signed(randomAgent(random), names)
    const other = signed(randomAgent(random), names)
    const bundle = bundleOf(tree)
    const count = bundle.length
    const bits = Array.from({ length: 60 }, () => random.below(count * 8))
    const lengths = Array.from({ length: 10 }, () => random.below(count))
    const changes: [string, Iterable<Change>][] = [
      ['bits', flips(bundle, regionsOf(tree), bits)],
      ['cuts', truncations(bundle, lengths)],
      ['swaps', random.shuffle([...swaps(tree)]).slice(0, 10)],
      ['spliced', spliced(tree, other)],
    ]
    for (const [kind, list] of changes)
      for (const change of list) await refused(session, kind, { ...change, id: `${n}: ${change.id}` })
  }
}

/** A file of another signed bundle in the place of ours: genuine, and not of this bundle. */
function* spliced(tree: Tree, other: Tree): Generator<Change> {
  for (const [path, content] of Object.entries(other)) {
    if (Buffer.from(content as string).equals(Buffer.from((tree[path] ?? '') as string))) continue
    if (path === 'manifest.toml' || path === 'SIGNATURES/manifest.sig') {
      yield {
        id: `their ${path}`,
        bytes: bundleOf({ ...tree, [path]: content }),
        says: /^statement_mismatch$/,
      }
    } else if (tree[path] !== undefined)
      yield {
        id: `their ${path}`,
        bytes: bundleOf({ ...tree, [path]: content }),
        says: /^manifest\/digest-stale$/,
      }
    else {
      const bytes = bundleOf({ ...tree, [path]: content })
      yield { id: `their ${path} too`, bytes, says: /^(?:manifest\/digest-missing|not_canonical|files\/.*)$/ }
    }
  }
}
