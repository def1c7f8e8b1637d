// The files of a middling agent: such as agents hold, and others that cannot be made smaller.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeLarge } from './inputs.ts'

const FILES = 200
const FILE_BYTES = 100_000

/**
 * In turn a piece of a program, for an agent's modules, and a piece of text, for its prompts and tables. They become two fifths and three
 * tenths as large, as modules and texts do.
 */
export function writeLikely(folder: string): void {
  const program = readFileSync(process.execPath)
  const text = Buffer.concat(['src', 'docs'].flatMap(textsBelow))
  writeParts(folder, (path, index) => {
    const source = index % 2 === 0 ? program : text
    const at = Math.floor(((source.length - FILE_BYTES) * index) / FILES)
    writeFileSync(path, source.subarray(at, at + FILE_BYTES))
  })
}

export function writeRandom(folder: string): void {
  writeParts(folder, (path, index) => makeLarge(path, FILE_BYTES, index + 1))
}

function writeParts(folder: string, write: (path: string, index: number) => void): void {
  mkdirSync(join(folder, 'data'))
  for (let index = 0; index < FILES; index++) write(join(folder, 'data', `part${index}.bin`), index)
}

function textsBelow(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(?:ts|md)$/.test(name))
    .sort()
    .map(name => readFileSync(join(folder, name)))
}
