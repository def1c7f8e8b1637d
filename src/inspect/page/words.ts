// Small texts that several sections have.
import { digestStart } from '../../text/digest-text.ts'
import type { InspectedSigner } from '../signers.ts'

export function fileDigest(hex: string | null): string {
  if (hex === null) return 'digest not known'
  return hex === '' ? 'no digest' : digestStart(hex)
}

/** `mailer@pro 0.2.0`; empty where the manifest says neither. */
export function nameOf(agent: {
  readonly name: string | null
  readonly version: string | null
  readonly variant?: string | null | undefined
}): string {
  const { name, version, variant } = agent
  const whole = variant ? `${name ?? '?'}@${variant}` : (name ?? '')
  return [whole, version ?? ''].filter(part => part !== '').join(' ')
}

/** The signers by name. One signer with several keys is one; two policies may call it by two names. */
export function signerNames(signers: readonly InspectedSigner[]): string[] {
  const names = signers.flatMap(({ anchors }) => (anchors.length === 0 ? [] : [anchors.join('/')]))
  const others = signers.length - names.length
  const unknown = others === 1 ? 'a key' : `${others} keys`
  return [...new Set(names), ...(others === 0 ? [] : [`${unknown} that no trust policy names`])]
}

/** Why a signature does not count for a trust policy, as a clause. */
export function whyNotCounted(is: string): string {
  if (is === 'revoked') return 'its key is revoked'
  return is === 'no anchor' ? 'no trust policy names its key' : `its key is ${is}`
}

/** `12 GET and 1 POST`, the most frequent first. */
export function counted(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const all = [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([word, n]) => `${n} ${word}`)
  const last = all.pop() ?? ''
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`
}
