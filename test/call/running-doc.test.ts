// docs/running.md against what it describes, and the registries behind it against each other.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CALL_LIMITS, DEFAULT_TIMEOUT_MS } from '../../src/call/context.ts'
import { SECRET_SOURCES } from '../../src/call/secrets/index.ts'
import { MOST_SECRET_BYTES } from '../../src/call/secrets/value.ts'
import { hostsWith } from '../../src/call/transports.ts'
import { MAX_RESULT_CHARS } from '../../src/contract/truncate.ts'
import { Running } from '../../src/io/process/running.ts'
import { SECRET_ID } from '../../src/model/secret.ts'
import { SHORTEST_SECRET } from '../../src/secret/secret-mask.ts'
import { MASK } from '../../src/text/mask.ts'
import { TRANSPORTS } from '../../src/tools/transports/index.ts'
import { UNHELD } from '../support/unheld.ts'

const PAGE = readFileSync('docs/running.md', 'utf8').replace(/\s+/g, ' ')

test('every transport kind runs here', () => {
  const hosts = hostsWith({ env: {}, running: new Running(), sandbox: UNHELD })
  assert.deepEqual(
    hosts.map(({ kind }) => kind),
    TRANSPORTS.map(({ kind }) => kind),
  )
})

test('every source of secrets has its row', () => {
  for (const { name, takes } of SECRET_SOURCES)
    assert.ok(PAGE.includes(`| \`${takes === undefined ? name : `${name}:${takes}`}\``), name)
})

test('the numbers are those of the code', () => {
  const said = [
    `${CALL_LIMITS.outputBytes / 2 ** 20} MiB of standard output`,
    `${CALL_LIMITS.errorBytes / 2 ** 10} KiB of standard error`,
    `else ${DEFAULT_TIMEOUT_MS / 1000} seconds`,
    `${MAX_RESULT_CHARS / 1000},000 characters`,
    `${SHORTEST_SECRET} characters to ${MOST_SECRET_BYTES / 2 ** 10} KiB`,
    `\`${SECRET_ID.source}\``,
    `\`${MASK}\``,
  ]
  for (const text of said) assert.ok(PAGE.includes(text), text)
})
