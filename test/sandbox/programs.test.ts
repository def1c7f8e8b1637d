// The table of docs/sandbox.md, "Programs": each row is run with what it says that the tool lists, as this user and as an ordinary one.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { agentTree, writeTree } from '../support/agent.ts'
import { run as runHere } from '../support/fake-terminal.ts'
import { missing } from '../support/needs.ts'
import { IS_ROOT, NOBODY, rlp } from '../support/run.ts'
import { slice } from '../support/runs.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const folder = grantable('programs')

interface Row {
  readonly command: string
  /** @param at a folder of the test, where a file `note` is */
  args(at: string): readonly string[]
  readonly lists?: (at: string) => readonly string[]
  readonly answers: RegExp
  /** Of `enforced.files`. */
  readonly files?: 'none'
  /** Made before, outside. */
  before?(at: string): void
}

const all = (at: string) => [`fs_rw:${at}`]
const reads = (at: string) => [`fs_ro:${at}`]
const PYTHON = `
import subprocess, sys, threading, urllib.request
out = []
thread = threading.Thread(target=lambda: out.append(open(sys.argv[1]).read().strip()))
thread.start(); thread.join()
out.append(subprocess.run(['sort'], input='b\\na\\n', capture_output=True, text=True).stdout.split()[0])
try: urllib.request.urlopen('http://127.0.0.1:1')
except OSError: out.append('no network')
print(' '.join(out))`
const NODE = `
const { Worker } = require('node:worker_threads')
const { execFileSync } = require('node:child_process')
const { gzipSync, gunzipSync } = require('node:zlib')
const read = require('node:fs').readFileSync(process.argv[2], 'utf8').trim()
new Worker('require("node:worker_threads").parentPort.postMessage(1)', { eval: true }).on('message', got =>
  console.log(read, gunzipSync(gzipSync('zipped')).toString(), execFileSync('echo', ['child']).toString().trim(), got))`

const ROWS: Readonly<Record<string, Row>> = {
  jq: {
    command: '/usr/bin/jq',
    args: at => ['-Rc', '[.]', `${at}/note`],
    lists: reads,
    answers: /"buy bread"/,
  },
  sh: {
    command: '/bin/sh',
    args: at => ['-c', `cat > ${at}/copy < ${at}/note; ls /dev/zero 2>&1; wc -w < ${at}/copy`],
    lists: all,
    answers: /cannot access|No such file[\s\S]*2/,
  },
  git: {
    command: '/usr/bin/git',
    args: at => [
      '-C',
      at,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'x',
    ],
    lists: all,
    answers: /^/,
    files: 'none',
    before: at => {
      assert.equal(spawnSync('git', ['init', '-q', at]).status, 0)
    },
  },
  python3: {
    command: '/usr/bin/python3',
    args: at => [`${at}/script`, `${at}/note`],
    lists: reads,
    answers: /buy bread a no network/,
    before: at => writeFileSync(join(at, 'script'), PYTHON),
  },
  node: {
    command: process.execPath,
    args: at => [`${at}/script`, `${at}/note`],
    lists: reads,
    answers: /buy bread zipped child 1/,
    before: at => writeFileSync(join(at, 'script'), NODE),
  },
  perl: {
    command: '/usr/bin/perl',
    args: at => ['-ne', 'print scalar reverse', `${at}/note`],
    lists: reads,
    answers: /daerb yub/,
  },
  sqlite3: {
    command: '/usr/bin/sqlite3',
    args: at => [
      `${at}/db`,
      'create table t(n); insert into t values (41); update t set n = n + 1; select n from t',
    ],
    lists: all,
    answers: /42/,
  },
  tar: {
    command: '/usr/bin/tar',
    args: at => ['-C', at, '-cvf', `${at}/notes.tar`, 'note'],
    lists: all,
    answers: /note/,
  },
  cc: {
    command: '',
    args: () => [],
    answers: /static/,
    before: at => {
      writeFileSync(join(at, 'a.c'), '#include <stdio.h>\nint main(void) { puts("static"); return 0; }\n')
      const made = spawnSync('cc', ['-static', '-o', join(at, '../program'), join(at, 'a.c')], {
        encoding: 'utf8',
      })
      assert.equal(made.status, 0, made.stderr)
      chmodSync(join(at, '../program'), 0o755)
    },
  },
}

test('the rows of the page are the rows of this test', () => {
  const page = readFileSync('docs/sandbox.md', 'utf8').split('## Programs')[1]?.split('\n## ')[0] ?? ''
  const rows = [...page.matchAll(/^\| `([a-z0-9]+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(rows, Object.keys(ROWS))
})

async function run(name: string, row: Row, uid: number | undefined) {
  const cwd = folder(name)
  const at = join(cwd, 'work')
  mkdirSync(at)
  writeFileSync(join(at, 'note'), 'buy bread\n', { mode: 0o644 })
  row.before?.(at)
  // Root's program runs as another user, to whom the folder is given; an ordinary user's runs as that user.
  const owner = IS_ROOT ? NOBODY : undefined
  if (owner !== undefined) assert.equal(spawnSync('chown', ['-R', `${owner}:${owner}`, at]).status, 0)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o755 })
  const config = owner === undefined || uid !== undefined ? '' : `sandbox_user = "${owner}"\n`
  writeFileSync(join(home, 'config.toml'), `[security]\nsandbox = "auto"\n${config}`, { mode: 0o644 })
  if (uid !== undefined) for (const path of [home, join(home, 'config.toml')]) chownSync(path, uid, uid)
  const command = row.command || join(cwd, 'program')
  const tool = {
    id: 'program.run',
    description: 'Run it',
    input_schema: {},
    result_schema: true,
    transport: { kind: 'exec', command, args: row.args(at).map(arg => arg.replaceAll('{{', '{ {')) },
    capabilities: row.lists?.(at) ?? [],
    'x-rlp': { stdin: true },
  }
  const quoted = (family: string) =>
    (row.lists?.(at) ?? [])
      .filter(one => one.startsWith(`${family}:`))
      .map(one => JSON.stringify(one.slice(family.length + 1)))
      .join(', ')
  const caps = `[capabilities]\nexec = ["${command}"]\nfs_ro = [${quoted('fs_ro')}]\nfs_rw = [${quoted('fs_rw')}]\n`
  const files = { 'tools.json': JSON.stringify({ version: 1, tools: [tool] }), 'policy.caps': caps }
  writeTree(join(cwd, 'mini'), agentTree({ files }))
  const mode = row.files === 'none' ? 'auto' : 'require'
  const args = ['tool', 'call', 'program.run', './mini', '--unverified', '--json', '--sandbox', mode]
  const env = { HOME: '/nowhere', RUNLOOP_HOME: home }
  // A process of its own shows for the ordinary user alone what main() shows for root.
  const ran =
    uid === undefined
      ? await runHere(args, undefined, { cwd, env: { PATH: process.env['PATH'], ...env } })
      : await rlp(args, { cwd, env, uid })
  assert.equal(ran.exit, 0, ran.stdout + ran.stderr)
  const { result, enforced } = JSON.parse(ran.stdout)
  assert.deepEqual([enforced.by, enforced.files], ['bubblewrap', row.files ?? 'grants'])
  assert.match(typeof result.text === 'string' ? result.text : JSON.stringify(result), row.answers)
}

for (const [who, uid] of [
  [IS_ROOT ? 'root' : 'this user', undefined],
  ['an ordinary user', NOBODY],
] as const)
  describe(`programs of ${who}`, {
    skip: NO_SANDBOX_HERE || (uid !== undefined && !IS_ROOT && 'needs root'),
  }, () => {
    // By day a third of them for the ordinary user, each of whose calls is a process.
    for (const [name, row] of slice(Object.entries(ROWS), uid === undefined ? 1 : 3))
      test(name, { skip: missing(name) }, () => run(name, row, uid))
  })
