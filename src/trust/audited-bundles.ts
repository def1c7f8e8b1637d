// An audit log and signers → the bundles that were accepted with a signature of one of them, whatever signed them afterwards.
import { referenceText } from '../agent/agent-name.ts'
import { boundedLines } from '../io/read/bounded.ts'
import { chunksAt } from '../io/read/read-file.ts'
import { throwIfCancelled } from '../io/wait/breathe.ts'
import { parseJson } from '../json/parse.ts'
import { isTable, own } from '../model/own.ts'
import { isMeantAsIdentity, namesIdentity } from '../trust-policy/identity-string.ts'

export interface AuditedBundle {
  /** `blake3:…` of its manifest. */
  readonly identity: string
  /** As the manifest states it: `mailer 0.1.0`. */
  readonly agent: string
  /** In how many lines it was accepted. */
  readonly times: number
}

export interface Audited {
  /** By agent, version and identity. */
  readonly bundles: readonly AuditedBundle[]
  /** Lines that are no decisions of rlp: torn ones, and those of other programs. */
  readonly unread: number
}

const LINE_BYTES = 1024 * 1024

/**
 * @param signers anchor strings, and identities or their beginnings by whole members
 * @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE as reading does; CANCELLED
 */
export async function auditedBundles(
  { path, label }: { readonly path: string; readonly label: string },
  signers: readonly string[],
  signal: AbortSignal,
): Promise<Audited> {
  const exact = new Set(signers)
  const beginnings = signers.filter(isMeantAsIdentity)
  const isAsked = (one: unknown) =>
    typeof one === 'string' && (exact.has(one) || beginnings.some(name => namesIdentity(name, one)))
  const found = new Map<string, AuditedBundle>()
  let unread = 0
  for await (const { bytes } of boundedLines(chunksAt(path, { follow: true, label }), LINE_BYTES)) {
    throwIfCancelled(signal, `reading "${label}"`)
    const line = bytes === undefined ? undefined : decisionIn(bytes)
    if (line === undefined) unread++
    if (line === undefined || !line.isAccepted || !line.signers.some(isAsked)) continue
    const { identity, agent } = line
    if (identity === undefined) continue
    found.set(identity, { identity, agent, times: 1 + (found.get(identity)?.times ?? 0) })
  }
  const order = ({ agent, identity }: AuditedBundle) => `${agent} ${identity}`
  return { bundles: [...found.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1)), unread }
}

interface Decision {
  readonly isAccepted: boolean
  readonly signers: readonly unknown[]
  readonly identity: string | undefined
  readonly agent: string
}

/** Undefined for what is no decision of rlp. */
function decisionIn(bytes: Uint8Array): Decision | undefined {
  const parsed = parseJson('', bytes)
  const line = parsed.ok ? parsed.document.value : undefined
  if (!isTable(line) || own(line, 'program') !== 'rlp') return undefined
  const [accepted, signers, identity, agent] = ['accepted', 'signers', 'identity', 'agent'].map(name =>
    own(line, name),
  )
  if (typeof accepted !== 'boolean' || !Array.isArray(signers)) return undefined
  return {
    isAccepted: accepted,
    signers,
    identity: typeof identity === 'string' && IDENTITY.test(identity) ? identity : undefined,
    agent: agentIn(agent),
  }
}

/** A decision about what could not be read names no agent. */
function agentIn(agent: unknown): string {
  const [name, version, variant] = isTable(agent)
    ? ['name', 'version', 'variant'].map(one => own(agent, one))
    : []
  if (typeof name !== 'string' || typeof version !== 'string') return 'an agent that the log does not name'
  return `${referenceText({ name, variant: typeof variant === 'string' ? variant : undefined })} ${version}`
}

const IDENTITY = /^blake3:[0-9a-f]{64}$/
