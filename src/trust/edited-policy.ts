// The answer of the verbs that edit a trust policy.
import { compareLines, linesOf } from '../text/unified-diff.ts'
import type { EditedPolicy, Editing, PlannedEdit } from './edit-policy.ts'
import type { Foreseen, PolicyEffect } from './effect.ts'

/** A change of a policy: whole lines. */
export interface PolicyChanges {
  /** The policy, for messages. */
  readonly policy: string
  /** Whether the policy is another one after the edit; of a dry run, whether it would be. */
  readonly changed: boolean
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Sentences about the change: which rights a signer gets, which bundles it is about, and which file is put beside the policy. */
  readonly says: readonly string[]
  /** The verdict after the change on each bundle that it is about. */
  readonly bundles: readonly Foreseen[]
}

export interface PolicyEdited extends PolicyChanges {
  /** The effect that a dry run foresees on installed bundles. */
  readonly effect: PolicyEffect | undefined
  /** Notes about the change, for people. */
  readonly notes: readonly string[]
}

/** Carries out an edit, given how to make it. */
export type EditJob = (editing: Editing) => Promise<EditedPolicy>

/**
 * Carries out an edit.
 *
 * @param tell gets each of the notes at once
 */
export async function carryOutJob(
  editing: Omit<Editing, 'tell'>,
  job: EditJob,
  tell: (note: string) => void = () => {},
): Promise<{ readonly edited: EditedPolicy; readonly answer: PolicyEdited }> {
  const notes: string[] = []
  const edited = await job({
    ...editing,
    tell: note => {
      notes.push(note)
      tell(note)
    },
  })
  return { edited, answer: { ...changesOf(edited), effect: edited.effect, notes } }
}

export function changesOf({ file, before, text, changed, says, bundles }: PlannedEdit): PolicyChanges {
  const old = new TextDecoder().decode(before)
  const lines = changed ? compareLines(linesOf(old), linesOf(text)) : []
  const of = (sign: string) => lines.flatMap(line => (line.sign === sign ? line.text : []))
  return { policy: file.label, changed, added: of('+'), removed: of('-'), says, bundles }
}
