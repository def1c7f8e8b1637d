// A placeholder together with the quotes that stand around it in code: who puts a variable in its place has to take them away.

/** In the quotes that are there, or else in quotes of its own. */
export function withQuotes(placeholder: string, code: string): string {
  const at = code.indexOf(placeholder)
  const [before, after] = [code[at - 1], code[at + placeholder.length]]
  const isQuoted = before === after && (before === '"' || before === "'")
  return isQuoted ? `${before}${placeholder}${after}, with its quotes` : placeholder
}
