// Campaign 7: the test suite under every supported Node, as root and as an ordinary user, with a home that cannot be written, in locales
// that sort and write differently. Windows and file systems that ignore case are looked at by unit tests (docs/torture.md names them).
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../../test/support/lint-fixtures.ts'
import { IS_ROOT, NOBODY } from '../../test/support/run.ts'
import type { Campaign, Session } from './campaign.ts'

interface Combination {
  /** As `scripts/install-nodes.sh` names it: `node22`; `this` is the one that runs. */
  readonly node: string
  readonly user: 'root' | 'ordinary'
  readonly home: 'writable' | 'read-only'
  readonly lang: 'C' | 'tr_TR.UTF-8'
  /** Whether the native BLAKE3 package is hidden from it. */
  readonly blake3?: 'pure'
}

/** Every two of node and user, node and home, node and lang, user and home, user and lang meet somewhere. */
export function combinations(nodes: readonly string[]): Combination[] {
  return nodes.flatMap((node, n): Combination[] => {
    const [first, second] =
      n % 2 === 0 ? (['writable', 'read-only'] as const) : (['read-only', 'writable'] as const)
    const [c, tr] = n % 4 < 2 ? (['C', 'tr_TR.UTF-8'] as const) : (['tr_TR.UTF-8', 'C'] as const)
    return [
      { node, user: 'root', home: first, lang: c },
      { node, user: 'ordinary', home: second, lang: tr },
    ]
  })
}

/** What depends on the platform most: bytes, sorting, modes, owners, processes, the engine. `--full` runs all. */
const SOME = [
  'caps/containment',
  'cli/main',
  'cli/sanitize',
  'bundle/archive',
  'signature/ed25519',
  'json/json',
  'text/text',
  'toml/toml',
  'bundle/gzip',
  'agent/ignore-file',
  'schema/json-schema',
  'install/install',
  'install/install-many',
  'install/state',
  'io/mutex/mutex',
  'io/write/write-tree',
  'lint/lint-command',
  'pack/reproducible',
  'sign/dsse-interop',
  'sign/keys',
  'sign/sign',
  'trust/trust',
  'verify/folder',
  'verify/load',
  'verify/verdicts',
]
/** It would run all of this once more. */
const ITSELF = 'product/torture'

/** `@noble/hashes` alone. */
const PURE: Combination = {
  node: 'this',
  user: IS_ROOT ? 'root' : 'ordinary',
  home: 'writable',
  lang: 'C',
  blake3: 'pure',
}
const WITHOUT_NATIVE = pathToFileURL(join(ROOT, 'test/support/without-native.mjs')).href

export const campaign: Campaign = {
  name: 'platforms',
  summary: 'the suite passes on every Node, as any user, with a read-only home, in any locale',
  isEndless: false,
  async run(session) {
    const found = nodes()
    if (found.length < 2)
      session.skip('other versions of Node: scripts/install-nodes.sh puts them into .nodes/')
    const all = [...combinations(found.length === 0 ? ['this'] : found), PURE]
    if (session.isSlice) return pairs(session)
    for (const combination of all) {
      const id = Object.values(combination).join(', ')
      if (combination.user === 'root' && !IS_ROOT) {
        session.skip(`${id}: needs root`)
        continue
      }
      if (session.begin(id, 'combinations')) await one(session, id, combination)
    }
  },
}

function nodes(): string[] {
  const folder = join(ROOT, '.nodes/node_modules')
  const names = existsSync(folder) ? readdirSync(folder).filter(name => /^node[0-9]+$/.test(name)) : []
  return names.filter(name => existsSync(join(folder, name, 'bin/node'))).sort()
}

/** The table covers what it says it does, and the tests that it names are there. */
function pairs(session: Session): void {
  if (!session.begin('pairs', 'combinations')) return
  for (const name of SOME.filter(name => !allTests().includes(name)))
    session.defect({ case: 'pairs', what: `there is no test/${name}.test.ts` })
  const all = combinations(['node20', 'node22', 'node24', 'node26'])
  const keys = ['node', 'user', 'home', 'lang'] as const
  for (const a of keys) {
    for (const b of keys) {
      if (a >= b) continue
      const values = (key: (typeof keys)[number]) => new Set(all.map(one => one[key])).size
      const seen = new Set(all.map(one => `${one[a]} ${one[b]}`)).size
      if (seen !== values(a) * values(b) && !(a === 'home' && b === 'lang'))
        session.defect({ case: 'pairs', what: `${a} and ${b} meet in ${seen} ways only` })
    }
  }
}

async function one(
  session: Session,
  id: string,
  { node, user, home, lang, blake3 }: Combination,
): Promise<void> {
  const program = node === 'this' ? process.execPath : join(ROOT, '.nodes/node_modules', node, 'bin/node')
  const folder = join(session.folder, id.replaceAll(/[^A-Za-z0-9]+/g, '-'))
  const places = { home: join(folder, 'home'), tmp: join(folder, 'tmp') }
  for (const path of [session.folder, folder, places.tmp, places.home]) {
    mkdirSync(path, { recursive: true })
    chmodSync(path, path === places.tmp ? 0o1777 : 0o755)
  }
  const undo = home === 'read-only' ? readOnly(places.home, user) : () => {}
  try {
    const ended = await suite(session, program, {
      ...(user === 'ordinary' && IS_ROOT && { uid: NOBODY, gid: NOBODY }),
      env: {
        PATH: process.env['PATH'],
        HOME: places.home,
        TMPDIR: places.tmp,
        LANG: lang,
        LC_ALL: lang,
        NO_COLOR: '1',
        ...(blake3 && { NODE_OPTIONS: `--import ${WITHOUT_NATIVE}` }),
      },
    })
    session.count('tests', ended.passed)
    if (ended.exit !== 0)
      session.defect({ case: id, what: `${ended.failed} tests fail`, input: ended.output })
    else if (ended.passed === 0) session.defect({ case: id, what: 'no test was run', input: ended.output })
  } finally {
    undo()
  }
}

/** Modes do not stop root, so for root another file system is put there where that is possible. */
function readOnly(path: string, user: Combination['user']): () => void {
  chmodSync(path, 0o555)
  if (user === 'root' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=4k', 'tmpfs', path]).status === 0)
    return () => void spawnSync('umount', [path])
  return () => chmodSync(path, 0o755)
}

interface Ended {
  readonly exit: number | null
  readonly passed: number
  readonly failed: number
  readonly output: string
}

function suite(session: Session, program: string, options: object): Promise<Ended> {
  const names = session.isFull ? allTests().filter(name => name !== ITSELF) : SOME
  // A file that is missing ends the run of Node with an error. Without any file Node would look for tests by itself.
  const files = names.map(name => `test/${name}.test.ts`)
  const args = ['--import', 'tsx', '--test', '--test-reporter=tap', ...files]
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', exit => {
      const count = (word: string) => Number(new RegExp(`^# ${word} ([0-9]+)$`, 'm').exec(output)?.[1] ?? 0)
      resolve({ exit, passed: count('pass'), failed: count('fail'), output })
    })
  })
}

/** Such as `lint/rules`. */
function allTests(): string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .map(name => name.replaceAll('\\', '/').slice(0, -'.test.ts'.length))
    .sort()
}
