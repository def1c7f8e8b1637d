// Tools → the programs that they start.

import type { Tool } from '../model/tools.ts'
import { transportKind } from '../tools/transports/index.ts'

/** Their paths as written; a program of several tools appears several times. */
export function programsOf(tools: readonly Pick<Tool, 'transport'>[]): readonly string[] {
  return tools.flatMap(({ transport }) => transportKind(transport).record.program(transport)?.command ?? [])
}
