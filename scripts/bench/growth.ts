// The same work on one, ten, a hundred … things: each further one takes as long as those before it, and memory stays what it was.
import type { Context } from './group.ts'
import { alternate } from './measure.ts'
import { peakOf, rlp } from './rlp.ts'
import { mb, ms, type Row, times } from './row.ts'

/** Of time and of memory: the largest against the one before it. */
const MOST = 1.5

/** Node takes memory as long as there is some, and calls it garbage later: what is needed shows where there is little. */
const HEAP_MB = 32
const SMALL_HEAP = [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=1']

export interface Size {
  readonly count: number
  readonly args: readonly string[]
  /** Of the bundle, which may be in memory. */
  readonly bytes: () => number
}

export interface Growing {
  readonly what: string
  /** What there are more and more of. */
  readonly thing: string
  readonly sizes: readonly Size[]
  readonly home?: string
  /** Milliseconds that one may take, start-up shared among all. */
  readonly eachUnder?: number
}

export async function growth(context: Context, growing: Growing): Promise<Row[]> {
  const { what, thing, sizes, home, eachUnder } = growing
  const found = await alternate<string>(
    context.rounds,
    Object.fromEntries(sizes.map(({ count, args }) => [String(count), () => rlp(context, args, home)])),
  )
  const measured: Measured[] = []
  const timeOfOne = found['1'] ?? Number.NaN
  for (const { count, args, bytes } of sizes) {
    const time = found[count] ?? Number.NaN
    const peak = await peakOf(context, args, home)
    const needed = await peakOf(context, args, home, SMALL_HEAP)
    // Without what the first one takes: a start that is shared among many would hide how the others grow.
    measured.push({ count, time, peak, beside: needed - bytes(), each: (time - timeOfOne) / (count - 1) })
  }
  return [...measured.map(size => sizeRow(size, growing)), ...reachRows(measured, what, thing, eachUnder)]
}

interface Measured {
  readonly count: number
  /** Milliseconds. */
  readonly time: number
  /** Bytes resident at the worst moment. */
  readonly peak: number
  /** The same in a heap of {@link HEAP_MB}, without the bundle's bytes. */
  readonly beside: number
  /** Milliseconds for each after the first. */
  readonly each: number
}

/** From here on, one more is more than noise. */
const EACH_FROM = 100

function sizeRow({ count, time, peak, each }: Measured, { what, thing }: Growing): Row {
  return {
    what: `${what} of ${amount(count, thing)}`,
    rlp: `${ms(time)}, ${mb(peak)}`,
    against: '',
    result: count < EACH_FROM ? '' : `${ms(each)} each`,
    reach: '',
  }
}

function reachRows(measured: readonly Measured[], what: string, thing: string, eachUnder?: number): Row[] {
  const [before, last] = measured.slice(-2)
  if (before === undefined || last === undefined) return []
  const at = (size: Measured) => size.count.toLocaleString('en')
  const row = (label: string, unit: (value: number) => string, own: number, other: number): Row => ({
    what: `${what}: ${label} at ${at(last)}`,
    rlp: unit(own),
    against: `${unit(other)} at ${at(before)}`,
    result: times(own / other),
    reach: `<= ${MOST}x`,
    isMet: own / other <= MOST,
  })
  const shared = last.time / last.count
  return [
    row(`one more ${thing}`, ms, last.each, before.each),
    row(`memory, heap of ${HEAP_MB} MB,`, mb, last.beside, before.beside),
    ...(eachUnder === undefined
      ? []
      : [
          {
            what: `${what} of ${amount(last.count, thing)}: each`,
            rlp: ms(shared),
            against: '',
            result: '',
            reach: `< ${eachUnder} ms`,
            isMet: shared < eachUnder,
          },
        ]),
  ]
}

function amount(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`
}
