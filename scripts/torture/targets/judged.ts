// Targets: the right word. A bundle that was revoked, listed in the wrong table, or spelt for two readers is not taken, whatever
// else is true of it.

import { read } from '../../../src/agent/read-agent.ts'
import { outline } from '../../../src/agent/read-in-turns.ts'
import { readBundle } from '../../../src/io/bundle/read-bundle.ts'
import { lintAgent } from '../../../src/lint/lint.ts'
import { UNPREPARED } from '../../../src/lint/rules/rule.ts'
import { RlpError } from '../../../src/model/error.ts'
import { assertPackable } from '../../../src/pack/pack.ts'
import { readPolicySource } from '../../../src/trust-policy/read-policy.ts'
import { verify } from '../../../src/verify/verify.ts'
import { agentTree, bundleOf, digestOf, type Tree } from '../../../test/support/agent.ts'
import { memoryFiles } from '../../../test/support/memory.ts'
import { ASKING, KEYS, POLICY, signed, trustContext } from '../../../test/support/trust-world.ts'
import { mutateTree } from '../mutate/tree.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'

const MINI = agentTree({ files: { 'docs/a.md': 'a' } })
const MANIFEST = MINI['manifest.toml'] as string
const ANY = `[anchors]\nr = "${KEYS.release.anchor}"\n[rules]\nr = { allow_caps = "any", allow_net = "any", allow_exec = true }\n`

export const JUDGED_TARGETS: readonly Target[] = [
  { name: 'revoked', share: 150, make: revoked, answer: judgeRevoked },
  { name: 'spelt', share: 200, make: spelt, answer: judgeSpelt },
  { name: 'odd-file', share: 150, make: oddFile, answer: judgeOddFile },
]

async function judged(tree: Tree, policy: string) {
  const trust = trustContext({ policies: [policy] })
  const bundle = await outline(await readBundle(bundleOf(tree), { keep: 'parsed' }))
  return verify(bundle, { expect: 'any', trust, allowUnsigned: true, allowDowngrade: true })
}

/** The manifest stays, so the bundle is the one that was revoked; all around it may change. */
function revoked(random: Random): Buffer {
  const keys = random.pick([[], ['release'], ['release', 'security'], ['stranger']] as const)
  const tree = keys.length === 0 ? ASKING : signed(ASKING, [...keys])
  const changed = random.once(2) ? mutateTree(random, tree) : tree
  const whole = { ...changed, 'manifest.toml': ASKING['manifest.toml'] ?? '' }
  const files = Object.entries(whole).map(([path, content]) => [
    path,
    Buffer.from(content as Uint8Array).toString('base64'),
  ])
  const digest = digestOf(ASKING['manifest.toml'] ?? '')
  const line = `"blake3:${digest}" = { since = "2026-11-01", reason = "the reason" }`
  const more = random.once(2) ? `"${KEYS.release.anchor}" = { since = "2026-11-01", reason = "lost" }\n` : ''
  const base = random.pick([POLICY, ANY])
  return Buffer.from(JSON.stringify({ files, policy: `${base}\n[revoked]\n${more}${line}\n` }))
}

async function judgeRevoked(bytes: Uint8Array): Promise<string> {
  const { files, policy } = JSON.parse(Buffer.from(bytes).toString())
  const tree = Object.fromEntries(
    (files as [string, string][]).map(([path, text]) => [path, Buffer.from(text, 'base64')]),
  )
  demand(
    readPolicySource('p', 'given', Buffer.from(policy)).policy !== undefined,
    'the policy cannot be read',
  )
  const { report, bundle } = await judged(tree, policy)
  demand(bundle === undefined, `a revoked bundle is handed out as ${report.verdict}`)
  demand(report.verdict === 'revoked' || report.verdict === 'invalid', `revoked, and ${report.verdict}`)
  return report.verdict
}

/** What another reader, or another table, would take for something else. */
const SPELT: readonly ((text: string) => string)[] = [
  text => text.replace('version = 1\n', 'version = 1.0\n'),
  text => text.replace('version = 1\n', 'version = 1e0\n'),
  text => text.replace('version = 1\n', 'version = 10e-1\n'),
  text =>
    text
      .replace(/\[artifacts\.tools\]\npath = "tools\.json"\nblake3 = ("[0-9a-f]+")\nversion = 1\n/, '')
      .replace(
        '[artifacts.files]\n',
        `[artifacts.files]\n"tools.json" = "${digestOf(MINI['tools.json'] ?? '')}"\n`,
      ),
  text =>
    text
      .replace(/\[artifacts\.policy\]\npath = "policy\.caps"\nblake3 = ("[0-9a-f]+")\n/, '')
      .replace(
        '[artifacts.files]\n',
        `[artifacts.files]\n"policy.caps" = "${digestOf(MINI['policy.caps'] ?? '')}"\n`,
      ),
  text =>
    text.replace(
      '[artifacts.files]\n',
      `[artifacts.files]\n"tools.json" = "${digestOf(MINI['tools.json'] ?? '')}"\n`,
    ),
  text =>
    text.replace(
      '[artifacts.files]\n',
      `[artifacts.files]\n"policy.caps" = "${digestOf(MINI['policy.caps'] ?? '')}"\n`,
    ),
  text => `${text}[more]\npath = "docs/a.md"\nblake3 = "${digestOf('a')}"\n`,
  text => text.replace('file = "policy.caps"', 'file = "./policy.caps"'),
]

function spelt(random: Random): Buffer {
  const change = random.pick(SPELT)
  const spaced = (text: string) =>
    random.once(2) ? text : text.replaceAll(' = ', random.pick(['=', '  = ', ' =\t']))
  return Buffer.from(spaced(change(MANIFEST)))
}

async function judgeSpelt(bytes: Uint8Array): Promise<string> {
  demand((await judged(MINI, ANY)).bundle !== undefined, 'the bundle is not sound without it')
  const tree = { ...MINI, 'manifest.toml': Buffer.from(bytes).toString() }
  demand(tree['manifest.toml'] !== MANIFEST, 'nothing was changed')
  const { report, bundle } = await judged(signed(tree, 'release'), ANY)
  demand(bundle === undefined, `it is handed out as ${report.verdict}`)
  demand(report.verdict === 'invalid', `spelt for another reader, and ${report.verdict}`)
  return report.verdict
}

const NAMES = [
  ...['constructor', '__proto__', 'toString', 'docs/constructor', 'hasOwnProperty', 'valueOf'],
  ...['manifest.toml', 'SIGNATURES', 'signatures/x', 'SIGNATURES/other', 'con', 'docs/nul.txt', 'tools.json'],
]

/** A file of an odd name, as any file or as the entry, listed or not; and an unknown family. */
function oddFile(random: Random): Buffer {
  const path = random.pick(NAMES)
  const as = random.pick(['file', 'entry', path === 'manifest.toml' ? 'file' : 'unlisted', 'family'] as const)
  return Buffer.from(JSON.stringify({ path, as }))
}

async function judgeOddFile(bytes: Uint8Array): Promise<string> {
  const { path, as } = JSON.parse(Buffer.from(bytes).toString()) as { path: string; as: string }
  const line = `${JSON.stringify(path)} = "${digestOf('x')}"`
  const manifest =
    as === 'file'
      ? MANIFEST.replace('[artifacts.files]\n', `[artifacts.files]\n${line}\n`)
      : as === 'entry'
        ? MANIFEST.replace(
            /path = "bin\/mini\.wasm", blake3 = "[0-9a-f]+"/,
            `path = ${JSON.stringify(path)}, blake3 = "${digestOf('x')}"`,
          )
        : MANIFEST
  const policy = `[capabilities]\n${as === 'family' ? `${JSON.stringify(path)} = true\n` : ''}`
  const tree: Tree = Object.fromEntries([
    ...Object.entries(MINI),
    ...(as === 'family' ? [] : [[path, 'x'] as const]),
    ['manifest.toml', manifest.replace(digestOf(MINI['policy.caps'] ?? ''), digestOf(policy))],
    ['policy.caps', policy],
  ])
  const agent = read(memoryFiles(tree), 'agent')
  const findings = lintAgent(agent, UNPREPARED)
  for (const { message, fix } of findings)
    demand(!/function |\[object |native code/.test(message + fix), `a finding says: ${message}`)
  let isPacked = true
  try {
    assertPackable(agent, findings)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    isPacked = false
  }
  // An empty rule grants nothing: what it does not name is not inside it.
  const empty = `[anchors]\nr = "${KEYS.release.anchor}"\n[rules]\nr = {}\n`
  const { report } = await judged(signed(tree, 'release'), as === 'family' ? empty : ANY)
  if (as === 'family')
    demand(!isPacked && report.verdict !== 'trusted', `an unknown family, and ${report.verdict}`)
  else demand(isPacked || report.verdict !== 'trusted', 'lint refuses it, and it is trusted')
  if (as === 'unlisted')
    demand(report.verdict === 'invalid', `a file that no digest names, and ${report.verdict}`)
  return report.verdict
}
