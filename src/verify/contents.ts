// Strangers' content is not parsed (docs/spec/judging.md, J-3): policy.caps, tools.json, schemas, records and wasm are read
// only if the signers are trusted, if a flag allows a missing signature, or if a person examines the bundle.

import { INTERFACES_FILE } from '../agent-tool/records.ts'
import type { Agent } from '../model/agent.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import type { Outline } from '../model/bundle.ts'
import { ownMembers } from '../model/own.ts'
import type { Turn } from '../model/turn.ts'
import type { Circumstances } from './circumstances.ts'
import { demandsSignature } from './demands-signature.ts'
import { findingsOf, reasonsOf } from './findings.ts'
import type { Protocol } from './protocol.ts'

const BY_PROPERTIES = `Records in ${INTERFACES_FILE} were compared by properties alone`

/**
 * @param isCertified whether it is signed by what came beside it
 * @returns the agent with its contents; undefined if they were not examined
 */
export async function checkContents(
  bundle: Outline,
  circumstances: Circumstances,
  protocol: Protocol,
  isCertified: boolean,
  turn: Turn,
): Promise<Agent | undefined> {
  // Content that differs from its digest may come from anybody.
  const isWhole = protocol.hasPassed('manifest', 'files')
  const isTrusted = isWhole && protocol.hasPassed('signature', 'trust')
  const isSigned = isCertified || bundle.files.get(SIGNATURE_FILE) !== undefined
  const isAllowed =
    isWhole && !isSigned && !protocol.hasFailed('trust') && mayBeUnsigned(bundle.agent, circumstances)
  const isLook = circumstances.look === true
  if (isTrusted || isAllowed || isLook) {
    const agent = await bundle.whole(turn)
    const check = isTrusted || isAllowed ? checkSchemas : lookAtSchemas
    await check(agent, protocol, turn)
    // Beside tools of a newer version, records are not read.
    if (agent.tools !== undefined && agent.documents.has(INTERFACES_FILE))
      protocol.skipped.push(BY_PROPERTIES)
    return agent
  }
  const why = isSigned ? 'its signers are not trusted' : 'it is unsigned'
  const because = isWhole ? why : 'they are not what the manifest names'
  protocol.skip('schemas', `policy.caps, tools.json, schemas and the entry were not examined: ${because}`)
  return undefined
}

/** Whether the flag for unsigned bundles applies. With unusable state it is unknown whether the agent was installed signed. */
export function mayBeUnsigned(agent: Agent, circumstances: Circumstances): boolean {
  const { allowUnsigned, trust } = ownMembers(circumstances)
  if (allowUnsigned !== true) return false
  return trust === undefined || (!demandsSignature(agent, trust) && 'marks' in trust.marks)
}

/**
 * Step "schemas": policy.caps, tools.json and the schemas are strict text of the right shape, in versions that this build knows.
 */
async function checkSchemas(agent: Agent, protocol: Protocol, turn: Turn): Promise<void> {
  const findings = await findingsOf(agent, 'schemas', turn)
  protocol.findings.push(...findings)
  const newer = findings.filter(({ undecidable }) => undecidable)
  const wrong = findings.filter(({ undecidable }) => !undecidable)
  if (wrong.length > 0) protocol.fail('schemas', 'invalid', reasonsOf(wrong))
  if (newer.length > 0) protocol.fail('schemas', 'indeterminate', reasonsOf(newer))
  if (findings.length === 0)
    protocol.pass('schemas', `tools.json version ${agent.tools?.version}, policy.caps and schemas`)
}

/** The findings of the step, for a person who examines an untrusted bundle: they never change the verdict. */
async function lookAtSchemas(agent: Agent, protocol: Protocol, turn: Turn): Promise<void> {
  const findings = await findingsOf(agent, 'schemas', turn)
  protocol.findings.push(...findings)
  protocol.note('schemas', reasonsOf(findings), 'read because you look into it; no word depends on it')
}
