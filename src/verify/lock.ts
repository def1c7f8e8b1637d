// Compares a bundle after the steps with each lock that names its agent: it has to be the pinned bundle, with the signers, capabilities and
// tools that it had. A lock pins every grant of policy.caps, and a digest of each tool. It refuses more, and trusts nothing.

import { blake3Hex } from '../bundle/blake3.ts'
import { canonicalJson } from '../json/canonical.ts'
import { sorted } from '../lock-file/write.ts'
import { type Agent, MANIFEST_FILE, TOOLS_FILE } from '../model/agent.ts'
import { LOCK_FILE, type LockedAgent, type LockSource } from '../model/lock.ts'
import { isTable } from '../model/own.ts'
import type { Reason } from '../model/report.ts'
import type { Tool } from '../model/tools.ts'
import { policyGrants } from '../policy/ceiling.ts'
import { linkSchemas } from '../schema/link.ts'
import { isSchemaFile, resolverIn } from '../schema/reference.ts'
import { bundleIdentity, referenceText } from '../version/reference.ts'
import type { Judged } from './judging.ts'
import { bundleIn } from './make-report.ts'
import type { Protocol } from './protocol.ts'
import type { Signed } from './signature.ts'

/** What is compared with an entry of a lock. */
interface LockedSide {
  readonly version: string
  readonly identity: string
  /** Keys that signed. */
  readonly signers: readonly string[]
  /** Undefined if the contents were not examined. */
  readonly facts: LockFacts | undefined
}

/**
 * @param contents undefined if they were not examined; then the verdict is no acceptance, whatever the lock says
 */
export function checkLocks(
  agent: Agent,
  contents: Agent | undefined,
  { signed, judged }: { readonly signed: Signed | undefined; readonly judged: readonly Judged[] },
  sources: readonly LockSource[],
  protocol: Protocol,
): void {
  const problems = sources.flatMap(source => (source.lock === undefined ? unusable(source) : []))
  if (problems.length > 0) {
    protocol.fail('expectation', 'indeterminate', problems)
    return
  }
  const { name, version, variant } = agent.manifest ?? {}
  const identity = agent.files.get(MANIFEST_FILE)?.digest
  if (name === undefined || version === undefined || identity === undefined) {
    protocol.skip(
      'expectation',
      `Name and version cannot be read, so they were not compared with ${labelsOf(sources)}`,
    )
    return
  }
  const key = referenceText({ name, variant })
  const naming = sources.flatMap(({ lock, label }) => {
    const locked = lock?.agents.get(key)
    return locked === undefined ? [] : { locked, label }
  })
  if (naming.length === 0) {
    const [{ label } = { label: LOCK_FILE }] = sources
    const message =
      sources.length === 1 ? `${label} has no ${key}` : `None of ${labelsOf(sources)} has ${key}`
    const hint = `If it belongs to this deployment, rlp lock add ${bundleIn(label)} takes it into the lock`
    protocol.fail('expectation', 'untrusted', [{ code: 'not_as_locked', message, hint }])
    return
  }
  const facts = contents && lockFacts(contents)
  const is = { version, identity, signers: signersOf(signed, judged), facts }
  const reasons = naming.flatMap(({ locked, label }) =>
    reasonsOf([...lockDifferences(locked, is, label), ...notCounted(locked, is.signers, judged)], label),
  )
  if (reasons.length > 0) protocol.fail('expectation', 'untrusted', reasons)
  else protocol.pass('expectation', `as ${labelsOf(naming)} ${naming.length === 1 ? 'pins' : 'pin'} it`)
}

function labelsOf(sources: readonly Pick<LockSource, 'label'>[]): string {
  const labels = sources.map(({ label }) => label)
  return labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`
}

function reasonsOf(messages: readonly string[], label: string): Reason<'not_as_locked'>[] {
  const hint = `If the change is meant, rlp lock update ${bundleIn(label)} shows what is wider and takes it in`
  return messages.map((message, at) => ({ code: 'not_as_locked', message, ...(at === 0 && { hint }) }))
}

function unusable({ problems, hint }: LockSource): Reason<'lock_unusable'>[] {
  return problems.map(message => ({
    code: 'lock_unusable',
    message,
    hint: hint ?? 'Correct the lock; until then it decides nothing',
  }))
}

/** What differs from the lock, capabilities first. Each is a sentence without a full stop. */
export function lockDifferences(locked: LockedAgent, is: LockedSide, label: string): string[] {
  const { facts } = is
  return [
    ...(facts === undefined
      ? []
      : [...listDifferences(locked, facts, label), ...toolDifferences(locked, facts, label)]),
    ...locked.signers
      .filter(key => !is.signers.includes(key))
      .map(key => `The signature of ${key}, which ${label} lists, is missing`),
    ...(locked.version === is.version
      ? []
      : [`It is version ${is.version}, and ${label} pins ${locked.version}`]),
    ...(locked.identity === is.identity
      ? []
      : [`It is ${bundleIdentity(is.identity)}, and ${label} pins ${bundleIdentity(locked.identity)}`]),
  ]
}

function listDifferences({ caps }: LockedAgent, facts: LockFacts, label: string): string[] {
  // As sets: a policy may grant a hundred thousand things.
  const [listed, has] = [new Set(caps), new Set(facts.caps)]
  return [
    ...facts.caps
      .filter(one => !listed.has(one))
      .map(one => `It has the capability ${one}, which ${label} does not list`),
    ...caps.filter(one => !has.has(one)).map(one => `It lacks the capability ${one}, which ${label} lists`),
  ]
}

function toolDifferences({ tools }: LockedAgent, facts: LockFacts, label: string): string[] {
  const ids = [...new Set([...facts.tools.keys(), ...tools.keys()])]
  return ids.flatMap(id => {
    const [was, now] = [tools.get(id), facts.tools.get(id)]
    if (was === now) return []
    if (was === undefined) return [`It has the tool ${id}, which ${label} does not list`]
    return [
      now === undefined
        ? `It lacks the tool ${id}, which ${label} lists`
        : `The tool ${id} has another definition than ${label} pins`,
    ]
  })
}

/** Where the trust step refused, it has said why. A signer may be there and still not count: revoked, or a development key. */
function notCounted(locked: LockedAgent, signers: readonly string[], judged: readonly Judged[]): string[] {
  const counted = new Set(
    judged.flatMap(({ judgement }) =>
      judgement.signers.flatMap(({ signer, is }) => (is === 'counted' ? signer : [])),
    ),
  )
  return locked.signers
    .filter(key => judged.length > 0 && signers.includes(key) && !counted.has(key))
    .map(key => `The signature of ${key}, which the lock lists, does not count under the trust policies`)
}

/** The keys that signed, whether they count or not, and the identities that do: no policy, no identity. */
function signersOf(signed: Signed | undefined, judged: readonly Judged[]): readonly string[] {
  const all = judged.flatMap(({ judgement }) => judgement.signers.map(({ signer }) => signer))
  return [...new Set([...(signed?.signers ?? []), ...all])]
}

type LockFacts = Pick<LockedAgent, 'caps' | 'tools'>

/** Undefined if policy.caps or tools.json was not read. */
export function lockFacts(agent: Agent): LockFacts | undefined {
  const { policy, tools, documents } = agent
  if (policy === undefined || tools === undefined) return undefined
  const entries = entriesIn(documents.get(TOOLS_FILE)?.value)
  const fileAt = (path: string) => documents.get(path)?.value
  const digests = new Map<string, string>()
  for (const tool of tools.tools) {
    digests.set(tool.id, toolDigest(tool, entries.get(tool.id), fileAt))
  }
  // No lock can list an unknown family: no rule allows it, so its bundle is never accepted.
  return { caps: sorted(policyGrants(policy).map(({ text }) => text)), tools: digests }
}

/** BLAKE3 of RFC 8785 JSON: the entry as tools.json has it, and each file below schemas/ that its schemas lead to. */
function toolDigest(tool: Tool, entry: unknown, fileAt: (path: string) => unknown): string {
  const text = canonicalJson(entry)
  const schemas = Object.fromEntries(REFERENCE.test(text) ? filesOf(tool, fileAt) : [])
  return blake3Hex(new TextEncoder().encode(`{"schemas":${canonicalJson(schemas)},"tool":${text}}`))
}

/** Most tools refer to nothing, and following references takes many times as long as hashing. */
const REFERENCE = /"\$ref":/

function filesOf({ inputSchema, resultSchema, schemaRefs }: Tool, fileAt: (path: string) => unknown) {
  const resolve = resolverIn(schemaRefs, fileAt)
  const documents = [inputSchema, resultSchema].flatMap(
    schema => linkSchemas(schema, TOOLS_FILE, resolve).documents,
  )
  return documents.flatMap(({ path }) => (isSchemaFile(path) ? [[path, fileAt(path)] as const] : []))
}

/** The entries as they are written: members that this build does not know count as well. */
function entriesIn(value: unknown): Map<unknown, unknown> {
  const list = isTable(value) && Array.isArray(value['tools']) ? value['tools'] : []
  return new Map(list.map((entry: unknown) => [isTable(entry) ? entry['id'] : undefined, entry]))
}
