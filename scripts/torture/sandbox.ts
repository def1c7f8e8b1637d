// Campaign: the sandbox. Chance makes a tree of folders, grants some of them, keeps some from every program, and a program tries to read and to
// change all of it, and to stay. It reads what is granted, changes what may be written, and leaves no process.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { NO_CONFIG } from '../../src/io/config.ts'
import { openSandbox, trySandboxes } from '../../src/sandbox/sandbox.ts'
import { callHeld } from '../../test/support/held-call.ts'
import type { Campaign, Session } from './campaign.ts'
import type { Random } from './random.ts'

const PYTHON = '/usr/bin/python3'
const CASES = 400

export const campaign: Campaign = {
  name: 'sandbox',
  summary: 'a program reads and writes what it is granted, and leaves nothing behind',
  isEndless: true,
  async run(session) {
    const host = {
      env: process.env,
      signal: new AbortController().signal,
      cwd: '/',
      told: [],
      user: undefined,
    }
    const { working, problems } = await trySandboxes(host)
    if (working.name === 'none' || !existsSync(PYTHON))
      return session.skip(`the sandbox: ${problems.map(({ problem }) => problem).join('; ') || 'no python3'}`)
    // Not below the session's folder: that may be in /dev, which is granted to no program.
    const folder = mkdtempSync('/var/tmp/rlp-torture-')
    try {
      chmodSync(folder, 0o755)
      for (const id of session.some(range(CASES), 12)) {
        if (session.isOver()) return
        if (session.begin(id)) await one(session, id, join(folder, id))
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const range = (count: number) => Array.from({ length: count }, (_, at) => `case ${at}`)

interface World {
  readonly at: string
  /** Below it, each once. */
  readonly folders: readonly string[]
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  readonly kept: readonly string[]
}

function worldOf(random: Random, at: string): World {
  const folders = [at]
  for (let count = 3 + random.below(6); count > 0; count--) {
    const above = folders[random.below(folders.length)] ?? at
    folders.push(join(above, `${'abcdef'[random.below(6)]}${folders.length}`))
  }
  const some = (share: number) => folders.slice(1).filter(() => random.below(100) < share)
  const writes = some(25)
  return { at, folders, writes, reads: some(35).filter(path => !writes.includes(path)), kept: some(15) }
}

/** Each folder has a file; what may be written may be written by all, as root's program is another user. */
function make({ folders, writes }: World): void {
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    const isOpen = writes.some(path => isIn(folder, path))
    chmodSync(folder, isOpen ? 0o1777 : 0o755)
    writeFileSync(join(folder, 'note'), `of ${folder}`)
  }
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

const TRIES = `
import json, os, subprocess, sys
folders, mark = json.loads(sys.argv[1])
did = []
def tried(what, folder, work):
    try:
        work(); did.append([what, folder])
    except OSError: pass
for at in folders:
    tried('read', at, lambda: open(os.path.join(at, 'note')).read())
    tried('make', at, lambda: open(os.path.join(at, 'new'), 'x').close())
    tried('link', at, lambda: os.symlink('/etc/shadow', os.path.join(at, 'link')))
subprocess.Popen(['sh', '-c', 'exec 0<&- 1>&- 2>&-; sleep 60; : ' + mark], start_new_session=True)
print(json.dumps(did))`

async function one(session: Session, id: string, at: string): Promise<void> {
  const world = worldOf(session.random(session.round, id), at.replaceAll(' ', '-'))
  make(world)
  const { folders, reads, writes, kept } = world
  const host = {
    env: process.env,
    signal: new AbortController().signal,
    cwd: '/',
    told: kept.map(root => ({ root })),
  }
  const config = {
    ...NO_CONFIG,
  }
  const sandbox = await openSandbox('require', host, config)
  const mark = `rlp-${process.pid}-${session.round}-${id.replace(' ', '-')}`
  const program = { command: PYTHON, args: ['-c', TRIES, JSON.stringify([folders, mark])] }
  const { envelope } = await callHeld(program, { reads, writes, sandbox })
  const defect = (what: string) => session.defect({ case: id, what: `${what}: ${JSON.stringify(world)}` })
  if (isRunning(mark)) defect('a process stayed')
  if (!envelope.ok) {
    // A grant in a folder that is kept, or one to write above it.
    const isKept = kept.some(
      one => [...reads, ...writes].some(path => isIn(path, one)) || writes.some(path => isIn(one, path)),
    )
    session.tally('sandbox', { [isKept ? 'refused' : 'failed']: 1 })
    if (!isKept) defect(`it was refused: ${envelope.message}`)
    return
  }
  session.tally('sandbox', { ran: 1 })
  const did = envelope.result as readonly (readonly [what: string, folder: string])[]
  for (const folder of folders) {
    const deepest = [...reads, ...writes]
      .filter(path => isIn(folder, path))
      .sort()
      .at(-1)
    const isCovered = kept.some(one => isIn(folder, one) && (deepest === undefined || isIn(one, deepest)))
    const isRead = deepest !== undefined && !isCovered
    const isWritten = isRead && writes.includes(deepest)
    const has = (what: string) => did.some(([one, where]) => one === what && where === folder)
    for (const [what, may] of [
      ['read', isRead],
      ['make', isWritten],
      ['link', isWritten],
    ] as const)
      if (has(what) !== may) defect(`${what} of ${folder} was ${may ? 'refused' : 'possible'}`)
    const isThere = readdirSync(folder).some(name => name === 'new' || name === 'link')
    if (isThere && !isWritten) defect(`${folder} was changed`)
    if (readFileSync(join(folder, 'note'), 'utf8') !== `of ${folder}`)
      defect(`the file of ${folder} was changed`)
  }
  rmSync(dirname(join(world.at, 'x')), { recursive: true, force: true })
}

/** Whether a process of this mark is there. */
function isRunning(mark: string): boolean {
  return readdirSync('/proc')
    .filter(name => /^[0-9]+$/.test(name) && Number(name) !== process.pid)
    .some(pid => commandLine(pid).includes(mark))
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}
