// Decides whether the of an argument says what it is for: "repo_path" and "maxResults" do, "data" does not.

/** Words that are true of any argument. So is a single letter. */
const VAGUE = new Set(
  'arg args argument arguments config context data details extra field fields filter filters flag flags format id ids info input key keys kind metadata meta mode name obj object option options opts param parameter parameters params payload props spec state type val value values var vars'.split(
    ' ',
  ),
)

/** The longest name that is looked at. */
const MOST_NAME = 200

/** Also of `maxResults`, `max_results` and `max-results`. A name without a letter of English says nothing here. */
export function isTelling(name: string): boolean {
  const parts = name.slice(0, MOST_NAME).replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  return (parts.toLowerCase().match(/[a-z]+/g) ?? []).some(word => word.length > 1 && !VAGUE.has(word))
}
