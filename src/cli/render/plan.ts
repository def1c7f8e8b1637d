// The plan of a call → lines for people.

import type { RunPlan } from '../../model/run.ts'
import { printable } from '../../text/printable.ts'
import { pad } from './layout.ts'

const LABEL = 12
/** Characters of one line: a body can be megabytes long. */
const LONGEST = 2000

export function planLines({ lines }: RunPlan, longest = LONGEST): string[] {
  return lines.map(([label, value]) => `${pad(printable(label), LABEL)} ${printable(value, longest)}`)
}
