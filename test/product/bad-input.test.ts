// Sources that are not there, not readable, or not what a source is: exact exit code and words, and nothing is written. What is not readable
// is tried with one of three commands here, with all of them in `.ci/run`; 10,000 files that are not too many only there.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { readTree } from '../../src/io/read/read-tree.ts'
import { ARCHIVE_LIMITS } from '../../src/model/limits.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { assertRefused, type Batch, packBatch, project } from '../support/project.ts'
import { MORTAL, rlp } from '../support/run.ts'
import { IN_CI, slice } from '../support/runs.ts'

const folderFor = temporary('bad')
const POSIX = process.platform !== 'win32'
const PACK = ['agent', 'pack', 'mini', '--out-dir', 'out']

interface Case {
  readonly what: string
  /** Makes the project bad; `mini/` in it is a valid agent. */
  readonly harm: (mini: string, folder: string) => unknown
  readonly args?: readonly string[]
  readonly exit: number
  readonly says: RegExp | readonly RegExp[]
  readonly skip?: string | false
  /** Opens something without a writer. */
  readonly canHang?: true
}

const noHarm = () => {}
const mkfifo = (path: string) => execFileSync('mkfifo', [path])
const onPosix = { skip: !POSIX && 'needs a POSIX file system' }

/** Sockets stay in the file system while the server listens. */
function socket(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(path, () => {
      server.unref()
      resolve()
    })
  })
}

const notThere: Case[] = (['lint', 'digest', 'pack'] as const).flatMap(verb => [
  {
    what: `${verb}: a name that is nowhere`,
    harm: noHarm,
    args: ['agent', verb, 'none'],
    exit: 2,
    says: /Cannot find the agent "none": it is not in "agents"/,
  },
  {
    what: `${verb}: a path that is nowhere`,
    harm: noHarm,
    args: ['agent', verb, './none'],
    exit: 2,
    says: /Cannot find an agent at ".\/none": no such folder/,
  },
  {
    what: `${verb}: a path below a file`,
    harm: noHarm,
    args: ['agent', verb, 'mini/policy.caps/x'],
    exit: 2,
    says: /Cannot find an agent at "mini\/policy.caps\/x": no such folder/,
  },
  {
    what: `${verb}: no argument, and no agents`,
    harm: noHarm,
    args: ['agent', verb],
    exit: 2,
    says: /Cannot find an agent: no manifest\.toml here, and no folder "agents"/,
  },
  {
    what: `${verb}: an empty folder`,
    harm: (_, folder) => mkdirSync(join(folder, 'empty')),
    args: ['agent', verb, 'empty'],
    exit: 2,
    says: /Cannot find an agent in "empty": no manifest\.toml there/,
  },
  {
    what: `${verb}: a file`,
    harm: noHarm,
    args: ['agent', verb, 'mini/tools.json'],
    exit: 2,
    says: /Cannot (?:use|lint|pack) "mini\/tools\.json".*: it is (?:a|one) file.*\nhint: Name (?:an agent’s folder|the folder that holds it)/,
  },
  {
    what: `${verb}: the manifest itself`,
    harm: noHarm,
    args: ['agent', verb, 'mini/manifest.toml'],
    exit: 2,
    says: /it is a file\nhint: Name the folder that holds it/,
  },
  { what: `${verb}: an empty argument`, harm: noHarm, args: ['agent', verb, ''], exit: 2, says: /./ },
])

/** By another user, in a process, because root is stopped by no mode. */
const unreadable: Batch[] = [
  {
    what: 'an unreadable folder inside',
    harm: mini => chmodSync(join(mini, 'bin'), 0),
    says: /mini\/bin.*": permission denied/,
  },
  {
    what: 'a folder that can be listed only',
    harm: mini => chmodSync(join(mini, 'bin'), 0o444),
    says: /mini\/bin\/mini\.wasm": permission denied/,
  },
  {
    what: 'an unreadable file',
    harm: mini => chmodSync(join(mini, 'policy.caps'), 0),
    says: /Cannot read ".*mini\/policy\.caps": permission denied\nhint: Check owner and mode/,
  },
  {
    what: 'an unreadable manifest',
    harm: mini => chmodSync(join(mini, 'manifest.toml'), 0),
    says: /Cannot read ".*mini\/manifest\.toml": permission denied/,
  },
  {
    what: 'an unreadable .bundleignore',
    harm: mini => writeFileSync(join(mini, '.bundleignore'), 'x\n', { mode: 0 }),
    says: /Cannot read ".*mini\/\.bundleignore": permission denied/,
  },
]

const replace = (name: string, make: (path: string) => void) => (mini: string) => {
  rmSync(join(mini, name), { recursive: true })
  make(join(mini, name))
}

const wrongKind: Batch[] = [
  {
    what: 'an empty manifest',
    harm: mini => truncateSync(join(mini, 'manifest.toml')),
    says: /mini": manifest\.toml:1:1 The file is empty/,
  },
  {
    what: 'an empty policy',
    harm: mini => truncateSync(join(mini, 'policy.caps')),
    says: /policy\.caps:1:1 The file is empty/,
  },
  {
    what: 'empty tools',
    harm: mini => truncateSync(join(mini, 'tools.json')),
    says: /tools\.json:1:1 The file is empty/,
  },
  {
    what: 'an empty entry',
    harm: mini => truncateSync(join(mini, 'bin/mini.wasm')),
    says: /bin\/mini\.wasm.*: it is empty/,
  },
  {
    what: 'blank documents',
    harm: mini => writeFileSync(join(mini, 'tools.json'), ' \n\t\r\n'),
    says: /tools\.json:1:1 The file is empty/,
  },
  {
    what: 'a folder called tools.json',
    harm: replace('tools.json', path => mkdirSync(join(path, 'x'), { recursive: true })),
    says: /tools\.json/,
  },
  {
    what: 'a file called bin',
    harm: replace('bin', path => writeFileSync(path, '')),
    says: /bin\/mini\.wasm/,
  },
  {
    what: 'no policy',
    harm: mini => unlinkSync(join(mini, 'policy.caps')),
    says: /policy\.caps.* is missing/,
  },
  {
    what: 'no tools',
    harm: mini => unlinkSync(join(mini, 'tools.json')),
    says: /tools\.json.* is missing/,
  },
  {
    what: 'no entry',
    harm: mini => unlinkSync(join(mini, 'bin/mini.wasm')),
    says: /bin\/mini\.wasm is not there/,
  },
  {
    what: 'no entry, and no folder for it',
    harm: mini => rmSync(join(mini, 'bin'), { recursive: true }),
    says: /bin\/mini\.wasm is not there/,
  },
  {
    what: 'SIGNATURES/ in the sources',
    harm: mini =>
      mkdirSync(join(mini, 'SIGNATURES')) ?? writeFileSync(join(mini, 'SIGNATURES/manifest.sig'), '{}'),
    says: /unpacked bundle, not an agent’s source/,
  },
]

const links: Batch[] = [
  {
    what: 'a link to a file',
    harm: mini => symlinkSync('policy.caps', join(mini, 'l')),
    says: /l:1:1 This is a symbolic link/,
  },
  {
    what: 'a link out of the folder',
    harm: mini => symlinkSync('/etc/passwd', join(mini, 'l')),
    says: /l:1:1 This is a symbolic link/,
  },
  {
    what: 'a link to a folder',
    harm: mini => symlinkSync('bin', join(mini, 'l')),
    says: /l:1:1 This is a symbolic link/,
  },
  {
    what: 'a dangling link',
    harm: mini => symlinkSync('nowhere', join(mini, 'l')),
    says: /l:1:1 This is a symbolic link/,
  },
  {
    what: 'a link to itself',
    harm: mini => symlinkSync('l', join(mini, 'l')),
    says: /l:1:1 This is a symbolic link/,
  },
  {
    what: 'a loop',
    harm: mini => symlinkSync('..', join(mini, 'l')),
    says: /l:1:1 This is a symbolic link/,
  },
  {
    what: 'a policy that is a link',
    harm: replace('policy.caps', path => symlinkSync('/etc/passwd', path)),
    says: /policy\.caps:1:1 This is a symbolic link/,
  },
  {
    what: 'tools that are a dangling link',
    harm: replace('tools.json', path => symlinkSync('nowhere', path)),
    says: /tools\.json:1:1 This is a symbolic link/,
  },
  {
    what: 'an entry that is a link',
    harm: replace('bin/mini.wasm', path => symlinkSync('/bin/sh', path)),
    says: /bin\/mini\.wasm:1:1 This is a symbolic link/,
  },
  {
    what: 'a folder of the entry that is a link',
    harm: replace('bin', path => symlinkSync('/bin', path)),
    says: /bin:1:1 This is a symbolic link/,
  },
]

const special: Batch[] = [
  {
    what: 'a FIFO',
    harm: (mini: string) => mkfifo(join(mini, 'f')),
    says: /f:1:1 This is not a regular file/,
  },
  {
    what: 'a FIFO as policy',
    harm: replace('policy.caps', mkfifo),
    says: /policy\.caps:1:1 This is not a regular file/,
  },
  {
    what: 'a FIFO as tools',
    harm: replace('tools.json', mkfifo),
    says: /tools\.json:1:1 This is not a regular file/,
  },
  {
    what: 'a FIFO as manifest',
    harm: replace('manifest.toml', mkfifo),
    says: /manifest\.toml:1:1 This is not a regular file/,
  },
  {
    what: 'a FIFO as entry',
    harm: replace('bin/mini.wasm', mkfifo),
    says: /bin\/mini\.wasm:1:1 This is not a regular file/,
  },
  {
    what: 'a socket',
    harm: (mini: string) => socket(join(mini, 's')),
    says: /s:1:1 This is not a regular file/,
  },
]

const names: Batch[] = [
  {
    what: 'a newline in a folder',
    name: 'a\nb/c',
    says: /a\nb\/c:1:1 The file’s path has a character other than/,
  },
  {
    what: 'a terminal sequence',
    name: '\u001b]0;owned\u0007',
    says: /\u001b\]0;owned\u0007:1:1 The file’s path has a character/,
  },
  {
    what: 'a right-to-left override',
    name: 'a\u202egnp.exe',
    says: /a\u202egnp\.exe:1:1 The file’s path/,
  },
  { what: 'a space', name: 'a b', says: /a b:1:1 The file’s path has a character/ },
  { what: 'an accent', name: 'é', says: /é:1:1 The file’s path has a character/ },
  { what: 'a backslash', name: 'a\\b', says: /a\\b:1:1 The file’s path has a backslash/ },
  { what: 'a colon', name: 'c:', says: /c::1:1 The file’s path is absolute/ },
  {
    what: 'a device',
    name: 'docs/NUL.txt',
    says: /docs\/NUL\.txt:1:1 The file’s path has a Windows device name/,
  },
  { what: 'a dot at the end', name: 'a.', says: /a\.:1:1 The file’s path has a segment that ends in a dot/ },
  { what: 'a dash at the beginning', name: '-rf', says: /-rf:1:1 The file’s path has a character/ },
  { what: 'a tilde', name: '~', says: /~:1:1 The file’s path has a character/ },
  {
    what: 'a long name',
    name: 'x'.repeat(120),
    says: /x:1:1 The file’s path is too long for a ustar header/,
  },
  {
    what: 'a name that differs in case',
    name: 'README.md\nreadme.md',
    says: /No digest names README\.md|differ only in case/,
  },
].map(({ what, name, says }) => ({
  what: `a file with ${what}`,
  harm: (mini: string) => {
    const paths = what.endsWith('in case') ? name.split('\n') : [name]
    for (const path of paths) {
      mkdirSync(join(mini, path, '..'), { recursive: true })
      writeFileSync(join(mini, path), '')
    }
  },
  says,
}))

const sizes: Case[] = [
  {
    what: 'a folder called manifest.toml',
    harm: replace('manifest.toml', mkdirSync),
    exit: 2,
    says: /Cannot find an agent in "mini": no manifest\.toml/,
  },
  {
    what: 'folders 150 deep',
    harm: mini => nest(mini, 150),
    exit: 1,
    says: /Cannot read "mini": folders are nested more than 128 deep/,
  },
  {
    what: 'a file of 513 MiB',
    harm: mini =>
      writeFileSync(join(mini, 'large'), '') ?? truncateSync(join(mini, 'large'), 513 * 1024 ** 2),
    exit: 1,
    says: /large:1:1 The file has 537919488 bytes; one file of a bundle has at most 512 MiB/,
  },
  {
    what: 'an ignore file without end',
    harm: mini => writeFileSync(join(mini, '.bundleignore'), 'x\n'.repeat(100_000)),
    exit: 1,
    says: /Cannot use "mini\/\.bundleignore"/,
  },
  {
    what: 'an ignore file that is a folder',
    harm: mini => mkdirSync(join(mini, '.bundleignore')),
    exit: 2,
    says: /Cannot read "mini\/\.bundleignore": it is not a regular file/,
  },
  {
    what: 'an ignore file that is a link',
    harm: mini => symlinkSync('/etc/passwd', join(mini, '.bundleignore')),
    exit: 2,
    says: /Cannot read "mini\/\.bundleignore": it is a symbolic link/,
    ...onPosix,
  },
  {
    what: 'an ignore file that is a FIFO',
    harm: mini => mkfifo(join(mini, '.bundleignore')),
    exit: 2,
    says: /Cannot read "mini\/\.bundleignore": it is not a regular file/,
    canHang: true,
    ...onPosix,
  },
]

/** Folders in one another. */
function nest(root: string, depth: number): void {
  const cwd = process.cwd()
  process.chdir(root)
  try {
    for (let i = 0; i < depth; i++) {
      mkdirSync('d')
      process.chdir('d')
    }
    writeFileSync('x', '')
  } finally {
    process.chdir(cwd)
  }
}

for (const [group, cases] of Object.entries({ notThere, sizes })) {
  describe(group, () => {
    for (const [index, { what, harm, args = PACK, exit, says, skip, canHang }] of cases.entries()) {
      // One of each group through the program itself, and all that could wait for ever.
      const how = index === 0 || canHang ? rlp : rlpHere
      test(what, { skip: skip ?? false }, async () => {
        const folder = project(folderFor(what))
        await harm(join(folder, 'mini'), folder)
        await assertRefused(args, { exit, says }, { cwd: folder }, how)
      })
    }
  })
}

describe('unreadable', onPosix, () => {
  for (const verb of slice(['pack', 'digest', 'lint'], 3)) {
    test(`${verb}: in one call, ${unreadable.map(({ what }) => what).join(', ')}`, async () => {
      const folder = folderFor(verb)
      const labels = unreadable.map(({ harm }, index) => {
        const label = `${index}/mini`
        writeTree(join(folder, label), agentTree())
        harm(join(folder, label))
        return label
      })
      chmodSync(folder, 0o777)
      const refusal = { exit: 3, says: /permission denied/ }
      const { stderr } = await assertRefused(['agent', verb, ...labels], refusal, { cwd: folder, ...MORTAL })
      const said = stderr.split(/^rlp: /m)
      for (const [index, { what, says }] of unreadable.entries())
        assert.match(said.find(text => text.includes(`"${index}/mini`)) ?? '', says, what)
    })
  }
  for (const verb of slice(['lint', 'digest', 'pack'], 3)) {
    test(`${verb}: the agent’s own folder`, async () => {
      const folder = project(folderFor(verb))
      chmodSync(join(folder, 'mini'), 0)
      const refusal = { exit: 3, says: /mini.*: permission denied/ }
      await assertRefused(['agent', verb, 'mini'], refusal, { cwd: folder, ...MORTAL })
    })
  }
})

test('as many files as a bundle may hold, and one more', async () => {
  const root = join(project(folderFor('few')), 'mini')
  const { length } = Object.keys(agentTree())
  const within = (files: number) =>
    readTree(root, 'mini', { as: 'source', digest: 'all', limits: { ...ARCHIVE_LIMITS, files } })
  assert.equal((await within(length)).list.length, length)
  await assert.rejects(within(length - 1), {
    message: `Cannot read "mini": it holds more than ${length - 1} files`,
  })
})

test('more than 10,000 files', async () => {
  const folder = project(folderFor('many'))
  const mini = join(folder, 'mini')
  // The same file again and again: of all that the file system does, that is the least.
  for (let i = readdirSync(mini).length; i <= 10_000; i++)
    linkSync(join(mini, 'policy.caps'), join(mini, `f${i}`))
  const tooMany = await rlpHere(PACK, { cwd: folder })
  assert.equal(tooMany.exit, 1)
  assert.match(tooMany.stderr, /Cannot read "mini": it holds more than 10000 files\nhint: .*\.bundleignore/)
  if (!IN_CI) return
  unlinkSync(join(mini, 'f10000'))
  const enough = await rlp(PACK, { cwd: folder })
  assert.equal(enough.exit, 1)
  assert.match(enough.stderr, /Cannot pack "mini": No digest names f1000; /)
})

for (const [group, cases] of Object.entries({ wrongKind, links, special, names })) {
  describe(group, { skip: !POSIX && 'needs a POSIX file system' }, () => {
    let said: string[] = []
    before(async () => {
      // What is special could wait for ever.
      said = await packBatch(folderFor(group), cases, cases === special ? rlp : rlpHere)
    })
    for (const [index, { what, says }] of cases.entries())
      test(what, () => assert.match(said[index] ?? '', says))
  })
}

test('what a name does to a terminal is made visible', { skip: onPosix.skip }, async () => {
  const folder = project(folderFor('terminal'))
  for (const name of ['a\nb', '\u001b]0;owned\u0007', 'a\u202egnp.exe'])
    writeFileSync(join(folder, 'mini', name), '')
  const lint = ['agent', 'lint', 'mini']
  const says = [/a\\u\{a\}b/, /\\u\{1b\}\]0;owned\\u\{7\}/, /a\\u\{202e\}gnp\.exe/]
  const { stdout, stderr } = await assertRefused(lint, { exit: 1, says }, { cwd: folder })
  assert.doesNotMatch(stdout + stderr, /[\u0000-\u0009\u000b-\u001f\u007f\u202e]/)
  const json = await assertRefused([...lint, '--json'], { exit: 1, says: /\\u001b/ }, { cwd: folder })
  assert.doesNotMatch(json.stdout, /[\u0000-\u0009\u000b-\u001f\u007f\u202e]/)
})

describe('and still fine', () => {
  test('the project that all of them spoil', async () => {
    const folder = project(folderFor('control'))
    const ran = await rlpHere(PACK, { cwd: folder })
    assert.deepEqual([ran.exit, ran.stderr], [0, ''])
    assert.deepEqual(readdirSync(join(folder, 'out')), ['mini-1.0.0.agent.bundle'])
  })

  test('a link to the agent’s folder, when it is what the caller names', { skip: onPosix.skip }, async () => {
    const folder = project(folderFor('linked'))
    symlinkSync('mini', join(folder, 'link'))
    assert.equal((await rlpHere(['agent', 'pack', 'link', '--out-dir', 'out'], { cwd: folder })).exit, 0)
  })

  const leftOut = 'dot files and what .bundleignore leaves out, whatever they are, stay out'
  test(leftOut, { skip: onPosix.skip }, async () => {
    const folder = project(folderFor('left-out'))
    const mini = join(folder, 'mini')
    symlinkSync('/', join(mini, '.root'))
    mkfifo(join(mini, '.fifo'))
    mkdirSync(join(mini, '.git/objects'), { recursive: true })
    writeFileSync(join(mini, '.git/HEAD'), 'ref')
    chmodSync(join(mini, '.git'), 0)
    mkdirSync(join(mini, 'target'))
    symlinkSync('..', join(mini, 'target/loop'))
    mkfifo(join(mini, 'pipe'))
    writeFileSync(join(mini, '.bundleignore'), '/target/\n/pipe\n')
    const { exit, stderr } = await rlp(PACK, { cwd: folder, ...MORTAL })
    assert.equal(exit, 0, stderr)
  })

  test('empty folders are no files', async () => {
    const folder = project(folderFor('hollow'))
    mkdirSync(join(folder, 'mini/a/b'), { recursive: true })
    assert.equal((await rlpHere(PACK, { cwd: folder })).exit, 0)
  })
})
