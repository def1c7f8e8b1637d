// What V8 counted in a run → the lines of src/ that ran.
import { readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CompiledTree } from './compiled-tree.ts'

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
 * @param files that are asked about, below src/
 */
export function linesRun(coverage: string, tree: CompiledTree, files: readonly string[]): LinesRun {
  const [ran, around] = [new Set<string>(), new Set<string>()]
  const asked = new Map(files.map(file => [tree.pathOf(join('src', file)), file]))
  for (const name of readdirSync(coverage)) {
    for (const { url, functions } of scriptsIn(join(coverage, name))) {
      const path = url.startsWith('file:') ? fileURLToPath(url) : ''
      const file = asked.get(path)
      if (file === undefined) continue
      const lines = linesIn(path, functions)
      for (const line of lines.ran) ran.add(`${file}:${line}`)
      for (const line of lines.around) around.add(`${file}:${line}`)
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

/** From 1, of the source. */
function linesIn(path: string, functions: Script['functions']) {
  const text = readFileSync(path, 'utf8')
  const counts = countsOf(
    text.length,
    functions.flatMap(one => one.ranges),
  )
  // The first range of a function is all of it.
  const wholes = countsOf(
    text.length,
    functions.flatMap(one => one.ranges.slice(0, 1)),
  )
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
  const [ran, around] = [new Set<number>(), new Set<number>()]
  let at = 0
  for (const [row, line] of text.split('\n').entries()) {
    // A line of ours may be a part of a longer one here.
    for (let here = Math.max(0, line.search(/\S/)); here < line.length; here += 1) {
      const [hasRun, isAround] = [counts[at + here] === 1, wholes[at + here] === 1]
      if (!hasRun && !isAround) continue
      const { originalLine } = map.findEntry(row, here) as { originalLine?: number }
      if (originalLine === undefined) continue
      if (hasRun) ran.add(originalLine + 1)
      if (isAround) around.add(originalLine + 1)
    }
    at += line.length + 1
  }
  return { ran, around }
}

/** How often each character ran: ranges inside others come after them, and count for themselves. */
function countsOf(length: number, ranges: readonly Range[]): Uint8Array {
  const counts = new Uint8Array(length)
  const inOrder = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  for (const { startOffset, endOffset, count } of inOrder)
    counts.fill(Math.min(count, 1), startOffset, endOffset)
  return counts
}
