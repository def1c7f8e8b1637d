// What the words of a tool say about a call: that it changes something, or that it only reads. Advice for authors goes by them; no verdict does.
import type { Tool } from '../../model/tools.ts'

const CHANGING = new Set(
  'add append apply approve archive assign attach ban block book buy cancel change clear click close commit create cut deactivate delete deploy destroy disable dismiss drop edit enable erase exec execute fill grant import insert install invite kill launch lock mark merge modify move mute notify order overwrite patch pause pay pin post press publish purchase purge push put reboot register reject release remove rename replace reply reset restart restore resume revoke rewrite rotate run save schedule sell send set share shutdown sign start stop store submit subscribe sync terminate toggle trade transfer trigger truncate unassign undo uninstall unpin unset unsubscribe update upgrade upload upsert wipe withdraw write'.split(
    ' ',
  ),
)
const READING = new Set(
  'analyze browse calculate check compare compute count describe diff display estimate explain fetch find get inspect is list look lookup monitor ping preview query read resolve retrieve return scan search select show summarize translate validate verify view watch'.split(
    ' ',
  ),
)

/** The first words of a long id or description are enough. */
const MOST_TEXT = 200

/** Which of the two the description's first word says, or else the first word of the id that says one. */
export function saidOf({
  id,
  description,
}: Pick<Tool, 'id' | 'description'>): 'changes' | 'reads' | undefined {
  if (/\bread-?only\b/i.test(description)) return 'reads'
  const [verb = ''] = wordsIn(description)
  // "Execute a query" says less than the id does.
  for (const word of [...(/^(?:execut|run|perform)/.test(verb) ? [] : [verb]), ...wordsIn(id)]) {
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
