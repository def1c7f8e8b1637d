// rlp trust reset: the recorded recovery from a wrong high-water mark.

import { AUDIT_OPTION, auditIn } from '../cli/audit-option.ts'
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { utcSecond } from '../format/text/utc-second.ts'
import { isOlder, isVersion, readReference } from '../format/version/reference.ts'
import { reset } from '../install/record.ts'
import { tidyState, updateState } from '../io/state/change-state.ts'
import { readState } from '../io/state/state.ts'
import { RlpError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import type { AgentState, Mark } from '../model/state.ts'
import { UsageError } from '../model/usage-error.ts'
import { resetDecided } from './decided.ts'

export const command = defineCommand({
  name: 'trust reset',
  summary: 'lower how new an agent was here, and record that it was lowered',
  positionals: [{ name: 'agent', required: true, describe: 'name or name@variant', complete: 'none' }],
  options: {
    to: {
      type: 'string',
      placeholder: 'VERSION',
      describe: 'the oldest version that is accepted from now on; without it, any version is',
    },
    reason: { type: 'string', placeholder: 'TEXT', describe: 'why, for the record' },
    'dry-run': { type: 'boolean', describe: 'write nothing; show what would be forgotten' },
    ...AUDIT_OPTION,
  },
  examples: [
    ['rlp trust reset mailer --to 0.9.0 --reason "9.0.0 was a typing error"', 'let 0.9.0 in again'],
    ['rlp trust reset mailer --dry-run', 'which mark there is'],
  ],
  notes:
    'A trusted install raises the mark of the agent. An older version, or the same version with other content, is rolled_back from then on, for every signer. With --to, the version you name becomes the mark, and its content may differ. Without --to, any version can be installed next, even one with a known hole.\n\nAn agent that was installed signed stays one: --allow-unsigned is refused for it, also after a reset.',
  async run(args, io) {
    const { agent, to, reason, dryRun } = args
    if (readReference(agent) === undefined) {
      throw new UsageError(`Cannot reset "${agent}": it is not name or name@variant`, { field: 'agent' })
    }
    if (to !== undefined && !isVersion(to)) {
      throw new UsageError(`Cannot reset "${agent}" to "${to}": it is not a version`, {
        field: 'to',
        hint: 'Write a SemVer version such as 0.9.0',
      })
    }
    await tidyState(agent)
    const state = await readState(agent)
    refuseReset(state, to)
    const { marks } = state
    const audit = await auditIn(args, io)
    const lower = (now: AgentState) => {
      refuseReset(now, to)
      audit?.record(
        resetDecided(
          agent,
          now.marks.map(({ version }) => version),
          reason,
        ),
      )
      return reset(now, {
        at: utcSecond(new Date()),
        ...(reason !== undefined && { reason }),
        ...(to !== undefined && { to }),
      })
    }
    if (!dryRun) await updateState(agent, lower, { signal: io.signal })
    report(io, args, {
      tool: 'trust.reset',
      result: { agent, forgotten: marks, to: to ?? null, written: !dryRun },
      text: () => render(marks, { agent, to, dryRun }, createStyle(io.color)),
    })
    return EXIT.ok
  },
})

/** Only a trusted install raises a mark. */
function refuseReset({ agent, marks }: AgentState, to: string | undefined): void {
  if (marks.length === 0) {
    throw new RlpError('NOT_FOUND', `Cannot reset "${agent}": it has no high-water mark here`, {
      hint: 'Only the install of a trusted version sets one; rlp agent list shows what is installed',
    })
  }
  const newest = marks.find(({ version }) => to !== undefined && isOlder(version, to))
  if (newest === undefined) return
  throw new UsageError(`Cannot reset "${agent}" to ${to}: its mark is ${newest.version}, which is older`, {
    field: 'to',
    hint: `Name ${newest.version} or an older version; installing a trusted version raises the mark`,
  })
}

function render(
  marks: readonly Mark[],
  {
    agent,
    to,
    dryRun,
  }: { readonly agent: string; readonly to: string | undefined; readonly dryRun: boolean },
  style: Style,
): string {
  const done = dryRun ? 'would forget' : `${style.green(SYMBOLS.ok)} forgot`
  const lines = marks.map(({ version, manifestDigest, at }) => {
    const how = manifestDigest === null ? 'set by a reset' : 'installed'
    return `${done} ${agent} ${version}, ${how} ${at}`
  })
  lines.push(`  accepted ${dryRun ? 'then' : 'now'}: ${to === undefined ? 'any version' : `${to} and newer`}`)
  return `${lines.join('\n')}\n`
}
