// One run of a module → its line in the audit log, in the form of those of calls (docs/running.md, "Audit").
import { auditLine, eventLine } from '../../agentcli/audit.ts'
import { createRedactor } from '../../agentcli/redact.ts'
import { namedPath } from '../../io/home.ts'
import type { Setting } from '../../io/setting.ts'
import { appendLine, tryLog } from '../../io/write/append-line.ts'
import type { RanModule } from './run-module.ts'

export interface RunLog {
  ended(ran: RanModule): void
  /** Nothing of the module ran. */
  failed(message: string): void
}

const TOOL = 'agent.run'
/** Of a module that did not end by itself. */
const NO_EXIT = -1

/**
 * @param argv the agent, its entry and the arguments
 * @throws RlpError for a log that cannot be written, or not be masked: before anything has happened
 */
export async function openRunLog(
  label: string | undefined,
  argv: readonly string[],
  { env, cwd }: Pick<Setting, 'env' | 'cwd'>,
): Promise<RunLog> {
  if (label === undefined) return { ended: () => {}, failed: () => {} }
  const redact = await createRedactor(env)
  const path = namedPath(label, cwd)
  tryLog(path, label)
  const append = (line: string) => appendLine(path, label, line)
  return {
    ended({ end, ms, enforced, outputBytes, errorBytes }) {
      const exit = end.is === 'exited' ? end.code : NO_EXIT
      const bytes = { stdoutBytes: outputBytes, stderrBytes: errorBytes }
      append(
        auditLine(
          { ts: new Date(), tool: TOOL, argv, cwd: '', exit, ms, ...bytes, envKeys: [], enforced },
          redact,
        ),
      )
    },
    failed: message => append(eventLine(new Date(), 'not_started', TOOL, redact(message))),
  }
}
