// What a person sees and is asked before the signatures of a bundle are renewed.
import type { Io } from '../cli/command.ts'
import type { OpenPrompter } from '../cli/interactive.ts'
import { askToSign, refuseUnasked, showToSign } from '../registry/ask-countersign.ts'
import type { StatedEnd } from '../signature/stated-end.ts'
import type { ToSign } from '../verify/before-signing.ts'
import { nearEnd, statedEnd } from './sign.ts'
import type { SignArgs } from './sign-options.ts'

/**
 * Shows the bundle with its old and its new end, and asks unless --expect or --yes is there.
 * @param renew the new end, a UTC second
 * @throws RlpError NEEDS_ANSWER if no person can be asked
 */
export function shownToRenew(
  label: string,
  renew: string,
  args: SignArgs,
  io: Io,
  open?: OpenPrompter,
): (bundle: ToSign) => Promise<void> {
  const isTold = args.yes || args.expect !== undefined
  if (!isTold) refuseUnasked(label, args, io)
  return async bundle => {
    const ends = endLines(bundle, renew)
    if (isTold) showToSign(bundle, args, io, ends)
    else await askToSign(bundle, io, ends, open)
  }
}

/** What becomes of the end and of the signatures that are there. */
function endLines({ agent }: ToSign, renew: string): string[] {
  if (agent === undefined) return []
  const taken = nearEnd(agent, renew)
  if (taken !== undefined) return [`the new signature ends at ${taken}, as those that are there`]
  const there = statedEnd(agent)
  return [
    `the new signature ends at ${renew}`,
    ...(there ? [`the old signatures, which ${endsAt(there)}, are dropped`] : []),
  ]
}

function endsAt({ notAfter }: StatedEnd): string {
  return notAfter === undefined ? 'do not end' : `end at ${notAfter}`
}
