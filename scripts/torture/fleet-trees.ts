// A random tree of bundles, links, pipes and odd names, and what a report about it has to say: each bundle once, everything else counted.
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Tree, writeTree } from '../../test/support/agent.ts'
import type { Random } from './random.ts'

export interface MadeTree {
  /** Path below the folder → the verdict. */
  readonly verdicts: Map<string, string>
  readonly skipped: { links: number; special: number; files: number; own: number }
}

export interface TreeParts {
  readonly good: Uint8Array
  readonly bad: Uint8Array
  readonly unpacked: Tree
}

const FOLDERS = [
  'sub',
  '.h',
  'node_modules',
  'a b',
  'new\nline',
  '..x',
  '-n',
  'é',
  'x.agent.bundle.d',
  '.git',
]
const NAMES = ['b', '.b', 'new\nline', 'tab\t', '-0', ' ', 'a"b', '\u202e', 'x.tar', "'"]

/** @param root is made, and so is `elsewhere` beside it */
export function makeTree(random: Random, root: string, { good, bad, unpacked }: TreeParts): MadeTree {
  const made: MadeTree = { verdicts: new Map(), skipped: { links: 0, special: 0, files: 0, own: 0 } }
  const folders = ['']
  const outside = `${root}-elsewhere`
  mkdirSync(root, { recursive: true })
  mkdirSync(outside, { recursive: true })
  writeFileSync(join(outside, 'b.agent.bundle'), good)
  // One is always there to lead to.
  writeFileSync(join(root, 'first.agent.bundle'), good)
  made.verdicts.set('first.agent.bundle', 'trusted')
  for (let at = 0, count = 20 + random.below(40); at < count; at++) {
    const folder = folders[random.below(folders.length)] ?? ''
    const name = `${NAMES[random.below(NAMES.length)]}${at}`
    const below = (end = '') => (folder === '' ? name + end : `${folder}/${name}${end}`)
    const path = (end = '') => join(root, below(end))
    const link = (to: string, end: string, verdict?: string) => {
      symlinkSync(to, path(end))
      if (verdict === undefined) made.skipped.links++
      else made.verdicts.set(below(end), verdict)
    }
    const kinds: readonly (() => void)[] = [
      () => {
        const deeper = `${folder === '' ? '' : `${folder}/`}${FOLDERS[random.below(FOLDERS.length)]}${at}`
        mkdirSync(join(root, deeper))
        folders.push(deeper)
      },
      () => {
        const end = random.below(4) === 0 ? '.agent.bundle.gz' : '.agent.bundle'
        const isGood = random.below(4) > 0
        writeFileSync(path(end), isGood ? good : bad)
        made.verdicts.set(below(end), isGood ? 'trusted' : 'untrusted')
      },
      () => {
        writeTree(path(), unpacked)
        made.verdicts.set(below(), 'trusted')
      },
      () => {
        writeFileSync(path(), random.below(2) === 0 ? good : 'text')
        made.skipped.files++
      },
      () => writeFileSync(path('.agent.bundle.intoto.jsonl'), ''),
      () => {
        const isNamed = random.below(2) === 0
        spawnSync('mkfifo', ['--', path(isNamed ? '.agent.bundle' : '')])
        if (isNamed) made.verdicts.set(below('.agent.bundle'), 'indeterminate')
        else made.skipped.special++
      },
      () => link(root, ''),
      () => link(join(root, 'first.agent.bundle'), random.below(2) === 0 ? '' : '.agent.bundle'),
      () => link('nowhere', ''),
      () => link('nowhere', '.agent.bundle', 'indeterminate'),
      () => link(outside, '', 'indeterminate'),
      () => link('/', '', 'indeterminate'),
      () =>
        link(join(outside, 'b.agent.bundle'), random.below(2) === 0 ? '' : '.agent.bundle', 'indeterminate'),
    ]
    // Folders and bundles are half of it.
    const which = random.below(2) === 0 ? random.below(2) : random.below(kinds.length)
    kinds[which]?.()
  }
  return made
}
