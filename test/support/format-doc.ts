// docs/format.md as data: its tables, code blocks and numbers, for tests that hold the page against the code.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const FORMAT_DOC: string = readFileSync(join(import.meta.dirname, '../../docs/format.md'), 'utf8')

/** The rows of the first table below a heading, cells trimmed, without head and rule. */
export function tableUnder(heading: string): string[][] {
  const lines = sectionOf(heading).split('\n')
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
export function sectionOf(heading: string): string {
  const level = heading.indexOf(' ')
  const lines = FORMAT_DOC.split('\n')
  const from = lines.indexOf(heading)
  if (from === -1) throw new Error(`no heading ${heading}`)
  const next = lines.findIndex((line, at) => at > from && /^#+ /.test(line) && line.indexOf(' ') <= level)
  return lines.slice(from, next === -1 ? undefined : next).join('\n')
}

/** The content of the one code block with these words behind its fence. */
export function codeBlock(info: string): string {
  const blocks = [...FORMAT_DOC.matchAll(/^```(.*)\n((?:.*\n)*?)```$/gm)].filter(match => match[1] === info)
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

/** `1 GiB`, `512 MiB`, `10,000`. */
export function amount(cell: string): number {
  const match = /^([0-9,]+)(?: (MiB|GiB))?$/.exec(cell)
  if (match === null) throw new Error(`no amount in ${cell}`)
  const unit = match[2] === 'GiB' ? 1024 ** 3 : match[2] === 'MiB' ? 1024 ** 2 : 1
  return Number(match[1]?.replaceAll(',', '')) * unit
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
