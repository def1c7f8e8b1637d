// Bundles with keyless signatures, judged by the whole: one tree, one root, and policies that name identities.
import { outline } from '../../src/agent/read-in-turns.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import type { Attestations } from '../../src/model/attestation.ts'
import type { Candidate } from '../../src/model/bundle.ts'
import type { PolicySource } from '../../src/model/trust.ts'
import { withRoot } from '../../src/trust-policy/source.ts'
import { type Examination, judgeUnder } from '../../src/verify/judge-candidate.ts'
import { agentTree, bundleOf, digestOf, type Tree } from './agent.ts'
import { type Certifying, type Recording, type SigstoreWorld, sigstoreWorld } from './sigstore-world.ts'
import { policySource, statementOf } from './trust-world.ts'

export const WORLD: SigstoreWorld = sigstoreWorld()
export const TREE: Tree = agentTree({ name: 'mini' })
/** What signers of {@link TREE} state. */
export const PAYLOAD: Buffer = payloadOf(TREE)

export const GITLAB_JOB = {
  8: 'https://gitlab.com',
  9: 'https://gitlab.com/acme/mini//.gitlab-ci.yml@refs/heads/main',
  12: 'https://gitlab.com/acme/mini',
  14: 'refs/heads/main',
  15: '7',
  17: '8',
  18: 'https://gitlab.com/acme/mini//.gitlab-ci.yml@refs/heads/main',
  20: 'push',
} as const
export const GITLAB_ANCHOR =
  'issuer = "https://gitlab.com", repository_id = "7", workflow = ".gitlab-ci.yml", ref = "refs/heads/main"'

export function payloadOf(tree: Tree, notAfter?: string): Buffer {
  return Buffer.from(JSON.stringify(statementOf(tree, { ...(notAfter !== undefined && { notAfter }) })))
}

export const RULE = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'

/** The line that names the root of a world. */
export function rootLine(world: SigstoreWorld = WORLD): string {
  return `[sigstore]\ntrusted_root = { file = "root.json", blake3 = "${digestOf(world.rootBytes)}" }\n`
}

/** A policy in which one identity may grant everything. */
export function policyFor(anchor: string, more = ''): PolicySource {
  return policyWith(`[anchors]\nci = { ${anchor} }\n[rules]\nci = ${RULE}\n${more}`)
}

/** @param text without [sigstore] */
export function policyWith(text: string, world: SigstoreWorld = WORLD): PolicySource {
  const source = withRoot(policySource(`${text}\n${rootLine(world)}`), world.rootBytes)
  if (source.policy === undefined) throw new Error(source.problems.join('\n'))
  return source
}

export interface Asked {
  readonly policy: PolicySource
  readonly tree?: Tree
  readonly certifying?: Certifying
  readonly recording?: Recording
  /** In place of one bundle around {@link PAYLOAD}. */
  readonly lines?: readonly Uint8Array[]
  readonly problem?: Attestations['problem']
  readonly others?: readonly PolicySource[]
  readonly options?: Parameters<typeof judgeUnder>[3]
}

export async function examined(asked: Asked): Promise<Examination> {
  const { policy, tree = TREE, certifying, recording, others = [], options, problem } = asked
  const lines = asked.lines ?? [WORLD.line(payloadOf(tree), certifying, recording)]
  const keyless = {
    bundles: lines.map((bytes, at) => ({ where: `line ${at + 1}`, bytes })),
    problem,
  }
  const attested = { label: 'mini.intoto.jsonl', envelopes: [], problem: undefined, keyless }
  const candidate: Candidate = await readBundle(bundleOf(tree), { keep: 'parsed', unsigned: true })
  await outline(candidate)
  return judgeUnder([policy, ...others], candidate, 'any', {
    state: false,
    home: false,
    ...options,
    attested,
  })
}

/** The verdict and its code. */
export async function answerTo(asked: Asked): Promise<string> {
  const { report } = (await examined(asked)).verification
  return [report.verdict, ...report.reasons.slice(0, 1).map(({ code }) => code)].join(' ')
}
