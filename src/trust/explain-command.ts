// rlp trust explain: what each line of each trust policy says about a bundle, which one decided, and how identities compare with
// certificates.
import { defineCommand } from '../cli/command.ts'
import { beside, pad } from '../cli/render/layout.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { namedPath } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { EXIT } from '../model/exit-code.ts'
import type { PolicyJudgement, Report } from '../model/report.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable } from '../text/printable.ts'
import { warningLines } from '../verify/ends-soon.ts'
import { TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { NOT_REACHED } from '../verify/protocol.ts'
import { hintLines } from '../verify/render.ts'
import { type ExplainedIdentity, explain, explainedFacts } from './explain.ts'

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

/** More do not help on a screen. */
const MOST_LINES = 100

/** What a report says, and identities beside the certificates that came. */
type Explained = Report & { readonly identities?: readonly ExplainedIdentity[] }

export function renderExplained(report: Explained, style: Style, columns: number): string {
  const { target, agent, judgements, reasons, verdict, identities = [] } = report
  const variant = agent?.variant === undefined ? '' : `@${agent.variant}`
  const name = agent === null ? '' : `  ${agent.name}${variant} ${agent.version}`
  const lines = [style.bold(printable(target)) + style.dim(printable(name))]
  for (const judgement of judgements) lines.push(...renderJudgement(judgement, style, columns))
  if (judgements.length === 0) lines.push('  No trust policy was asked')
  lines.push(...identityLines(identities, style, columns), ...renderMarks(report, style, columns))
  const decided = judgements.find(one => one.verdict === verdict)
  const why = decided === undefined ? (reasons[0]?.message ?? '') : whereDecided(decided)
  const paint = verdict === 'trusted' ? style.green : style.red
  lines.push(`${style.bold(paint(verdict))}${why === '' ? '' : `  ${printable(why)}`}`)
  // Other hints lead here. This one leads on.
  const hint = verdict === 'policy_denied' ? reasons[0]?.hint : undefined
  if (hint !== undefined) lines.push(...hintLines(hint, style, columns))
  return `${lines.join('\n')}\n`
}

function renderJudgement(judgement: PolicyJudgement, style: Style, columns: number): string[] {
  const { policy, lines, line: deciding, verdict } = judgement
  const marks = { for: style.green(SYMBOLS.ok), against: style.red(SYMBOLS.bad), neutral: style.dim('-') }
  const rows = lines.slice(0, MOST_LINES).flatMap(({ line, says, detail }) => {
    const isDecision =
      line === deciding && says !== 'neutral' && verdict !== 'passed' && detail === judgement.detail
    const text = isDecision ? `${detail} ${SYMBOLS.arrow} this decided` : detail
    const at = line === null ? '' : `line ${line}`
    return beside(`  ${style.dim(at.padEnd(9))} ${marks[says]} `, printable(text), 14, columns)
  })
  if (lines.length > MOST_LINES)
    rows.push(`  … and ${lines.length - MOST_LINES} more; --json lists all of them`)
  return [`  ${printable(policy)}`, ...rows]
}

/** What the end of the signature and the marks of the agent say; they belong to no policy. */
function renderMarks({ checks, verdict, reasons }: Report, style: Style, columns: number): string[] {
  const signs = {
    passed: style.green(SYMBOLS.ok),
    failed: style.red(SYMBOLS.bad),
    undecided: style.red(SYMBOLS.bad),
    skipped: style.dim('-'),
  }
  return checks.flatMap(({ step, result, detail }) => {
    if (step !== 'freshness' || detail === NOT_REACHED) return []
    const isDecision = verdict !== 'trusted' && reasons[0]?.message === detail
    const text = isDecision ? `${detail} ${SYMBOLS.arrow} this decided` : detail
    return beside(`  ${style.dim(step)} ${signs[result]} `, printable(text), 14, columns)
  })
}

function whereDecided({ policy, line, detail, beyond }: PolicyJudgement): string {
  const more = beyond.length > 1 ? ` and ${beyond.length - 1} more` : ''
  return `${detail}${more} (${line === null ? policy : `${policy}:${line}`})`
}

/** More do not help on a screen. */
const MOST_SHOWN = 10

function identityLines(all: readonly ExplainedIdentity[], style: Style, columns: number): string[] {
  const rows = all.slice(0, MOST_SHOWN).flatMap(one => linesOf(one, style, columns))
  if (all.length > MOST_SHOWN) rows.push(`  … and more; --json lists ${all.length}`)
  return rows
}

function linesOf(one: ExplainedIdentity, style: Style, columns: number): string[] {
  const { policy, line, anchor, where, is, claims, proven, detail, members } = one
  const what = is === 'signature' ? 'keyless signature' : is === 'statement' ? 'keyless statement' : 'keyless'
  const place = line === null ? policy : `${policy}:${line}`
  const nextTo = claims ? 'beside' : 'beside the nearest,'
  const mark = proven ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
  const head = `${what} in ${where} ${nextTo} ${anchor} (${place}): ${detail}`
  return [
    ...beside(`  ${mark} `, printable(head), 4, columns),
    ...members.flatMap(({ member, wanted, found, fits }) => {
      const sign = fits ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
      const has = found === null ? 'the certificate has none' : `the certificate has ${found}`
      const text = fits ? (found ?? wanted) : `wanted ${wanted}; ${has}`
      return beside(`    ${sign} ${pad(member, WIDEST)} `, printable(text), 8 + WIDEST, columns)
    }),
  ]
}

const WIDEST = 'builder_digest'.length
