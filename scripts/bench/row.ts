// One line of the table: what was measured, what came out, and whether that is within reach.

export interface Row {
  readonly what: string
  readonly rlp: string
  readonly against: string
  readonly result: string
  /** What docs/performance.md says it should be; empty where nothing is promised. */
  readonly reach: string
  /** Whether it is within reach; undefined where nothing is promised or nothing was measured. */
  readonly isMet?: boolean
  readonly isMissing?: true
}

/** Two times in milliseconds, and what the other one is the time of. */
export interface Pair {
  readonly what: string
  readonly own: number
  readonly other: number
  readonly name: string
}

/** So many times as long as the other, which may be `most`. */
export function timesAsLong({ what, own, other, name }: Pair, most?: number): Row {
  const ratio = own / other
  return {
    ...shown({ what, own, other, name }),
    result: times(ratio),
    ...(most === undefined ? { reach: '' } : { reach: `<= ${most}x`, isMet: ratio <= most }),
  }
}

/** So many milliseconds more than the other, which may be `most`. */
export function above({ what, own, other, name }: Pair, most?: number): Row {
  const more = own - other
  return {
    ...shown({ what, own, other, name }),
    result: `${ms(more)} above`,
    ...(most === undefined ? { reach: '' } : { reach: `<= ${most} ms`, isMet: more <= most }),
  }
}

/** So many times as fast as the other, which should be `least`. */
export function asFast({ what, own, other, name }: Pair, least?: number): Row {
  const ratio = other / own
  return {
    ...shown({ what, own, other, name }),
    result: `${times(ratio)} as fast`,
    ...(least === undefined ? { reach: '' } : { reach: `>= ${least}x`, isMet: ratio >= least }),
  }
}

/** The most memory that was held, in bytes, which has to stay below `most`. */
export function memory(what: string, peak: number, most: number): Row {
  return { what, rlp: mb(peak), against: '', result: '', reach: `< ${mb(most)}`, isMet: peak < most }
}

/** A row for what is not there on this machine. */
export function notMeasured(what: string, why: string): Row {
  return { what, rlp: '', against: '', result: `not measured: ${why}`, reach: '', isMissing: true }
}

function shown({ what, own, other, name }: Pair): Pick<Row, 'what' | 'rlp' | 'against'> {
  return { what, rlp: ms(own), against: `${ms(other)} ${name}` }
}

/** A time that is given in milliseconds. */
export function ms(value: number): string {
  if (Math.abs(value) < 0.1) return `${(value * 1000).toFixed(1)} µs`
  return `${value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)} ms`
}

export function times(value: number): string {
  return `${value.toFixed(2)}x`
}

export function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
