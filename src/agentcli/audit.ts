// One call of an agentcli tool → its line in the audit log.
import type { Enforced } from '../model/sandbox.ts'
import { jsonString } from './go-json.ts'

interface AuditRecord {
  /** The end of the call. */
  readonly ts: Date
  readonly tool: string
  /** The command as it was run, before redaction. */
  readonly argv: readonly string[]
  /** Before redaction. */
  readonly cwd: string
  /** -1 when unknown or ended by a signal. */
  readonly exit: number
  readonly ms: number
  readonly stdoutBytes: number
  readonly stderrBytes: number
  /** Whether some output was dropped; upstream never says so. */
  readonly truncated?: boolean
  readonly envKeys: readonly string[]
  /** `observability.tags` of a tool in a bundle; agentcli has none. */
  readonly tags?: readonly string[]
  /** What held the program of a tool in a bundle; agentcli has no sandbox. */
  readonly enforced?: Enforced | undefined
}

/** NDJSON: one line with its newline. Only `argv` and `cwd` can hold secrets, so only they are redacted. */
export function auditLine(record: AuditRecord, redact: (text: string) => string): string {
  const {
    ts,
    tool,
    argv,
    cwd,
    exit,
    ms,
    stdoutBytes,
    stderrBytes,
    truncated = false,
    envKeys,
    tags = [],
    enforced,
  } = record
  return line({
    ts: utc(ts),
    tool,
    argv: argv.map(redact),
    cwd: redact(cwd),
    exit,
    ms,
    stdoutBytes,
    stderrBytes,
    truncated,
    ...(envKeys.length > 0 && { envKeys }),
    ...(tags.length > 0 && { tags }),
    ...(enforced !== undefined && { enforced: { ...enforced } }),
  })
}

/** The line for a call that did not run, or for an event beside the run. Not redacted. */
export function eventLine(
  ts: Date,
  event: string,
  tool: string,
  error: string,
  tags: readonly string[] = [],
): string {
  return line({ ts: utc(ts), event, tool, error, ...(tags.length > 0 && { tags }) })
}

/** RFC 3339 in UTC, the fraction without its last zeros. */
function utc(ts: Date): string {
  return ts.toISOString().replace(/\.?0*Z$/, 'Z')
}

type LineValue = string | number | boolean | readonly string[] | { readonly [name: string]: string }

function line(members: Readonly<Record<string, LineValue>>): string {
  const written = Object.entries(members).map(([key, value]) => `"${key}":${valueText(value)}`)
  return `{${written.join(',')}}\n`
}

function valueText(value: LineValue): string {
  if (typeof value === 'string') return jsonString(value)
  if (Array.isArray(value)) return `[${value.map(jsonString).join(',')}]`
  if (typeof value !== 'object') return String(value)
  return `{${Object.entries(value)
    .map(([key, one]) => `${jsonString(key)}:${jsonString(one)}`)
    .join(',')}}`
}
