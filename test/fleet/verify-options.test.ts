// Which options of rlp agent verify go together: each pair that does not, beside those that do.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from '../../src/cli/parse.ts'
import { command } from '../../src/fleet/verify-command.ts'
import { isAttesting, refuseTogether, type VerifyArgs } from '../../src/fleet/verify-options.ts'

const argsOf = (line: string) => parse(command, line.split(' ').filter(Boolean)) as VerifyArgs

describe('together', () => {
  for (const line of [
    'a',
    'a b --json',
    'a --format ndjson',
    'a --format ndjson --key k',
    'a --format ndjson --since r',
    'a --format ndjson --since r --since-key k',
    'a --format ndjson --since r --since-key k --key k',
    'a --format sarif',
    'a --format text --since r',
    'a --since r --since-key k',
    'a --key k --verifier https://v.example --resource https://r.example',
    'a --key -',
    '--bundles-from -',
    '--bundles-from - -0',
    '--bundles-from - --key k --format ndjson',
    '--bundles-from list --key - --format ndjson',
    'a --shard 1/2',
    'a --shard auto --format sarif',
    'a --shard 1000000/1000000 --run night-1 --format ndjson',
    'a --run 2026-12-01T00:00Z/a@b+c_d.e --format ndjson',
    'a --expect mini@^1',
    'a --expect any',
  ])
    test(`${line}: go`, () => refuseTogether(argsOf(line)))

  for (const [line, field, says] of [
    ['', 'bundle', /<bundle\.\.> is missing/],
    ['a --json --format ndjson', 'format', /--format with --json/],
    ['a --json --format text', 'format', /--format with --json/],
    ['a --json --since r', 'since', /--since with --json/],
    ['a --json --since r --format ndjson', 'format', /--format with --json/],
    ['a --format ndjson --verifier https://v.example', 'format', /Cannot attest with --format ndjson/],
    ['a --format ndjson --resource https://r.example', 'format', /Cannot attest with --format ndjson/],
    ['a --format sarif --attest f', 'format', /Cannot attest with --format sarif/],
    ['a --format ndjson --time 2026-11-20T00:00:00Z', 'format', /Cannot attest with --format ndjson/],
    ['a --format sarif --key k', 'key', /Cannot sign a report in sarif/],
    ['a --since-key k', 'since-key', /no report is named/],
    ['a --format ndjson --since r --key k', 'since-key', /need not be signed itself/],
    ['--bundles-from - --key - --format ndjson', 'key', /standard input at once/],
    ['- --key - --format ndjson', 'key', /standard input at once/],
    ['a -0', 'null', /it is about a list/],
    ['a --shard 0/4', 'shard', /"0\/4" is not a part of a list/],
    ['a --shard 5/4', 'shard', /"5\/4" is not a part/],
    ['a --shard 1/1', 'shard', /"1\/1" is not a part/],
    ['a --shard 1', 'shard', /"1" is not a part/],
    ['a --shard a/b', 'shard', /"a\/b" is not a part/],
    ['a --shard AUTO', 'shard', /"AUTO" is not a part/],
    ['a --shard 1/2 --json', 'shard', /--shard with --json/],
    ['a --run n', 'run', /only a report in ndjson/],
    ['a --run n --format sarif', 'run', /only a report in ndjson/],
    ['a --run n --json', 'run', /only a report in ndjson/],
    ['a --run=-n --format ndjson', 'run', /"-n" is not a name of a run/],
    ['a --run \u001b[2J --format ndjson', 'run', /is not a name of a run/],
    [`a --run ${'n'.repeat(129)} --format ndjson`, 'run', /is not a name of a run/],
    ['a --expect not/a/name', undefined, /Cannot expect/],
  ] as const)
    test(`${line || 'nothing'}: do not`, () => {
      assert.throws(
        () => refuseTogether(argsOf(line)),
        (error: Error & { code?: string; field?: string }) => {
          assert.equal(error.code, 'USAGE')
          assert.match(error.message, says)
          if (field !== undefined) assert.equal(error.field, field)
          return true
        },
      )
    })
})

test('a key alone asks for a statement, and with a report for programs for its signature', () => {
  for (const line of [
    'a --key k',
    'a --key k --format text',
    'a --attest f',
    'a --verifier v',
    'a --resource r',
    'a --time t',
  ])
    assert.equal(isAttesting(argsOf(line)), true, line)
  for (const line of ['a', 'a --format ndjson --key k', 'a --format sarif', 'a --since r'])
    assert.equal(isAttesting(argsOf(line)), false, line)
})
