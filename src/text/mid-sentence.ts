/** A sentence as it is written in the middle of another one: `Write it` → `write it`. A word such as `JSON` keeps its capitals. */
export function midSentence(sentence: string): string {
  return /^[A-Z](?![A-Z])/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence
}
