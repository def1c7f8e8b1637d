// rlp trust explain: what each line of each trust policy says about a bundle, and which one decided.

import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { namedPath } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { EXIT } from '../model/exit-code.ts'
import { isOciReference } from '../oci/scheme.ts'
import { warningLines } from '../verify/ends-soon.ts'
import { TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { explain, explainedFacts } from './explain.ts'
import { renderExplained } from './render-explained.ts'

export const command = defineCommand({
  name: 'trust explain',
  summary: 'say which line of the trust policy decides about a bundle',
  positionals: [
    {
      name: 'bundle',
      required: true,
      names: 'bundle',
      describe: 'a bundle, an unpacked bundle, or a reference to a stored one',
    },
  ],
  options: {
    policy: {
      type: 'refused',
      describe: 'the name that --trust-policy had',
      instead: 'Write --trust-policy FILE, as for every other command',
    },
    'trust-policy': {
      type: 'string',
      placeholder: 'FILE',
      describe: 'try another policy in place of ~/.runloop/trust-policy.toml; the system’s still applies',
    },
    'allow-dev': TRUST_OPTIONS['allow-dev'],
    attestations: TRUST_OPTIONS.attestations,
  },
  examples: [
    ['rlp trust explain mailer-0.1.0.agent.bundle', 'why it is trusted, or why not'],
    [
      'rlp trust explain mailer-0.1.0.agent.bundle --trust-policy next.toml',
      'under a policy that is not in use yet',
    ],
  ],
  notes:
    'This command decides nothing, and its exit code is 0 for every verdict: rlp agent verify is the gate. Each policy has to say yes. Of a keyless signature every member of the identity that it may be is shown, wanted and found.',
  async run(args, io) {
    const options = trustOf(args, io)
    const label = args.bundle
    const path = isOciReference(label) ? absolute(label, io.cwd) : namedPath(label, io.cwd)
    const { report: judged, ...explained } = await explain({ path, label }, { ...options, signal: io.signal })
    report(io, args, {
      tool: 'trust.explain',
      result: explainedFacts(judged, explained),
      warnings: warningLines([judged]),
      text: () => renderExplained({ ...judged, ...explained }, createStyle(io.color), io.columns),
    })
    return EXIT.ok
  },
})
