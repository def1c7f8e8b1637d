// docs/keyless.md about signing: every command in it runs, with the services of this test in place of the public ones; its lists are those of the code.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSigningConfig } from '../../../src/sigstore/signing-config.ts'
import { readWords } from '../../../src/text/shell-words.ts'
import { run } from '../../support/fake-terminal.ts'
import { SIGNED_NAME, signingWorld } from '../../support/signing-world.ts'

const PAGE = readFileSync('docs/keyless.md', 'utf8')
const SIGNING = PAGE.slice(0, PAGE.indexOf('## What comes with a bundle'))
const world = signingWorld('keyless-doc')

/** The blocks of one language, in their order. */
function blocks(language: string): string[] {
  return [...SIGNING.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  )
}

/** The environment that a block of YAML asks for. */
function environmentOf(block: string): Readonly<Record<string, string>> {
  const { services } = world
  if (/^ {6}id-token: write$/m.test(block)) return services.github
  const [, name, audience] = /^ {2}id_tokens:\n {4}(\S+):\n {6}aud: (\S+)$/m.exec(block) ?? []
  assert.ok(name !== undefined, block)
  return { [name]: services.token({ aud: audience }) }
}

/** What a job of GitHub Actions says of the run, for its provenance. */
const RUN = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/agents',
  GITHUB_WORKFLOW_REF: 'acme/agents/.github/workflows/release.yml@refs/tags/v1.0.0',
}

test('every command that signs or states runs as it is written', async () => {
  const { services } = world
  const calls = [
    ...blocks('yaml').flatMap(block =>
      [...block.matchAll(/\brlp agent sign .*/g)].map(([line]) => [line, environmentOf(block)] as const),
    ),
    ...blocks('sh').flatMap(block =>
      block
        .trim()
        .split('\n')
        .map(line => [line, { SIGSTORE_ID_TOKEN: services.token() }] as const),
    ),
  ]
  assert.equal(calls.length, 6)
  for (const [line, env] of calls) {
    const cwd = world.place()
    mkdirSync(join(cwd, 'dist'))
    renameSync(join(cwd, SIGNED_NAME), join(cwd, 'dist', SIGNED_NAME))
    await run(
      ['agent', 'push', `dist/${SIGNED_NAME}`, 'oci-layout:store:1.0.0', '--allow-unsigned'],
      undefined,
      { cwd },
    )
    const words = readWords(
      line.replace(/oci:\S+/, 'oci-layout:store:1.0.0').replace('mailer@0.1.0', 'mini@1.0.0'),
    )
    assert.ok('value' in words)
    const [program, ...args] = words.value
    assert.equal(program, 'rlp')
    const { exit, stdout, stderr } = await run([...args, '--signing-config', 'signing.json'], undefined, {
      cwd,
      env: { ...RUN, ...env },
    })
    assert.equal(exit, 0, `${line}\n${stdout}${stderr}`)
  }
})

test('the signing config in it is one', () => {
  const [block = ''] = blocks('json')
  const read = readSigningConfig(Buffer.from(block), new Date('2026-06-01T00:00:00Z'))
  assert.ok(read.ok)
  assert.equal(read.services.rekor?.version, 2)
  assert.equal(read.services.tsa?.href, 'https://tsa.example/api/v1/timestamp')
})

test('the messages in it are those that are printed', async () => {
  const said = [...SIGNING.matchAll(/^\| (\*.*?) \| /gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/\*([^*]+)\*/g)].flatMap(([, text = '']) => text.split('…').map(part => part.trim())),
  )
  const code = readdirSync('src/sign', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => readFileSync(`src/sign/${name}`, 'utf8'))
    .join('\n')
    .replaceAll(/\$\{[^}]*\}/g, '…')
  const parts = said.filter(part => part.length > 8)
  assert.ok(parts.length >= 8, parts.join('; '))
  for (const part of parts.filter(part => !/answered \d/.test(part) && !/^(?:Fulcio|Rekor) at/.test(part)))
    assert.ok(code.includes(part), part)
})

test('the sources of the token are asked in the order of the table', async () => {
  const rows = [...SIGNING.matchAll(/^\| (`.*?) \| /gm)].map(([, cell = '']) => cell)
  assert.deepEqual(
    rows.map(cell => /`([A-Z_]+|--identity-token) ?/.exec(cell)?.[1]),
    ['--identity-token', 'SIGSTORE_ID_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_URL'],
  )
  const cwd = world.place()
  writeFileSync(join(cwd, 'token'), 'none')
  const { stderr } = await world.sign(cwd, [SIGNED_NAME, '--identity-token', 'token'], {
    env: { SIGSTORE_ID_TOKEN: 'x' },
  })
  assert.match(stderr, /the identity token in "token"/)
})
