// What the words of a tool say about a call: that it changes something, or that it only reads. Advice for authors goes by them; no verdict does.
import type { Tool } from '../../model/tools.ts'

/**
 * What deletes or overwrites, goes out to others, costs money, or runs code. What only adds something, changes a document that is open, or works
 * an interface as a person would, is not among these words.
 */
const CHANGING = new Set(
  'approve archive ban book buy cancel command deactivate delete deploy destroy disable drop erase exec execute grant install invite kill merge order overwrite patch pay post publish purchase purge push put reboot release remove reply revoke rewrite run sell send share shell shutdown sign terminate trade transaction transfer truncate unassign uninstall unpublish unsubscribe update upgrade upload upsert wipe withdraw write'.split(
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
  return /\b(?:ask|need|require|want|wait|only|without|unless|must|user)[a-z]*\b[^.\n]{0,60}\bconfirm/i.test(
    description,
  )
}

/** The first words of a long id or description are enough. */
const MOST_TEXT = 200

/** What the id says if its first word reads and none changes something, else the first word of the description, else the words of the id. */
export function saidOf({
  id,
  description,
}: Pick<Tool, 'id' | 'description'>): 'changes' | 'reads' | undefined {
  if (/\bread-?only\b/i.test(description)) return 'reads'
  const named = wordsIn(id)
  if (named[0] !== undefined && meaningOf(named[0]) === 'reads' && !named.some(isChanging)) return 'reads'
  const words = [wordsIn(description)[0] ?? '', ...named]
  // "Execute a query" says less than the words beside it do.
  const telling = words.filter(word => !/^(?:execut|run|perform)/.test(word))
  return [...telling, ...words].map(meaningOf).find(meaning => meaning !== undefined)
}

function meaningOf(word: string): 'changes' | 'reads' | undefined {
  const forms = [word, word.replace(/s$/, ''), word.replace(/es$/, '')]
  if (forms.some(form => READING.has(form))) return 'reads'
  return forms.some(form => CHANGING.has(form)) ? 'changes' : undefined
}

function isChanging(word: string): boolean {
  return meaningOf(word) === 'changes'
}

/** Also those of `sendMail`, `send_mail` and `mail.send`. */
function wordsIn(text: string): string[] {
  const parts = text.slice(0, MOST_TEXT).replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  return parts.toLowerCase().match(/[a-z]+/g) ?? []
}
