// Step "archive": the bytes are the one canonical archive of their files; a folder holds only plain files with valid names.
import { type Agent, SIGNATURE_FILE, SIGNATURE_FOLDER } from '../model/agent.ts'
import type { Candidate } from '../model/bundle.ts'
import type { Turn } from '../model/turn.ts'
import { findingsOf, reasonsOf } from './findings.ts'
import type { Protocol } from './protocol.ts'

/** @returns whether the files may be read at all */
export async function checkForm(
  candidate: Candidate,
  agent: Agent,
  protocol: Protocol,
  turn: Turn,
): Promise<boolean> {
  const { files, refusal } = candidate
  if (refusal !== undefined) {
    const { why, message, hint } = refusal
    const about = { message, ...(hint !== undefined && { hint }) }
    const isLate = refusal.error?.code === 'TIMED_OUT'
    if (why === 'io')
      protocol.fail('archive', 'indeterminate', [{ code: isLate ? 'timed_out' : 'unreadable', ...about }])
    else protocol.fail('archive', 'invalid', [{ code: 'not_canonical', ...about }])
    return false
  }
  const odd = files.oddities.map(({ path, what }) => ({
    code: 'not_canonical' as const,
    message: `${path} is ${what === 'empty-directory' ? 'an empty folder' : `a ${what}`}; a bundle holds plain files only`,
  }))
  const beside = files.list
    .filter(({ path }) => path !== SIGNATURE_FILE && path.startsWith(`${SIGNATURE_FOLDER}/`))
    .map(({ path }) => ({
      code: 'not_canonical' as const,
      message: `${path} is not allowed beside ${SIGNATURE_FILE}`,
    }))
  const reasons = [...odd, ...beside, ...reasonsOf(await findingsOf(agent, 'archive', turn))]
  if (reasons.length > 0) protocol.fail('archive', 'invalid', reasons)
  else protocol.pass('archive', `${files.list.length} files in canonical form`)
  return reasons.length === 0
}
