// How a program ended that reads its arguments as agentcli's do → what that system's page asks of it and it did not do.

import { checkAgentcliAnswer } from '../agentcli/answer.ts'
import { objectIn } from '../contract/json-text.ts'
import type { RunOutcome } from '../model/run.ts'
import type { Tool } from '../model/tools.ts'

/**
 * Nothing for other tools, and for a tool that answers by the tool contract: `x-rlp.stdin` says how a program is run, and one that was written
 * for us may run that way too. The call goes on: agentcli hands such an answer to the model as well.
 */
export function agentcliNotes({ rlp }: Tool, outcome: RunOutcome): string[] {
  if (!rlp.stdin || !outcome.facts.started) return []
  // Ended by a signal or by us: then the program did not choose what to say.
  const { exit: exitCode } = outcome.facts
  if (exitCode < 0) return []
  const stdout = outcome.status === 'answered' ? outcome.output : ''
  if (typeof objectIn(stdout)?.['ok'] === 'boolean') return []
  // Nothing at all is an empty object there.
  if (outcome.status === 'answered' && stdout.trim() === '') return []
  const { remarks } = checkAgentcliAnswer({ stdout, stderr: outcome.remarks ?? '', exitCode })
  return remarks.flatMap(({ weight, message }) =>
    weight === 'problem' ? [`${message}: not what agentcli asks of a program that reads standard input`] : [],
  )
}
