// The registry of report formats: one file and one line each. A format is loaded if it is asked for.
import type { Format } from './format.ts'
import { text } from './text.ts'

/** `name` is the value of `--format`. */
export const FORMATS = [
  { name: 'text', load: async () => text },
  { name: 'json', load: async () => (await import('./json.ts')).json },
  { name: 'sarif', load: async () => (await import('./sarif.ts')).sarif },
  { name: 'github', load: async () => (await import('./github.ts')).github },
  { name: 'junit', load: async () => (await import('./junit.ts')).lintJunit },
  { name: 'codequality', load: async () => (await import('./codequality.ts')).codequality },
] as const satisfies readonly { readonly name: string; load(): Promise<Format> }[]

export type FormatName = (typeof FORMATS)[number]['name']
