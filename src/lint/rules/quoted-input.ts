// A placeholder in code, with the quotes around it: a variable that replaces it belongs outside of quotes.

/** Says which part of the code to replace: the placeholder with its quotes if it has some. */
export function withQuotes(placeholder: string, code: string): string {
  const at = code.indexOf(placeholder)
  const [before, after] = [code[at - 1], code[at + placeholder.length]]
  const isQuoted = before === after && (before === '"' || before === "'")
  return isQuoted ? `${before}${placeholder}${after} (with its quotes)` : placeholder
}
