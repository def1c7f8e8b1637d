// One call → its line in the audit log (docs/running.md, "Audit"): the run, or the event that prevented it.
import { auditLine, eventLine } from '../agentcli/audit.ts'
import type { CallRecord } from './context.ts'

/**
 * @param record masked, as `call` returns it
 * @param redact masks what the operator's patterns match
 */
export function auditOf(record: CallRecord, redact: (text: string) => string): string {
  const { facts, plan, toolId, tags, startedAt, durationMs, envelope, enforced } = record
  const ts = new Date(startedAt.getTime() + durationMs)
  if (facts === undefined || plan === undefined) {
    const { event, why } = eventOf(envelope)
    return eventLine(ts, event, toolId, redact(why), tags)
  }
  const { argv = plan.argv, cwd = plan.cwd, exit, ms, outputBytes, errorBytes, truncated } = facts
  const bytes = { stdoutBytes: outputBytes, stderrBytes: errorBytes }
  return auditLine(
    { ts, tool: toolId, argv, cwd, exit, ms, ...bytes, truncated, envKeys: plan.envKeys, tags, enforced },
    redact,
  )
}

function eventOf(envelope: CallRecord['envelope']): { event: string; why: string } {
  if (envelope.ok) throw new TypeError('a call that was answered has run')
  const { kind, message } = envelope
  const { capability, target, reason } = envelope
  // The one event that the existing runtime has a name for: a missing grant or secret.
  const missing =
    typeof capability === 'string' ? capability : typeof target === 'string' ? target : undefined
  return missing === undefined
    ? { event: kind, why: message }
    : { event: 'cap_denied', why: `${missing} (${String(reason)})` }
}
