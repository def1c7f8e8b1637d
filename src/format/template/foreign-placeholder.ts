// A text of a tool → what other systems would fill in there, and this format sends as it is: `{id}`, `${id}`, `:id` in a path, `<id>`.
import type { TemplateText } from '../transports/kind.ts'
import { readTemplate } from './template.ts'

export interface ForeignPlaceholder {
  /** As it is written. */
  readonly text: string
  /** Without a word such as `input.` before it. */
  readonly name: string
}

const NAME = '[A-Za-z_][A-Za-z0-9_-]{0,63}(?:\\.[A-Za-z0-9_-]{1,64}){0,8}'
const WORD = '(?:(?:inputs?|args?|arguments|params?|parameters)\\.)?'
const FORMS: Readonly<Record<TemplateText['where'], RegExp>> = {
  url: new RegExp(
    `\\$?\\{${WORD}(${NAME})\\}|\\$?%7B${WORD}(${NAME})%7D|<(${NAME})>|(?<=/):(${NAME})(?=[/?#]|$)|(?<=[/=])\\$(${NAME})`,
    'g',
  ),
  header: new RegExp(`\\$?\\{${WORD}(${NAME})\\}|<(${NAME})>|\\$(${NAME})|%(${NAME})%`, 'g'),
  // In arguments the others are code of some program: jq has {id} and $id.
  argument: new RegExp(`\\$\\{${WORD}(${NAME})\\}|\\{input\\.(${NAME})\\}`, 'g'),
}

export function foreignPlaceholders({
  where,
  text,
}: Pick<TemplateText, 'where' | 'text'>): ForeignPlaceholder[] {
  return readTemplate(text).flatMap(part => {
    if (part.kind !== 'text') return []
    return [...part.text.matchAll(FORMS[where])].map(([whole, ...names]) => ({
      text: whole,
      name: names.find(name => name !== undefined) ?? '',
    }))
  })
}
