// rlp agent version: sets the version in manifest.toml.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { AGENT_OPTIONS } from '../cli/targets.ts'
import { UsageError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import { writePath } from '../text/shell-words.ts'
import { AGENT_HERE, findAgent } from './one-agent-options.ts'
import { BUMPS, isNewVersion, versionAgent } from './set-version.ts'

export const command = defineCommand({
  name: 'agent version',
  summary: 'set the version in an agent’s manifest',
  positionals: [
    {
      name: 'version',
      required: true,
      describe: `${BUMPS.join(', ')}, or the version itself`,
      complete: 'none',
    },
    AGENT_HERE,
  ],
  options: AGENT_OPTIONS,
  examples: [
    ['rlp agent version patch mailer', '0.1.0 becomes 0.1.1'],
    ['rlp agent version 1.0.0-rc.1 agents/mailer', 'the version itself'],
  ],
  notes:
    'The manifest changes in place, with its comments and layout; no digest depends on it. A version that is not newer is refused.',
  async run(args, io) {
    refuseSwapped(args)
    const target = await findAgent(args, 'set the version of', io)
    const result = await versionAgent(target, args.version, io)
    const { before, after } = result
    report(io, args, {
      tool: 'agent.version',
      result,
      text: () => (args.quiet ? `${after}\n` : `${target.label}  ${before} → ${after}\n`),
    })
    return EXIT.ok
  },
})

function refuseSwapped({
  version,
  agent,
}: {
  readonly version: string
  readonly agent: string | undefined
}): void {
  if (agent === undefined || isNewVersion(version) || !isNewVersion(agent)) return
  throw new UsageError(`Cannot set the version to ${JSON.stringify(version)}: ${agent} is the version`, {
    field: 'version',
    hint: `Name the version first: rlp agent version ${agent} ${writePath(version)}`,
  })
}
