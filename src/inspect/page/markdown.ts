// A page → markdown for the summary of a pipeline: every text of the bundle a code span, and short enough to be shown.
import { codeSpan as code } from '../../text/markup.ts'
import { type Emphasis, type Item, type Page, type Part, type Section, shortenPage } from './page.ts'

/** In bytes of UTF-8. A runner refuses a longer summary as a whole. */
const LONGEST = 60_000
const MOST = { items: 2000, list: 200, below: 60 }

export function markdownOf(given: Page): string {
  const page = shortenPage(given, MOST)
  const { title, target, verdict, decided, hint, facts, made } = page
  const head = [
    `# ${code(title)}`,
    '',
    `**${verdict}**: ${wordsOf(decided)}`,
    ...(hint === undefined ? [] : ['', `What to do: ${code(hint, 1000)}`]),
    '',
    ...[[{ text: target }], ...facts, ...made].map(words => `- ${wordsOf(words)}`),
    '',
  ]
  return cutLines([...head, ...page.sections.flatMap(sectionLines)])
}

function sectionLines({ title, note, items }: Section): string[] {
  return [
    `## ${title.replace(/[^\p{L}\p{N} .,:@+_-]/gu, '')}`,
    '',
    ...(note === undefined ? [] : [wordsOf(note), '']),
    ...items.flatMap(item => itemLines(item, '')),
    '',
  ]
}

const SIGN: Readonly<Record<Emphasis, string>> = {
  gone: '~~gone~~ ',
  danger: '**look here** ',
  warning: '*note* ',
  good: 'ok ',
  bad: '**no** ',
}

function itemLines({ isNew, mark, words, more = [] }: Item, indent: string): string[] {
  const signs = `${isNew ? '**new** ' : ''}${mark === undefined ? '' : SIGN[mark]}`
  const line = `${indent}- ${signs}${wordsOf(words)}`
  return [line, ...more.flatMap(item => itemLines(item, `${indent}  `))]
}

function wordsOf(words: readonly Part[]): string {
  return words.map(part => (typeof part === 'string' ? part : code(part.text))).join('')
}

/** Whole lines up to the limit, and how many are missing. */
function cutLines(lines: readonly string[]): string {
  let size = 0
  const room = LONGEST - 200
  const fits = lines.findIndex(line => {
    size += Buffer.byteLength(line) + 1
    return size > room
  })
  if (fits === -1) return `${lines.join('\n').trimEnd()}\n`
  return `${lines.slice(0, fits).join('\n').trimEnd()}\n\n${lines.length - fits} more lines are missing here: \`--format html\` shows them.\n`
}
