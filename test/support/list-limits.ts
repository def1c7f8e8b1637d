// Limits on single lists of tools.json: the schema alone has the numbers.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './lint-fixtures.ts'

const text = readFileSync(join(ROOT, 'schemas/tools.v1.schema.json'), 'utf8')

/** Of arguments, headers, secrets, capabilities, tags or variables of one tool, each as its list states it. */
export const LIST_BOUNDS: readonly number[] = [...text.matchAll(/"max(?:Items|Properties)": ([0-9]+)/g)].map(
  ([, most]) => Number(most),
)

/** A rule looks at those of one tool without a break. */
export const LIST_LIMITS = { ofOneTool: Math.max(...LIST_BOUNDS) } as const
