// [require] anchors: signers that must sign (docs/spec/trust-policy.md, K-39).
import type { Pointer } from '../../model/document.ts'
import type { RequiredLine } from '../../model/report.ts'
import { listLiteral } from '../../toml/write.ts'
import type { Requirement, RequirementContext } from './field.ts'

export const anchors = {
  key: 'anchors',
  forms: ['table'],
  read(reader, value, at, { signing, anchors }) {
    const names = reader.texts(value, at, name => {
      if (signing.has(name) && anchors.has(name)) return undefined
      return signing.has(name)
        ? 'it is a group: write [[require]] with signers in place of [require]'
        : 'it is no anchor that signs'
    })
    if (new Set(names).size !== names.length) reader.wrong(at, 'an anchor appears twice')
    return names
  },
  judge: (required = [], context, at) =>
    required.map((name, index) => requiredSigner(name, context, [...at, index])),
  // The number of signers is said first.
  shown: () => '',
  literal: (required = []) => (required.length === 0 ? undefined : listLiteral(required)),
  // An anchor that must sign is the same in both forms: `signers` compares both.
  beyond: () => [],
  lost: (required = [], anchor) => (required.includes(anchor) ? '[require] names it' : undefined),
} as const satisfies Requirement<readonly string[] | undefined>

export function requiredSigner(name: string, { counted }: RequirementContext, at: Pointer): RequiredLine {
  const isThere = counted.has(name)
  return {
    at,
    says: isThere ? 'for' : 'against',
    code: 'required_signature_missing',
    detail: `The required signature of ${name} is ${isThere ? 'there' : 'missing'}`,
  }
}
