// Step "expectation": it is the requested agent, not another sound one.
import { type Expectation, expectationText, meets, referenceText } from '../format/reference.ts'
import type { Agent } from '../model/agent.ts'
import type { Protocol } from './protocol.ts'

export function checkExpectation(agent: Agent, expected: Expectation | 'any', protocol: Protocol): void {
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
  if (meets({ name, version, ...(variant !== undefined && { variant }) }, expected)) {
    protocol.pass('expectation', `it is ${expectationText(expected)}`)
    return
  }
  const message = `Expected ${expectationText(expected)}, found ${referenceText({ name, variant })}@${version}`
  protocol.fail('expectation', 'untrusted', [{ code: 'unexpected_agent', message }])
}
