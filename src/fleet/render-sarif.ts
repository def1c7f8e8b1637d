// A SARIF 2.1.0 result for each bundle that is not accepted, and for each end that is near. Written as bundles are judged: results first, and
// what is known at the end behind them.
import { resolve } from 'node:path'
import { serialize } from '../contract/serialize.ts'
import { artifactOf, driverOf, SARIF_BASES, SARIF_SCHEMA, sarifText } from '../lint/formats/sarif-log.ts'
import type { VerdictAgainst, WarningCode } from '../model/reason-codes.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable, printableJson } from '../text/printable.ts'
import type { FleetReport, FleetSetting } from './formats/format.ts'
import type { FleetRecord } from './task.ts'

/** The words of docs/verdicts.md, as a sentence each. */
const VERDICT_RULES = {
  invalid: 'The bundle is damaged, or is no bundle.',
  indeterminate: 'It could not be decided whether the bundle may be used.',
  revoked: 'A trust policy has revoked the bundle or its key.',
  unsigned: 'The bundle has no signature.',
  untrusted: 'No trust policy accepts who signed the bundle, or it is another one than expected.',
  expired: 'The signature has ended.',
  rolled_back: 'A newer version was installed, or is demanded.',
  policy_denied: 'The bundle asks for more than its signers may grant.',
} as const satisfies Record<VerdictAgainst, string>

const WARNING_RULES = {
  signature_ends_soon: 'The signature ends soon.',
  anchor_ends_soon: 'What trusts the signer ends soon.',
  policy_ends_soon: 'A trust policy ends soon.',
} as const satisfies Record<WarningCode, string>

const RULES = [
  ...Object.entries(VERDICT_RULES).map(([word, text]) => ruleOf(word, text, 'error')),
  ...Object.entries(WARNING_RULES).map(([word, text]) => ruleOf(word, text, 'warning')),
]

export function sarifReport({ io, tally, write }: FleetSetting): FleetReport {
  let before = `{"$schema":${JSON.stringify(SARIF_SCHEMA)},"version":"2.1.0","runs":[{"results":[`
  return {
    judged({ line, exit, warnings = [] }) {
      if (exit === 0 && warnings.length === 0) return
      for (const result of resultsOf(JSON.parse(line) as FleetRecord, io.cwd)) {
        write(`${before}${printableJson(serialize(result))}`)
        before = ','
      }
    },
    end() {
      const rest = {
        tool: { driver: driverOf('rlp agent verify', RULES) },
        invocations: [{ executionSuccessful: true, exitCode: tally.exit }],
        originalUriBaseIds: SARIF_BASES,
        columnKind: 'utf16CodeUnits',
      }
      write(`${before === ',' ? '' : before}],${serialize(rest).slice(1)}]}\n`)
    },
  }
}

function ruleOf(word: string, text: string, level: 'error' | 'warning') {
  return { id: `verify/${word}`, shortDescription: { text }, defaultConfiguration: { level } }
}

function resultsOf({ target, verdict, accepted, reasons, warnings = [], agent }: FleetRecord, cwd: string) {
  const uri = isOciReference(target) ? { uri: encodeURI(target) } : artifactOf(cwd, resolve(cwd, target))
  const found = accepted ? [] : [{ word: verdict as string, told: reasons }]
  const told = [...found, ...warnings.map(one => ({ word: one.code as string, told: [one] }))]
  return told.map(({ word, told }) => {
    const ruleIndex = RULES.findIndex(({ id }) => id === `verify/${word}`)
    const sentences = [...told.map(({ message }) => message), ...told.flatMap(({ hint }) => hint ?? [])]
    return {
      ruleId: `verify/${word}`,
      ruleIndex,
      kind: 'fail',
      level: RULES[ruleIndex]?.defaultConfiguration.level,
      message: { text: sarifText(`${[word, ...sentences].join('. ')}.`) },
      // Code scanning shows nothing without a line, and a bundle has none.
      locations: [{ physicalLocation: { artifactLocation: uri, region: { startLine: 1 } } }],
      partialFingerprints: { 'rlpVerify/v1': printable(`${word}:${target}`) },
      properties: { verdict, ...(agent !== null && { agent: printable(`${agent.name} ${agent.version}`) }) },
    }
  })
}
