// Credentials in packed files: what is one, what only looks like one, pieces of a file, and that pack refuses.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { credentialsIn, withoutCredentials } from '../../src/secret/credential.ts'
import { SecretScan } from '../../src/secret/packed-secret.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { countSteps } from '../support/steps.ts'

const folder = temporary('packed-secret')
// Put together here, so that no scanner takes this file for a leak.
const GITHUB = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
const PEM = `-----BEGIN ${'PRIVATE'} KEY-----\n${'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0w'.repeat(2)}\n`

function found(text: string, size = text.length): string[] {
  const scan = new SecretScan()
  for (let at = 0; at < text.length; at += size) scan.take(text.slice(at, at + size))
  return scan.end().map(({ kind, line }) => `${kind} ${line}`)
}

describe('what is a credential', () => {
  const cases: [what: string, text: string, ...expected: string[]][] = [
    ['a key', `x\n${PEM}`, 'a private key 2'],
    ['an encrypted key', PEM.replace('PRIVATE', 'ENCRYPTED PRIVATE'), 'a private key 1'],
    ['a key in one line of JSON', JSON.stringify({ key: PEM }), 'a private key 1'],
    ['the line that begins a key, in a program', 'if (line === "-----BEGIN PRIVATE KEY-----") {'],
    ['a public key', PEM.replace('PRIVATE', 'PUBLIC')],
    ['a token', `curl -H "Authorization: Bearer ${GITHUB}"`, 'a GitHub token 1'],
    ['two kinds', `${GITHUB}\n${PEM}`, 'a private key 2', 'a GitHub token 1'],
    ['a key of a provider', `sk-${'proj-a1B2c3D4'.repeat(3)}`, 'an API key 1'],
    ['the name of a style', '.sk-fading-circle-animation-of-dots { }'],
    ['a key of documentation', `A${'KIAIOSFODNN7EXAMPLE'}`],
    ['a token that stands for one', `ghp_${'x'.repeat(36)}`],
    ['one that is there for tests', `# x-test-key: made for the tests\n${GITHUB}`],
    ['one in JSON that is there for tests', `{"x-test-key": "${GITHUB}"}`],
    ['and one that is not, behind it', `x-test-key\n${GITHUB}\n\n\n\n${GITHUB}`, 'a GitHub token 6'],
    ['variables', 'A=1\n\n# c\nexport DB_PASSWORD="k8!fQ2zz"\n', 'a file of variables with a secret 4'],
    [
      'variables without a value',
      'DB_PASSWORD=\nAPI_TOKEN=$TOKEN\nMY_SECRET=/run/secrets/x\nX_TOKEN=changeme1\n',
    ],
    ['a program with such a line', 'DB_PASSWORD=k8!fQ2zz\nrun me\n'],
  ]
  for (const [what, text, ...expected] of cases) test(what, () => assert.deepEqual(found(text), expected))
})

test('a file that comes in pieces is read like one that comes whole', () => {
  const text = `${'a line\n'.repeat(500)}${GITHUB}\n${'more\n'.repeat(500)}${PEM}`
  const whole = found(text)
  assert.deepEqual(whole, ['a private key 1002', 'a GitHub token 501'])
  for (const size of [64, 777, 4096])
    assert.deepEqual(found(text, size).sort(), [...whole].sort(), String(size))
})

for (const piece of [
  '-----BEGIN ',
  'PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\n',
  'ghp_a',
  'sk-a1B',
  'A=1\n',
  'xoxb-',
  '\n',
]) {
  test(`twice the text takes at most two and a half times the steps: ${JSON.stringify(piece)}`, () => {
    const scan = (size: number) => {
      const text = piece.repeat(size / piece.length)
      return () => found(text, 8192)
    }
    scan(1000)()
    const [once = 0, twice = 0] = countSteps(scan(40_000), scan(80_000))
    assert.ok(twice / once <= 2.5, `${twice / once}`)
  })
}

test('every form that is masked has a piece that is looked for first', () => {
  const samples = [
    PEM,
    GITHUB,
    `AKIA${'A2B3'.repeat(4)}`,
    `glpat-${'a'.repeat(20)}`,
    `xoxb-${'1'.repeat(12)}`,
  ]
  samples.push(
    `sk_live_${'a'.repeat(16)}`,
    `sk-${'a'.repeat(20)}`,
    `AIza${'a'.repeat(35)}`,
    `npm_${'a'.repeat(36)}`,
  )
  samples.push(`pypi-AgE${'a'.repeat(16)}`, `hf_${'a'.repeat(30)}`, `SG.${'a'.repeat(22)}.${'b'.repeat(20)}`)
  samples.push(
    `eyJ${'a'.repeat(12)}.eyJ${'b'.repeat(12)}`,
    `MC4CAQAwBQYDK2VwBCIEI${'a'.repeat(20)}`,
    `github_pat_${'a'.repeat(22)}`,
  )
  for (const sample of samples) {
    assert.ok(credentialsIn(sample).length > 0, sample.slice(0, 12))
    assert.notEqual(withoutCredentials(sample), sample, sample.slice(0, 12))
  }
})

test('nothing of the real agents, catalogues and fixtures is taken for one', () => {
  const folders = ['../shared/real', 'fixtures/valid', 'fixtures/verdicts', 'docs'].filter(existsSync)
  let count = 0
  for (const root of folders) {
    for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!statSync(join(root, path)).isFile()) continue
      count++
      assert.deepEqual(found(readFileSync(join(root, path), 'latin1'), 65_536), [], path)
    }
  }
  assert.ok(count > 50)
})

test('pack refuses it, and the caller can say that it is meant', async () => {
  const tree = agentTree({ name: 'mini', files: { 'docs/a.md': `use ${GITHUB}` } })
  const cwd = writeTree(
    folder('pack'),
    Object.fromEntries(Object.entries(tree).map(([path, file]) => [`mini/${path}`, file])),
  )
  const refused = await run(['agent', 'pack', 'mini'], undefined, { cwd })
  assert.equal(refused.exit, 1)
  assert.match(refused.stderr, /Line 1 holds a GitHub token/)
  assert.doesNotMatch(refused.stderr + refused.stdout, /ghp_/)
  assert.equal((await run(['agent', 'lint', 'mini'], undefined, { cwd })).exit, 1)
  assert.equal(
    (await run(['agent', 'lint', 'mini', '--rule', 'files/secret=off'], undefined, { cwd })).exit,
    0,
  )
})

test('a credential in a message is masked, whichever rule quotes it', async () => {
  const caps = `[capabilities]\nsecrets = ["${GITHUB}"]\n`
  const tree = agentTree({ name: 'mini', files: { 'policy.caps': caps } })
  const cwd = writeTree(
    folder('mask'),
    Object.fromEntries(Object.entries(tree).map(([path, file]) => [`mini/${path}`, file])),
  )
  for (const args of [[], ['--json'], ['--format', 'sarif']]) {
    const { stdout } = await run(['agent', 'lint', 'mini', ...args], undefined, { cwd })
    assert.match(stdout, /id-style/)
    assert.doesNotMatch(stdout, /ghp_a1B2/)
  }
  assert.equal(withoutCredentials('a b'), 'a b')
})
