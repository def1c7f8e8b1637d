// A description → whether it is only in the place of one that was never written.

/** What generators and authors write until they know better, without punctuation. */
const FILLERS: ReadonlySet<string> = new Set(
  'todo tbd fixme xxx na none null test description adescription descriptionhere yourdescriptionhere tooldescription placeholder loremipsum'.split(
    ' ',
  ),
)

/** A text of punctuation alone says nothing either. A sentence that is about a TODO says something. */
export function isUnwritten(text: string): boolean {
  const words = wordsOf(text)
  return (
    words === '' ||
    FILLERS.has(words) ||
    /^\W*(?:TODO|TBD|FIXME|XXX)(?::|\b\W*$|\s+(?:add|write|describe|fill)\b)/.test(text)
  )
}

/** Without capitals, punctuation and white space. */
export function wordsOf(text: string): string {
  return text.toLowerCase().replace(/[\p{P}\p{S}\s]/gu, '')
}
