// The commands that docs/registries.md shows, block by block.
import { readFileSync } from 'node:fs'

/** Lines of one block. */
export type Block = readonly string[]

export function registriesDoc(): readonly Block[] {
  const page = readFileSync('docs/registries.md', 'utf8')
  return [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.trim().split('\n'))
}

/** A first install and a removal ask a person; a test has no person. */
export function words(line: string): string[] {
  const all = line.split(' ').slice(1)
  const asks = all[1] === 'install' || (all[1] === 'detach' && !all.includes('--dry-run'))
  return asks ? [...all, '--yes'] : all
}
