// What the words of a tool say about a call: that it changes something, or that it only reads. Advice for authors goes by them; no verdict does.
import type { Tool } from '../../model/tools.ts'

/** What is lost, given away, paid for or run by it. What only adds something, or works an interface as a person would, is not among these words. */
const CHANGING = new Set(
  'approve archive ban book buy cancel change checkout clear close command deactivate delete deploy destroy disable drop edit erase eval evaluate exec execute grant install invite kill merge modify move notify order overwrite patch pay post publish purchase purge push put reboot register reject release remove rename replace reply reset restart restore revoke rewrite rotate run sell send share shell shutdown sign stop submit terminate trade transaction transfer truncate unassign uninstall unpublish unset unsubscribe update upgrade upload upsert wipe withdraw write'.split(
    ' ',
  ),
)
const READING = new Set(
  'analyze browse calculate check compare compute count describe diff display draw estimate explain fetch find generate get inspect is list look lookup monitor ping plot preview query read render resolve retrieve return scan search select show summarize translate validate verify view watch'.split(
    ' ',
  ),
)

/** "Ask for confirmation first": words for a model, which no runtime enforces. */
export function asksInWords({ description }: Pick<Tool, 'description'>): boolean {
  return /\bconfirm(?:ation|s|ed)?\b/i.test(description)
}

/** The first words of a long id or description are enough. */
const MOST_TEXT = 200

/** Which of the two the description's first word says, or else the first word of the id that says one. */
export function saidOf({
  id,
  description,
}: Pick<Tool, 'id' | 'description'>): 'changes' | 'reads' | undefined {
  if (/\bread-?only\b/i.test(description)) return 'reads'
  const words = [wordsIn(description)[0] ?? '', ...wordsIn(id)]
  // "Execute a query" says less than the words beside it do.
  const telling = words.filter(word => !/^(?:execut|run|perform)/.test(word))
  for (const word of [...telling, ...words]) {
    const forms = [word, word.replace(/s$/, ''), word.replace(/es$/, '')]
    if (forms.some(form => READING.has(form))) return 'reads'
    if (forms.some(form => CHANGING.has(form))) return 'changes'
  }
  return undefined
}

/** Also those of `sendMail`, `send_mail` and `mail.send`. */
function wordsIn(text: string): string[] {
  const parts = text.slice(0, MOST_TEXT).replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  return parts.toLowerCase().match(/[a-z]+/g) ?? []
}
