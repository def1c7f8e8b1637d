// A user who may write below a source folder swaps folders for links: what they lead to is in no bundle, no digest and no finding.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { blake3Hex } from '../../../src/bundle/blake3.ts'
import { agentTree, type Tree, writeTree } from '../../../test/support/agent.ts'
import type { World } from '../../../test/support/install-world.ts'
import type { Session } from '../campaign.ts'
import { type Answer, watched } from './watched.ts'
import type { Change } from './writer.ts'

const WORD = 'THE-WORD-OF-ANOTHER'
const LEVELS = ['docs', 'docs/inner', 'docs/inner/core'] as const

/** Small files, and one that is read only when it is packed. */
function tree(word: string): Tree {
  const files: Record<string, string | Buffer> = {}
  for (const level of LEVELS) files[`${level}/page.md`] = word
  files['docs/inner/core/large.bin'] = Buffer.alloc(300_000, word)
  return agentTree({ files })
}

const PUBLIC = tree('x'.repeat(WORD.length))
const PRIVATE = tree(WORD)
const DIGESTS = [PRIVATE['docs/page.md'], PRIVATE['docs/inner/core/large.bin']].map(content =>
  blake3Hex(Buffer.from(content as string)),
)

export async function links(session: Session, here: World, count: number): Promise<void> {
  const home = join(here.cwd, 'links')
  mkdirSync(home)
  const theirs = writeTree(join(home, 'theirs'), PRIVATE)
  for (const level of LEVELS) {
    const source = writeTree(join(home, `mini-${level.replaceAll('/', '-')}`, 'mini'), PUBLIC)
    const change: Change = {
      path: join(source, level),
      how: 'link',
      target: join(theirs, level),
      away: join(home, 'away'),
    }
    const out = join(home, 'out.bundle')
    for (const [word, args, made] of [
      ['packed', ['agent', 'pack', source, '--out', out], out],
      ['digested', ['agent', 'digest', source], join(source, 'manifest.toml')],
    ] as const) {
      await watched(session, `${word}, ${level} a link`, Math.ceil(count / 3), [change], async () => {
        rmSync(out, { force: true })
        const { exit, envelope } = await here.rlp(...args)
        if (exit === 70) return ['crashed', JSON.stringify(envelope)]
        return [exit === 0 ? word : (envelope.code ?? 'refused'), leak(made)] satisfies Answer
      })
    }
  }
}

function leak(made: string): string | undefined {
  if (!existsSync(made)) return undefined
  const text = readFileSync(made, 'latin1')
  return [WORD, ...DIGESTS].some(sign => text.includes(sign)) ? 'it holds what the link led to' : undefined
}
