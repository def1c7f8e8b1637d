// Before a bundle is signed: who it is, who signed it, and what it asks for. Unless the caller has described it, a person has to say yes.
import { mayAsk } from '../cli/interactive.ts'
import { readableMay } from '../inspect/diff.ts'
import { permissionLines } from '../inspect/permission-lines.ts'
import { RlpError } from '../model/error.ts'
import type { World } from '../verb/index.ts'
import { answered } from '../verb/kinds/consent.ts'
import type { ToSign } from '../verify/before-signing.ts'

const LOOK =
  'Look at it with rlp agent inspect, then add --expect with blake3: and the identity that it shows'

/** @throws RlpError NEEDS_ANSWER before anything is fetched */
export function refuseUnasked(label: string, { terminal }: Pick<World, 'terminal'>): void {
  if (terminal && mayAsk(terminal.io, { json: terminal.args.json, nonInteractive: false })) return
  throw new RlpError(
    'NEEDS_ANSWER',
    `Cannot sign "${label}": it is not said which bundle this has to be, and no person can be asked`,
    { hint: LOOK },
  )
}

/**
 * @param isTold a person has said which bundle it is: they see it, and are not asked
 * @param more lines behind what the bundle is
 * @throws RlpError CANCELLED unless the answer is yes
 */
export async function askToSign(
  { label, report, agent }: ToSign,
  isTold: boolean,
  more: readonly string[],
  world: Pick<World, 'terminal' | 'tell'>,
): Promise<void> {
  const may = readableMay(agent)
  const { name = '', version = '', variant } = report.agent ?? {}
  const lines = [
    ...report.signatures.map(({ keyid, result }) => `${result} signature of ${keyid}`),
    ...(may === undefined ? [] : permissionLines(may).map(line => `it ${line}`)),
    ...more,
  ]
  const title = `${name}${variant === undefined ? '' : `@${variant}`} ${version}, identity ${report.identity}`
  const asking = {
    question: 'Sign this bundle?',
    otherwise: 'nothing was signed',
    hint: LOOK,
    isTold: true,
  } as const
  await answered(isTold, { doing: `sign "${label}"`, title, lines }, asking, world)
}
