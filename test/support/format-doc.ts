// The pages on the format as data: their tables, code blocks, numbers and statements, for tests that hold them against the code.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCS = join(import.meta.dirname, '../../docs')

export function pageOf(name: string): string {
  return readFileSync(join(DOCS, name), 'utf8')
}

export const ARCHIVE_PAGE: string = pageOf('spec/archive.md')

export interface Statement {
  readonly number: string
  readonly page: string
  /** Up to the end of its paragraph. */
  readonly words: string
}

/** The numbered statements of the specification, page by page. A number that is there twice is twice in the list. */
export function statementList(): readonly Statement[] {
  const pages = readdirSync(join(DOCS, 'spec')).filter(name => name.endsWith('.md'))
  return pages.flatMap(name =>
    [...pageOf(`spec/${name}`).matchAll(/^\*\*([A-Z]-[0-9]+)\*\* ((?:.+\n)+)/gm)].map(
      ([, number = '', words = '']) => ({
        number,
        page: `docs/spec/${name}`,
        words: words.replaceAll(/\n */g, ' ').trim(),
      }),
    ),
  )
}

/** The same by number. */
export function statements(): ReadonlyMap<string, Statement> {
  return new Map(statementList().map(one => [one.number, one]))
}

/** The rows of the first table below a heading, cells trimmed, without head and rule. */
export function tableUnder(page: string, heading: string): string[][] {
  const lines = sectionOf(page, heading).split('\n')
  const first = lines.findIndex(line => line.startsWith('|'))
  const length = lines.slice(first).findIndex(line => !line.startsWith('|'))
  if (first === -1) throw new Error(`no table under ${heading}`)
  const end = length === -1 ? lines.length : first + length
  return lines.slice(first + 2, end).map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

/** From a heading to the next of the same level or above. */
export function sectionOf(page: string, heading: string): string {
  const level = heading.indexOf(' ')
  const lines = page.split('\n')
  const from = lines.indexOf(heading)
  if (from === -1) throw new Error(`no heading ${heading}`)
  const next = lines.findIndex((line, at) => at > from && /^#+ /.test(line) && line.indexOf(' ') <= level)
  return lines.slice(from, next === -1 ? undefined : next).join('\n')
}

/** The content of the one code block with these words behind its fence. */
export function codeBlock(page: string, info: string): string {
  const blocks = [...page.matchAll(/^```(.*)\n((?:.*\n)*?)```$/gm)].filter(match => match[1] === info)
  if (blocks.length !== 1) throw new Error(`${blocks.length} code blocks are marked ${info}`)
  return blocks[0]?.[2] ?? ''
}

/** The bytes that a cell shows: text in backticks with `\0`, or the word "empty". */
export function cellBytes(cell: string): Buffer {
  if (cell === 'empty') return Buffer.alloc(0)
  const text = /^`(.*)`$/.exec(cell)?.[1]
  if (text === undefined) throw new Error(`no bytes in ${cell}`)
  return Buffer.from(text.replaceAll('\\0', '\0'), 'latin1')
}

/** Bytes as `hexdump -C` prints them. */
export function hexdump(bytes: Uint8Array): string {
  const lines: string[] = []
  let previous = ''
  let isStarred = false
  for (let at = 0; at < bytes.length; at += 16) {
    const row = Buffer.from(bytes.subarray(at, at + 16))
    const hex = [...row].map(byte => byte.toString(16).padStart(2, '0'))
    if (previous === row.toString('hex')) {
      if (!isStarred) lines.push('*')
      isStarred = true
      continue
    }
    previous = row.toString('hex')
    isStarred = false
    const text = row.toString('latin1').replace(/[^\x20-\x7e]/g, '.')
    const columns = `${hex.slice(0, 8).join(' ').padEnd(23)}  ${hex.slice(8).join(' ').padEnd(23)}`
    lines.push(`${offset(at)}  ${columns}  |${text}|`)
  }
  return `${[...lines, offset(bytes.length)].join('\n')}\n`
}

function offset(at: number): string {
  return at.toString(16).padStart(8, '0')
}
