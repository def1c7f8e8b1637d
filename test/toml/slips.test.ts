// Habits from other languages in JSON and TOML: each has a message of its own, and nothing else has.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { meantName } from '../../src/agent/agent-name.ts'
import { readAgentcliTools } from '../../src/agentcli/load.ts'
import { parseJson } from '../../src/json/parse.ts'
import { readFields } from '../../src/scaffold/wizard/schema-answer.ts'
import { checkShape } from '../../src/schema/check.ts'
import { parseToml } from '../../src/toml/parse.ts'

type Row = readonly [text: string, message: string]

const JSON_ROWS: readonly Row[] = [
  ['{ // a\n "a": 1 }', 'JSON has no comments'],
  ['/* a */ {}', 'JSON has no comments'],
  ['{ "a": 1, # b\n "b": 2 }', 'JSON has no comments'],
  ['{ "a": 1 // b\n }', 'JSON has no comments'],
  ['{} // end', 'JSON has no comments'],
  ['{ "a": 1, }', 'JSON has no comma before "}"'],
  ['[1, 2,\n]', 'JSON has no comma before "]"'],
  ['{ a: 1 }', 'JSON has no keys without quotes: write "a"'],
  ['{ "a": b }', 'JSON has no text without quotes: write "b"'],
  ['[/usr/bin/jq]', 'JSON has no text without quotes: write "/usr/bin/jq"'],
  ["{ 'a': 1 }", 'JSON has no single quotes: write double ones'],
  ['{ "a": \'b\' }', 'JSON has no single quotes: write double ones'],
  ['{ "a": True }', 'JSON writes true, not True'],
  ['{ "a": None }', 'JSON writes null, not None'],
  // No habit: what was expected is said.
  ['{ "a" 1 }', 'Expected ":", found "1"'],
  ['[1 2]', 'Expected "," or "]", found "2"'],
  ['[', 'Expected a value or "]", found the end of the text'],
  ['{ ; }', 'Expected a key or "}", found ";"'],
  ['{} {}', 'Text after the end of the document'],
]

const TOML_ROWS: readonly Row[] = [
  ['// a\nb = 1\n', 'A comment in TOML begins with #'],
  ['//a\nb = 1\n', 'A comment in TOML begins with #'],
  ['b = 1 // a\n', 'A comment in TOML begins with #'],
  ['/* a */\nb = 1\n', 'A comment in TOML begins with #'],
  ['version = 0.1.0\n', 'TOML has no text without quotes: write "0.1.0"'],
  ['a = mailer\n', 'TOML has no text without quotes: write "mailer"'],
  ['a = two words # c\n', 'TOML has no text without quotes: write "two words"'],
  ['a = /usr/bin/jq\n', 'TOML has no text without quotes: write "/usr/bin/jq"'],
  ['net = [ api.mail.example:443, b ]\n', 'TOML has no text without quotes: write "api.mail.example:443"'],
  ['a = True\n', 'TOML writes true, not True'],
  ['a = yes\n', 'TOML writes true, not yes'],
  ['a = None\n', 'TOML has no null: leave the key out'],
  ['a: 1\n', 'TOML has = between a key and its value, and no :'],
  ['"a": "b"\n', 'TOML has = between a key and its value, and no :'],
  ['a = "b",\n', 'TOML has no comma after a value'],
  ['a = { b = 1, }\n', 'Not TOML 1.0: Trailing comma is not permitted in an inline table'],
  // No habit.
  ['a = [1,,2]\n', 'Not TOML 1.0: Unexpected token'],
  ['a = ;\n', 'Not TOML 1.0: Unexpected character'],
  ['a = [\nb = 1\n', 'Not TOML 1.0: Unexpected character'],
]

for (const [language, parse, rows] of [
  ['JSON', parseJson, JSON_ROWS],
  ['TOML', parseToml, TOML_ROWS],
] as const)
  describe(language, () => {
    for (const [text, message] of rows)
      test(JSON.stringify(text), () => {
        const parsed = parse('x', Buffer.from(text))
        assert.equal(parsed.ok ? 'it is read' : parsed.problem.message, message)
        assert.equal(!parsed.ok && parsed.problem.code, 'syntax')
      })
  })

test('agentcli’s own message keeps the name of the language', () => {
  const place = { manifestDir: '/m', platform: 'posix' } as const
  const loaded = readAgentcliTools('{ "tools": [], }', place)
  assert.equal(!loaded.ok && loaded.error, 'parse manifest: JSON has no comma before "}"')
})

test('a name with capitals or hyphens: the one that was meant', () => {
  const rows = [
    ['My-Agent', 'my_agent'],
    ['MyAgent', 'my_agent'],
    ['mail.sender', 'mail_sender'],
    ['2fa-bot', undefined],
    ['--mailer', 'mailer'],
    ['mailer', undefined],
    ['-', undefined],
    ['про', undefined],
  ] as const
  for (const [written, meant] of rows) assert.equal(meantName(written), meant, written)
})

test('a type of a field that there is not: the one that was meant, and all of them', () => {
  const problem = (text: string) => {
    const read = readFields(text)
    return 'problem' in read ? read.problem : 'it is read'
  }
  const all = 'string, integer, number, boolean, object, with [] behind it for a list'
  assert.equal(problem('n:int'), `n has the type int; did you mean integer? use ${all}`)
  assert.equal(problem('n:String'), `n has the type String; did you mean string? use ${all}`)
  assert.equal(problem('n:date'), `n has the type date; use ${all}`)
  assert.match(problem('n'), new RegExp(`; types are ${all.replace(/[[\]]/g, '\\$&')}$`))
  assert.equal(problem('n:integer'), 'it is read')
})

test('policy.caps without its table: where the line goes', () => {
  const fixes = (value: unknown) => checkShape('policy', value).map(({ fix }) => fix)
  assert.deepEqual(fixes({ capabilities: { exec: true } }), [])
  assert.ok(fixes({ net: [], exec: true }).includes('Write [capabilities] on the line above net'))
  assert.deepEqual(fixes({}), ['Write [capabilities] on a line of its own, and its keys below'])
})

test('a manifest whose agent is called in another spelling', () => {
  const agent = { name: 'My-Agent', version: '0.1.0' }
  const fixes = checkShape('manifest', { agent }).map(({ fix }) => fix)
  assert.ok(
    fixes.includes('Did you mean "my_agent"? Use lowercase letters, digits and underscores'),
    fixes.join('; '),
  )
})
