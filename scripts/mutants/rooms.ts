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
    'expectation freshness judging make-report protocol revocations signature steps trust verify verify-merged',
  trust: 'believed judge report-signers rule signer usable-policy',
  'trust/keyless': 'keyless-findings prove-keyless',
  'trust/channels': 'advance judge-channel',
  follow: 'take-offer',
  'channel-file': 'statement',
  bundle: 'archive reader',
  sigstore: 'certificate prove sigstore-bundle',
  signature: 'ed25519 envelope pem',
  'signature/kinds': 'ed25519 index',
  agent: 'agent-pattern',
  'trust-policy': 'anchors floors identity-fits identity-members identity-string policy revoked trusted-root',
  'trust-policy/requirements': 'agents anchors attestations expires-within field index signatures signers',
  'trust-policy/anchor-fields': 'allow-dev field identity index keys until use',
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
  'first-parts': {
    files: ['json/parse.ts', 'schema/plain-schema.ts', 'schema/own-errors.ts', 'schema/unique-items.ts'],
    tests: [
      ...['json/first-part.test.ts', 'json/json.test.ts', 'schema/first-parts.test.ts'],
      ...['schema/schemas.test.ts', 'schema/json-schema.test.ts', 'schema/schemas-shared.test.ts'],
    ],
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
