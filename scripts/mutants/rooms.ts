// The rooms whose tests are measured: the files that are changed, and the tests that have to notice.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT: string = join(import.meta.dirname, '..', '..')

export interface Room {
  /** Below src/. */
  readonly files: readonly string[]
  /** Below test/; missing: the conformance kit alone. */
  readonly tests?: readonly string[]
}

/** Verification, trust, archive, containment, and what a host takes of a trust channel. */
const VERIFIER: Readonly<Record<string, string>> = {
  verify:
    'ceiling checked-keyless contents demands-signature expectation files findings floors form freshness is-better keyless-groups manifest marks protocol report-of revocations signature trust usable-root verify verify-merged',
  trust: 'attested believed ceiling judge lost-signer report-signers requirement rule signer valid-until',
  'trust/keyless': 'keyless-of prove-keyless read-keyless signers',
  'trust/channels': 'advance chain files judge-channel',
  follow: 'take-offer',
  'channel-file': 'statement',
  bundle: 'header not-canonical reader',
  sigstore: 'certificate der prove sigstore-bundle',
  signature: 'ed25519 envelope key-kind',
  'signature/kinds': 'ed25519 index',
  agent: 'agent-pattern',
  'trust-policy':
    'anchors floors groups identities identity-fits identity-members identity-string policy required-attestations revocation-of revoked rules signers trusted-root',
  'trust-policy/anchor-fields': 'allow-dev field identity index keys until use',
  'trust-policy/requirements': 'agents anchors attestations expires-within field index signatures signers',
  'trust-policy/rule-fields': 'agents allow-caps allow-exec allow-net field index secrets-to',
  policy: 'address capability ceiling folder grant-entry host',
}

/** Tests of whole processes, which are built from the sources as they are: they take long, and notice no change. */
const OF_PROCESSES =
  /\/(?:install-crash|install-kill|install-many|install-root|not-loaded|program-digest)\.test\.ts$/

/** By name, in the order in which they are measured. */
export const ROOMS: Readonly<Record<string, Room>> = {
  verifier: {
    files: Object.entries(VERIFIER).flatMap(([folder, names]) =>
      names.split(' ').map(name => `${folder}/${name}.ts`),
    ),
  },
  registry: { files: sources('registry'), tests: tests('registry') },
  sign: { files: sources('sign'), tests: [...tests('sign'), 'verify/trusted-to-sign.test.ts'] },
  install: { files: sources('install'), tests: tests('install') },
  evidence: { files: sources('evidence'), tests: tests('evidence') },
  inspect: { files: sources('inspect'), tests: [...tests('inspect'), 'trust/attestations.test.ts'] },
  lock: { files: sources('lock'), tests: tests('lock') },
  gate: { files: sources('gate'), tests: tests('gate') },
  fleet: { files: sources('fleet'), tests: tests('fleet') },
}

/** The text of a file below src/. */
export function sourceOf(file: string): string {
  return readFileSync(join(ROOT, 'src', file), 'utf8')
}

function sources(room: string): string[] {
  return namesIn('src', room).filter(name => name.endsWith('.ts'))
}

function tests(room: string): string[] {
  return namesIn('test', room).filter(name => name.endsWith('.test.ts') && !OF_PROCESSES.test(name))
}

function namesIn(top: string, room: string): string[] {
  return readdirSync(join(ROOT, top, room), { recursive: true, encoding: 'utf8' })
    .map(name => `${room}/${name}`)
    .sort()
}
