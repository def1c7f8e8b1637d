// Campaign 5: many at once, and files that change while they are read. Nothing that was said to be done is lost, and every answer is
// about the bytes that were used.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { world } from '../../test/support/install-world.ts'
import type { Campaign, Session } from './campaign.ts'
import { CROWDS } from './races/crowd.ts'
import { swaps } from './races/swaps.ts'

const MANY = 50
const MANY_IN_SLICE = 4
const LOOKS = 120
const LOOKS_IN_SLICE = 2

export const campaign: Campaign = {
  name: 'races',
  summary: 'fifty at once lose nothing; what changes while it is read is never taken for something else',
  isEndless: true,
  async run(session) {
    for (const { name, run } of CROWDS) {
      if (session.isOver()) return
      const many = session.isSlice ? MANY_IN_SLICE : MANY
      if (!session.begin(name, 'crowds')) continue
      for (const what of await run(session, world(folder(session, name)), many))
        session.defect({ case: name, what })
    }
    await swaps(session, world(folder(session, 'swaps')), session.isSlice ? LOOKS_IN_SLICE : LOOKS)
  },
}

function folder(session: Session, name: string): string {
  const path = join(session.folder, name.replaceAll(' ', '-'), 'cwd')
  mkdirSync(path, { recursive: true, mode: 0o755 })
  return path
}
