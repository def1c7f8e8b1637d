// The numbers of the statements in docs/spec.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SPEC = join(import.meta.dirname, '../../docs/spec')

/** What writers have to carry out; all other pages are for readers. */
const FOR_WRITERS = 'writing.md'

function numbersIn(page: string): string[] {
  const text = readFileSync(join(SPEC, page), 'utf8')
  return [...text.matchAll(/^\*\*([A-Z]-[0-9]+)\*\* /gm)].map(([, number = '']) => number)
}

export const WRITER_STATEMENTS: readonly string[] = numbersIn(FOR_WRITERS)

export const READER_STATEMENTS: readonly string[] = readdirSync(SPEC)
  .filter(page => page.endsWith('.md') && page !== FOR_WRITERS)
  .flatMap(numbersIn)
