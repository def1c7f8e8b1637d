// until: the end of an anchor. After it none of its signatures counts, whenever they were made (docs/spec/trust-policy.md, K-14).
import { isUtcSecond } from '../../signature/envelope.ts'
import { doubleQuoted } from '../../text/double-quoted.ts'
import type { Adverb, AnchorField } from './field.ts'

/** The new end, if one end is later than the other: what follows on *counts* or *decides*. */
export function laterEnd(value: string | undefined, than: string | undefined, adverb: Adverb): string[] {
  if (than === undefined || (value !== undefined && Date.parse(value) <= Date.parse(than))) return []
  const [now, before] = (adverb === 'now' ? [value, than] : [than, value]).map(endText)
  return [`${now}, and not ${before}`]
}

function endText(end: string | undefined): string {
  return end === undefined ? 'without an end' : `until ${end}`
}

export const until = {
  keys: ['until'],
  read: (reader, table, at) => reader.second(table['until'], [...at, 'until']),
  refuses: (value, { now }) =>
    value !== undefined && now !== undefined && now.getTime() > Date.parse(value)
      ? { is: 'an ended key', why: `, but it ended at ${value}` }
      : undefined,
  shown: value => (value === undefined ? '' : `counts until ${value}`),
  more: (value, than, adverb) => laterEnd(value, than, adverb).map(end => `counts ${end}`),
  entries: value => ({ until: value && doubleQuoted(value) }),
  first: ({ until }) => until,
  grown(old, { until = old }, refuse) {
    if (until === old) return old
    throw refuse(
      'EXISTS',
      `it is there ${old === undefined ? 'without an end' : `until ${old}`}`,
      'Edit until in the file by hand',
    )
  },
  asked: {
    options: {
      until: {
        type: 'string',
        placeholder: 'TIME',
        describe: 'the signer does not count after this UTC second, as 2027-01-01T00:00:00Z',
      },
    },
    typed(flag, refuse) {
      const end = flag('until')
      if (typeof end !== 'string') return undefined
      if (isUtcSecond(end)) return end
      throw refuse('until')('it is not a UTC second, as 2027-01-01T00:00:00Z', end)
    },
  },
} as const satisfies AnchorField<string | undefined>
