// Before a stored bundle is signed: who it is, who signed it, and what it asks for; without --expect a person has to say yes.
import type { Io } from '../cli/command.ts'
import { askForYes, mayAsk, type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import { type Listening, note } from '../cli/render/report.ts'
import { readableMay } from '../inspect/diff.ts'
import { permissionLines } from '../inspect/permission-lines.ts'
import { RlpError } from '../model/error.ts'
import type { ToSign } from '../verify/before-signing.ts'

/** @throws RlpError NEEDS_ANSWER before anything is fetched */
export function refuseUnasked(label: string, { json }: Listening, io: Io): void {
  if (mayAsk(io, { json, nonInteractive: false })) return
  throw new RlpError(
    'NEEDS_ANSWER',
    `Cannot sign "${label}": it is not said which bundle this has to be, and no person can be asked`,
    {
      hint: 'Look at it with rlp agent inspect, then add --expect with blake3: and the identity that it shows',
    },
  )
}

/**
 * For a bundle that the caller has described: what it is, before the signer is asked.
 * @param more lines behind it
 */
export function showToSign(bundle: ToSign, args: Listening, io: Io, more: readonly string[] = []): void {
  const { which, lines } = described(bundle)
  for (const line of [which, ...[...lines, ...more].map(one => `  ${one}`)]) note(io, args, line)
}

/**
 * @param more lines behind what the bundle is
 * @throws RlpError CANCELLED unless the answer is yes
 */
export async function askToSign(
  bundle: ToSign,
  io: Io,
  more: readonly string[] = [],
  open: OpenPrompter = openTerminal,
): Promise<void> {
  const { which, lines } = described(bundle)
  const doing = `sign "${bundle.label}"`
  const prompter = await open(doing, io)
  prompter.note([...lines, ...more].join('\n'), which)
  await askForYes(prompter, 'Sign this bundle?', {
    doing,
    otherwise: 'nothing was signed',
    taken: 'yes alone',
  })
}

function described({ report, agent }: ToSign) {
  const may = readableMay(agent)
  const { name = '', version = '', variant } = report.agent ?? {}
  return {
    which: `${name}${variant === undefined ? '' : `@${variant}`} ${version}, identity ${report.identity}`,
    lines: [
      ...report.signatures.map(({ keyid, result }) => `${result} signature of ${keyid}`),
      ...(may === undefined ? [] : permissionLines(may).map(line => `it ${line}`)),
    ],
  }
}
