// Files in test/kept/ that say what must not change, one fact a line. UPDATE_GOLDEN=1 writes them anew.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './lint-fixtures.ts'
import { IN_CI, slice } from './runs.ts'

const KEPT = 'test/kept'
export const IS_UPDATE: boolean = process.env['UPDATE_GOLDEN'] === '1'

/** True in `.ci/run`, at night, and when the data are written anew: every case is tried. */
export const IS_WHOLE: boolean = IN_CI || IS_UPDATE

/** Returns the cases that are tried now: by day one of `byDay` of each family. */
export function tried<T>(all: readonly T[], byDay: number, familyOf?: (one: T) => string): T[] {
  return IS_WHOLE ? [...all] : slice(all, byDay, familyOf)
}

/** Returns the text of a file, or nothing before it was written for the first time. */
export function keptText(name: string): string {
  const path = join(ROOT, KEPT, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

export function writeKept(name: string, text: string): void {
  if (keptText(name) === text) return
  const path = join(ROOT, KEPT, name)
  mkdirSync(join(ROOT, KEPT), { recursive: true })
  writeFileSync(path, text)
  process.stdout.write(`wrote ${path}\n`)
}

/** Compares a text with the whole of a file. */
export function assertKept(name: string, text: string): void {
  if (IS_UPDATE) writeKept(name, text)
  if (text === keptText(name)) return
  const args = ['-u', '--label', 'kept', '--label', 'now', join(ROOT, KEPT, name), '-']
  const { stdout } = spawnSync('diff', args, { input: text, encoding: 'utf8' })
  assert.fail(`${stdout || text}\n${advice(name)}`)
}

/** Compares texts that follow each other in a file. By day some of them are tried, so each has to be in it. */
export function assertKeptTexts(name: string, texts: readonly string[]): void {
  if (IS_WHOLE) {
    assertKept(name, texts.join(''))
    return
  }
  const kept = keptText(name)
  const others = texts.filter(text => !kept.includes(text))
  assert.ok(others.length === 0, [...others, advice(name)].join('\n'))
}

/** Lines by the name with which each begins. A name has no space, and may have no line. */
export type Named = ReadonlyMap<string, readonly string[]>

/**
 * Compares the lines of some names with those that a file has for them.
 *
 * @param all every name, so that the file has no line of another one; undefined if making the names takes too long by day
 * @param shown gives more about a name whose lines are different
 */
export function assertKeptLines(
  name: string,
  made: Named,
  all: ReadonlySet<string> | undefined,
  shown: (one: string) => string = () => '',
): void {
  if (IS_UPDATE) {
    const lines = [...made].flatMap(([one, said]) => said.map(line => `${one} ${line}\n`))
    writeKept(name, lines.sort().join(''))
    return
  }
  const known = new Map<string, string[]>()
  for (const line of keptText(name).split('\n').slice(0, -1)) {
    const end = line.indexOf(' ')
    const one = line.slice(0, end)
    known.set(one, [...(known.get(one) ?? []), line.slice(end + 1)])
  }
  const differing = [...made].flatMap(([one, said]) => {
    const [now, then] = [said.toSorted(), known.get(one) ?? []]
    if (now.join('\n') === then.join('\n')) return []
    const lost = then.filter(line => !now.includes(line)).map(line => `- ${one} ${line}`)
    const found = now.filter(line => !then.includes(line)).map(line => `+ ${one} ${line}`)
    return [[...lost, ...found, shown(one)].filter(Boolean).join('\n')]
  })
  const gone = all === undefined ? [] : [...known.keys()].filter(one => !all.has(one))
  assert.ok(differing.length + gone.length === 0, [...differing, ...gone, advice(name)].join('\n'))
}

/** Compares lines, each with how often it was found. By day a part of the cases is tried, so each line has to be among those of the file. */
export function assertKeptCounts(name: string, found: readonly string[]): void {
  const counts = new Map<string, number>()
  for (const line of found) counts.set(line, (counts.get(line) ?? 0) + 1)
  if (IS_WHOLE) {
    assertKept(
      name,
      [...counts]
        .map(([line, count]) => `${line} ${count}\n`)
        .sort()
        .join(''),
    )
    return
  }
  const known = new Set(
    keptText(name)
      .split('\n')
      .map(line => line.slice(0, line.lastIndexOf(' '))),
  )
  const others = [...counts.keys()].filter(line => !known.has(line))
  assert.ok(others.length === 0, [...others, advice(name)].join('\n'))
}

function advice(name: string): string {
  const by = name === 'calls.txt' ? 'every-command' : 'kept'
  return `${KEPT}/${name} says something else. If the change is meant, UPDATE_GOLDEN=1 npm run test:only -- test/product/${by}.test.ts writes it anew`
}
