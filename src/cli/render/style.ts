// Colours and symbols, and whether a stream gets them. All colour comes from here.
type Paint = (text: string) => string

export interface Style {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly cyan: Paint
}

/** The paints; with `color` false they change nothing. */
export function createStyle(color: boolean): Style {
  return color ? COLOURED : PLAIN
}

/**
 * A nested paint may end with the same code as this one, so this one begins again after it: bold and dim have one end code. Written here
 * because the usual packages read the process's streams when they are loaded, which makes Node create them.
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
 * Whether a stream gets colour: `--color` or `--no-color` first, then `NO_COLOR`, `FORCE_COLOR`, then whether it is a terminal with
 * colour.
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
