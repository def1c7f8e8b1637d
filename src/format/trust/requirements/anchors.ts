// [require] anchors: signers that must sign (docs/spec/trust-policy.md, K-26).
import type { Requirement } from './field.ts'

export const anchors = {
  read(reader, value, at, { signing }) {
    const names = reader.texts(value, at, name =>
      signing.has(name) ? undefined : 'it is no anchor that signs',
    )
    if (new Set(names).size !== names.length) reader.wrong(at, 'an anchor appears twice')
    return names
  },
  judge: (required, { counted }, at) =>
    required.map((name, index) => {
      const isThere = counted.includes(name)
      return {
        at: [...at, index],
        says: isThere ? 'for' : 'against',
        code: 'required_signature_missing',
        detail: `The required signature of ${name} is ${isThere ? 'there' : 'missing'}`,
      }
    }),
  // The number of signers is said first.
  shown: () => '',
  lost: (required, anchor) => (required.includes(anchor) ? '[require] names it' : undefined),
} as const satisfies Requirement<readonly string[]>
