// The rule that a bundle asks for, and the question whether a signer may grant it: a person has to review what another author's file
// proposes, and what is wide.
import { resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { mayAsk, type OpenPrompter, refusedToWrite } from '../cli/interactive.ts'
import { YES_NO } from '../cli/wizard/question.ts'
import { expandHome } from '../io/home.ts'
import { readBundle } from '../io/read-bundle.ts'
import type { Outline } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import type { Ceiling } from '../model/trust.ts'
import { assertSound, lookInto } from '../verify/sound.ts'
import { type BundleRequest, ruleForBundle } from './rule-options.ts'

export interface Proposal extends BundleRequest {
  /** Anchor strings of the keys that signed the bundle. */
  readonly signers: readonly string[]
  readonly bundle: Outline
}

/** @param ruleThere the rule that an agent has already */
export async function requestOf(
  bundle: string,
  ruleThere: (agent: string) => Ceiling | undefined,
  io: Io,
): Promise<Proposal> {
  const path = resolve(io.cwd, expandHome(bundle))
  const candidate = await readBundle(path, { keep: 'parsed', signal: io.signal, label: bundle })
  const { report, agent, outline } = await lookInto(candidate, io.signal)
  assertSound(report, 'propose a rule for')
  if (agent === undefined) throw new TypeError('a sound bundle has been read')
  const signers = report.signatures.map(({ keyid }) => keyid)
  return { ...ruleForBundle(agent, ruleThere), signers, bundle: outline }
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
