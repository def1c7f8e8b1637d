// What V8 counted in a run → the lines of src/ that ran.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './rooms.ts'

interface Range {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

interface Script {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly Range[] }[]
}

/** Each line is `registry/http/base.ts:12`, below src/. */
export interface LinesRun {
  readonly ran: ReadonlySet<string>
  /** Of functions that ran. V8 counts what follows a choice with an `await` in it as if it had not run. */
  readonly around: ReadonlySet<string>
}

/**
 * @param coverage folder that NODE_V8_COVERAGE named
 * @param folder with the compiled files and their maps
 * @param files that are asked about, below src/
 */
export function linesRun(coverage: string, folder: string, files: readonly string[]): LinesRun {
  const [ran, around] = [new Set<string>(), new Set<string>()]
  for (const name of readdirSync(coverage)) {
    for (const { url, functions } of scriptsIn(join(coverage, name))) {
      const path = url.startsWith('file:') ? fileURLToPath(url) : ''
      if (!path.startsWith(folder) || !existsSync(`${path}.map`)) continue
      const [all, whole] = [
        functions.flatMap(one => one.ranges),
        functions.flatMap(one => one.ranges.slice(0, 1)),
      ]
      for (const line of linesIn(path, all, files)) ran.add(line)
      for (const line of linesIn(path, whole, files)) around.add(line)
    }
  }
  return { ran, around }
}

/** A process that a test kills may leave half a file. */
function scriptsIn(path: string): readonly Script[] {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { result: readonly Script[] }).result
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

function linesIn(path: string, ranges: readonly Range[], files: readonly string[]): string[] {
  const text = readFileSync(path, 'utf8')
  const counts = countsOf(text.length, ranges)
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
  let at = 0
  let isAsked = false
  return text.split('\n').flatMap((line, row) => {
    const column = line.search(/\S/)
    const start = at
    at += line.length + 1
    // So each file begins in what is compiled.
    const [, begun] = /^\/\/ src\/(\S+)$/.exec(line) ?? []
    if (line.startsWith('// ')) isAsked = begun !== undefined && files.includes(begun)
    if (column < 0 || !isAsked) return []
    // A line of ours may be a part of a longer one here.
    const lines = new Set<string>()
    for (let here = column; here < line.length; here += 1) {
      if ((counts[start + here] ?? 0) === 0) continue
      const entry = map.findEntry(row, here) as { originalSource?: string; originalLine?: number }
      if (entry.originalSource === undefined || entry.originalLine === undefined) continue
      const file = relative(join(ROOT, 'src'), resolve(dirname(path), entry.originalSource))
      if (!file.startsWith('..')) lines.add(`${file}:${entry.originalLine + 1}`)
    }
    return [...lines]
  })
}

/** How often each character ran: ranges inside others come after them, and count for themselves. */
function countsOf(length: number, ranges: readonly Range[]): Uint8Array {
  const counts = new Uint8Array(length)
  const inOrder = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  for (const { startOffset, endOffset, count } of inOrder)
    counts.fill(Math.min(count, 1), startOffset, endOffset)
  return counts
}
