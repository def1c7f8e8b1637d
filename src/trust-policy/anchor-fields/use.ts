// use: what the signatures of an anchor are for, bundles or statements about them (docs/spec/trust-policy.md, K-13).
import { isDeepStrictEqual } from 'node:util'
import { ANCHOR_USES, type AnchorUse } from '../../model/anchor.ts'
import { listLiteral } from '../../toml/write.ts'
import type { AnchorField } from './field.ts'

/** What is not written. */
const SIGNS: readonly AnchorUse[] = ['sign']

export const use = {
  keys: ['use'],
  read(reader, { use: value }, at) {
    if (value === undefined) return SIGNS
    const place = [...at, 'use']
    const words = reader.texts(value, place, text => {
      return ANCHOR_USES.some(one => one === text) ? undefined : `known are ${ANCHOR_USES.join(' and ')}`
    })
    const read = ANCHOR_USES.filter(one => words.includes(one))
    if (read.length !== words.length) reader.wrong(place, 'a use appears twice')
    // No word would be a signer who counts for nothing.
    if (Array.isArray(value) && value.length === 0) reader.wrong(place, 'it names no use')
    return read
  },
  refuses(value, { act }) {
    if (value.includes(act)) return undefined
    return act === 'sign'
      ? { is: 'an attesting key', why: ', but its keys only attest' }
      : { is: 'a signing key', why: ', but its keys only sign bundles' }
  },
  shown: value => (value.includes('attest') ? `use: ${value.join(' and ')}` : ''),
  more: (value, than, adverb) =>
    value
      .filter(one => !than.includes(one))
      .map(one => `${adverb} ${one === 'sign' ? 'signs bundles' : 'attests'}`),
  entries: value => ({ use: isDeepStrictEqual(value, SIGNS) ? undefined : listLiteral(value) }),
  first: ({ use = SIGNS }) => use,
  grown(old, { use = old }, refuse) {
    if (isDeepStrictEqual(use, old)) return old
    throw refuse('EXISTS', `it is there with the use ${old.join(' and ')}`, 'Edit use in the file by hand')
  },
  asked: {
    options: {
      use: {
        type: 'strings',
        choices: ANCHOR_USES,
        placeholder: 'USE',
        describe:
          'what a new signer’s signatures are for: sign (bundles, the default) or attest (evidence about them)',
      },
    },
    typed(flag) {
      const said = flag('use')
      const words: readonly unknown[] = Array.isArray(said) ? said : []
      return words.length === 0 ? undefined : ANCHOR_USES.filter(one => words.includes(one))
    },
  },
} as const satisfies AnchorField<readonly AnchorUse[]>
