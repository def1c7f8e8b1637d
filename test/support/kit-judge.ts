// A vector of the conformance kit on disk → what rlp answers, with the clock and the marks that the vector names: the command has
// no flag for these.
import { join } from 'node:path'
import type { Entry } from '../../fixtures/conformance/kit.ts'
import { outline } from '../../src/agent/read-in-turns.ts'
import { attestationsOf } from '../../src/io/bundle/read-attestations.ts'
import { Ways } from '../../src/io/owner/ways.ts'
import type { Agent } from '../../src/model/agent.ts'
import { RlpError } from '../../src/model/error.ts'
import type { Report } from '../../src/model/report.ts'
import type { FoundMarks } from '../../src/model/trust.ts'
import { keylessFindings } from '../../src/trust/keyless/keyless-findings.ts'
import { readLockSource } from '../../src/trust/read-lock.ts'
import { readTrustPolicies } from '../../src/trust/read-trust.ts'
import { roomForStatements } from '../../src/trust/room-for-statements.ts'
import { readCandidate } from '../../src/verify/examine.ts'
import { verifyMerged } from '../../src/verify/verify-merged.ts'
import { referenceText } from '../../src/version/reference.ts'

/** The members of a line of `run.mjs --lines`. Paths are absolute. */
export interface Line {
  readonly bundle: string
  readonly policy: string | null
  readonly expect: string | null
  readonly dev: true | null
  readonly system: string | null
  readonly attestations: string | null
  readonly lock: string | null
  readonly clock: string | null
  readonly state: State | null
}

type State =
  | 'unreadable'
  | Readonly<Record<string, readonly { readonly version: string; readonly identity: string | null }[]>>

/** `serve.mjs` of a kit: the exchanges in its vectors → a server that answers so. */
export type Serve = (vectors: readonly Entry[], kit: string) => Promise<{ host: string; close(): void }>

/**
 * @param kit its folder
 * @param host where the exchanges of the kit are served
 */
export function lineFor(
  kit: string,
  { files, policy, arguments: given, clock, state }: Entry,
  host = '',
): Line {
  const inKit = (path: string | null | undefined) => (path == null ? null : join(kit, path))
  return {
    bundle: bundleIn(kit, files, host),
    policy: inKit(policy),
    expect: given.expect,
    dev: given.dev ?? null,
    system: inKit(given.system),
    attestations: inKit(given.attestations),
    lock: inKit(given.lock),
    clock,
    state: state ?? null,
  }
}

function bundleIn(kit: string, { bundle, reference, exchange }: Entry['files'], host: string): string {
  if (exchange !== undefined) return bundle.replace('{host}', host)
  return reference === undefined ? join(kit, bundle) : `oci-layout:${join(kit, bundle)}${reference}`
}

interface Answer {
  readonly verdict: string
  readonly codes: readonly string[]
  readonly message?: string | undefined
}

export async function answerTo(line: Line): Promise<Answer> {
  try {
    const { verdict, reasons } = await reportOn(line)
    return { verdict, codes: reasons.map(({ code }) => code), message: reasons[0]?.message }
  } catch (error) {
    // The text is no expectation.
    if (error instanceof RlpError && error.code === 'USAGE') return { verdict: 'refused', codes: [] }
    throw error
  }
}

/** The whole report. @throws RlpError `USAGE` if the call is refused */
export async function reportOn(line: Line): Promise<Report> {
  const { bundle, policy, expect, dev, system, attestations, lock, clock, state } = line
  const attested = await attestationsOf(bundle, attestations ?? undefined)
  const asked = { ...(expect !== null && { expect }), unsigned: attested?.keyless !== undefined }
  const source = await readCandidate(bundle, asked, 'parsed')
  const places = {
    ...(policy !== null && { trustPolicy: policy }),
    system: system ?? '/nonexistent/trust-policy.toml',
    home: false,
  } as const
  const policies = await readTrustPolicies(places, new Ways())
  const { candidate } = source
  const read = await outline(candidate)
  const attached = attestations === null ? candidate.added?.attestations : undefined
  const came = attested ?? attached
  const stated = came && (await roomForStatements(came, policies, candidate.files))
  const keyless = await keylessFindings(stated, policies, candidate)
  const { verification } = await verifyMerged(read, {
    expect: source.expect,
    ...(lock !== null && { locks: [await readLockSource(lock)] }),
    trust: {
      policies,
      allowDev: dev === true,
      now: new Date(clock ?? '2026-06-01T00:00:00Z'),
      marks: marksOf(read.agent, state),
      overrides: [],
      ...(stated && { attestations: stated }),
      ...(keyless && { keyless }),
    },
  })
  return verification.report
}

function marksOf({ manifest }: Agent, state: State | null): FoundMarks {
  if (state === 'unreadable') return { problem: 'Cannot read the state of this agent' }
  const agent = referenceText({ name: manifest?.name ?? '', variant: manifest?.variant })
  const own = Object.entries(state ?? {}).flatMap(([name, marks]) => (name === agent ? marks : []))
  const marks = own.map(({ version, identity }) => {
    return { agent, version, manifestDigest: identity?.replace('blake3:', '') ?? null, keys: [] }
  })
  return { marks, wasSigned: marks.length > 0 }
}
