// Colours and symbols, and whether a stream gets them. Everything coloured goes through here.
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
  return color ? COLOURED : PLAIN
}

/**
 * Inside a painted text, what ends another paint with the same code begins this one again: bold and dim end alike. Written here because
 * the usual packages look at the process's streams when they are loaded, which makes Node build them.
 */
function paint(begin: number, end: number): Paint {
  const [open, close] = [`\u001b[${begin}m`, `\u001b[${end}m`]
  return text => `${open}${text.replaceAll(close, `${close}${open}`)}${close}`
}

const COLOURED: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
  cyan: paint(36, 39),
}
const same: Paint = text => text
const PLAIN: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same }

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
