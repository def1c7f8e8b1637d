// What became of each agent of a lock, as SARIF 2.1.0: a result for each that is not the same, at its table in the lock.
import { serialize } from '../../contract/serialize.ts'
import { artifactOf, driverOf, SARIF_BASES, SARIF_SCHEMA, sarifText } from '../../lint/formats/sarif-log.ts'
import { printable, printableJson } from '../../text/printable.ts'
import type { LockFormat } from './lock-format.ts'

const RULES = [
  {
    id: 'lock/changed',
    shortDescription: { text: 'An agent is not what the lock pins.' },
    defaultConfiguration: { level: 'error' },
  },
  {
    id: 'lock/cannot-tell',
    shortDescription: { text: 'A locked agent could not be read.' },
    defaultConfiguration: { level: 'error' },
  },
] as const

export const lockSarif = {
  name: 'sarif',
  render({ checked: { agents }, path, exit }, { cwd }) {
    const artifactLocation = artifactOf(cwd, path)
    const results = agents.flatMap(({ agent, is, details, line }) => {
      if (is === 'same') return []
      const ruleIndex = is === 'changed' ? 0 : 1
      return {
        ruleId: RULES[ruleIndex].id,
        ruleIndex,
        kind: 'fail',
        level: 'error',
        message: { text: sarifText(`${agent}: ${details.join('. ')}.`) },
        locations: [{ physicalLocation: { artifactLocation, region: { startLine: line } } }],
        // One alert for each agent and kind of answer: it stays the same one while the agent stays changed.
        partialFingerprints: { 'rlpLock/v1': `${is}:${agent}` },
        properties: { agent: printable(agent) },
      }
    })
    const run = {
      tool: {
        driver: driverOf('rlp lock check', RULES),
      },
      invocations: [{ executionSuccessful: true, exitCode: exit }],
      originalUriBaseIds: SARIF_BASES,
      columnKind: 'utf16CodeUnits',
      results,
    }
    return `${printableJson(serialize({ $schema: SARIF_SCHEMA, version: '2.1.0', runs: [run] }))}\n`
  },
} as const satisfies LockFormat
