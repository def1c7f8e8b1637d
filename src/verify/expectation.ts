// Step "expectation": it is the requested agent, not another sound one.

import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { LockSource } from '../model/lock.ts'
import {
  bundleIdentity,
  type Expectation,
  expectationText,
  meets,
  readExpectation,
  readIdentity,
  referenceText,
} from '../version/reference.ts'
import { bundleIn } from './make-report.ts'
import type { Protocol } from './protocol.ts'

/** @param locks that decided which bundle was fetched */
export function checkExpectation(
  agent: Agent,
  expected: Expectation | 'any',
  protocol: Protocol,
  locks: readonly LockSource[] = [],
): void {
  if (expected === 'any') {
    protocol.skip('expectation', 'Any agent was accepted: no name was expected')
    return
  }
  const { name, version, variant } = agent.manifest ?? {}
  if (name === undefined || version === undefined) {
    protocol.skip(
      'expectation',
      'Name and version cannot be read, so they were not compared with what was expected',
    )
    return
  }
  const manifestDigest = agent.files.get(MANIFEST_FILE)?.digest
  if (meets({ name, version, manifestDigest, variant }, expected)) {
    protocol.pass('expectation', `it is ${expectationText(expected)}`)
    return
  }
  const agentName = referenceText({ name, variant })
  const withIdentity = expected.identity !== undefined && manifestDigest !== undefined
  const found = `${agentName}@${version}${withIdentity ? `, ${bundleIdentity(manifestDigest)}` : ''}`
  const pinning = locks.find(({ lock }) => lock?.agents.get(agentName)?.identity === manifestDigest)
  if (pinning !== undefined) {
    // The name may be the right one: what was fetched is what the lock says, and not what was asked for.
    const message = `Expected ${expectationText(expected)}; the lock ${pinning.label} pins ${found}, which was fetched`
    const hint = `If another version is meant, rlp lock update ${bundleIn(pinning.label)} shows what is wider and takes it in`
    protocol.fail('expectation', 'untrusted', [{ code: 'unexpected_agent', message, hint }])
    return
  }
  const message = `Expected ${expectationText(expected)}, found ${found}`
  protocol.fail('expectation', 'untrusted', [{ code: 'unexpected_agent', message }])
}

/** @throws RlpError USAGE */
export function expectationIn(expect: string): Expectation | 'any' {
  if (expect === 'any') return 'any'
  const identity = readIdentity(expect)
  if (identity !== undefined) return { name: undefined, variant: undefined, versions: undefined, identity }
  const read = readExpectation(expect)
  if (read !== undefined && read.variant !== LATEST) return read
  const form = isMeantAsIdentity(expect) ? 'blake3: and 64 hex digits' : 'name[@variant][@range]'
  throw new RlpError('USAGE', `Cannot expect "${expect}": it is not ${form}`, {
    hint: hintFor(expect),
  })
}

/** What people write who mean the newest one: it would be a variant, and no bundle has it. */
const LATEST = 'latest'

function hintFor(expect: string): string {
  if (expect.split('@').includes(LATEST))
    return 'Nothing is called latest here: name a range such as mailer@^1.2, of which the newest version is taken'
  if (isMeantAsIdentity(expect))
    return 'rlp agent inspect BUNDLE shows the identity of a bundle, the digest of its manifest'
  if (expect.includes('+'))
    return 'A range compares no build metadata: write one version, for example mailer@1.2.0+build'
  return /[-<>=^~]\s/.test(expect)
    ? 'No space follows a sign, and "from 1.0 to 2.0" is mailer@>=1.0 <=2.0'
    : 'Write for example mailer, mailer@pro or mailer@^1.2'
}

function isMeantAsIdentity(expect: string): boolean {
  return expect.startsWith('blake3:')
}
