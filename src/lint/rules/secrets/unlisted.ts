import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Policy } from '../../../model/policy.ts'
import { quoteText } from '../../../text/quote.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import { nearGrant } from '../meant-placeholder.ts'
import type { BundleRule } from '../rule.ts'

export const secretsUnlisted: BundleRule = {
  id: 'secrets/unlisted',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a header uses a secret that the tool does not list',
  why: 'The list is what is proved against policy.caps and what a reviewer reads: a secret beside it would leave the host unseen.',
  fix: 'Add the id to the secrets of the tool.',
  looks: 'tool',
  check(subject, report) {
    if (subject.hasInputsOnly) return
    const { agent, at, placeholders, tool } = subject
    const { transport, secrets } = tool
    const sent = new Set(placeholders.flatMap(({ part }) => (part.kind === 'secret' ? part.id : [])))
    let listed: ReadonlySet<string> | undefined
    for (const { template, part } of placeholders) {
      // A secret anywhere else has a rule of its own.
      if (part.kind !== 'secret' || template.where !== transportKind(transport).secrets.in) continue
      listed ??= new Set(secrets)
      if (listed.has(part.id)) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, ...template.at] },
        message: `${quoteText(String(template.at.at(-1)))} uses the secret ${quoteText(part.id)}, which the tool does not list`,
        fix: fixFor(part.id, secrets, sent, agent.policy),
      })
    }
  },
}

/** The most ids that are compared: a person writes no more. */
const MOST_LISTED = 200

/** Of two ids that differ by a slip, the one that is granted is right. */
function fixFor(
  id: string,
  listed: readonly string[],
  sent: ReadonlySet<string>,
  policy: Policy | undefined,
): string {
  const near = nearGrant(
    'secrets',
    id,
    listed.slice(0, MOST_LISTED).filter(one => !sent.has(one)),
  )
  const isGranted = policy?.secrets.includes(id) === true
  if (near === undefined)
    return policy === undefined || isGranted
      ? `Add ${quoteText(id)} to secrets`
      : `Add ${quoteText(id)} to secrets, and to secrets in policy.caps if the agent may have it`
  return isGranted
    ? `Replace ${quoteText(near, 100)} with ${quoteText(id, 100)} in secrets`
    : `If this is a slip, replace ${quoteText(id, 100)} with ${quoteText(near, 100)}. If not, add it to secrets`
}
