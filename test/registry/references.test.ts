// Every command takes a reference where it takes a bundle, or says why not.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { writeTree } from '../support/agent.ts'
import { type Ran, run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { PATH } from '../support/host.ts'
import { made, madeTree, RELEASE, REVIEW, STRANGER, type World, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'

const folder = temporary('references')
const ECHO = {
  id: 'text.echo',
  description: 'Says it again',
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object', properties: { q: { type: 'string' } } },
  result_schema: {},
  capabilities: ['exec:/bin/cat'],
  'x-rlp': { stdin: true },
}
const FACTS = {
  caps: 'exec = ["/bin/cat"]\n',
  files: { 'tools.json': JSON.stringify({ version: 1, tools: [ECHO] }) },
}
const BUNDLE = made(FACTS, RELEASE)
const HELLO = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
]
  .map(message => `${JSON.stringify(message)}\n`)
  .join('')

interface Takes {
  /** @param at a tag of `mini` 1.0.0, @param repository where it is stored */
  readonly args: (at: string, repository: string) => readonly string[]
  readonly says: RegExp
  readonly input?: string
}
/** `args` put a reference where a name or path goes, which is a user's error. */
interface Refuses extends Partial<Takes> {
  readonly because: string
}

const AS = ['--expect', 'mini']
const FOLDER = { because: 'it works on a folder that an author edits', says: /a folder is needed/ }
const CHANNEL = { because: 'it is about a trust channel, which is no bundle' }
const KEYS = { because: 'it takes no bundle' }

const COMMANDS: Readonly<Record<string, Takes | Refuses>> = {
  'agent scaffold': { because: 'it makes a folder' },
  'agent init': { because: 'it takes a folder that exists' },
  'agent version': { ...FOLDER, args: at => ['agent', 'version', 'patch', at] },
  'agent dev': { ...FOLDER, args: at => ['agent', 'dev', at] },
  'agent test': { ...FOLDER, args: at => ['agent', 'test', at] },
  'agent lint': { ...FOLDER, args: at => ['agent', 'lint', at] },
  'agent digest': { ...FOLDER, args: at => ['agent', 'digest', at] },
  'agent pack': { args: at => ['agent', 'pack', 'mini', '--check', at], says: /is what mini gives/ },
  'agent push': {
    because: 'agent copy takes a stored bundle',
    args: at => ['agent', 'push', at, 'oci-layout:other'],
    says: /stored already/,
  },
  'agent copy': { args: at => ['agent', 'copy', at, 'oci-layout:other'], says: /copied to/ },
  'agent pull': { args: at => ['agent', 'pull', at, ...AS, '--out-dir', 'got'], says: /mini-1\.0\.0/ },
  'agent verify': { args: at => ['agent', 'verify', at], says: /trusted/ },
  'agent sign': {
    args: at => ['agent', 'sign', at, '--key', 'mine', '--expect', 'mini@1.0.0'],
    says: /signed/,
  },
  // What the command before it has added.
  'agent detach': {
    args: at => ['agent', 'detach', at, '--by', 'mine', '--yes'],
    says: /1 thing removed from/,
  },
  'agent install': { args: at => ['agent', 'install', at, ...AS, '--yes'], says: /mini/ },
  'agent run': { args: at => ['agent', 'run', at, ...AS], says: /^/ },
  'agent list': { args: (_, repository) => ['agent', 'list', repository], says: /^1\.0\.0$/m },
  'agent uninstall': {
    because: 'it takes the name of an installed agent',
    args: at => ['agent', 'uninstall', at, '--yes'],
    says: /./,
  },
  'agent attest': {
    because: 'it is stated of the file, and push takes it along',
    args: at => [
      'agent',
      'attest',
      at,
      '--type',
      'https://a.example',
      '--predicate',
      'next.toml',
      '--key',
      'mine',
    ],
    says: /stored already/,
  },
  'agent provenance': { because: 'it is stated where the bundle is built, of the file' },
  'agent sbom': { args: at => ['agent', 'sbom', at, ...AS], says: /mini/ },
  'agent inspect': { args: at => ['agent', 'inspect', at], says: /text\.echo/ },
  'agent diff': { args: at => ['agent', 'diff', at, 'b'], says: /./ },
  'caps show': { ...FOLDER, args: at => ['caps', 'show', at] },
  'key generate': KEYS,
  'key import': KEYS,
  'key list': KEYS,
  'key show': KEYS,
  'trust add': {
    args: at => ['trust', 'add', 'review', '--for', at, '--dry-run', '--trust-policy', 'next.toml'],
    says: /exec/,
  },
  'trust remove': KEYS,
  'trust revoke': { args: at => ['trust', 'revoke', at, '--dry-run'], says: /blake3:/ },
  'trust reset': { because: 'it takes the name of an agent' },
  'trust list': KEYS,
  'trust group': { because: 'it takes names of signers' },
  'trust require': { because: 'it takes names of agents and signers' },
  'trust floor': { because: 'it takes the name of an agent' },
  'trust diff': { because: 'it takes files of policies' },
  'trust test': { because: 'its file says what it asks about' },
  'trust explain': { args: at => ['trust', 'explain', at], says: /release/ },
  'trust follow': CHANNEL,
  'trust update': { because: 'it asks what channels.toml names' },
  'trust status': { because: 'it shows what is followed' },
  'trust unfollow': { because: 'it takes the local name of a channel' },
  doctor: { because: 'it looks at this host' },
  'channel init': CHANNEL,
  'channel release': CHANNEL,
  'channel rotate': CHANNEL,
  'channel sign': CHANNEL,
  'channel heartbeat': CHANNEL,
  'channel status': CHANNEL,
  'channel push': CHANNEL,
  'channel pull': CHANNEL,
  'tool list': { args: at => ['tool', 'list', at, '--table', ...AS], says: /text\.echo/ },
  'tool call': {
    args: at => ['tool', 'call', 'text.echo', at, ...AS, '--args', '{"q":"hi"}', '--trace', 't.ndjson'],
    says: /hi/,
  },
  'tool serve': { args: at => ['tool', 'serve', at, ...AS], says: /serving 1 tool of/, input: HELLO },
  'tool replay': {
    args: at => ['tool', 'replay', 't.ndjson', '--bundle', at, ...AS],
    says: /text\.echo/,
  },
  'tool add': { because: 'it works on a folder that an author edits' },
  'tool edit': { because: 'it works on a folder that an author edits' },
  'tool remove': { because: 'it works on a folder that an author edits' },
  'tool export': { args: at => ['tool', 'export', at, ...AS, '--to', 'openai'], says: /Says it again/ },
  'tool import': { because: 'it works on a folder that an author edits' },
  'tool check-result': { because: 'it reads one answer of a tool' },
  'lock add': { args: at => ['lock', 'add', at], says: /mini/ },
  'lock check': { because: 'it reads the references that the lock holds' },
  'lock outdated': { because: 'it reads the references that the lock holds' },
  'lock remove': { because: 'it takes names of agents' },
  'lock list': { because: 'it reads the lock' },
  'lock update': { args: at => ['lock', 'update', at], says: /mini/ },
  'report merge': { because: 'it reads reports, and opens no bundle' },
  gate: { because: 'its questions name bundles; docs/gate.md' },
  login: KEYS,
  logout: KEYS,
  completion: KEYS,
}

let server: FakeRegistry
before(async () => {
  server = await new FakeRegistry().start()
})
after(() => server.stop())

test('every command is in the table', () => {
  assert.deepEqual(REGISTRY.commands.map(({ name }) => name).sort(), Object.keys(COMMANDS).sort())
})

for (const what of ['a layout folder', 'a registry'] as const) {
  describe(`a bundle in ${what}`, () => {
    let here: World
    let repository = ''
    let at = ''
    before(async () => {
      here = world(folder(what))
      repository = what === 'a registry' ? `oci://${server.host}/agents/mini` : 'oci-layout:store'
      at = `${repository}:1.0.0`
      here.put('b', BUNDLE)
      writeTree(join(here.cwd, 'mini'), madeTree(FACTS))
      await say('key', 'generate', 'mine', '--no-passphrase')
      writeFileSync(join(here.cwd, 'next.toml'), `[anchors]\nreview = "${REVIEW.anchor}"\n`, { mode: 0o600 })
      assert.equal((await say('agent', 'push', 'b', repository)).exit, 0)
      assert.equal((await say('tool', 'call', 'text.echo', at, ...AS, '--trace', 't.ndjson')).exit, 0)
    })

    function say(...args: string[]): Promise<Ran> {
      return inWorld(args)
    }

    function inWorld(args: readonly string[], input = ''): Promise<Ran> {
      process.env['RUNLOOP_HOME'] = here.home
      return run(args, undefined, { cwd: here.cwd, env: { PATH, RUNLOOP_HOME: here.home }, input })
    }

    for (const [name, takes] of Object.entries(COMMANDS)) {
      if (takes.args === undefined) continue
      const { args } = takes
      test(`${name} ${'because' in takes ? 'refuses' : 'takes'} it`, async () => {
        const { exit, stdout, stderr } = await inWorld(args(at, repository), takes.input)
        assert.equal(exit, 'because' in takes ? 2 : 0, stdout + stderr)
        assert.match(stdout + stderr, takes.says ?? /./)
      })
    }
  })
}

describe('trust add --for', () => {
  const policy = `[anchors]\nrelease = "${RELEASE.anchor}"\n`
  const setUp = async (name: string, ...signers: (typeof RELEASE)[]) => {
    const here = world(folder(name))
    here.put('b', made(FACTS, ...signers))
    rmSync(join(here.home, 'trust-policy.toml'))
    const file = join(here.home, 'trust-policy.toml')
    writeFileSync(file, policy, { mode: 0o600 })
    assert.equal((await here.rlp('agent', 'push', 'b', 'oci-layout:store')).exit, 0)
    return { here, file, rule: () => readFileSync(file, 'utf8') }
  }

  test('proposes what the stored bundle asks for, and it is trusted then', async () => {
    const { here, rule } = await setUp('for', RELEASE)
    const verdict = async () =>
      (await here.rlp('agent', 'verify', 'oci-layout:store:1.0.0')).envelope.result?.bundles?.[0]?.verdict
    assert.equal(await verdict(), 'policy_denied')
    const { exit, envelope } = await here.rlp(
      'trust',
      'add',
      'release',
      '--for',
      'oci-layout:store:1.0.0',
      '--yes',
    )
    assert.equal(exit, 0, JSON.stringify(envelope))
    assert.match(JSON.stringify(envelope.result), /"verdict":"trusted"/)
    assert.match(rule(), /allow_exec = \["\/bin\/cat"\]/)
    assert.equal(await verdict(), 'trusted')
  })

  test('knows the signatures that were added', async () => {
    const { here } = await setUp('added', STRANGER)
    await here.say('key', 'generate', 'mine', '--no-passphrase')
    const add = () =>
      here.say('trust', 'add', 'mine', 'mine', '--for', 'oci-layout:store:1.0.0', '--yes', '--dry-run')
    const before = await add()
    assert.match(before.stderr, /is not signed with a key of mine/)
    assert.equal(
      (await here.rlp('agent', 'sign', 'oci-layout:store:1.0.0', '--key', 'mine', '--expect', 'mini@1.0.0'))
        .exit,
      0,
    )
    const now = await add()
    assert.doesNotMatch(now.stderr, /is not signed with a key of mine/)
    assert.match(now.stdout + now.stderr, /trusted/)
  })

  test('takes no other agent under the name, and none that is not there; nothing is written', async () => {
    const { here, file } = await setUp('other', RELEASE)
    const before = readFileSync(file, 'utf8')
    const index = join(here.cwd, 'store/index.json')
    writeFileSync(index, readFileSync(index, 'utf8').replace('"1.0.0"', '"2.0.0"'))
    for (const [reference, exit, code] of [
      ['oci-layout:store:2.0.0', 1, 'NOT_VERIFIED'],
      ['oci-layout:store:1.0.0', 3, 'NOT_STORED'],
      ['oci://127.0.0.1:1/agents/mini:1.0.0', 3, 'UNREACHABLE'],
      ['oci://127.0.0.1:1/Agents', 2, 'USAGE'],
    ] as const) {
      const ran = await here.rlp('trust', 'add', 'release', '--for', reference, '--yes')
      assert.deepEqual([ran.exit, ran.envelope.code], [exit, code], reference)
      assert.equal(readFileSync(file, 'utf8'), before)
    }
    const key = await here.rlp('trust', 'add', 'mine', 'oci-layout:store:2.0.0')
    assert.equal(key.envelope.code, 'WRONG_FILE_TYPE')
    assert.ok(!existsSync(join(here.cwd, 'next.toml')))
  })
})
