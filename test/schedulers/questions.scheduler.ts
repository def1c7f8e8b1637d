// The questions of docs/fleet.md, asked of a merged report of 200,000 bundles: jq, SQLite and DuckDB give the same answers, and the right ones.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { before, describe, test } from 'node:test'
import { missingEngine } from '../support/engines.ts'
import { type FleetWorld, fleetWorld } from '../support/fleet-world.ts'
import { temporary } from '../support/folder.ts'
import { missing } from '../support/needs.ts'

const folder = temporary('questions')
const COUNT = 200_000
const KEY = `ed25519:${Buffer.alloc(32, 9).toString('base64')}`
const HOSTS = [
  'net:api.mail.example',
  'net:api.mail.example:443',
  'net:api.mail.example.org',
  'net:other.example',
]
const BLOCKS = [...readFileSync('docs/fleet.md', 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(
  ([, block = '']) => block,
)
const QUESTIONS = [
  /signers/,
  /api\.mail\.example/,
  /caps (?:== null|' is null|is null)|'caps' is null/,
  /uniq -c|count\(\*\)/,
]

describe(`questions to a report of ${COUNT.toLocaleString('en')} bundles`, {
  skip: missing('jq', 'sqlite3') || missingEngine('@duckdb/node-api'),
}, () => {
  let here: FleetWorld
  const expected: string[][] = [[], [], [], []]

  before(async () => {
    here = fleetWorld(folder('world'), 8)
    // The lines of a real report that was merged, many times, with other names, signers and capabilities.
    const parts = [1, 2].map(
      part => `rlp agent verify bundles --shard ${part}/2 --run x --format ndjson > ${part}.ndjson || true`,
    )
    const merge = 'rlp report merge 1.ndjson 2.ndjson --out merged.ndjson || true'
    const ran = await here.run('bash', ['-c', ['umask 077', ...parts, merge].join('\n')])
    const lines = readFileSync(join(here.cwd, 'merged.ndjson'), 'utf8').trimEnd().split('\n')
    const [summary, ...records] = lines.toReversed().map(line => JSON.parse(line))
    assert.equal(records.length, 8, ran.stderr)
    const trusted = records.find(({ verdict }) => verdict === 'trusted')
    const strange = records.find(({ verdict }) => verdict !== 'trusted')
    const out = createWriteStream(join(here.cwd, 'report.ndjson'))
    const counts = new Map<string, number>()
    for (let number = 0; number < COUNT; number++) {
      const target = `bundles/ag_${String(number).padStart(6, '0')}-0.1.0.agent.bundle`
      const isStrange = number % 1000 === 7
      const line = { ...(isStrange ? strange : trusted), target }
      if (number % 500 === 3) line.signers = [...line.signers, KEY]
      if (!isStrange)
        line.caps = number % 100 === 1 ? ['model', HOSTS[((number / 100) % HOSTS.length) | 0]] : ['model']
      if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain')
      if (line.signers.includes(KEY)) expected[0]?.push(target)
      if (line.caps?.some((cap: string) => cap === HOSTS[0] || cap === HOSTS[1])) expected[1]?.push(target)
      if (line.caps === null) expected[2]?.push(`${line.verdict} ${target}`)
      for (const cap of line.caps ?? [])
        if (cap.startsWith('net:')) counts.set(cap, (counts.get(cap) ?? 0) + 1)
    }
    out.end(`${JSON.stringify(summary)}\n`)
    await finished(out)
    expected[3] = [...counts].map(([cap, count]) => `${cap}|${count}`)
    const duckdb = `#!/bin/sh\nexec '${process.execPath}' '${resolve('test/support/duckdb.mjs')}' "$@"\n`
    mkdirSync(join(here.cwd, 'bin'), { recursive: true })
    writeFileSync(join(here.cwd, 'bin/duckdb'), duckdb, { mode: 0o755 })
  })

  for (const program of ['jq', 'sqlite3', 'duckdb'])
    test(program, async t => {
      const blocks = BLOCKS.filter(block => block.startsWith(`${program} `))
      const questions = blocks.filter(block => !/create (?:table|view)/.test(block))
      assert.equal(questions.length, QUESTIONS.length)
      const begun = performance.now()
      for (const block of blocks) {
        const { status, stdout, stderr } = await here.run('sh', ['-c', block], { KEY })
        assert.equal(status, 0, `${block}\n${stderr}`)
        const at = questions.indexOf(block)
        if (at === -1) continue
        assert.match(block, QUESTIONS[at] ?? /^$/)
        // jq counts with other programs, which put the number first.
        const said = stdout
          .trimEnd()
          .split('\n')
          .map(line => line.replace(/^ *(\d+) (net:.*)$/, '$2|$1'))
        assert.ok((expected[at]?.length ?? 0) > 3)
        assert.deepEqual(said.sort(), expected[at]?.toSorted(), block)
      }
      t.diagnostic(`${program}: ${((performance.now() - begun) / 1000).toFixed(1)} s`)
    })
})
