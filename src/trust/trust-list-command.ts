// rlp trust list: the signers that count here, what each may grant, and what is revoked, each with file and line.
import { defineCommand } from '../cli/command.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { namedPath } from '../io/home.ts'
import { EXIT } from '../model/exit-code.ts'
import { listedPolicy } from './listed-policy.ts'
import { readTrustPolicies } from './read-trust.ts'
import { renderPolicy } from './render-policy.ts'

export const command = defineCommand({
  name: 'trust list',
  summary: 'show whose signatures count, and what each signer may grant',
  options: {
    'trust-policy': {
      type: 'string',
      placeholder: 'FILE',
      describe: 'in place of ~/.runloop/trust-policy.toml; the system’s still applies',
    },
  },
  examples: [
    ['rlp trust list', 'all policies that apply, with lines'],
    ['rlp trust list --json', 'for a program'],
  ],
  notes:
    'Where there are two policies, the system’s and the user’s, a bundle has to pass both.\n\nExit code 3: a policy is malformed, others may write it, or its valid_until is past. It decides nothing until that is corrected.',
  async run(args, io) {
    const now = new Date()
    const sources = await readTrustPolicies({ trustPolicy: namedPath(args.trustPolicy || undefined, io.cwd) })
    const policies = sources.map(source => listedPolicy(source, now))
    report(io, args, {
      tool: 'trust.list',
      result: { policies },
      text: () =>
        sources.map(source => renderPolicy(source, now, createStyle(io.color), io.columns)).join('\n'),
    })
    if (sources.length === 0)
      note(io, args, 'There is no trust policy: no signature counts. rlp trust add begins one')
    return policies.some(({ isUsable }) => !isUsable) ? EXIT.machine : EXIT.ok
  },
})
