// Shared by the commands that edit a trust policy: the file to edit, the change as a diff, and its effect on installed bundles.
import { join, resolve } from 'node:path'
import { AUDIT_OPTION, auditIn } from '../cli/audit-option.ts'
import type { GlobalArgs, Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { unifiedDiff } from '../cli/render/diff.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { readPolicySource } from '../format/policy/source.ts'
import { withRoot } from '../format/policy/with-root.ts'
import { printable } from '../format/text/printable.ts'
import { expandHome, homeLabel, nearLabel, runloopHome, TRUST_POLICY_NAME } from '../io/home.ts'
import { refuseForeignWay } from '../io/owner/own-way.ts'
import type { Document } from '../model/document.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { PolicySource } from '../model/trust.ts'
import type { TrustChange } from './change.ts'
import { editDecided } from './decided.ts'
import { editTrustPolicy, NEW_POLICY } from './edit.ts'
import { effectOn, type Foreseen, type PolicyEffect } from './effect.ts'
import { withRootBeside } from './policy-file.ts'
import { effectLines, foreseenLines } from './render-effect.ts'
import { ruleLines } from './render-policy.ts'
import { copiedLines, type RootGiven } from './root-given.ts'
import { type EditableFile, readEditable, tidyTrustPolicy, updateTrustPolicy } from './write-trust.ts'

export const EDIT_OPTIONS = {
  'trust-policy': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'which policy to edit, in place of ~/.runloop/trust-policy.toml',
  },
  'dry-run': {
    type: 'boolean',
    describe: 'write nothing; show the change, and what it would do to everything installed',
  },
  ...AUDIT_OPTION,
} as const satisfies OptionTable

type EditArgs = GlobalArgs & {
  readonly trustPolicy: string | undefined
  readonly dryRun: boolean
  readonly audit: string | undefined
}

/** The policy that a command edits. @throws RlpError NO_PERMISSION if others lead the way to the user's own */
export function policyToEdit(trustPolicy: string | undefined, io: Io): EditableFile {
  const own = trustPolicy === undefined
  if (own) refuseForeignWay(runloopHome())
  const path = own ? join(runloopHome(), TRUST_POLICY_NAME) : resolve(io.cwd, expandHome(trustPolicy))
  return { path, label: own ? homeLabel(path) : nearLabel(path, io.cwd), initial: NEW_POLICY }
}

export interface Edit {
  /** The command’s name in the tool contract: `trust.add`. */
  readonly tool: string
  readonly file: EditableFile
  /** The file as it was when the change was computed. */
  readonly document: Document
  readonly bytes: Uint8Array | undefined
  readonly change: TrustChange
  /** The trusted root that is put beside the policy. */
  readonly root?: RootGiven | undefined
  /** What the change is about, a line each, beside the diff. */
  readonly said?: readonly string[]
  /** Asks before anything is written; throws if the answer is no. */
  readonly confirm?: (shown: readonly string[]) => Promise<void>
  /** What the bundle that this is about will be. */
  readonly foresee?: (edited: PolicySource) => Promise<Foreseen>
}

/** Reads the policy to change. */
export async function openEdit(tool: string, args: EditArgs, io: Io): Promise<Omit<Edit, 'change'>> {
  const file = policyToEdit(args.trustPolicy, io)
  if (!args.dryRun) await tidyTrustPolicy(file, io.signal)
  return { tool, file, ...(await readEditable(file)) }
}

/** Makes the change, or with `--dry-run` shows its effect. */
export async function carryOut(
  { tool, file, document, bytes, change, root, said = [], confirm, foresee }: Edit,
  args: EditArgs,
  io: Io,
): Promise<ExitCode> {
  const text = editTrustPolicy(document, change)
  const isChanged = text !== document.text || bytes === undefined || root?.isThere === false
  const diff = (style: Style) =>
    isChanged ? unifiedDiff('.', { path: file.label, before: bytes, text }, style) : []
  let effect: PolicyEffect | undefined
  const source = readPolicySource(file.label, 'given', Buffer.from(text))
  const edited = root === undefined ? await withRootBeside(source, file.path) : withRoot(source, root.bytes)
  const rules = change.do === 'add' && change.rule !== undefined ? ruleLines(edited, change.name) : []
  const beside = root?.isThere === false ? copiedLines(root) : []
  const says = [...rules, ...[...said, ...beside].map(line => printable(line))]
  const foreseen = await foresee?.(edited)
  const follows = [...says, ...(foreseen ? foreseenLines(foreseen) : [])]
  const audit = await auditIn(args, io)
  const decided = { tool, path: file.path, label: file.label, change }
  if (args.dryRun) effect = await effectOn(file, edited, io)
  else if (isChanged) {
    await confirm?.([...diff(createStyle(false)), ...follows])
    await updateTrustPolicy(
      file,
      (now, before) => {
        const text = editTrustPolicy(now, change)
        // Under the lock, and before it is written: the digests are those of what is there and of what will be.
        audit?.record(editDecided(decided, before, text))
        return text
      },
      { beside: root?.isThere === false ? root : undefined, signal: io.signal },
    )
  } else audit?.record(editDecided(decided, bytes, text))
  report(io, args, {
    tool,
    result: {
      policy: file.label,
      changed: isChanged,
      written: isChanged && !args.dryRun,
      diff: diff(createStyle(false)),
      ...(says.length > 0 && { says }),
      ...(foreseen && { foreseen }),
      ...(effect && { effect }),
    },
    text: () => {
      const style = createStyle(io.color)
      const done = args.dryRun ? 'would change' : 'changed'
      const head = isChanged ? `${style.green(SYMBOLS.ok)} ${done} ` : `${SYMBOLS.info} nothing to change in `
      const lines = [
        head + printable(file.label),
        ...diff(style),
        ...follows,
        ...(effect ? effectLines(effect, style) : []),
      ]
      return `${lines.join('\n')}\n`
    },
  })
  return EXIT.ok
}
