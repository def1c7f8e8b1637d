// Writes one change into a trust policy, or says what the change would do, and answers with both for the command and the library. Asking a
// person and printing are left to functions that the caller hands in.
import { join } from 'node:path'
import { homeLabel, namedPath, nearLabel, TRUST_POLICY_NAME } from '../io/home.ts'
import { refuseForeignWay } from '../io/owner/owner.ts'
import { Ways } from '../io/owner/ways.ts'
import type { Setting } from '../io/setting.ts'
import type { AuditDecision } from '../model/audit.ts'
import { ownMembers } from '../model/own.ts'
import type { PolicySource } from '../model/trust.ts'
import { compareLines, linesOf } from '../text/unified-diff.ts'
import { readPolicySource } from '../trust-policy/read-policy.ts'
import { withRoot } from '../trust-policy/source.ts'
import { editAuditEntry } from './audit-entries.ts'
import { editTrustPolicy, NEW_POLICY } from './edit.ts'
import { editOf, type TrustChange } from './edits/index.ts'
import { effectOn, type Foreseen, type PolicyEffect } from './effect.ts'
import { withRootBeside } from './policy-file.ts'
import { copiedLines, type RootFile } from './sigstore-root.ts'
import {
  type EditableFile,
  type ReadFile,
  readEditable,
  tidyTrustPolicy,
  updateTrustPolicy,
} from './write-trust.ts'

/** Whose policy is edited, and how. */
export interface Editing {
  readonly io: Setting
  /** The user's folder; the policy in it is the one in use here. */
  readonly home: string
  /** Another file than the one in `home`. */
  readonly policy: string | undefined
  /** Write nothing. */
  readonly dryRun: boolean
  /** Told under the lock, before anything is written. */
  readonly record?: ((decision: AuditDecision) => void) | undefined
  /** Told what is to be known beside the change, a line each. */
  readonly tell?: ((line: string) => void) | undefined
}

/** A policy as it was when a change of it was computed. */
export interface OpenPolicy extends ReadFile {
  readonly file: EditableFile
  readonly editing: Editing
}

interface PolicyEdit {
  readonly change: TrustChange
  /** The trusted root that is put beside the policy. */
  readonly root?: RootFile | undefined
  /** What the change is about, a line each, beside the diff. */
  readonly said?: readonly string[]
  /** Asks before anything is written; throws if the answer is no. */
  readonly confirm?: ((planned: PlannedEdit) => Promise<void>) | undefined
  /** What the bundles that this is about will be. */
  readonly foresee?: ((edited: PolicySource) => Promise<readonly Foreseen[]>) | undefined
}

/** A change that is not written yet. */
export interface PlannedEdit {
  readonly file: EditableFile
  /** Undefined if there is no such file. */
  readonly before: Uint8Array | undefined
  readonly text: string
  readonly changed: boolean
  /** What a signer may grant then, what the change is about, and which file is put beside the policy: a line each. */
  readonly says: readonly string[]
  /** What the bundles will be that the change is for. */
  readonly bundles: readonly Foreseen[]
}

export interface EditedPolicy extends PlannedEdit {
  /** Of a dry run. */
  readonly effect: PolicyEffect | undefined
}

/** The policy that is edited. @throws RlpError NO_PERMISSION if others lead the way to the user's own */
function policyToEdit({ home, policy, io: { cwd } }: Editing): EditableFile {
  if (policy === undefined) refuseForeignWay(home, new Ways())
  const path = policy === undefined ? join(home, TRUST_POLICY_NAME) : namedPath(policy, cwd)
  const label = policy === undefined ? homeLabel(path) : nearLabel(path, cwd)
  return { path, label, initial: NEW_POLICY }
}

/** Reads the policy to change. @throws RlpError NO_PERMISSION, NOT_EDITABLE */
export async function openPolicy(editing: Editing): Promise<OpenPolicy> {
  const file = policyToEdit(editing)
  if (!editing.dryRun) await tidyTrustPolicy(file, editing.io.signal)
  return { editing, file, ...(await readEditable(file)) }
}

/** Makes a change that depends on nothing but the policy. */
export async function changePolicy(change: TrustChange, editing: Editing): Promise<EditedPolicy> {
  return carryOutEdit(await openPolicy(editing), { change })
}

/** Makes the change, or in a dry run finds out its effect. @throws RlpError as `editTrustPolicy` and writing do */
export async function carryOutEdit(
  { editing, file, document, bytes }: OpenPolicy,
  edit: PolicyEdit,
): Promise<EditedPolicy> {
  const { change, root, said = [], confirm, foresee } = ownMembers(edit)
  const { home, dryRun, io, record } = editing
  const text = editTrustPolicy(document, change)
  const changed = text !== document.text || bytes === undefined || root?.isThere === false
  const source = readPolicySource(file.label, 'given', Buffer.from(text))
  const edited =
    root === undefined ? await withRootBeside(source, file.path, new Ways()) : withRoot(source, root.bytes)
  const says = editOf(change).says?.(change, edited) ?? []
  const beside = root?.isThere === false ? copiedLines(root) : []
  const planned = {
    file,
    before: bytes,
    text,
    changed,
    says: [...says, ...said, ...beside],
    bundles: (await foresee?.(edited)) ?? [],
  }
  if (dryRun) return { ...planned, effect: await effectOn(file, edited, { ...io, home }) }
  if (!changed) {
    record?.(editAuditEntry(file, change, home, bytes, text))
    return { ...planned, effect: undefined }
  }
  await confirm?.(planned)
  await updateTrustPolicy(
    file,
    (now, before) => {
      const text = editTrustPolicy(now, change)
      // Under the lock, and before it is written: the digests are those of what is there and of what will be.
      record?.(editAuditEntry(file, change, home, before, text))
      return text
    },
    { beside: root?.isThere === false ? root : undefined, signal: io.signal },
  )
  return { ...planned, effect: undefined }
}

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
