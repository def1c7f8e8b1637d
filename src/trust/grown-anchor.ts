// One anchor of a trust policy + what is added → the anchor afterwards.
import { isDeepStrictEqual } from 'node:util'
import type { RuleRequest } from '../format/trust/rule-fields/index.ts'
import type { RlpError } from '../model/error.ts'
import type { Anchor, AnchorUse } from '../model/trust.ts'

export interface AnchorAdded {
  readonly do: 'add'
  readonly name: string
  /** An anchor string; undefined changes the rule of an existing anchor. */
  readonly key?: string
  readonly allowDev?: boolean
  /** What the signatures of a new anchor are for; bundles by default. */
  readonly use?: readonly AnchorUse[]
  /** Another key of the same signer, if the anchor exists. */
  readonly isFurtherKey?: boolean
  readonly rule?: RuleRequest
}

export function newAnchor({ name, key = '', allowDev = false, use = ['sign'] }: AnchorAdded): Anchor {
  return { name, keys: [key], allowDev, use }
}

/** An anchor never changes what it is for: what its keys have signed so far would get another meaning. */
export function grown(
  old: Anchor,
  { key, allowDev = old.allowDev, use = old.use, isFurtherKey = false }: AnchorAdded,
  refuse: (code: 'EXISTS', state: string, hint: string) => RlpError,
): Anchor {
  if (allowDev !== old.allowDev)
    throw refuse('EXISTS', 'it is there and no development anchor', 'Remove it first, then add it with --dev')
  if (!isDeepStrictEqual(use, old.use))
    throw refuse(
      'EXISTS',
      `it is there with the use ${old.use.join(' and ')}`,
      'Edit use in the file by hand',
    )
  if (key === undefined || old.keys.includes(key)) return old
  if (isFurtherKey) return { ...old, keys: [...old.keys, key] }
  throw refuse(
    'EXISTS',
    'it is there with another key',
    'If it is a further key of the same signer, say so with --further-key; else choose another name',
  )
}
