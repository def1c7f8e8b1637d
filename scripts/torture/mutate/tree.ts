// The files of a bundle → others under canonical names: gone, renamed, exchanged, more of them. The archive around them is right.
import { splitUstarName } from '../../../src/text/path.ts'
import type { Tree } from '../../../test/support/agent.ts'
import type { Random } from '../random.ts'
import { CHANGES, mutateBytes } from './bytes.ts'
import { TEXTS } from './nasty.ts'

const PATHS = [
  'README.md',
  'readme.md',
  'docs/b.md',
  'docs',
  'a/b/c',
  'SIGNATURES/other',
  'SIGNATURES/manifest.sig',
  'policy.caps',
  'schemas/x.json',
  'interfaces.json',
  'bin/tool',
  'bin',
] as const

export function mutateTree(random: Random, tree: Tree): Tree {
  const files: Tree = { ...tree }
  for (let n = random.pick(CHANGES); n > 0; n--) {
    const paths = Object.keys(files)
    const [a = '', b = ''] = random.shuffle(paths)
    const path = random.once(4) ? random.pick(TEXTS) : random.pick(PATHS)
    const bytes = () => Buffer.from((files[a] ?? '') as string)
    switch (random.below(5)) {
      case 0:
        delete files[a]
        break
      case 1:
        ;[files[a], files[b]] = [files[b] ?? '', files[a] ?? '']
        break
      case 2:
        if (isHeld(path)) files[path] = bytes()
        break
      case 3:
        if (isHeld(path)) files[path] = random.bytes(random.size(2000))
        break
      default:
        files[a] = mutateBytes(random, bytes())
    }
  }
  return files
}

/** Whether a header of ours can hold the path, allowed or not. */
function isHeld(path: string): boolean {
  return /^[\u0020-\u00ff]+$/.test(path) && splitUstarName(`agent.bundle/${path}`) !== undefined
}
