// Shows people what each line of each trust policy says about a bundle, and identities beside the certificates that came.
import { beside, pad } from '../cli/render/layout.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import type { PolicyJudgement, Report } from '../model/report.ts'
import { printable } from '../text/printable.ts'
import { NOT_REACHED } from '../verify/protocol.ts'
import { hintLines } from '../verify/render.ts'
import type { ExplainedIdentity } from './explain.ts'

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
