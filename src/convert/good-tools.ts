// The imported tools that lint accepts, where the caller wants no others.
import type { ConversionChange } from '../model/conversion.ts'
import type { NewTool } from '../scaffold/add-tool.ts'
import { WrongTools } from '../scaffold/wrong-tools.ts'
import { leftOut } from './bad-tools.ts'
import type { ImportPlace } from './import-place.ts'

/**
 * Leaves out the tools that lint refuses, with a loss for each.
 * @throws RlpError LINT_FAILED if no tool is left, or what is wrong is in none of them
 */
export async function goodTools(
  place: ImportPlace,
  tools: readonly NewTool[],
): Promise<{ readonly tools: readonly NewTool[]; readonly changes: readonly ConversionChange[] }> {
  const changes: ConversionChange[] = []
  let left = tools
  // One is left out at a time at least, because each round finds one at least.
  for (;;) {
    try {
      await place.add(left)
      return { tools: left, changes }
    } catch (error) {
      if (!(error instanceof WrongTools)) throw error
      const good = left.filter(({ tool }) => !error.wrong.has(tool.id))
      if (good.length === 0 || good.length === left.length) throw error
      changes.push(...[...error.wrong].map(([name, why]) => leftOut({ name, why })))
      left = good
    }
  }
}
