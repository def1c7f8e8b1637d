// Writes imported tools into the files that hold them, with a grant if the caller agrees to its lines.
import { isDeepStrictEqual } from 'node:util'
import { POLICY_FILE } from '../model/agent.ts'
import type { ConversionChange } from '../model/conversion.ts'
import { RlpError } from '../model/error.ts'
import type { AddedTool, NewTool } from '../scaffold/add-tool.ts'
import type { ImportPlace } from './import-place.ts'

export interface WrittenImport {
  readonly files: readonly string[]
  /** Whether policy.caps grants now what was missing. */
  readonly isGranted: boolean
}

export const NOT_WRITTEN: WrittenImport = { files: [], isGranted: false }

/**
 * @param shown what the caller has seen of the change
 * @param agrees whether policy.caps may say what `shown` adds to it; only asked where there is something to add
 * @throws RlpError CHANGED_WHILE_READING when the lines would be others by now
 */
export async function writeGranted(
  place: ImportPlace,
  { policy }: AddedTool,
  tools: readonly NewTool[],
  agrees: () => Promise<boolean>,
): Promise<WrittenImport> {
  // An empty list is valid, and changes nothing of an agent.
  if (place.is === 'agent' && tools.length === 0) return NOT_WRITTEN
  const isGranted = place.is === 'agent' && policy !== undefined && (await agrees())
  // Minutes may have gone by, so the new text is made from the file as it is now.
  const { agent, plan } = await place.add(tools)
  if (isGranted && !isDeepStrictEqual(plan.policy, policy)) {
    const file = `${place.label}/${POLICY_FILE}`
    throw new RlpError('CHANGED_WHILE_READING', `Cannot write "${file}": it changed meanwhile`, {
      hint: 'Run the command again',
    })
  }
  return { files: await place.write(agent, plan, isGranted), isGranted }
}

/** A tools.json alone has no interfaces.json beside it. */
export function factsLost(tools: readonly NewTool[]): ConversionChange[] {
  return tools.flatMap(({ tool, facts }): ConversionChange[] => {
    const keys = Object.keys(facts)
    const message = `${keys.join(', ')}: only an agent has an interfaces.json; use --agent`
    return keys.length === 0 ? [] : [{ tool: tool.id, field: 'record', what: 'lost', message }]
  })
}
