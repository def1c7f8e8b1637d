// Finds in a text of a tool what other systems would fill in, and this format sends as it is: `{id}`, `${id}`, `:id` in a path, `<id>`, `%s`.

import { readTemplate, type TemplatePart } from './template.ts'
import type { TemplateText } from './transports/kind.ts'

export interface ForeignPlaceholder {
  /** As it is written. */
  readonly text: string
  /** Without a word such as `input.` before it; undefined for one that counts the values: `%s`, `$1`, `{}`. */
  readonly name: string | undefined
  /** Whether it is the whole text, or what follows an equals sign in it. Inside a longer argument, only braces after a dollar sign are looked for. */
  readonly isWhole: boolean
}

const NAME = '[A-Za-z_][A-Za-z0-9_-]{0,63}(?:\\.[A-Za-z0-9_-]{1,64}){0,8}'
const WORD = '(?:(?:inputs?|args?|arguments|params?|parameters)\\.)?'
const COUNTED = '%[sd1-9]|\\$[1-9]|\\{[0-9]?\\}'
const FORMS: Readonly<Record<TemplateText['where'], RegExp>> = {
  url: new RegExp(
    [
      `[$#@]?\\{[+?&;/]?${WORD}(${NAME})\\}`,
      `\\[\\[(${NAME})\\]\\]|\\$\\((${NAME})\\)|%\\((${NAME})\\)s`,
      `<%=?\\s{0,4}(${NAME})\\s{0,4}%>|\\{%\\s{0,4}(${NAME})\\s{0,4}%\\}`,
      `[$#@]?%7B${WORD}(${NAME})%7D`,
      `<(${NAME})>|%3C(${NAME})%3E|%(${NAME})%`,
      `(?<=/):(${NAME})(?=[/?#]|$)|(?<==)[:@](${NAME})(?=[&#]|$)`,
      `(?<=[/=])\\$(${NAME})`,
      `(?<=[/=])\\[(${NAME})\\](?=[/?#&]|$)`,
      `(?<=[/=])(?:${COUNTED})(?=[/?#&]|$)`,
    ].join('|'),
    'g',
  ),
  header: new RegExp(`[$#@]?\\{${WORD}(${NAME})\\}|<(${NAME})>|\\$(${NAME})|%(${NAME})%`, 'g'),
  // In arguments the others are code of some program: jq has {id} and $id.
  argument: new RegExp(`[$#@]\\{${WORD}(${NAME})\\}|\\{inputs?\\.(${NAME})\\}`, 'g'),
}
/** An argument that is nothing else, perhaps with an option before it. */
const WHOLE = new RegExp(
  `^(?:-[^=\\s]*=)?([$#@]?\\{${WORD}(${NAME})\\}|<(${NAME})>|%(${NAME})%|\\$(${NAME})|:(${NAME})|\\[(${NAME})\\]|${COUNTED})$`,
)

/** @param parts of the text, in order */
export function foreignPlaceholders(
  { where, text }: Pick<TemplateText, 'where' | 'text'>,
  parts: readonly TemplatePart[] = readTemplate(text),
): ForeignPlaceholder[] {
  if (where === 'argument' && WHOLE.test(text)) {
    const [, placeholder = '', ...names] = WHOLE.exec(text) ?? []
    return [{ text: placeholder, name: names.find(isNamed), isWhole: true }]
  }
  const found: ForeignPlaceholder[] = []
  for (const part of parts) {
    // Not `test`, which would begin where it ended the last time.
    if (part.kind !== 'text' || part.text.search(FORMS[where]) === -1) continue
    for (const [whole, ...names] of part.text.matchAll(FORMS[where]))
      found.push({ text: whole, name: names.find(isNamed), isWhole: whole === text })
  }
  return found
}

/** Whether a text may have one, or a variable of a shell: each has one of these signs. */
export function mayBeForeign(text: string): boolean {
  return SIGN.test(text)
}

const SIGN = /[{[$<%:@~]/

function isNamed(name: string | undefined): boolean {
  return name !== undefined
}

/** A variable at the beginning of an argument, or a home, as a shell would replace it: `$HOME/x`, `--in=$FILE`, `~/x`. */
export function shellVariable(argument: string): string | undefined {
  return VARIABLE.exec(argument)?.[1]
}

const VARIABLE = /^(?:-[^=\s]*=)?(\$\{[A-Z_][A-Z0-9_]*\}|\$[A-Z_][A-Z0-9_]*|%[A-Z_][A-Z0-9_]*%|~)(?=[/\\]|$)/
