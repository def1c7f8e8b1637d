// The rule that a bundle asks for, and the question whether a signer may grant it: a person has to review what another author's file
// proposes, and what is wide.
import { resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { mayAsk, type OpenPrompter, refusedToWrite } from '../cli/interactive.ts'
import { note } from '../cli/render/report.ts'
import { YES_NO } from '../cli/wizard/question.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { writePath } from '../format/text/shell-words.ts'
import { expectationText, meets } from '../format/version/reference.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { expandHome } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { accessFrom } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import type { Ceiling } from '../model/trust.ts'
import { UsageError } from '../model/usage-error.ts'
import { trustOf } from '../verify/judging-options.ts'
import { addedSigners } from '../verify/merge-added.ts'
import { readCandidate } from '../verify/read-source.ts'
import { assertSound, lookInto } from '../verify/sound.ts'
import type { Foreseeing } from './effect.ts'
import { type BundleRequest, ruleForBundle } from './rule-options.ts'

export interface Proposal extends BundleRequest {
  /** Anchor strings of the keys that signed the bundle. */
  readonly signers: readonly string[]
  readonly bundle: Foreseeing
}

interface Requesting {
  readonly for: string | undefined
  readonly trustPolicy: string | undefined
  readonly attestations: string | undefined
}

/** @param ruleThere the rule that an agent has already */
export async function requestOf(
  { for: bundle, ...args }: Requesting,
  ruleThere: (agent: string) => Ceiling | undefined,
  io: Io,
): Promise<Proposal | undefined> {
  const { attestations } = trustOf({ ...args, allowDev: false }, io)
  if (bundle === undefined && attestations !== undefined) {
    throw new UsageError('Cannot use --attestations without --for', {
      field: 'attestations',
      hint: 'Name the bundle that they are about with --for, or leave them out',
    })
  }
  if (bundle === undefined) return undefined
  const isStored = isOciReference(bundle)
  const path = isStored ? absolute(bundle, io.cwd) : resolve(io.cwd, expandHome(bundle))
  const reading = { signal: io.signal, label: bundle, access: accessFrom(io) }
  const attested = await attestationsOf(path, attestations)
  const unsigned = attested?.keyless !== undefined
  const { candidate, expect } = await readCandidate(path, { ...reading, unsigned }, 'parsed')
  if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
  const { report, agent } = await lookInto(candidate, io.signal)
  assertSound(report, 'propose a rule for')
  if (agent === undefined || report.agent === null) throw new TypeError('a sound bundle has been read')
  // A registry could hand over another agent, which asks for more.
  if (isStored && expect !== 'any' && !meets(report.agent, expect)) {
    throw new RlpError(
      'NOT_VERIFIED',
      `Cannot propose a rule for "${bundle}": it is not ${expectationText(expect)}`,
      {
        hint: 'Look into it with rlp agent inspect',
      },
    )
  }
  const signers = [...report.signatures.map(({ keyid }) => keyid), ...addedSigners(candidate)]
  return { ...ruleForBundle(agent, ruleThere), signers, bundle: { candidate, attested } }
}

/**
 * A rule for a bundle that the signer has not signed would not make it trusted. A dry run says so, and what the verdict will be.
 * @throws RlpError NOT_VERIFIED
 */
export function sayUnsigned(
  { signers, bundle }: Proposal,
  { name, keys }: { readonly name: string; readonly keys: readonly string[] },
  args: GlobalArgs & { readonly dryRun: boolean },
  io: Io,
): void {
  if (keys.some(key => signers.includes(key))) return
  const { label } = bundle.candidate
  const state = signers.length === 0 ? 'it is unsigned' : `it is not signed with a key of ${name}`
  if (!args.dryRun) {
    throw new RlpError('NOT_VERIFIED', `Cannot let "${name}" grant what "${label}" asks: ${state}`, {
      hint: `Sign it first with rlp agent sign, or name the signer whose key it is signed with; rlp agent verify ${writePath(label)} shows the signatures`,
    })
  }
  note(io, args, `${label}: ${state}; without --dry-run this is refused`)
}

/** @param shown the change, and what follows from it */
export async function confirmed(
  shown: readonly string[],
  { name, why }: { readonly name: string; readonly why: string },
  { json }: GlobalArgs,
  io: Io,
  open: OpenPrompter,
): Promise<void> {
  const doing = `add "${name}"`
  if (!mayAsk(io, { json, nonInteractive: false })) {
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: ${why}, and no person can be asked`, {
      hint: 'Look at it with --dry-run, then repeat with --yes',
    })
  }
  const prompter = await open(doing, io)
  prompter.note(shown.join('\n'), 'What is written, and what follows')
  const answer = await prompter.choose({
    message: 'Let the signer grant this?',
    choices: YES_NO,
    fallback: 'no',
  })
  if (answer !== 'yes') throw refusedToWrite(doing)
}
