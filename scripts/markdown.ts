// The parts of pages that are written from declarations: text, lines and blocks of code, in Markdown.

/** Columns of a line of prose. */
const WIDEST = 110

/** Escapes text in which nothing is meant as markup. An underscore inside a word is plain text anyway. */
export function plain(words: string): string {
  return words.replace(/[\\`*<|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&')
}

/** With a capital and a full stop; what begins like a file or a key keeps its spelling. */
export function sentence(words: string): string {
  const isName = /^[^\s]*[a-z\]][._/][a-z]/.test(words)
  const start = isName ? words.slice(0, 1) : words.slice(0, 1).toUpperCase()
  return `${start}${words.slice(1)}${/[.?!]$/.test(words) ? '' : '.'}`
}

/** A block of code. */
export function fence(language: string, text: string): string {
  const marks = text.includes('```') ? '````' : '```'
  return `${marks}${language}\n${text.trimEnd()}\n${marks}`
}

/** A word; a span of code and a link are one word. */
const WORD = /(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g
/** Words that would begin a list, a heading or a quotation at the start of a line. */
const BEGINS_BLOCK = /^(?:[-+*>=]|#+|\d+[.)])$/

/** Breaks a paragraph of Markdown into lines. */
export function filled(text: string, indent = ''): string {
  const lines: string[] = []
  for (const word of text.match(WORD) ?? []) {
    const line = lines.at(-1)
    const isBelow = line === undefined || indent.length + line.length + 1 + word.length > WIDEST
    if (isBelow && !(line !== undefined && BEGINS_BLOCK.test(word))) lines.push(word)
    else lines.push(`${lines.pop()} ${word}`)
  }
  return lines.join(`\n${indent}`)
}

/** An item of a list. */
export function item(text: string): string {
  return `- ${filled(text, '  ')}`
}
