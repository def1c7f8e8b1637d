// rlp trust explain: what each line of each trust policy says about a bundle, and which one decided.

import { resolve } from 'node:path'
import { defineCommand } from '../cli/command.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { referenceText } from '../format/version/reference.ts'
import { kindAt } from '../io/find/search-folders.ts'
import { expandHome } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { RlpError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import type { SignerFact } from '../model/judged.ts'
import type { PolicyJudgement, Report } from '../model/report.ts'
import type { PolicySource } from '../model/trust.ts'
import { warningLines } from '../verify/ends-soon.ts'
import { examine } from '../verify/examine.ts'
import { PARTLY_OPTION, TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { explainedIdentities } from './explained-identities.ts'
import { otherLines } from './other-lines.ts'
import { renderExplained } from './render-explained.ts'

export const command = defineCommand({
  name: 'trust explain',
  summary: 'say which line of the trust policy decides about a bundle',
  positionals: [
    { name: 'bundle', required: true, names: 'bundle', describe: 'a bundle or an unpacked bundle' },
  ],
  options: {
    policy: {
      type: 'string',
      placeholder: 'FILE',
      describe: 'try another policy in place of ~/.runloop/trust-policy.toml; the system’s still applies',
    },
    'allow-dev': TRUST_OPTIONS['allow-dev'],
    attestations: TRUST_OPTIONS.attestations,
    ...PARTLY_OPTION,
    ...REGISTRY_OPTIONS,
  },
  examples: [
    ['rlp trust explain mailer-0.1.0.agent.bundle', 'why it is trusted, or why not'],
    [
      'rlp trust explain mailer-0.1.0.agent.bundle --policy next.toml',
      'under a policy that is not in use yet',
    ],
  ],
  notes:
    'This command decides nothing, and its exit code is 0 for every verdict: rlp agent verify is the gate. Each policy has to say yes. Of a keyless signature every member of the identity that it may be is shown, wanted and found.',
  async run(args, io) {
    const options = {
      ...{ expect: 'any', label: args.bundle, signal: io.signal, partly: args.partly },
      ...trustOf({ ...args, trustPolicy: args.policy }, io),
    }
    const source = isOciReference(args.bundle)
      ? absolute(args.bundle, io.cwd)
      : resolve(io.cwd, expandHome(args.bundle))
    if (!isOciReference(args.bundle) && kindAt(source) === undefined)
      throw new RlpError('NOT_FOUND', `Cannot explain "${args.bundle}": no such file or folder`, {
        hint: 'Check the path',
      })
    const { verification, trust } = await examine(source, options, 'parsed')
    const {
      target,
      verdict,
      agent,
      identity,
      manifestDigest,
      signatures,
      policies,
      reasons,
      partly,
      warnings,
    } = verification.report
    const judgements = withOtherLines(verification.report, trust.policies)
    const identities = explainedIdentities(trust.keyless, trust.policies)
    report(io, args, {
      tool: 'trust.explain',
      result: {
        ...(partly !== undefined && { partly }),
        ...{ target, verdict, agent, identity, manifestDigest, signatures, policies, judgements, reasons },
        ...(identities.length > 0 && { identities }),
        ...(warnings && { warnings }),
      },
      warnings: warningLines([verification.report]),
      text: () => {
        const told = { ...verification.report, judgements, identities }
        return renderExplained(told, createStyle(io.color), io.columns)
      },
    })
    return EXIT.ok
  },
})

/** Each policy with all of its lines, those that did not have to be asked last. */
function withOtherLines(
  { agent, judgements }: Report,
  sources: readonly PolicySource[],
): readonly PolicyJudgement[] {
  return judgements.map(judgement => {
    const { policy, lineOf } = sources.find(({ path }) => path === judgement.policy) ?? {}
    if (policy === undefined || lineOf === undefined || agent === null) return judgement
    const { lines, signers, counted } = judgement
    const about = { agent: referenceText(agent), version: agent.version }
    const facts = signers as readonly SignerFact[]
    const said = new Set(lines.map(({ line }) => line))
    const others = otherLines(policy, { ...about, signers: facts, counted })
      .map(({ at, says, detail }) => ({ line: lineOf(at) ?? null, says, detail }))
      .filter(({ line }) => !said.has(line))
    return { ...judgement, lines: [...lines, ...others] }
  })
}
