// The registry of report formats: one file and one line each.
import { codequality } from './codequality.ts'
import type { Format } from './format.ts'
import { github } from './github.ts'
import { json } from './json.ts'
import { lintJunit } from './junit.ts'
import { sarif } from './sarif.ts'
import { text } from './text.ts'

export const FORMATS = [
  text,
  json,
  sarif,
  github,
  lintJunit,
  codequality,
] as const satisfies readonly Format[]

export type FormatName = (typeof FORMATS)[number]['name']

export function formatOf(name: FormatName): Format {
  const format = FORMATS.find(one => one.name === name)
  if (format === undefined) throw new TypeError(`no format ${name}`)
  return format
}
