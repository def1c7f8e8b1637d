// Targets: what decides who is trusted. An envelope that is taken is the one byte sequence of its content; a policy decides or says why
// not; an edit of one says what was meant; an override never adds anything.
import { isDeepStrictEqual } from 'node:util'
import { read } from '../../../src/agent/read-agent.ts'
import { outline } from '../../../src/agent/read-in-turns.ts'
import { effectivePolicy } from '../../../src/caps/effective.ts'
import { usable } from '../../../src/caps/overrides.ts'
import { permissionsOf, widen } from '../../../src/inspect/widen.ts'
import { readBundle } from '../../../src/io/bundle/read-bundle.ts'
import {
  preAuthEncoding,
  readEnvelope,
  readStatement,
  writeEnvelope,
  writeStatement,
} from '../../../src/signature/envelope.ts'
import { readPem, readPublicPem } from '../../../src/signature/pem.ts'
import { readAgentState, writeAgentState } from '../../../src/state/agent-state.ts'
import { wasSigned } from '../../../src/state/marks.ts'
import { parseToml } from '../../../src/toml/parse.ts'
import { editTrustPolicy } from '../../../src/trust/edit.ts'
import type { TrustChange } from '../../../src/trust/edits/index.ts'
import { maySign } from '../../../src/trust-policy/anchors.ts'
import { readPolicySource } from '../../../src/trust-policy/read-policy.ts'
import { verify } from '../../../src/verify/verify.ts'
import { isOlder } from '../../../src/version/version.ts'
import { bundleOf } from '../../../test/support/agent.ts'
import { memoryFiles } from '../../../test/support/memory.ts'
import {
  ASKING,
  KEYS,
  POLICY,
  signatureFile,
  signed,
  trustContext,
} from '../../../test/support/trust-world.ts'
import { fixtureTree, textOf } from '../fixture-tree.ts'
import { mutateBytes } from '../mutate/bytes.ts'
import { mutateJson } from '../mutate/json.ts'
import { mutateText } from '../mutate/text.ts'
import { mutateToml } from '../mutate/toml.ts'
import { demand, type Target } from './target.ts'
import { WORDS } from './words.ts'

const SIGNED = signed(ASKING, ['release', 'security'])
const ENVELOPE = textOf(SIGNED, 'SIGNATURES/manifest.sig')
const BUNDLE = bundleOf(SIGNED)
const TRUST = trustContext()
const REVOKED = `${POLICY}\n[require]\nsignatures = 1\n\n[revoked]\n"${KEYS.stranger.anchor}" = { since = "2026-11-01", reason = "lost" }\n`
const LISTED = REVOKED.replace(
  /^release = \{(.*)\}$/m,
  'release = [{ agents = ["other"], allow_net = "any" }, {$1}] # each for its agents',
)
const AGENT = read(memoryFiles(fixtureTree('every-transport')), 'agent')
const OVERRIDE =
  '[capabilities]\nnet = ["api.mail.example:443"]\nkb_read = []\nexec = false\nsecrets = ["env/MAIL_TEMPLATES"]\n'
const STATE = stateText()
const NEWER = { agent: 'mini', version: '9.0.0', manifestDigest: '0'.repeat(64), keys: [] }

export const TRUST_TARGETS: readonly Target[] = [
  {
    name: 'envelope',
    share: 900,
    make(random) {
      if (random.once(3)) return mutateJson(random, JSON.parse(ENVELOPE), WORDS.envelope)
      // Signed by the right key, whatever it says: what is inside is what is looked at.
      const payload = (text: string) => mutateJson(random, JSON.parse(text), WORDS.envelope)
      const bytes = signatureFile(ASKING, [KEYS.release], { payload })
      return random.once(6) ? mutateBytes(random, Buffer.from(bytes as string)) : Buffer.from(bytes as string)
    },
    answer: judgeEnvelope,
  },
  {
    name: 'trust',
    share: 900,
    make: random => mutateToml(random, random.pick([REVOKED, LISTED]), WORDS.trust),
    answer: judgePolicy,
  },
  {
    name: 'trust-edit',
    share: 500,
    make: random => mutateToml(random, random.pick([REVOKED, LISTED]), WORDS.trust),
    answer: editPolicy,
  },
  {
    name: 'override',
    share: 500,
    make: random => mutateToml(random, OVERRIDE, WORDS.override),
    answer: judgeOverride,
  },
  {
    name: 'state',
    share: 300,
    make: random => mutateJson(random, JSON.parse(STATE), WORDS.state),
    answer: judgeState,
  },
  { name: 'key', share: 100, make: random => mutateText(random, pem()), answer: judgeKey },
]

async function judgeEnvelope(bytes: Uint8Array): Promise<string> {
  const envelope = readEnvelope(bytes)
  if (envelope.ok) {
    demand(
      Buffer.from(writeEnvelope(envelope.value)).equals(bytes),
      'another spelling of an envelope is taken',
    )
    const { payload } = envelope.value
    preAuthEncoding(payload)
    const statement = readStatement(payload)
    if (statement.ok)
      demand(
        Buffer.from(writeStatement(statement.value)).equals(payload),
        'another spelling of a statement is taken',
      )
  }
  const bundle = bundleOf({ ...ASKING, 'SIGNATURES/manifest.sig': bytes })
  const { report } = await verify(await outline(await readBundle(bundle, { keep: 'parsed' })), {
    expect: 'any',
    trust: TRUST,
  })
  demand(report.verdict !== 'unsigned', 'something under SIGNATURES/, and it counts as unsigned')
  demand(envelope.ok || report.verdict === 'invalid', `no envelope, and ${report.verdict}`)
  return report.verdict
}

async function judgePolicy(bytes: Uint8Array): Promise<string> {
  const source = readPolicySource('trust-policy.toml', 'given', bytes)
  demand(
    (source.policy === undefined) === source.problems.length > 0,
    'it decides nothing, and there is no problem',
  )
  const trust = { ...TRUST, policies: [source] }
  const { report } = await verify(await outline(await readBundle(BUNDLE, { keep: 'parsed' })), {
    expect: 'any',
    trust,
  })
  // Whatever a policy says and calls its signers, nothing is let in behind a mark.
  const behind = { ...trust, marks: { marks: [NEWER], wasSigned: true } }
  const bundle = await outline(await readBundle(BUNDLE, { keep: 'parsed' }))
  const rolledBack = await verify(bundle, { expect: 'any', trust: behind })
  demand(rolledBack.bundle === undefined, `behind a mark, and ${rolledBack.report.verdict}`)
  if (report.verdict === 'trusted')
    demand(rolledBack.report.verdict === 'rolled_back', `behind a mark, and ${rolledBack.report.verdict}`)
  if (source.policy === undefined)
    demand(report.verdict === 'indeterminate', `a malformed policy, and ${report.verdict}`)
  else {
    const keys = source.policy.anchors.filter(maySign).flatMap(anchor => anchor.keys)
    const ours = [KEYS.release.anchor, KEYS.security.anchor]
    if (report.verdict === 'trusted')
      demand(
        ours.some(key => keys.includes(key)),
        'trusted, and no key of ours that signs in it',
      )
    const { validUntil } = source.policy
    if (validUntil !== undefined && Date.parse(validUntil) < TRUST.now.getTime())
      demand(report.verdict === 'indeterminate', `the policy has ended, and ${report.verdict}`)
  }
  return report.verdict
}

const CHANGES: readonly TrustChange[] = [
  {
    do: 'add',
    name: 'new',
    key: KEYS.second.anchor,
    rules: [{ allowCaps: ['kb_read:x'], allowNet: [], allowExec: false, agents: ['m'] }],
  },
  { do: 'add', name: 'release', key: KEYS.second.anchor, isFurtherKey: true },
  {
    do: 'add',
    name: 'release',
    rules: [{ allowCaps: ['time'], allowNet: 'any', allowExec: true, agents: ['other', 'm'] }],
  },
  { do: 'remove', name: 'release' },
  { do: 'remove', name: 'security' },
  {
    do: 'revoke',
    what: [KEYS.release.anchor, `blake3:${'ab'.repeat(32)}`],
    since: '2026-11-01',
    reason: 'a "quoted"\nreason',
  },
]

/** `editTrustPolicy` reads what it wrote and compares; here the same change a second time must change nothing more. */
function editPolicy(bytes: Uint8Array): string {
  const parsed = parseToml('trust-policy.toml', bytes)
  if (!parsed.ok) return 'no TOML'
  const change = CHANGES[bytes.length % CHANGES.length] as TrustChange
  const text = editTrustPolicy(parsed.document, change)
  const again = parseToml('trust-policy.toml', Buffer.from(text))
  demand(again.ok, 'the edited policy cannot be read')
  if (change.do !== 'revoke') return 'edited'
  demand(editTrustPolicy(again.document, change) === text, 'a second time changes more')
  return 'edited'
}

function judgeOverride(bytes: Uint8Array): string {
  const { sound, reasons } = usable([{ label: 'override', for: 'mailer', bytes }])
  demand(sound.length + reasons.length === 1, 'neither usable nor a reason')
  const { policy } = AGENT
  demand(policy !== undefined, 'the fixture has no policy')
  const { policy: left } = effectivePolicy(policy, sound)
  const before = permissionsOf(AGENT)
  const { widened } = widen(before, { ...before, policy: left })
  // A port of a host that is granted without one is inside or outside, depending on the reader: `denials` asks both (src/caps/effective.ts).
  const added = widened.filter(({ message }) => !message.startsWith('may reach api.mail.example:'))
  demand(added.length === 0, `the override adds: ${added[0]?.message}`)
  return sound.length === 1 ? 'tightens' : 'unusable'
}

function judgeState(bytes: Uint8Array): string {
  const result = readAgentState('mailer.json', bytes, 'mailer')
  if (!result.ok) return 'refused'
  const again = readAgentState('mailer.json', writeAgentState(result.state), 'mailer')
  demand(again.ok, 'what was read is written so that it cannot be read')
  demand(isDeepStrictEqual(again.state, result.state), 'what was read is written as something else')
  const stated: { marks: { version: string }[]; baselines: object[] } = JSON.parse(
    Buffer.from(bytes).toString(),
  )
  for (const { version } of stated.marks)
    demand(
      result.state.marks.some(mark => !isOlder(mark.version, version)),
      `the mark ${version} is forgotten`,
    )
  const isSigned = stated.marks.length > 0 || stated.baselines.length > 0
  demand(wasSigned(result.state) || !isSigned, 'that it was installed signed is forgotten')
  return 'read'
}

function stateText(): string {
  const about = {
    version: '1.0.0',
    manifestDigest: 'ab'.repeat(32),
    anchors: ['release'],
    signers: [KEYS.release.anchor],
  }
  const at = '2026-11-20T00:00:00Z'
  const install = {
    ...about,
    root: '/r',
    fileDigest: 'cd'.repeat(32),
    verdict: 'trusted',
    allowed: [],
    unpacked: true,
    at,
  }
  const mark = { version: '1.0.0', manifestDigest: 'ab'.repeat(32), at, keys: [KEYS.release.anchor] }
  const state = {
    version: 4,
    agent: 'mailer',
    marks: [mark],
    wasInstalled: true,
    baselines: [{ root: '/r', ...about, permissions: permissionsOf(AGENT), at }],
    installs: [install],
    pending: [{ install, mark }],
    resets: [{ at, to: '0.9.0', marks: [mark] }],
  }
  return JSON.stringify(state)
}

function pem(): string {
  return KEYS.release.private.export({ format: 'pem', type: 'pkcs8' }).toString()
}

function judgeKey(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1')
  const found = [readPem(text, 'x'), readPublicPem(text)]
  return found.some(({ ok }) => ok) ? 'a key' : 'no key'
}
