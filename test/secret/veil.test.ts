// Credentials on their way to a log: what has the form of one is not shown, and where lint finds one nothing is.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CREDENTIAL_RULES, veiled, veiledFile } from '../../src/secret/veil.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { processorTime } from '../support/processor-time.ts'
import { IN_CI } from '../support/runs.ts'
import { keyFile } from '../support/trust-world.ts'

const folderFor = temporary('veil')
const PEM = readFileSync(keyFile('release'), 'utf8')
const TOKEN = `ghp_${'a1B2'.repeat(9)}`

describe('a message', () => {
  const cases: [what: string, text: string, shown: string][] = [
    ['nothing of the kind', 'Cannot read "a.pem": no such file', 'Cannot read "a.pem": no such file'],
    ['a token, to its end', `x ${TOKEN}more y`, 'x ***REDACTED*** y'],
    ['a key in PEM, to its end', `"${PEM.trim()}": no`, '"***REDACTED***": no'],
    ['a key that is cut off', PEM.slice(0, 80), '***REDACTED***'],
    ['two of them', `${TOKEN} and ${TOKEN}`, '***REDACTED*** and ***REDACTED***'],
  ]
  for (const [what, text, shown] of cases) test(what, () => assert.equal(veiled(text), shown))

  // Each takes milliseconds. Where every beginning is read to the end of the text, the first two take ten seconds.
  test('half a megabyte of beginnings takes no time worth speaking of', () => {
    const own = `MC4CAQAwBQYDK2VwBCIEI${'A'.repeat(20)}`
    for (const unit of ['-----BEGIN PRIVATE KEY-----', own, 'eyJ', 'sk-', `${TOKEN} `]) {
      const text = unit.repeat(Math.ceil(500_000 / unit.length))
      const started = processorTime()
      const shown = veiled(text)
      assert.ok(processorTime() - started < 2000, unit)
      // What is not masked is what may be shown: the two forms that never become a credential, and the spaces between tokens.
      assert.equal(/[A-Z]{4}/.test(shown.replaceAll('***REDACTED***', '')), false, unit)
    }
  })
})

test('a file keeps its columns', () => {
  const finding = { rule: 'secrets/literal', severity: 'warning', message: '', fix: '' } as const
  const text = 'a = "hunter2 x"\nb = 2\n'
  const at = { file: 'f', line: 1, column: 5, endLine: 1, endColumn: 16 }
  assert.equal(veiledFile(text, 'f', [{ ...finding, ...at }]), 'a = "******* *"\nb = 2\n')
  assert.equal(veiledFile(text, 'g', [{ ...finding, ...at }]), text)
  assert.equal(veiledFile(text, 'f', [{ ...finding, ...at, rule: 'tools/url' }]), text)
})

test('every rule that finds credentials is known', () => {
  const root = join(import.meta.dirname, '../../src/lint/rules')
  const looking = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    path =>
      path.endsWith('.ts') &&
      /secretIn\(|'[a-z-]+\/[a-z-]*literal'/.test(readFileSync(join(root, path), 'utf8')),
  )
  assert.deepEqual(looking.map(path => path.replace(/\.ts$/, '')).sort(), [...CREDENTIAL_RULES].sort())
})

/** What `--fix` closes. */
const OPEN = { type: 'object', properties: { q: { type: 'string' } } }

test('lint names a credential and never shows it, whatever its form and whatever is found beside it', async () => {
  const secrets = ['hunter2-canary-1', 'hunter2-canary-2', 'hunter2-canary-3', TOKEN]
  const tool = (id: string, transport: object) => ({
    id,
    description: 'Does it well',
    transport,
    input_schema: OPEN,
    result_schema: {},
    capabilities: ['net:b.example'],
  })
  const http = { kind: 'http', method: 'GET' }
  const tools = [
    tool('a.a', { ...http, url: 'https://a.example/', headers: { Authorization: `Basic ${secrets[0]}` } }),
    tool('a.b', { ...http, url: `https://a.example/?token=${secrets[1]}` }),
    tool('a.c', { kind: 'exec', command: '/usr/bin/jq', args: ['--password', secrets[2]] }),
    tool('a.d', { ...http, url: 'https://a.example/', headers: { 'X-Own': secrets[3] } }),
  ]
  const ways = [
    [],
    ['--json'],
    ['--format', 'sarif'],
    ['--format', 'github'],
    ['--fix', '--dry-run'],
    ['--fix', '--dry-run', '--json'],
  ]
  // On one line, the whole file is in the diff; the findings are the same.
  const onOneLine = IN_CI ? ways : ways.filter(([first]) => first === '--fix')
  for (const [indent, tried] of [
    [1, ways],
    [0, onOneLine],
  ] as const) {
    const folder = folderFor('lint')
    const files = { 'tools.json': JSON.stringify({ version: 1, tools }, null, indent) }
    writeTree(join(folder, 'mini'), agentTree({ files }))
    for (const more of tried) {
      const { stdout, stderr } = await run(['agent', 'lint', 'mini', ...more], undefined, { cwd: folder })
      for (const secret of secrets) assert.ok(!(stdout + stderr).includes(secret), `${more}: ${stdout}`)
      // The control: a diff with these lines in it is shown.
      if (more.includes('--fix')) assert.match(stdout, /\+.*additionalProperties/)
      if (more.length < 2) assert.equal(stdout.match(/secrets\/(?:likely-)?literal/g)?.length, 4)
    }
  }
})
