// Tools → the programs that they start.

import { transportKind } from '../format/transports/index.ts'
import type { Tool } from '../model/tools.ts'

/** Their paths as written; a program of several tools appears several times. */
export function programsOf(tools: readonly Pick<Tool, 'transport'>[]): readonly string[] {
  return tools.flatMap(({ transport }) => transportKind(transport).record.program(transport)?.command ?? [])
}
