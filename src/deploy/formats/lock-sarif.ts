// What became of each agent of a lock, as SARIF 2.1.0: a result for each that is not the same, at its table in the lock.
import { serialize } from '../../contract/serialize.ts'
import { printable, printableJson } from '../../format/text/printable.ts'
import { uriOf } from '../../lint/formats/place.ts'
import { VERSION } from '../../model/rlp-version.ts'
import type { LockFormat } from './lock-format.ts'

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'
const BASE = '%SRCROOT%'
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
  render({ lock, rows, exit }, { cwd }) {
    const { uri, isRelative } = uriOf(cwd, lock.path)
    const artifactLocation = isRelative ? { uri, uriBaseId: BASE } : { uri }
    const results = rows.flatMap(({ agent, is, details, line }) => {
      if (is === 'same') return []
      const ruleIndex = is === 'changed' ? 0 : 1
      return {
        ruleId: RULES[ruleIndex].id,
        ruleIndex,
        kind: 'fail',
        level: 'error',
        message: { text: plain(`${agent}: ${details.join('. ')}.`) },
        locations: [{ physicalLocation: { artifactLocation, region: { startLine: line } } }],
        // One alert for each agent and kind of answer: it stays the same one while the agent stays changed.
        partialFingerprints: { 'rlpLock/v1': `${is}:${agent}` },
        properties: { agent: printable(agent) },
      }
    })
    const run = {
      tool: {
        driver: {
          name: 'rlp lock check',
          version: VERSION,
          semanticVersion: VERSION,
          language: 'en',
          rules: RULES,
        },
      },
      invocations: [{ executionSuccessful: true, exitCode: exit }],
      originalUriBaseIds: { [BASE]: { description: { text: 'The folder that rlp was run in.' } } },
      columnKind: 'utf16CodeUnits',
      results,
    }
    return `${printableJson(serialize({ $schema: SCHEMA, version: '2.1.0', runs: [run] }))}\n`
  },
} as const satisfies LockFormat

/** SARIF's plain text has links, `[text](target)`: text from a bundle must not become one. */
function plain(text: string): string {
  return printable(text).replaceAll('](', '] (')
}
