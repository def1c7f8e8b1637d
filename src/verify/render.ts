// Shows people a verification report, or the refusal of a bundle, with the exit code of verify.

import type { GlobalArgs, Io } from '../cli/command.ts'
import { beside, wrap } from '../cli/render/layout.ts'
import { printRefusal, type Refused } from '../cli/render/refusal.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { RlpError } from '../model/error.ts'
import type { ExitCode } from '../model/exit-code.ts'
import type { Check, Reason, Report } from '../model/report.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { digestStart } from '../text/digest-text.ts'
import { printable } from '../text/printable.ts'
import { writePath } from '../text/shell-words.ts'
import { plural } from '../text/words.ts'
import { saysPackIt } from './make-report.ts'
import { NOT_REACHED } from './protocol.ts'

const MOST_REASONS = 20
/** The column of what a check says. */
const DETAIL_AT = 16

export function renderVerification(report: Report, style: Style, columns: number): string {
  const hint = verdictHint(report)
  const lines = hint === undefined ? [] : hintLines(hint, style, columns)
  return `${renderRefused(report, style, columns)}${lines.map(line => `${line}\n`).join('')}`
}

export function hintLines(hint: string, style: Style, columns: number): string[] {
  const lines = wrap(printable(hint), Math.max(30, columns - 8))
  return lines.map((line, at) => `  ${at === 0 ? style.cyan('hint:') : '     '} ${line}`)
}

/** The same without how to mend it: the message behind it says that. */
export function renderRefused(report: Report, style: Style, columns: number): string {
  const { agent, target, identity } = report
  const lines = [style.bold(printable(target))]
  if (agent !== null) {
    const variant = agent.variant === undefined ? '' : `@${agent.variant}`
    lines.push(
      `  ${printable(`${agent.name}${variant} ${agent.version}, ${agent.kind}`)}, ${plural(report.files.length, 'file')}`,
    )
  }
  if (identity !== null) lines.push(`  ${style.dim(`manifest ${identity}`)}`)
  if (report.carried !== undefined) lines.push(...renderCarried(report.carried, style))
  if (report.keyless !== undefined) lines.push(...renderKeyless(report.keyless, style, columns))
  for (const { path, key, digest } of report.overrides) {
    const which = digest === null ? '' : ` ${style.dim(digestStart(digest))}`
    lines.push(`  override of policy.caps for ${printable(`${key}: ${path}`)}${which}`)
  }
  const reached = report.checks.filter(({ detail }) => detail !== NOT_REACHED)
  for (const check of reached) lines.push(...renderCheck(check, style, columns))
  if (reached.length < report.checks.length) lines.push(`  ${style.dim('- nothing else was checked')}`)
  for (const { path, message } of report.diagnoses) {
    const guess = wrap(
      printable(`${path}: ${message} (a guess, not covered by a signature)`),
      Math.max(30, columns - 4),
    )
    lines.push(...guess.map((line, index) => `  ${index === 0 ? style.dim(SYMBOLS.info) : ' '} ${line}`))
  }
  lines.push(verdictWord(report.verdict, style))
  return `${lines.join('\n')}\n`
}

/** Who is proven to have signed or stated something; whether they count, the step "trust" says. */
function renderKeyless(keyless: NonNullable<Report['keyless']>, style: Style, columns: number): string[] {
  const proven = keyless.filter(({ result }) => result === 'proven')
  const others = keyless.length - proven.length
  const lines = proven.flatMap(({ is, certificate, time, logIndex }) => {
    const { uri, email, repository_id } = certificate
    const id = repository_id === undefined ? '' : `, repository ${repository_id}`
    const entry = logIndex === null ? '' : `, entry ${logIndex}`
    const text = `keyless ${is} by ${uri ?? email ?? 'an unnamed signer'}${id}, at ${time}${entry}`
    return beside(`  ${style.green('+')} `, printable(text), 4, columns)
  })
  if (others > 0)
    lines.push(`  ${style.dim(`${plural(others, 'keyless signature')} not proven; --json lists them`)}`)
  return lines
}

/** A sha256 names stored bytes, blake3 the agent: each has its word, so that the two are not compared. */
function renderCarried({ manifest, added }: NonNullable<Report['carried']>, style: Style): string[] {
  const merged = added.filter(({ result }) => result === 'merged')
  const others = added.length - merged.length
  return [
    `  ${style.dim(`stored as ${manifest}`)}`,
    ...merged.map(
      ({ keyid }) => `  ${style.green('+')} signature added where it is stored: ${printable(keyid ?? '')}`,
    ),
    ...(others === 0
      ? []
      : [
          `  ${style.dim(`${plural(others, 'other thing')} attached where it is stored; --json lists them`)}`,
        ]),
  ]
}

function renderCheck({ step, result, detail, reasons }: Check, style: Style, columns: number): string[] {
  const mark = {
    passed: style.green(SYMBOLS.ok),
    failed: style.red(SYMBOLS.bad),
    undecided: style.yellow('?'),
    skipped: '-',
  }[result]
  const texts = reasons.length > 0 ? reasons.slice(0, MOST_REASONS).map(({ message }) => message) : [detail]
  if (reasons.length > MOST_REASONS)
    texts.push(`… and ${reasons.length - MOST_REASONS} more; --json lists all of them`)
  return texts.flatMap((text, at) => {
    const label = at === 0 ? `  ${mark} ${step.padEnd(11)} ` : ' '.repeat(DETAIL_AT)
    const lines = beside(label, printable(text), DETAIL_AT, columns)
    return result === 'skipped' ? lines.map(line => style.dim(line)) : lines
  })
}

/** How to mend what decided the verdict. */
export function verdictHint({ verdict, reasons }: Pick<Report, 'verdict' | 'reasons'>): string | undefined {
  if (verdict !== 'invalid' || saysPackIt(reasons)) return reasons[0]?.hint
  return `Do not use it. ${reasons[0]?.hint ?? 'Get it again from where it was made, or make it again with rlp agent pack'}`
}

/** A verdict's word in its colour. */
export function verdictWord(verdict: Verdict, style: Style): string {
  const paint = verdict === 'trusted' ? style.green : verdict === 'unsigned' ? style.yellow : style.red
  return style.bold(paint(verdict))
}

interface Refusing extends Partial<Omit<Refused, 'tool'>> {
  /** For the message: `install`. */
  readonly doing: string
  /** In place of the first one. */
  readonly reason?: Reason | undefined
  /** In place of that of the reason. */
  readonly hint?: string | undefined
  /** What kept the bundle from being read: that is the whole story then. */
  readonly unread?: RlpError | undefined
}

/** Word and exit code are those of verify, and for people its checks come first. */
export function refuseJudged(
  report: Report,
  { tool, ...refusing }: Refusing & Pick<Refused, 'tool'>,
  args: GlobalArgs,
  io: Io,
): ExitCode {
  const { exit, ...refusal } = judgedRefusal(report, refusing, io)
  printRefusal(io, args, { ...refusal, tool })
  return exit
}

/** What a command says of a bundle that has a verdict against it. */
export function judgedRefusal(
  report: Report,
  { doing, reason = report.reasons[0], hint, unread, extra, body }: Refusing,
  { columns }: Pick<Io, 'columns'>,
) {
  const { verdict, reasons, target, skipped } = report
  const message = `Cannot ${doing} "${target}": ${verdict}: ${reason?.message ?? ''}`
  return {
    error: unread ?? new RlpError('NOT_VERIFIED', message, { hint: hint ?? reason?.hint }),
    exit: VERDICTS[verdict].exit as ExitCode,
    extra: { reason: verdict, verdict, reasons, skipped, ...extra },
    body: (style: Style) =>
      unread ? [] : (body?.(style) ?? [renderRefused(report, style, columns).trimEnd()]),
  }
}

/**
 * The same of a bundle that is not looked at, but used: one line.
 * @param doing for the message: `call a tool of`
 */
export function usedRefusal(report: Report, doing: string, io: Pick<Io, 'columns'>) {
  const { verdict, reasons, target } = report
  // A required signature cannot be waived by any flag, so the hint must not suggest one.
  const required = reasons.find(({ code }) => code === 'signature_required')
  const unsigned = required ? SIGN_IT : `${SIGN_IT}. ${WAIVE_IT}`
  const reason = required ?? reasons[0]
  const looked = reason?.hint ?? `rlp agent verify ${writePath(target)} shows what was checked`
  const hint = verdict === 'unsigned' && !saysPackIt(reasons) ? unsigned : looked
  return judgedRefusal(report, { doing, reason, hint, body: () => [] }, io)
}

/** Prints that. */
export function refuseBundle(
  report: Report,
  { doing, tool }: { readonly doing: string; readonly tool: string },
  args: GlobalArgs,
  io: Io,
): ExitCode {
  const { exit, ...refusal } = usedRefusal(report, doing, io)
  printRefusal(io, args, { ...refusal, tool })
  return exit
}

const SIGN_IT = 'Ask its author to sign it with rlp agent sign'
const WAIVE_IT = 'If you know where it comes from, --allow-unsigned uses it, without secrets'
