// What became of each agent of a lock, as SARIF 2.1.0: a result for each that is not the same, at its table in the lock.
import { sarifLog, sarifPlace, sarifResult, sarifRule, sarifRun, sarifText } from '../../report/sarif.ts'
import { printable } from '../../text/printable.ts'
import type { LockFormat } from './format.ts'

const RULES = [
  sarifRule('lock/changed', 'An agent is not what the lock pins.', 'error'),
  sarifRule('lock/cannot-tell', 'A locked agent could not be read.', 'error'),
]

export const lockSarif = {
  name: 'sarif',
  render({ checked: { agents }, path, exit }, { cwd }) {
    const results = agents
      .filter(({ is }) => is !== 'same')
      .map(({ agent, is, details, line }) =>
        sarifResult(
          RULES,
          is === 'changed' ? 'lock/changed' : 'lock/cannot-tell',
          sarifText(`${agent}: ${details.join('. ')}.`),
          {
            level: 'error',
            locations: [sarifPlace(cwd, path, { startLine: line })],
            // One alert for each agent and kind of answer: it stays the same one while the agent stays changed.
            partialFingerprints: { 'rlpLock/v1': `${is}:${agent}` },
            properties: { agent: printable(agent) },
          },
        ),
      )
    return sarifLog(sarifRun('rlp lock check', RULES, { exitCode: exit }), results)
  },
} as const satisfies LockFormat
