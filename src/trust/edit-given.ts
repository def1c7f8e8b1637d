// What a caller of the library says of a policy to edit → how it is edited; and what became of it → the verb's answer.
import { compareLines, linesOf } from '../format/text/compare-lines.ts'
import { type CallerOptions, homeGiven, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { accessWith, type Setting } from '../io/setting.ts'
import type { EditedPolicy, Editing, PlannedEdit } from './edit-policy.ts'
import type { Foreseen, PolicyEffect } from './effect.ts'

/** What every verb takes that edits a trust policy. */
export interface PolicyEditOptions extends CallerOptions {
  /** The policy to edit; trust-policy.toml in `home` where this is left out. */
  readonly policy?: PathGiven
  /** In place of `$RUNLOOP_HOME` or `~/.runloop`: the user's policy, keys apart, and the agents that a dry run looks at. */
  readonly home?: PathGiven
  /** Write nothing: the answer has what would change, and its effect on everything installed. */
  readonly dryRun?: boolean
}

/** A change of a policy: whole lines. */
export interface PolicyChanges {
  /** The policy, for messages. */
  readonly policy: string
  readonly isChanged: boolean
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** What a signer may grant then, what the change is about, and which file is put beside the policy: sentences. */
  readonly says: readonly string[]
  /** What the bundle will be that the change is about; undefined if it is about none, or about several. */
  readonly foreseen: Foreseen | undefined
  /** What each bundle will be that the change is about. */
  readonly bundles: readonly Foreseen[]
}

export interface PolicyEdited extends PolicyChanges {
  /** False if nothing had to be changed, and for a dry run. */
  readonly isWritten: boolean
  /** Of a dry run: what would change for installed bundles. */
  readonly effect: PolicyEffect | undefined
  /** What is to be known beside the change. */
  readonly notes: readonly string[]
}

/** Carries out a job, and answers as the library does. */
export async function edited(
  options: PolicyEditOptions,
  io: Setting,
  job: (editing: Editing) => Promise<EditedPolicy>,
): Promise<PolicyEdited> {
  const home = homeGiven(options, io)
  const notes: string[] = []
  const done = await job({
    home,
    policy: options.policy === undefined ? undefined : pathGiven(options.policy, io, 'edit the policy'),
    dryRun: options.dryRun === true,
    io: { ...io, registries: accessWith(io.env, home) },
    tell: line => void notes.push(line),
  })
  return { ...changeOf(done), isWritten: done.isWritten, effect: done.effect, notes }
}

export function changeOf({ file, before, text, isChanged, says, bundles }: PlannedEdit): PolicyChanges {
  const old = new TextDecoder().decode(before)
  const lines = isChanged ? compareLines(linesOf(old), linesOf(text)) : []
  const of = (sign: string) => lines.flatMap(line => (line.sign === sign ? line.text : []))
  const foreseen = bundles.length === 1 ? bundles[0] : undefined
  return { policy: file.label, isChanged, added: of('+'), removed: of('-'), says, foreseen, bundles }
}
