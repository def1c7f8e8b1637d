// Where pages are named: links of pages; and in the text of code a page, alone, with a heading (`#heading`, or its words in quotes) or with
// statements (`, A-1 to A-3`).
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { statements } from './format-doc.ts'

const STATEMENTS = statements()
const known = new Map<string, readonly string[]>()

/** The anchors of a page's headings, as GitHub makes them where no two headings are the same. */
function anchorsOf(path: string): readonly string[] {
  const found =
    known.get(path) ??
    [...proseOf(readFileSync(path, 'utf8')).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title))
  known.set(path, found)
  return found
}

export function anchorOf(title: string): string {
  const words = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return words.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}

/** Without blocks of code. */
function proseOf(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, '')
}

/** Links of a page that lead to no file, or to no heading. */
export function deadLinks(path: string, text: string): string[] {
  return [...proseOf(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : join(dirname(path), file)
    const isThere = existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor))
    return isThere ? [] : [`${path}: ${link}`]
  })
}

const PAGE =
  /\bdocs\/((?:spec\/)?[a-z-]+)\.md(?:#([a-z0-9-]*)|, "([^"]+)"|((?:(?:, | and | to )[A-Z]-[0-9]+)+))?(,? §|,? section)?/g

/** What a text of code says of pages and is not so. */
export function wrongCitations(path: string, text: string): string[] {
  const joined = text.replaceAll(/\n\s*(?:\/\/|\*|#)\s?/g, ' ')
  return [...joined.matchAll(PAGE)].flatMap(([whole, name = '', link, title, numbers = '', section]) => {
    const page = `docs/${name}.md`
    if (!existsSync(page)) return [`${path}: ${page} is not there`]
    const anchor = title === undefined ? link : anchorOf(title)
    const wrong = [
      ...(anchor === undefined || anchorsOf(page).includes(anchor) ? [] : [`no heading #${anchor}`]),
      ...[...numbers.matchAll(/[A-Z]-[0-9]+/g)].flatMap(([number]) =>
        STATEMENTS.get(number)?.page === page ? [] : [`no statement ${number}`],
      ),
      ...(section === undefined ? [] : ['pages have headings and statements, and no numbers of sections']),
    ]
    return wrong.map(problem => `${path}: ${whole}: ${problem}`)
  })
}
