// Two reports that are the parts of one list, as two jobs would have written them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WalkedList } from '../../src/fleet/listing.ts'
import { shardIndex } from '../../src/fleet/shard.ts'
import { unjudged } from '../../src/fleet/task.ts'

const NAMES = ['one', 'two', 'three'].map(name => `${name}.agent.bundle`)

function acceptedLine(name: string): string {
  const { line } = unjudged({ path: name, label: name }, { code: 'unreadable', message: 'it is not there' })
  return JSON.stringify({ ...JSON.parse(line), verdict: 'trusted', accepted: true, exit: 0, reasons: [] })
}

/** Names of the parts, by their number. */
type NameOf = (index: number) => string

/** Writes both parts, and the list that their jobs were given, each name with NUL behind it. */
export function writeParts(folder: string, nameOf: NameOf = index => `part-${index}`): void {
  writeFileSync(join(folder, 'list'), NAMES.map(name => `${name}\0`).join(''))
  for (const index of [1, 2]) {
    const list = new WalkedList()
    for (const name of NAMES) list.add(name, shardIndex(name, 2) === index)
    const { targets, here, sha256 } = list
    const lines = NAMES.filter(name => shardIndex(name, 2) === index).map(acceptedLine)
    const summary = {
      type: 'summary',
      bundles: here,
      accepted: here,
      reused: 0,
      verdicts: here === 0 ? {} : { trusted: here },
      skipped: { links: 0, special: 0, files: 0, own: 0 },
      exit: 0,
      program: '0.1.0',
      shard: `${index}/2`,
      run: null,
      began: '2026-11-01T00:00:00Z',
      ended: '2026-11-01T00:00:00Z',
      listed: { targets, here, sha256 },
      basis: '0'.repeat(64),
    }
    const text = [...lines, JSON.stringify(summary)].map(line => `${line}\n`).join('')
    writeFileSync(join(folder, nameOf(index)), text, { mode: 0o600 })
  }
}
