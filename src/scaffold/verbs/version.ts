// rlp agent version: sets the version in manifest.toml.
import type { GlobalArgs } from '../../cli/command.ts'
import { UsageError } from '../../model/error.ts'
import { writePath } from '../../text/shell-words.ts'
import { commandOf, defineVerb, needed, text } from '../../verb/index.ts'
import { agentsDir } from '../../verb/kinds/agents.ts'
import { AGENT_HERE, sourceAgent } from '../../verb/kinds/one-agent.ts'
import { BUMPS, isNewVersion, type VersionResult, versionAgent } from '../set-version.ts'

/**
 * Sets the version in an agent's manifest, and touches nothing else in it.
 *
 * @param version `patch`, `minor`, `major`, or the version itself, which has to be newer
 *
 * @example
 * const { before, after } = await setVersion('agents/mailer', 'minor')
 * console.log(before, after)
 *
 * @throws {@link RlpError} `USAGE` for what is no version, or not newer; `LINT_FAILED`, `NOT_EDITABLE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent version',
  summary: 'set the version in an agent’s manifest',
  called: 'setVersion',
  arguments: ['version', 'agent'],
  parameters: ['agent', 'version'],
  inputs: {
    version: needed(text(`${BUMPS.join(', ')}, or the version itself`, { complete: 'none' })),
    agent: needed(sourceAgent('set the version of', AGENT_HERE.describe, { optional: true })),
    agentsDir,
  },
  async run({ version, agent, agentsDir }, world): Promise<VersionResult> {
    return versionAgent(await agent(agentsDir), version, world)
  },
})

export const command = commandOf(verb, {
  examples: [
    ['rlp agent version patch mailer', '0.1.0 becomes 0.1.1'],
    ['rlp agent version 1.0.0-rc.1 agents/mailer', 'the version itself'],
  ],
  notes:
    'The manifest changes in place, with its comments and layout; no digest depends on it. A version that is not newer is refused.',
  ready: refuseSwapped,
  quiet: ({ after }) => [after],
  text: ({ agent, before, after }) => `${agent}  ${before} → ${after}\n`,
})

type Words = GlobalArgs & { readonly version: string; readonly agent: string | undefined }

function refuseSwapped({ version, agent }: Words): void {
  if (agent === undefined || isNewVersion(version) || !isNewVersion(agent)) return
  throw new UsageError(`Cannot set the version to ${JSON.stringify(version)}: ${agent} is the version`, {
    field: 'version',
    hint: `Name the version first: rlp agent version ${agent} ${writePath(version)}`,
  })
}
