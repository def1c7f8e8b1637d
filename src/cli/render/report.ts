// Prints the result of a command: one envelope with --json, text and tables for people without, or the format that --format names.

import { UsageError } from '../../model/error.ts'
import { envelopeLine } from '../../report/json.ts'
import { printable } from '../../text/printable.ts'
import type { GlobalArgs, Io } from '../command.ts'
import { fit } from './layout.ts'
import { createStyle, wantsColor } from './style.ts'

/** The arguments that decide how a command prints. */
export type Listening = Pick<GlobalArgs, 'json' | 'quiet'>
type Speech = Listening & Pick<GlobalArgs, 'color'>

/** What a command reports. */
interface CommandReport {
  /** The tool contract's name: `agent.lint`. */
  readonly tool: string
  /** The envelope's `result`. */
  readonly result: unknown
  readonly warnings?: readonly string[] | undefined
  /** The same for people, called only without `--json`. Ends in a newline, or is empty. */
  text(): string
  /**
   * What stays of it with `--quiet`, a line each: paths, names or digests of what was made or changed, and nothing of a check that passed. Left out for
   * what the call asks to see, also by --dry-run: that is shown whole.
   */
  readonly quiet?: readonly string[] | undefined
  /** What `text` gives is for programs or files: no line of it is broken. */
  readonly isDocument?: boolean | undefined
}

/** Prints a command's result. Warnings go into the envelope, or to standard error. */
export function report(
  io: Io,
  args: Speech,
  { tool, result, warnings = [], text, quiet, isDocument = false }: CommandReport,
): void {
  if (args.json) {
    io.stdout(envelopeLine(tool, result, warnings))
    return
  }
  for (const warning of warnings) warn(io, args, warning)
  const shown =
    args.quiet && quiet !== undefined ? quiet.map(line => `${printable(line)}\n`).join('') : text()
  if (shown === '') return
  if (isDocument) io.stdout(shown)
  else printText(io, shown)
}

/** The columns that a line on standard output may have: any number where no terminal shows it. */
export function columnsOf({ isTTY, columns }: Pick<Io, 'isTTY' | 'columns'>): number {
  return isTTY.stdout ? columns : Number.POSITIVE_INFINITY
}

/** Text for people: on a terminal no line is wider than that. */
export function printText(io: Pick<Io, 'stdout' | 'isTTY' | 'columns'>, text: string): void {
  if (text !== '') io.stdout(io.isTTY.stdout ? fit(text, io.columns) : text)
}

/** One line for people on standard error, made printable; nothing with `--quiet` or `--json`. */
export function note(io: Io, args: Listening, line: string): void {
  if (args.quiet || args.json) return
  io.stderr(`${printable(line)}\n`)
}

export function warn(io: Io, args: Speech, line: string): void {
  if (args.quiet) return
  const style = createStyle(wantsColor(args.color, io.env, io.isTTY.stderr))
  io.stderr(`${style.yellow('warning:')} ${printable(line)}\n`)
}

/** @throws UsageError if they do not agree */
export function formatGiven<F extends string>(
  { format, json }: { readonly format: F | undefined; readonly json: boolean },
  otherwise: F | 'text' = 'text',
): F | 'json' | 'text' {
  if (json && format !== undefined && format !== 'json')
    throw new UsageError(`Cannot use --format ${format} with --json: both say how to report`, {
      field: 'format',
      hint: 'Leave one of them out',
    })
  return format ?? (json ? 'json' : otherwise)
}

/** Finds the format that `--format` names. */
export function formatNamed<Format extends { readonly name: string }>(
  formats: readonly Format[],
  name: string,
): Format {
  const format = formats.find(one => one.name === name)
  if (format === undefined) throw new TypeError(`no format ${name}`)
  return format
}
