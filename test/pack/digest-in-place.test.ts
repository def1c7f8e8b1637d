// rlp agent digest on disk: only digests change, in every style a manifest is written in; mode, owner and other people's edits stay. Fewer
// run at once than in `.ci/run`.
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentTree, digestOf, EMPTY_TOOLS, WASM, writeTree } from '../support/agent.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { assertRefused, project } from '../support/project.ts'
import { IS_ROOT, MORTAL, NOBODY, rlp, rlpMeasured } from '../support/run.ts'
import { upTo } from '../support/runs.ts'

const folderFor = temporary('digest')
const POSIX = { skip: process.platform === 'win32' && 'needs a POSIX system' }
const ROOT_ONLY = { skip: !IS_ROOT && 'only root can become another user' }
const DIGEST = ['agent', 'digest', 'mini']
const OLD = 'ab'.repeat(32)
const ZEROS = '0'.repeat(64)
const RIGHT = {
  wasm: digestOf(WASM),
  tools: digestOf(EMPTY_TOOLS),
  policy: digestOf('[capabilities]\n'),
  readme: digestOf('hello'),
}

/** A manifest before and after; in both, `<wasm>` and its kind stand for digests. */
interface Style {
  readonly what: string
  readonly before: string
  /** Absent: as before, only with the right digests. */
  readonly after?: string
  /** Digests that are wrong before; others are right already. */
  readonly wrong?: readonly (keyof typeof RIGHT)[]
}

const HEAD = `[agent]
name = "mini"
version = "1.0.0"
kind = "wasm32-wasip1"
entry_wasm = { path = "bin/mini.wasm", blake3 = "<wasm>" }

[caps]
file = "policy.caps"
`
const TABLES = `
[artifacts.tools]
path = "tools.json"
blake3 = "<tools>"
version = 1

[artifacts.policy]
path = "policy.caps"
blake3 = "<policy>"

[artifacts.files]
"README.md" = "<readme>"
`
const FULL = HEAD + TABLES

const STYLES: Style[] = [
  { what: 'the usual one', before: FULL },
  { what: 'one wrong digest of four', before: FULL, wrong: ['policy'] },
  { what: 'no tables yet', before: HEAD, after: FULL },
  { what: 'Windows line ends', before: crlf(FULL) },
  { what: 'Windows line ends, no tables yet', before: crlf(HEAD), after: crlf(FULL) },
  { what: 'no final newline', before: FULL.slice(0, -1) },
  { what: 'no final newline, no tables yet', before: HEAD.slice(0, -1), after: FULL.slice(0, -1) },
  { what: 'many blank lines at the end', before: `${FULL}\n\n\n` },
  {
    what: 'comments everywhere, some of them like digests',
    before: `# blake3 = "${OLD}"
[agent] # the agent
name = "mini" # its name
version = "1.0.0"
kind = "wasm32-wasip1"
entry_wasm = { path = "bin/mini.wasm", blake3 = "<wasm>" } # blake3 = "${OLD}"

# what it may do
[caps]
file = "policy.caps"#x

[artifacts.tools]# the tools
# before path
path = "tools.json"
blake3 = "<tools>"   # after
version = 1 # one
# at the end of the table

[artifacts.policy]
path = "policy.caps"
blake3 = "<policy>"
[artifacts.files]
# the files
"README.md" = "<readme>" # read me
# the last line`,
  },
  {
    what: 'inline tables',
    before: `${HEAD}
[artifacts]
tools = { path = "tools.json", blake3 = "<tools>", version = 1 }
policy = {path="policy.caps",blake3="<policy>"}
files = { "README.md" = "<readme>" }
`,
  },
  {
    what: 'one inline table for all artifacts, which lacks some',
    before: `artifacts = { tools = { path = "tools.json", blake3 = "<tools>", version = 1 } }\n\n${HEAD}`,
    after: `artifacts = { tools = { path = "tools.json", blake3 = "<tools>", version = 1 }, policy.path = "policy.caps", policy.blake3 = "<policy>", files."README.md" = "<readme>" }\n\n${HEAD}`,
  },
  {
    what: 'dotted keys',
    before: `artifacts.tools.path = "tools.json"
artifacts.tools.blake3 = "<tools>"
artifacts.tools.version = 1
artifacts.policy.path = "policy.caps"
artifacts.policy.blake3 = "<policy>"
artifacts.files."README.md" = "<readme>"
agent.name = "mini"
agent.version = "1.0.0"
agent.kind = "wasm32-wasip1"
agent.entry_wasm.path = "bin/mini.wasm"
agent.entry_wasm.blake3 = "<wasm>"
caps.file = "policy.caps"
`,
  },
  {
    what: 'quoted and spaced keys, literal strings',
    before: `[ "agent" ]
'name' = 'mini'
"version" = '1.0.0'
kind    =    "wasm32-wasip1"
"entry_wasm"={"path"='bin/mini.wasm','blake3'='<wasm>'}
[caps]
\tfile\t=\t"policy.caps"
[ "artifacts" . 'tools' ]
  "path" = "tools.json"
  "bl\\u0061ke3" = '<tools>'
  version = 1
[artifacts.policy]
path = """policy.caps"""
blake3 = '<policy>'
["artifacts"."files"]
'README.md' = "<readme>"
`,
  },
  {
    what: 'a digest over several lines of quotes, which one line of quotes replaces',
    before: FULL.replace('"<policy>"', "'''<policy>'''"),
    after: FULL.replace('"<policy>"', "'<policy>'"),
    wrong: ['policy'],
  },
  {
    what: 'the entry at the top level',
    before: `entry_wasm = { path = "bin/mini.wasm", blake3 = "<wasm>" }\n${FULL.replace(/entry_wasm.*\n/, '')}`,
  },
  {
    what: 'unknown tables, and strings that look like tables',
    before: `${FULL}
[schemas.with]
type = "object"
description = """
[artifacts.tools]
blake3 = "${OLD}"
"""
[schemas.with.properties.blake3]
type = "string"
[vendor]
"a.b" = [ 1, 2, # three
 3 ]
when = 2026-11-20T00:00:00Z
`,
  },
  {
    what: 'lines for files that are gone, and none for one that is there',
    before: FULL.replace('"README.md" = "<readme>"', `"gone.md" = "${OLD}" # goes\n"a/gone.md" = "${ZEROS}"`),
    after: FULL,
  },
  {
    what: 'digests in capital letters',
    before: FULL.replace('<wasm>', RIGHT.wasm.toUpperCase()).replace('<readme>', OLD.toUpperCase()),
    after: FULL.replace('<wasm>', RIGHT.wasm.toUpperCase()),
  },
  {
    what: 'digests that are no digests',
    before: FULL.replace('<tools>', '').replace('<policy>', 'later'),
    after: FULL,
  },
]

function crlf(text: string): string {
  return text.replaceAll('\n', '\r\n')
}

/** Everything right, or what `wrong` names wrong. */
function fill(text: string, wrong: readonly string[] = []): string {
  return text.replace(/<(\w+)>/g, (_, what: keyof typeof RIGHT) =>
    wrong.includes(what) ? ZEROS : RIGHT[what],
  )
}

function withManifest(folder: string, text: string): string {
  project(folder, { files: { 'README.md': 'hello' } })
  const path = join(folder, 'mini/manifest.toml')
  writeFileSync(path, text)
  return path
}

const identity = (path: string) => {
  const { ino, mtimeMs, mode, uid, gid } = statSync(path)
  return { ino, mtimeMs, mode: mode & 0o7777, uid, gid }
}

describe('a manifest with', () => {
  const folder = folderFor('styles')
  const label = (index: number) => `${index}/mini`
  const labels = STYLES.map((_, index) => label(index))
  const paths = labels.map(name => join(folder, name, 'manifest.toml'))
  let written = { check: '', run: '' }
  let texts: string[] = []
  let again: Record<string, string>[] = []

  // A check, the real run, and both once more, each with all of them in one call.
  before(async () => {
    for (const [index, { before, wrong = Object.keys(RIGHT) }] of STYLES.entries()) {
      writeTree(join(folder, label(index)), agentTree({ files: { 'README.md': 'hello' } }))
      writeFileSync(paths[index] ?? '', fill(before, wrong))
    }
    const untouched = snapshot(folder)
    const check = await rlpHere(['agent', 'digest', '--check', ...labels], { cwd: folder })
    assert.deepEqual([check.exit, snapshot(folder)], [1, untouched])
    const run = await rlpHere(['agent', 'digest', ...labels], { cwd: folder })
    assert.deepEqual([run.exit, run.stderr], [0, ''])
    written = { check: check.stdout, run: run.stdout }
    texts = paths.map(path => readFileSync(path, 'utf8'))
    again = [snapshot(folder)]
    for (const more of [[], ['--check']]) {
      const ran = await rlpHere(['agent', 'digest', ...more, ...labels], { cwd: folder })
      assert.deepEqual([ran.exit, ran.stderr], [0, ''])
      assert.equal(ran.stdout, labels.map(name => `${name}  all digests are right\n`).join(''))
      again.push(snapshot(folder))
    }
  })

  for (const [index, { what, before, after = before, wrong }] of STYLES.entries()) {
    test(what, () => {
      assert.notEqual(fill(before, wrong ?? Object.keys(RIGHT)), fill(after))
      assert.equal(texts[index], fill(after))
      assert.match(written.check, new RegExp(`^${label(index)}  \\d+ stale digests?$`, 'm'))
      assert.match(written.run, new RegExp(`^${label(index)}  \\d+ digests? written$`, 'm'))
      assert.deepEqual(readdirSync(join(folder, label(index))).sort(), [
        'README.md',
        'bin',
        'manifest.toml',
        'policy.caps',
        'tools.json',
      ])
    })
  }

  test('a second run, and a check after it, touch no file', () => {
    assert.deepEqual(again[1], again[0])
    assert.deepEqual(again[2], again[0])
  })

  test('a right digest in each place is not touched at all', async () => {
    const folder = folderFor('right')
    const path = withManifest(folder, fill(FULL))
    utimesSync(path, 1_000_000_000, 1_000_000_000)
    const before = identity(path)
    assert.equal((await rlpHere(DIGEST, { cwd: folder })).exit, 0)
    assert.deepEqual(identity(path), before)
  })
})

describe('what cannot be digested', () => {
  const cases: [what: string, harm: (mini: string) => unknown, exit: number, says: RegExp][] = [
    [
      'a manifest that is a link',
      mini => {
        renameSync(join(mini, 'manifest.toml'), join(mini, '../real.toml'))
        symlinkSync('../real.toml', join(mini, 'manifest.toml'))
      },
      1,
      /Cannot digest "mini": manifest\.toml/,
    ],
    [
      'a manifest that is no TOML',
      mini => writeFileSync(join(mini, 'manifest.toml'), '[agent'),
      1,
      /Cannot digest "mini": manifest\.toml cannot be read\nhint: Run rlp agent lint mini/,
    ],
    [
      'a missing entry',
      mini => rmSync(join(mini, 'bin/mini.wasm')),
      1,
      /Cannot digest "mini": bin\/mini\.wasm is not there/,
    ],
    [
      'a missing policy',
      mini => rmSync(join(mini, 'policy.caps')),
      1,
      /Cannot digest "mini": policy\.caps is not there/,
    ],
    [
      'an ignored entry',
      mini => writeFileSync(join(mini, '.bundleignore'), '*.wasm\n'),
      1,
      /Cannot digest "mini": bin\/mini\.wasm is left out \(ignored\)/,
    ],
    [
      'a linked entry',
      mini => {
        rmSync(join(mini, 'bin/mini.wasm'))
        symlinkSync('/bin/sh', join(mini, 'bin/mini.wasm'))
      },
      1,
      /bin\/mini\.wasm is left out \(link\)/,
    ],
    [
      'tools of no known version',
      mini => {
        writeFileSync(join(mini, 'tools.json'), '{"version":7}')
        writeFileSync(join(mini, 'manifest.toml'), fill(HEAD))
      },
      1,
      /tools\.json states no version this rlp reads/,
    ],
    [
      'a digest in place of a table',
      mini => writeFileSync(join(mini, 'manifest.toml'), fill(`${HEAD}[artifacts.tools.blake3]\nx = 1\n`)),
      1,
      /Cannot edit manifest\.toml|Cannot digest/,
    ],
    [
      'artifacts that are no table',
      mini => writeFileSync(join(mini, 'manifest.toml'), fill(`artifacts = 1\n${HEAD}`)),
      1,
      /Cannot edit manifest\.toml: artifacts is no table\nhint: Correct that by hand, then run the command again/,
    ],
  ]
  for (const [what, harm, exit, says] of cases) {
    test(what, POSIX, async () => {
      const folder = project(folderFor(what))
      harm(join(folder, 'mini'))
      await assertRefused(DIGEST, { exit, says }, { cwd: folder })
      await assertRefused([...DIGEST, '--check'], { exit, says }, { cwd: folder })
    })
  }

  test('a link stays a link, and what it points to as it was', POSIX, async () => {
    const folder = project(folderFor('link'))
    const real = join(folder, 'real.toml')
    writeFileSync(real, fill(FULL, ['policy']))
    rmSync(join(folder, 'mini/manifest.toml'))
    symlinkSync('../real.toml', join(folder, 'mini/manifest.toml'))
    assert.equal((await rlpHere(DIGEST, { cwd: folder })).exit, 1)
    assert.equal(readlinkSync(join(folder, 'mini/manifest.toml')), '../real.toml')
    assert.equal(readFileSync(real, 'utf8'), fill(FULL, ['policy']))
  })

  test('one agent of several does not hide the others', async () => {
    const folder = project(folderFor('several'))
    writeTree(join(folder, 'all/good'), { ...agentTree(), 'manifest.toml': fill(HEAD) })
    writeTree(join(folder, 'all/bad'), { ...agentTree(), 'manifest.toml': '[' })
    const ran = await rlpHere(['agent', 'digest', 'all'], { cwd: folder })
    assert.equal(ran.exit, 1)
    assert.match(ran.stdout, /^all\/good {2}2 digests written/m)
    assert.match(ran.stderr, /^rlp: Cannot digest "all\/bad": manifest\.toml cannot be read$/m)
  })
})

describe('mode and owner', () => {
  const stale = fill(FULL, ['policy', 'readme'])

  for (const mode of [0o640, 0o600, 0o666, 0o444, 0o755]) {
    test(`mode ${mode.toString(8)} stays, whatever the umask`, POSIX, async () => {
      const folder = folderFor('mode')
      const path = withManifest(folder, stale)
      chmodSync(path, mode)
      assert.equal((await rlpHere(DIGEST, { cwd: folder, umask: mode === 0o666 ? '077' : '000' })).exit, 0)
      assert.equal(statSync(path).mode & 0o7777, mode)
      assert.equal(readFileSync(path, 'utf8'), fill(FULL))
    })
  }

  test('root leaves the file to its owner', ROOT_ONLY, async () => {
    const folder = folderFor('owner')
    const path = withManifest(folder, stale)
    chownSync(path, NOBODY, 100)
    chmodSync(path, 0o640)
    assert.equal((await rlpHere(DIGEST, { cwd: folder })).exit, 0)
    const { mode, uid, gid } = identity(path)
    assert.deepEqual({ mode, uid, gid }, { mode: 0o640, uid: NOBODY, gid: 100 })
    assert.equal(readFileSync(path, 'utf8'), fill(FULL))
  })

  test('who cannot keep the owner changes nothing', ROOT_ONLY, async () => {
    const folder = folderFor('foreign')
    const path = withManifest(folder, stale)
    chmodSync(join(folder, 'mini'), 0o777)
    const before = { ...identity(path), names: readdirSync(join(folder, 'mini')) }
    const ran = await rlpHere(DIGEST, { cwd: folder, uid: NOBODY })
    assert.equal(ran.exit, 3)
    assert.match(ran.stderr, /Cannot keep the owner of "mini\/manifest\.toml": operation not permitted/)
    assert.deepEqual({ ...identity(path), names: readdirSync(join(folder, 'mini')) }, before)
    assert.equal(readFileSync(path, 'utf8'), stale)
  })

  test('a folder that cannot be written', POSIX, async () => {
    const folder = folderFor('readonly')
    withManifest(folder, stale)
    chmodSync(join(folder, 'mini'), 0o555)
    await assertRefused(
      DIGEST,
      { exit: 3, says: /"mini\/manifest\.toml": permission denied/ },
      { cwd: folder, ...MORTAL },
    )
    // Looking is allowed.
    await assertRefused(
      [...DIGEST, '--check'],
      { exit: 1, says: /2 stale digests/ },
      { cwd: folder, ...MORTAL },
    )
  })
})

describe('at the same time', () => {
  test('some runs: one right manifest, mode and owner kept, nothing left over', POSIX, async () => {
    const folder = folderFor('some')
    const path = withManifest(folder, fill(HEAD, ['wasm']))
    chmodSync(path, 0o640)
    if (IS_ROOT) chownSync(path, NOBODY, NOBODY)
    const { uid, gid } = identity(path)
    const seen = new Set<string>()
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        seen.add(readFileSync(path, 'utf8'))
        await sleep(1)
      }
    })()
    const all = await Promise.all(Array.from({ length: upTo(4, 10) }, () => rlp(DIGEST, { cwd: folder })))
    isOver = true
    await watching
    // The second one finds that the file has changed meanwhile, and says so.
    for (const { exit, stderr } of all) {
      assert.ok(exit === 0 || exit === 3, stderr)
      if (exit === 3)
        assert.match(
          stderr,
          /Cannot write "mini\/manifest\.toml": it changed meanwhile\nhint: Run rlp agent digest again/,
        )
    }
    assert.ok(all.some(({ exit }) => exit === 0))
    assert.equal(readFileSync(path, 'utf8'), fill(FULL))
    assert.deepEqual(
      [...seen].filter(text => text !== fill(FULL) && text !== fill(HEAD, ['wasm'])),
      [],
    )
    assert.deepEqual({ ...identity(path), ino: 0, mtimeMs: 0 }, { ino: 0, mtimeMs: 0, mode: 0o640, uid, gid })
    assert.deepEqual(readdirSync(join(folder, 'mini')).sort(), [
      'README.md',
      'bin',
      'manifest.toml',
      'policy.caps',
      'tools.json',
    ])
  })

  // Files are read in the order of their paths: one of these before the manifest, one behind it.
  for (const [name, exit] of [
    ['a-large', 0],
    ['z-large', 3],
  ] as const) {
    test(`an edit while ${name} is read is never lost`, {
      skip: !existsSync('/proc/self/fd') && 'needs /proc',
    }, async () => {
      const folder = folderFor(name)
      const path = withManifest(folder, fill(HEAD, ['wasm']))
      writeFileSync(join(folder, 'mini', name), '')
      truncateSync(join(folder, 'mini', name), 200_000_000)
      const edited = `${fill(HEAD, ['wasm'])}# my edit\n`
      let editing: Promise<void> | undefined
      const started = (child: ChildProcess) => {
        editing = whenOpen(child, join(folder, 'mini', name)).then(() => {
          writeFileSync(join(folder, 'mine'), edited)
          renameSync(join(folder, 'mine'), path)
        })
      }
      const ran = await rlp(DIGEST, { cwd: folder, started })
      await editing
      assert.equal(ran.exit, exit, ran.stderr)
      const text = readFileSync(path, 'utf8')
      if (exit === 0) assert.match(text, new RegExp(`${RIGHT.wasm}[\\s\\S]*# my edit\n[\\s\\S]*${name} = `))
      else {
        assert.match(ran.stderr, /it changed meanwhile/)
        assert.equal(text, edited)
      }
    })
  }
})

/** Waits until a process has a file open. */
async function whenOpen(child: ChildProcess, path: string): Promise<void> {
  while (child.exitCode === null) {
    for (const fd of names(`/proc/${child.pid}/fd`))
      if (linkOf(`/proc/${child.pid}/fd/${fd}`) === path) return
    await sleep(1)
  }
  throw new Error('it was over before it was seen')
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

test('many files: quick, in little memory, and right', async () => {
  const folder = folderFor('many')
  const files = Object.fromEntries(
    Array.from({ length: upTo(500, 2000) }, (_, n) => [`data/${n % 20}/f${n}.txt`, `file ${n}\n`]),
  )
  writeTree(join(folder, 'mini'), { ...agentTree({ files }), 'manifest.toml': fill(HEAD) })
  const ran = await rlpMeasured(DIGEST, { cwd: folder })
  assert.deepEqual([ran.exit, ran.stderr], [0, ''])
  assert.ok(ran.mebibytes < 400, `${ran.mebibytes} MiB`)
  const text = readFileSync(join(folder, 'mini/manifest.toml'), 'utf8')
  for (const [path, content] of Object.entries(files))
    assert.ok(text.includes(`"${path}" = "${digestOf(content)}"\n`), path)
  const before = identity(join(folder, 'mini/manifest.toml'))
  assert.equal((await rlpHere(DIGEST, { cwd: folder })).exit, 0)
  assert.deepEqual(identity(join(folder, 'mini/manifest.toml')), before)
})
