// A document → its JSON for people and files: indented, and without a character that a terminal obeys.
import { printableJson } from '../text/printable.ts'

export function shownJson(document: object): string {
  return `${JSON.stringify(document, null, 2).split('\n').map(printableJson).join('\n')}\n`
}
