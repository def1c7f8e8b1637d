// Every example of every --help is run, as it is written: by a shell's words, in a folder that has what the examples speak of.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { REGISTRY } from '../../src/cli/commands.ts'
import { renderCommandHelp } from '../../src/cli/render/help.ts'
import { createStyle } from '../../src/cli/render/style.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { MANIFEST_FILE } from '../../src/model/agent.ts'
import { readWords } from '../../src/text/shell-words.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { type Kept, keep } from '../support/put-back.ts'
import { writeParts } from '../support/report-parts.ts'
import { LATE, slice } from '../support/runs.ts'
import { signer } from '../support/signed.ts'
import { sigstoreWorld } from '../support/sigstore-world.ts'
import { statementOf } from '../support/trust-world.ts'

const folder = temporary('examples')
const home = process.env['HOME']
/** Where every example runs. What one of them changes is put back before the next one. */
const base = folder('base')

/** Examples that do not end with 0, and why. */
const OTHERWISE: Readonly<Record<string, readonly [exit: number, said: RegExp]>> = {
  // The folder of this test has a name that no agent may have.
  'rlp agent init': [2, /invalid agent name/],
  // They ask, and no person is here.
  'rlp agent scaffold': [2, /<name> is missing, and no person/],
  'rlp tool add mailer': [2, /--id is missing, and no person/],
  // No pipeline gives a token here.
  'rlp agent sign dist --keyless --yes': [2, /there is no identity token/],
  'rlp key generate release': [2, /no person can be asked for the passphrase/],
  'rlp agent uninstall mailer': [2, /--yes/],
  'rlp trust add ci --for mailer-0.1.0.agent.bundle --trusted-root root.json': [
    2,
    /the identity and the rule are proposed by a bundle, and no person can be asked/,
  ],
  'rlp trust unfollow house': [2, /channels\.toml does not name it/],
  'rlp channel sign house --key ada': [2, /no person can be asked/],
  // What scaffold wrote has a placeholder for its program, and --strict says so.
  'rlp agent lint agents/mailer --strict': [1, /wasm\/stub/],
  'rlp tool export mailer mail.send --to agentcli --fail-on-loss': [1, /agentcli starts programs only/],
  // What is locked there comes from a file.
  'rlp lock outdated': [3, /mailer 0\.1\.0: cannot tell/],
  'rlp lock outdated --json': [3, /cannot tell/],
  // There is no such variant, and no version as high.
  'rlp agent uninstall mailer@pro --root /srv/agents --yes': [2, /it is not there/],
  'rlp trust reset mailer --to 0.9.0 --reason "9.0.0 was a typing error"': [2, /is 0\.1\.0, which is older/],
}

/** They take what only another program has made. */
const NOT_TRIED: Readonly<Record<string, string>> = {
  'rlp report merge signed-*.ndjson --since-key worker --key fleet -o report.ndjson':
    'parts that workers sign',
  'rlp agent sign dist --key ssh-agent:release': 'the ssh agent of a person',
  'rlp channel sign house --key ssh-agent:ada': 'the ssh agent of a person',
  'rlp agent sign b.agent.bundle --import-signature sig.bin --key signer.pub': 'the signature of a device',
  'rlp agent attest dist --type https://scan.example/v1 --predicate scan.json --keyless --yes': 'an identity',
  'rlp agent provenance dist --keyless --yes': 'an identity, and a builder',
  'rlp trust revoke vendor --from-audit /var/log/rlp/audit.ndjson --dry-run': 'the log of a host',
}

/** They wait for a registry or a client, or for bytes of a shell's making; their words are still held. */
const NOT_RUN: readonly string[] = [
  'agent push',
  'agent copy',
  'login',
  'agent pull',
  'agent dev',
  // It needs cases, and those of docs/authoring.md have their own test.
  'agent test',
  'tool serve',
  'tool replay',
  'tool call',
  'tool import',
  'tool check-result',
]

const RECORDS = '[{"schema_version":"0.2.0","interface_id":"tool_interface:a","tool_id":"a"}]\n'
const QUESTIONS =
  'policies = ["../.runloop/trust-policy.toml"]\n[[question]]\nname = "unsigned"\nagent = "mailer"\nversion = "0.1.0"\nsigners = []\nclock = "2026-11-20T12:00:00Z"\nverdict = "unsigned"\n'
const AGENTCLI =
  '{"tools":[{"name":"render","description":"Renders","command":["./tools/bin/render"],"parameters":{"type":"object","properties":{}}}]}\n'

/** What a shell would put in the place of a word, or what this folder has in place of a host's. */
const IN_PLACE: readonly (readonly [RegExp, string])[] = [
  [/\/srv\/agents/g, 'srv'],
  [/\/opt\/goagent/g, 'goagent'],
  [/ed25519:…/g, signer(7).anchor],
  [/\/etc\/runloop\/policy-overrides\/mailer\.caps/g, 'mailer.caps'],
]

async function rlp(
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
  input = '',
) {
  process.env['HOME'] = cwd
  return run(args, undefined, { cwd, env: { PATH: process.env['PATH'], HOME: cwd, ...more }, input })
}

async function must(line: string): Promise<void> {
  const words = readWords(line)
  assert.ok('value' in words)
  const { exit, stdout, stderr } = await rlp(words.value, base)
  assert.equal(exit, 0, `${line}\n${stdout}${stderr}`)
}

/** The folder before any example, and the private key in it. */
let first: Kept
let SIGNING_KEY: string

before(async () => {
  delete process.env['RUNLOOP_HOME']
  const fields = "--input-schema query:string --result-schema 'lines:string[]' --grant"
  await must('agent scaffold mailer --non-interactive')
  await must(
    `tool add mailer --id mail.send --description 'Send a mail' --url https://api.mail.example/send ${fields}`,
  )
  await must('agent digest mailer')
  await must('agent pack mailer')
  await must('key generate release --no-passphrase')
  await must('agent sign dist/mailer-0.1.0.agent.bundle --key release')
  const manifest = join(base, 'agents/mailer/manifest.toml')
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, text.replace('version = "0.1.0"', 'version = "0.2.0"'))
  await must('agent pack mailer')
  await must('agent sign dist/mailer-0.2.0.agent.bundle --key release')
  writeFileSync(manifest, text)
  await must('trust add release release --for dist/mailer-0.1.0.agent.bundle --yes')
  await must('agent install dist/mailer-0.1.0.agent.bundle --yes')
  await must('lock add dist/mailer-0.1.0.agent.bundle')
  writeFileSync(join(base, 'scan.json'), '{}')
  writeFileSync(join(base, 'message.txt'), 'to be or not to be')
  SIGNING_KEY = readFileSync(join(base, '.runloop/keys/release.pem'), 'utf8')
  first = keep(base)
})

after(() => {
  if (home === undefined) delete process.env['HOME']
  else process.env['HOME'] = home
})

test('the words of every example are those of its command', async () => {
  const { parse } = await import('../../src/cli/parse.ts')
  let count = 0
  for (const { name, load } of REGISTRY.commands) {
    const { command } = await load()
    for (const [line] of command.examples) {
      const words = callIn(line)
      assert.deepEqual(words.slice(0, name.split(' ').length), name.split(' '), line)
      parse(command, words.slice(name.split(' ').length))
      count++
    }
  }
  assert.ok(count > 60)
})

test('an example that is pasted from the help, as printed, is the example', async () => {
  // By day each command at one width.
  const pages = slice(
    [40, 80, 200].flatMap(columns => REGISTRY.commands.map(({ load }) => ({ columns, load }))),
    3,
    ({ columns }) => `${columns}`,
  )
  let broken = 0
  for (const { columns, load } of pages) {
    const { command } = await load()
    const text = await renderCommandHelp(command, { style: createStyle(false), columns })
    const [, examples = ''] = /\nExamples:\n((?: {2}.*\n)*)/.exec(text) ?? []
    const pasted = examples.replace(/ \\\n +/g, ' ')
    broken += examples.length - pasted.length
    const lines = pasted.split('\n').filter(line => line !== '' && !line.startsWith('  # '))
    assert.deepEqual(
      lines.map(line => line.trim()),
      command.examples.map(([line]) => line),
    )
  }
  assert.ok(broken > 100)
})

const JQ = '/usr/bin/jq'

test(`the tool of the help’s example answers`, { skip: !existsSync(JQ) && 'no jq is here' }, async () => {
  const { command } = (await REGISTRY.commands.find(({ name }) => name === 'tool add')?.load()) ?? {}
  const [line = ''] = command?.examples.find(([line]) => line.includes(JQ)) ?? []
  const cwd = folder('jq')
  cpSync(join(base, 'agents'), join(cwd, 'agents'), { recursive: true })
  assert.equal((await rlp(callIn(line), cwd)).exit, 0)
  const args = ['--args', '{"text":"to be"}', '--unverified', '--json']
  const called = await rlp(['tool', 'call', 'text.words', 'agents/mailer', ...args], cwd)
  assert.deepEqual(
    [called.exit, JSON.parse(called.stdout).result],
    [0, { words: ['to', 'be'] }],
    called.stdout,
  )
})

/** The words after `rlp`, of the call in a line that may have pipes, a variable or a redirection. */
function callIn(line: string): string[] {
  const call = /(?:^|[ (|])rlp ((?:'[^']*'|"[^"]*"|[^|<>)])*)/.exec(line)?.[1]
  const words = readWords(call ?? '')
  assert.ok('value' in words, line)
  return [...words.value]
}

for (const { name, load } of REGISTRY.commands.filter(({ name }) => !NOT_RUN.includes(name))) {
  test(name, { skip: LATE }, async () => {
    const { command } = await load()
    for (const [at, [line]] of command.examples.entries()) {
      if (Object.hasOwn(NOT_TRIED, line) || line.includes('oci://')) continue
      // It makes an agent of the name that the folder has already.
      const cwd = name === 'agent scaffold' ? folder(`scaffold-${at}`) : base
      const begin = line.startsWith('rlp channel') ? await channelFor(line) : first
      begin.putBack()
      await prepare(line, cwd)
      const words = callIn(line).map(word =>
        IN_PLACE.reduce((text, [what, by]) => text.replace(what, by), word),
      )
      const secret = line.startsWith('RLP_KEY') ? { RLP_KEY_PASSPHRASE: 'a long enough phrase' } : {}
      // What `find` would say.
      const end = line.includes('-print0') ? '\0' : '\n'
      const input = line.startsWith('find ') ? `dist/mailer-0.1.0.agent.bundle${end}` : ''
      const { exit, stdout, stderr } = await rlp(words, cwd, { SIGNING_KEY, ...secret }, input)
      const [wanted, said] = OTHERWISE[line] ?? [0, /(?:)/]
      assert.equal(exit, wanted, `${line}\n${stdout}${stderr}`)
      assert.match(stdout + stderr, said, line)
    }
  })
}

/** The folder with the keys of people, with a channel, and with what some examples need on top of that. Each is made once. */
const channels = new Map<string, Kept>()

/** A channel with root 1 and release 1; of what is signed next, a draft. */
async function channelFor(line: string): Promise<Kept> {
  const keys = await made('keys', first, async () => {
    for (const name of ['ada', 'alan', 'grace', 'linus', 'beat', 'beat2']) {
      await must(`key generate ${name} --no-passphrase`)
      cpSync(join(base, `.runloop/keys/${name}.pub`), join(base, `${name}.pub`))
    }
    cpSync(join(base, '.runloop/trust-policy.toml'), join(base, 'policy.toml'))
    writeFileSync(join(base, 'people.toml'), '')
  })
  if (line.startsWith('rlp channel init')) return keys
  const house = await made('house', keys, async () => {
    const people = '--key ada --key alan --key grace --threshold 2 --heartbeat-key beat'
    await must(`channel init house --name house ${people}`)
    await must('channel release house policy.toml')
    for (const name of ['ada', 'alan']) await must(`channel sign house --key ${name} --yes`)
    await must('channel heartbeat house --key beat')
  })
  if (line.startsWith('rlp channel sign'))
    return made('drafted', house, () => must('channel release house policy.toml'))
  if (line.startsWith('rlp channel pull'))
    return made('published', house, () => must('channel push house oci-layout:published'))
  return house
}

async function made(name: string, from: Kept, make: () => Promise<void>): Promise<Kept> {
  const known = channels.get(name)
  if (known !== undefined) return known
  from.putBack()
  await make()
  const kept = keep(base)
  channels.set(name, kept)
  return kept
}

/** The files that one example speaks of, beside what every folder has. */
async function prepare(line: string, cwd: string): Promise<void> {
  const copy = (from: string, to: string) => cpSync(join(cwd, from), join(cwd, to))
  const [old, young] = ['dist/mailer-0.1.0.agent.bundle', 'dist/mailer-0.2.0.agent.bundle']
  if (line.startsWith('rlp agent pack') && !line.includes('--check'))
    rmSync(join(cwd, 'dist'), { recursive: true })
  if (line.includes('tar.gz'))
    execFileSync('tar', ['-czf', 'mailer-0.1.0.tar.gz', '-C', 'agents', 'mailer'], { cwd })
  if (line.includes('generate') && line.startsWith('RLP_KEY'))
    rmSync(join(cwd, '.runloop/keys'), { recursive: true })
  if (line.startsWith('rlp trust add release ed')) rmSync(join(cwd, '.runloop/trust-policy.toml'))
  if (/ tools\.json/.test(line) && !line.includes('--out')) copy('agents/mailer/tools.json', 'tools.json')
  if (line === 'rlp agent lint tools.json') writeFileSync(join(cwd, 'tools.json'), AGENTCLI)
  if (line.includes('records.json')) writeFileSync(join(cwd, 'records.json'), RECORDS)
  for (const [name] of line.matchAll(/(?<=[ ])(?:[a-z]+|mailer-[\d.]+)\.agent\.bundle/g)) copy(old, name)
  if (line.includes('upload.bin')) copy(old, 'upload.bin')
  for (const [, lock, name] of line.matchAll(/--lock ((mail|sales)\.lock)/g))
    await must(`lock add ${old} --lock ${lock} --name ${name}`)
  if (line.endsWith('--not-after 90d')) {
    rmSync(join(cwd, 'dist'), { recursive: true })
    await must('agent pack mailer')
  }
  if (line.startsWith('rlp report merge')) writeParts(cwd, index => `report-${index}.ndjson`)
  if (line.includes('mailer.tgz'))
    writeFileSync(join(cwd, 'mailer.tgz'), gzipSync(readFileSync(join(cwd, young))))
  // A key called so, and a folder with one version of each agent.
  if (line.includes('--key ci ') || line.endsWith('--key ci'))
    for (const end of ['pem', 'pub']) copy(`.runloop/keys/release.${end}`, `.runloop/keys/ci.${end}`)
  if (line.startsWith('rlp lock add')) rmSync(join(cwd, 'rlp.lock'))
  if (line.includes('services/mail')) mkdirSync(join(cwd, 'services/mail'), { recursive: true })
  if (line.includes(' deploy/')) mkdirSync(join(cwd, 'deploy'))
  if (line.includes(' dist --lock') || line.includes(' dist --locked')) rmSync(join(cwd, young))
  if (line.includes('ci.pem')) copy('.runloop/keys/release.pem', 'ci.pem')
  if (line.includes('.pub')) {
    const release = createPublicKey(readFileSync(join(cwd, '.runloop/keys/release.pem'), 'utf8'))
    const { publicKey: review } = generateKeyPairSync('ed25519')
    for (const [name, key] of Object.entries({ release, review }))
      writeFileSync(join(cwd, `${name}.pub`), key.export({ type: 'spki', format: 'pem' }))
  }
  if (line.startsWith('rlp agent detach')) {
    for (const name of ['old', 'ci']) await must(`key generate ${name} --no-passphrase`)
    await must(`agent attest ${old} --type https://slsa.dev/provenance/v1 --predicate scan.json --key ci`)
    await must(`agent push ${old} oci-layout:store`)
    await must('agent sign oci-layout:store:0.1.0 --key old --expect mailer@0.1.0')
  }
  writeFileSync(join(cwd, 'mailer.caps'), '[capabilities]\nnet = []\n')
  if (line.includes('next.toml')) copy('.runloop/trust-policy.toml', 'next.toml')
  if (line.startsWith('rlp trust diff')) copy('.runloop/trust-policy.toml', 'trust-policy.toml')
  if (line.startsWith('rlp trust group'))
    for (const [at, name] of ['ada', 'alan', 'grace'].entries())
      await must(`trust add ${name} ${signer(10 + at).anchor} --yes`)
  if (line.startsWith('rlp trust test')) {
    mkdirSync(join(cwd, 'tests'))
    writeFileSync(join(cwd, 'tests/policy.toml'), QUESTIONS)
  }
  if (line.includes('root.json')) await prepareKeyless(cwd)
  if (line.startsWith('rlp trust remove')) await must(`trust add dev ${signer(9).anchor} --yes`)
}

/** A keyless signature of the bundle, and the root that proves it. */
async function prepareKeyless(cwd: string): Promise<void> {
  const name = 'mailer-0.1.0.agent.bundle'
  const { files } = await readBundle(join(cwd, 'dist', name), { keep: 'parsed' })
  const manifest = Buffer.from(files.get(MANIFEST_FILE)?.bytes ?? []).toString()
  const world = sigstoreWorld()
  const statement = JSON.stringify(statementOf({ [MANIFEST_FILE]: manifest }))
  writeFileSync(join(cwd, `${name}.intoto.jsonl`), world.line(Buffer.from(statement)))
  writeFileSync(join(cwd, 'root.json'), world.rootBytes)
}
