// envPassthrough as written → the names that are passed on.
import { quoteGo, trimSpace } from './go-text.ts'

export type EnvNames =
  | { readonly ok: true; readonly names: readonly string[] }
  /** `problem` follows the index and the name of the tool; `index` is the position in the list. */
  | { readonly ok: false; readonly problem: string; readonly index: number }

/** Upper-cased, each once, in the order of their first appearance. */
export function readEnvNames(written: readonly string[]): EnvNames {
  const names = new Set<string>()
  for (const [index, text] of written.entries()) {
    const trimmed = trimSpace(text)
    if (trimmed === '') return { ok: false, index, problem: `envPassthrough[${index}]: empty name` }
    // Checked before it is upper-cased: JavaScript turns ß into SS, and both languages turn some other letters into ASCII.
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(trimmed)) {
      const problem = `envPassthrough[${index}]: invalid name ${quoteGo(text)} (must match [A-Z_][A-Z0-9_]*)`
      return { ok: false, index, problem }
    }
    names.add(trimmed.toUpperCase())
  }
  return { ok: true, names: [...names] }
}
