// The examples of docs/fleet.md, run as they are written, on a few bundles.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { agentTree, bundleOf } from '../support/agent.ts'
import { missingEngine } from '../support/engines.ts'
import { temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { missing } from '../support/needs.ts'
import { PROGRAM } from '../support/run.ts'
import { IN_CI, LATE } from '../support/runs.ts'
import { ASKED, answerCalls, putRlpHere } from '../support/shell-here.ts'
import { ASKING, KEYS, keyFile, POLICY, signed } from '../support/trust-world.ts'

const PAGE = readFileSync('docs/fleet.md', 'utf8')
const BLOCKS = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
const cwd = temporary('fleet-doc')('place')

/** It asks a registry, and none is here: test/fleet/prefixes.test.ts runs the like. */
const ELSEWHERE = 'rlp agent verify oci://registry.example/agents/ --format ndjson > '

/** What each block ends with and prints, in the order of the page. */
const STRANGER = 'bundles/odd-1.0.0.agent.bundle'
const ASKS = 'bundles/mini-1.0.0.agent.bundle'
const EXPECTED: readonly (readonly [begins: string, status: number, prints: RegExp])[] = [
  ['rlp agent verify bundles\n', 1, /^(?:✓ trusted .*\n){2}✗ untrusted {5}bundles\/odd/],
  [ELSEWHERE, 1, /^$/],
  ['rlp agent verify bundles --format ndjson > ', 1, /^$/],
  ['rlp agent verify bundles --format sarif > ', 1, /^$/],
  ['rlp agent verify bundles --format ndjson --since report', 1, /^$/],
  ['rlp agent verify bundles --format ndjson --since nights', 1, /^$/],
  ['rlp agent verify bundles --format ndjson --key', 1, /^$/],
  ["sqlite3 fleet.db 'create", 0, /^$/],
  ['duckdb fleet.duckdb -c', 0, /^$/],
  ['jq -r --arg key', 0, new RegExp(`^${STRANGER}\n$`)],
  ['sqlite3 fleet.db "select line', 0, new RegExp(`^${STRANGER}\n$`)],
  ['duckdb fleet.duckdb', 0, new RegExp(`^${STRANGER}\n$`)],
  ['jq -r --arg host', 0, new RegExp(`^${ASKS}\n$`)],
  ['sqlite3 fleet.db "select distinct line', 0, new RegExp(`^${ASKS}\n$`)],
  ['duckdb fleet.duckdb', 0, new RegExp(`^${ASKS}\n$`)],
  ["jq -r 'select(.type", 0, new RegExp(`^untrusted ${STRANGER}\n$`)],
  ['sqlite3 fleet.db "select line', 0, new RegExp(`^untrusted ${STRANGER}\n$`)],
  ['duckdb fleet.duckdb', 0, new RegExp(`^untrusted ${STRANGER}\n$`)],
  ["jq -r 'select(.caps", 0, /^ +1 net:api\.mail\.example:443\n$/],
  ['sqlite3 fleet.db "select json', 0, /^net:api\.mail\.example:443\|1\n$/],
  ['duckdb fleet.duckdb', 0, /^net:api\.mail\.example:443\|1\n$/],
  ['rlp agent verify bundles --locked', 0, new RegExp(`^${ASKS}\n${STRANGER}\n$`)],
  ['# nightly.sh', 1, /^$/],
  ['find bundles', 1, /^✗ 4 parts, complete; 3 bundles: 2 trusted, 1 untrusted → report\.ndjson\n$/],
]

test('every example does what the page says', { skip: LATE }, async t => {
  const gone = missing('jq', 'sqlite3')
  if (gone !== false) return t.skip(gone)
  mkdirSync(join(cwd, 'bin'))
  const hasDuckdb = missing('duckdb') === false || missingEngine('@duckdb/node-api') === false
  if (missing('duckdb') !== false)
    writeFileSync(
      join(cwd, 'bin/duckdb'),
      `#!/bin/sh\nexec '${process.execPath}' '${resolve('test/support/duckdb.mjs')}' "$@"\n`,
      { mode: 0o755 },
    )
  mkdirSync(join(cwd, 'bundles'))
  mkdirSync(join(cwd, '.runloop'), { mode: 0o700 })
  const words = [process.execPath, ...PROGRAM].map(word => `'${word}'`).join(' ')
  // By day this process answers the calls.
  if (IN_CI) writeFileSync(join(cwd, 'bin/rlp'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 })
  else putRlpHere(join(cwd, 'bin'))
  mkdirSync(join(cwd, '.runloop/keys'), { mode: 0o700 })
  const key = readFileSync(keyFile('second'))
  writeFileSync(join(cwd, '.runloop/keys/worker.pem'), key, { mode: 0o600 })
  const policy = POLICY.replace(', agents = ["mini"]', '')
  writeFileSync(join(cwd, '.runloop/trust-policy.toml'), policy, { mode: 0o600 })
  const put = (name: string, bytes: Uint8Array) =>
    writeFileSync(join(cwd, 'bundles', `${name}-1.0.0.agent.bundle`), bytes)
  put('mini', bundleOf(signed(agentTree({ name: 'mini' }), 'release')))
  put('calm', bundleOf(signed(agentTree({ name: 'calm' }), 'release')))
  const env = {
    PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`,
    HOME: cwd,
    LC_ALL: 'C.UTF-8',
    KEY: KEYS.stranger.anchor,
  }
  const shell = async (line: string) => {
    const stdio = ['ignore', 'pipe', 'pipe', ...ASKED] as const
    const child = spawn('sh', ['-c', line], { cwd, env, stdio: [...stdio], timeout: 60_000 })
    const answered = answerCalls(child, join(cwd, 'bin'))
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', text => {
        said[name] += text
      })
    const status = await new Promise(resolve => child.once('close', resolve))
    await answered()
    return { status, ...said }
  }
  // What is locked, before one of them asks for more and another is a stranger's.
  const locked = await rlpHere(['lock', 'add', 'bundles'], {
    cwd,
    env: { RUNLOOP_HOME: join(cwd, '.runloop') },
  })
  assert.equal(locked.exit, 0, locked.stderr)
  put('mini', bundleOf(signed(ASKING, 'release')))
  put('odd', bundleOf(signed(agentTree({ name: 'odd' }), 'stranger')))
  assert.equal(BLOCKS.length, EXPECTED.length)
  for (const [at, [begins, status, prints]] of EXPECTED.entries()) {
    const block = BLOCKS[at] ?? ''
    assert.ok(block.startsWith(begins), block)
    if (begins === ELSEWHERE || (begins.startsWith('duckdb') && !hasDuckdb)) continue
    if (begins.endsWith('nights')) cpSync(join(cwd, 'report.ndjson'), join(cwd, 'nights/report.ndjson'))
    // Neither a registry nor an install root is here.
    const line = at === 0 ? block.split('\n').slice(0, 2).join('\n') : block
    const ran = await shell(line)
    assert.deepEqual(
      [ran.status, prints.test(ran.stdout)],
      [status, true],
      `${line}\n${ran.stdout}${ran.stderr}`,
    )
    if (begins.includes('--since')) assert.match(ran.stderr, /3 judged before/)
    if (begins.startsWith('# nightly')) assert.match(ran.stderr, /3 judged before/)
  }
})
