// Types and values that the records of one tool share.
import type { RecordObject } from '../../../agent-tool/records.ts'

export const SCHEMA_VERSION = '0.2.0'

/** Ids of the records that a tool's declaration and interface refer to. */
export type Refs = Readonly<
  Record<'interface_ref' | 'execution_profile_ref' | 'permission_profile_ref', unknown>
>

/** Records which keys were inferred. */
export type NoteInferred = (record: RecordObject, keys: readonly string[]) => void

export interface Names {
  readonly namespace: string
  readonly name: string
}

/** `annotations.inferred`, if the list is not empty. */
export function inferredKeys(inferred: readonly string[]): { readonly inferred?: readonly string[] } {
  return inferred.length === 0 ? {} : { inferred: [...new Set(inferred)] }
}

/** A field of a record that is a list, where it is one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
