// key and keys: the public keys of one signer, who counts once (docs/spec/trust-policy.md, K-10 and K-11).
import { doubleQuoted } from '../../text/double-quoted.ts'
import type { AnchorField } from './field.ts'

export const keys = {
  keys: ['key', 'keys'],
  read(reader, table, at) {
    const one = table['key'] === undefined ? [] : reader.keys(table['key'], [...at, 'key'])
    const many = reader.list(table['keys'], [...at, 'keys']).flatMap((key, index) => {
      return reader.keys(key, [...at, 'keys', index])
    })
    // Readers could differ in which of the two counts.
    if (table['key'] !== undefined && table['keys'] !== undefined)
      reader.wrong([...at, 'keys'], 'an anchor has key or keys, not both', 'key')
    const { keys = [] } = table
    // Of an identity no key is kept.
    const isIdentity = table['issuer'] !== undefined && table['keys'] === undefined
    if (table['key'] === undefined && Array.isArray(keys) && keys.length === 0 && !isIdentity)
      reader.wrong(at, 'the anchor has no key')
    return [...one, ...many]
  },
  // A signature is one of an anchor only if it is by one of its keys.
  refuses: () => undefined,
  shown: value => value.join(', '),
  more: (value, than, adverb) =>
    value.filter(key => !than.includes(key)).map(key => `${adverb} counts with ${key}`),
  entries: ([key]) => ({ key: key && doubleQuoted(key) }),
  first: ({ key }) => (key === undefined ? [] : [key]),
  grown(old, { key, isFurtherKey = false }, refuse) {
    if (key === undefined || old.includes(key)) return old
    if (old.length === 0)
      throw refuse(
        'EXISTS',
        'it is there as an identity',
        'A signer has keys or an identity. Choose another name',
      )
    if (isFurtherKey) return [...old, key]
    throw refuse(
      'EXISTS',
      'it is there with another key',
      'If it is a further key of the same signer, say so with `furtherKey`; else choose another name',
    )
  },
  asked: undefined,
} as const satisfies AnchorField<readonly string[]>
