// allow_dev: the keys of an anchor count only with --allow-dev (docs/spec/trust-policy.md, K-12).
import type { AnchorField } from './field.ts'

export const allowDev = {
  keys: ['allow_dev'],
  read: (reader, table, at) => reader.flag(table['allow_dev'], [...at, 'allow_dev']),
  refuses: (value, { allowDev }) =>
    value && !allowDev ? { is: 'a development key', why: ' with a development key' } : undefined,
  shown: value => (value ? 'counts only with --allow-dev' : ''),
  more: (value, than, adverb) => (than && !value ? [`${adverb} counts without --allow-dev`] : []),
  entries: value => ({ allow_dev: value ? 'true' : undefined }),
  first: ({ allowDev = false }) => allowDev,
  grown(old, { allowDev = old }, refuse) {
    if (allowDev === old) return old
    throw refuse('EXISTS', 'it is there and no development anchor', 'Remove it first, then add it with --dev')
  },
  asked: {
    options: { dev: { type: 'boolean', describe: 'the signer counts only with --allow-dev' } },
    typed: flag => (flag('dev') === true ? true : undefined),
  },
} as const satisfies AnchorField<boolean>
