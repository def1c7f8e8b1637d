// What a sandbox gets of its own: accounts and names that tell nothing of this host, and a folder for the probe.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ioNow } from '../io/fail.ts'
import { placeForOthers } from '../io/find/place-for-others.ts'
import type { RunsAs } from '../io/owner/mounted-way.ts'

export interface MadeUp {
  readonly path: string
  /** Where it is inside. */
  readonly at: string
  readonly isWritable: false
}

/** @throws RlpError if the folder of the call is full */
export function madeUpFiles(scratch: string, { uid, gid }: RunsAs): readonly MadeUp[] {
  const folder = join(scratch, 'etc')
  const files: Readonly<Record<string, string>> = {
    passwd: `root:x:0:0::/:/bin/sh\nuser:x:${uid}:${gid}::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n`,
    group: `root:x:0:\nuser:x:${gid}:\nnogroup:x:65534:\n`,
    hosts: '127.0.0.1 localhost\n::1 localhost\n',
    'resolv.conf': '',
  }
  return ioNow(`write "${folder}"`, () => {
    mkdirSync(folder, { mode: 0o755 })
    return Object.entries(files).map(([name, text]) => {
      const path = join(folder, name)
      writeFileSync(path, text, { mode: 0o644 })
      return { path, at: `/etc/${name}`, isWritable: false }
    })
  })
}

/** A private folder, which another user may go through. */
export async function inProbeFolder<T>(
  as: RunsAs | undefined,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const place = as === undefined ? tmpdir() : placeForOthers()
  const folder = ioNow(`make a folder in "${place}"`, () => mkdtempSync(join(place, 'rlp-probe-')))
  try {
    if (as !== undefined) ioNow(`open "${folder}"`, () => chmodSync(folder, 0o711))
    return await work(folder)
  } finally {
    ioNow(`remove "${folder}"`, () => rmSync(folder, { recursive: true, force: true }))
  }
}
