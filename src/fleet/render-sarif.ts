// A SARIF 2.1.0 result for each bundle that is not accepted, and for each end that is near. Written as bundles are judged: results first, and
// what is known at the end behind them.
import { resolve } from 'node:path'
import { serialize } from '../contract/serialize.ts'
import type { VerdictAgainst, WarningCode } from '../model/reason-codes.ts'
import { isOciReference } from '../oci/scheme.ts'
import { SARIF_HEAD, sarifPlace, sarifResult, sarifRule, sarifRun, sarifText } from '../report/sarif.ts'
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
  ...Object.entries(VERDICT_RULES).map(([word, text]) => sarifRule(`verify/${word}`, text, 'error')),
  ...Object.entries(WARNING_RULES).map(([word, text]) => sarifRule(`verify/${word}`, text, 'warning')),
]

export function sarifReport({ io, tally, write }: FleetSetting): FleetReport {
  let before = `${serialize(SARIF_HEAD).slice(0, -1)},"runs":[{"results":[`
  return {
    judged({ line, exit, warnings = [] }) {
      if (exit === 0 && warnings.length === 0) return
      for (const result of resultsOf(JSON.parse(line) as FleetRecord, io.cwd)) {
        write(`${before}${printableJson(serialize(result))}`)
        before = ','
      }
    },
    end() {
      const rest = sarifRun('rlp agent verify', RULES, { exitCode: tally.exit })
      write(`${before === ',' ? '' : before}],${serialize(rest).slice(1)}]}\n`)
    },
  }
}

function resultsOf({ target, verdict, accepted, reasons, warnings = [], agent }: FleetRecord, cwd: string) {
  // Code scanning shows nothing without a line, and a bundle has none.
  const region = { startLine: 1 }
  const place = isOciReference(target)
    ? { physicalLocation: { artifactLocation: { uri: encodeURI(target) }, region } }
    : sarifPlace(cwd, resolve(cwd, target), region)
  const found = accepted ? [] : [{ word: verdict as string, level: 'error', told: reasons }]
  const told = [
    ...found,
    ...warnings.map(one => ({ word: one.code as string, level: 'warning', told: [one] })),
  ]
  return told.map(({ word, level, told }) => {
    const sentences = [word, ...told.map(({ message }) => message), ...told.flatMap(({ hint }) => hint ?? [])]
    return sarifResult(RULES, `verify/${word}`, sarifText(`${sentences.join('. ')}.`), {
      level,
      locations: [place],
      partialFingerprints: { 'rlpVerify/v1': printable(`${word}:${target}`) },
      properties: { verdict, ...(agent !== null && { agent: printable(`${agent.name} ${agent.version}`) }) },
    })
  })
}
