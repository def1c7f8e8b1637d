// Colours and symbols, and whether a stream gets them. Everything coloured goes through here.
import picocolors from 'picocolors'

type Paint = (text: string) => string

export interface Style {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly cyan: Paint
}

/** The paints, or with `color` false functions that change nothing. */
export function createStyle(color: boolean): Style {
  const { bold, dim, red, green, yellow, cyan } = picocolors.createColors(color)
  return { bold, dim, red, green, yellow, cyan }
}

/** One column wide each. */
export const SYMBOLS = { ok: '✓', bad: '✗', warning: '!', info: 'i', arrow: '→' } as const

/**
 * Whether a stream gets colour: `--color` or `--no-color` first, then `NO_COLOR`, `FORCE_COLOR`, and whether it is a
 * terminal that knows colour.
 */
export function wantsColor(
  asked: boolean | undefined,
  env: Readonly<Record<string, string | undefined>>,
  isTTY: boolean,
): boolean {
  if (asked !== undefined) return asked
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return isTTY && env['TERM'] !== 'dumb'
}
