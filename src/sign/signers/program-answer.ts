// What a program that signs has written → its answer: one line of JSON with one member.
import { objectIn } from '../../contract/json-text.ts'
import { own } from '../../model/own.ts'
import type { AnchorKey } from '../../model/signer.ts'
import { withoutCredentials } from '../../secret/credential.ts'
import { canonicalBase64 } from '../../signature/ed25519.ts'
import { readAnchor } from '../../signature/kinds/index.ts'

/** No key, signature or sentence is longer. */
export const MOST_ANSWER_BYTES: number = 16 * 1024

export type ProgramAnswer<T> =
  | { readonly is: 'answered'; readonly value: T }
  /** What the program says to people. */
  | { readonly is: 'error'; readonly message: string }
  | { readonly is: 'nonsense'; readonly problem: string }

/** `{"key":"ed25519:…"}` */
export function readKeyAnswer(text: string): ProgramAnswer<AnchorKey> {
  return readMember(text, 'key', value => {
    const read = readAnchor(value)
    return 'key' in read ? { value: read.key } : { problem: `the key in its answer ${read.problem}` }
  })
}

/** `{"sig":"<base64>"}` */
export function readSignatureAnswer(text: string): ProgramAnswer<Uint8Array> {
  return readMember(text, 'sig', value => {
    const bytes = canonicalBase64(value)
    if (bytes?.length === 64) return { value: new Uint8Array(bytes) }
    return { problem: 'the signature in its answer is not 64 bytes in padded base64' }
  })
}

function readMember<T>(
  text: string,
  name: 'key' | 'sig',
  read: (value: string) => { readonly value: T } | { readonly problem: string },
): ProgramAnswer<T> {
  if (text === '') return nonsense('it answered nothing')
  const line = text.replace(/\r?\n$/, '')
  const object = /[\r\n]/.test(line) ? undefined : objectIn(line)
  if (object === undefined) return nonsense('its answer is not one line with an object in JSON')
  const members = Object.keys(object)
  const value = own(object, name)
  const error = own(object, 'error')
  if (members.length !== 1 || typeof (value ?? error) !== 'string')
    return nonsense(`its answer has other members than one text, "${name}" or "error"`)
  if (typeof error === 'string') return { is: 'error', message: withoutCredentials(error) }
  const made = read(String(value))
  return 'problem' in made ? nonsense(made.problem) : { is: 'answered', ...made }
}

function nonsense(problem: string): { readonly is: 'nonsense'; readonly problem: string } {
  return { is: 'nonsense', problem }
}
