// One keyless signature or statement that came with a bundle → a line.
import type { CheckedKeyless } from '../../../model/keyless.ts'
import type { Item } from '../page.ts'

/** Who it is, is said by name and id: a name can be registered again. */
export function keylessItem({
  where,
  is,
  result,
  certificate,
  detail,
  time,
  logIndex,
}: CheckedKeyless): Item {
  const who = keylessSigner(certificate)
  const id = certificate.repository_id
  return {
    mark: result === 'proven' ? 'good' : 'warning',
    words: [
      is === 'statement' ? 'keyless statement' : 'keyless signature',
      ...(who === undefined ? [] : [' by ', { text: who }]),
      ...(id === undefined ? [] : [', repository ', { text: id }]),
      ...(time === null ? [`: ${result}, `, { text: detail }] : [`, proven at ${time}`]),
      ...(logIndex === null ? [] : [', entry ', { text: logIndex }, ' of its log']),
      ' (',
      { text: where },
      ')',
    ],
  }
}

export function keylessSigner({ uri, email }: CheckedKeyless['certificate']): string | undefined {
  return uri ?? email
}
