// Every command that judges under a trust policy takes the statements that the policy may require: those beside a bundle, or those that
// --attestations names. The same of the library is in library-options.test.ts.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { attestation, linesOf, PROVENANCE } from '../support/attested.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { KEYS, signed } from '../support/trust-world.ts'

const folder = temporary('attestations-everywhere')
const NAME = 'dist/mini-1.0.0.agent.bundle'
const TOOL = {
  id: 'text.echo',
  description: 'Echoes what it is given',
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object', additionalProperties: false },
  result_schema: { type: 'object' },
  capabilities: ['exec:/bin/cat'],
  'x-rlp': { stdin: true },
}
const FILES = signed(
  agentTree({
    name: 'mini',
    files: {
      'policy.caps': '[capabilities]\nexec = ["/bin/cat"]\n',
      'tools.json': JSON.stringify({ version: 1, tools: [TOOL] }),
    },
  }),
  'release',
)
const LINES = linesOf(attestation(FILES, [KEYS.second]))
const POLICY = `[anchors]
release = "${KEYS.release.anchor}"
ci = { key = "${KEYS.second.anchor}", use = ["attest"] }
[rules]
release = { allow_caps = "any", allow_net = "any", allow_exec = true }
[require]
attestations = [{ type = "${PROVENANCE}", by = ["ci"] }]
`

interface Judging {
  readonly args: readonly string[]
  /** Exit codes without the statement, and with it. */
  readonly exits: readonly [without: number, taken: number]
  /** `false` for a command that does not speak JSON. */
  readonly json?: false
  /** Where the word is no verdict: what is printed without the statement, and with it. */
  readonly says?: readonly [without: RegExp, taken: RegExp]
  /** The bundle is named otherwise than as the file beside which a statement is found. */
  readonly elsewhere?: true
}

/** By command. A repeated run finds what the first has left, so each writes into places of its own. */
const JUDGES: Readonly<Record<string, Judging | readonly Judging[]>> = {
  'agent verify': [
    { args: ['agent', 'verify', NAME], exits: [1, 0] },
    { args: ['agent', 'verify', 'dist'], exits: [1, 0] },
    { args: ['agent', 'verify', 'dist', '--format', 'ndjson'], exits: [1, 0], json: false },
  ],
  // Another root than the one where it is installed already.
  'agent install': {
    args: ['agent', 'install', NAME, '--yes', '--allow-caps-change', '--root', 'ROOT'],
    exits: [1, 0],
  },
  'agent pull': {
    args: ['agent', 'pull', 'oci-layout:store:1.0.0', '--expect', 'mini', '--out-dir', 'ROOT'],
    exits: [1, 0],
    elsewhere: true,
  },
  'agent run': { args: ['agent', 'run', NAME], exits: [1, 0], json: false, says: [/untrusted/, /^/] },
  'agent list': { args: ['agent', 'list', '--root', 'installed'], exits: [0, 0], elsewhere: true },
  'agent inspect': { args: ['agent', 'inspect', NAME], exits: [0, 0] },
  'agent diff': { args: ['agent', 'diff', NAME, NAME], exits: [0, 0] },
  'agent sbom': {
    args: ['agent', 'sbom', NAME],
    exits: [0, 0],
    says: [/"verdict":"untrusted"/, /"verdict":"trusted"/],
  },
  'lock add': {
    args: ['lock', 'add', NAME, '--lock', 'ROOT.lock'],
    exits: [1, 0],
    says: [/untrusted/, /"agents":/],
  },
  'lock check': { args: ['lock', 'check'], exits: [0, 0] },
  'lock update': { args: ['lock', 'update'], exits: [1, 0], says: [/untrusted/, /"unchanged":\["mini"\]/] },
  'trust add': {
    args: ['trust', 'add', 'release', '--for', NAME, '--dry-run'],
    exits: [0, 0],
    says: [/"bundles":\[\{[^}]*"verdict":"untrusted"/, /"bundles":\[\{[^}]*"verdict":"trusted"/],
  },
  'trust explain': { args: ['trust', 'explain', NAME], exits: [0, 0] },
  'tool list': { args: ['tool', 'list', NAME], exits: [1, 0], says: [/untrusted/, /text\.echo/] },
  'tool call': {
    args: ['tool', 'call', 'text.echo', NAME, '--dry-run'],
    exits: [1, 0],
    says: [/untrusted/, /\/bin\/cat/],
  },
  'tool serve': {
    args: ['tool', 'serve', NAME],
    exits: [1, 0],
    json: false,
    says: [/untrusted/, /serving 1 tool/],
  },
  'tool replay': {
    args: ['tool', 'replay', 'trace.ndjson', '--bundle', NAME],
    exits: [1, 0],
    says: [/untrusted/, /"calls":\[\]/],
  },
  'tool export': {
    args: ['tool', 'export', NAME, '--to', 'mcp'],
    exits: [1, 0],
    says: [/untrusted/, /text\.echo/],
  },
}

/** Commands that read a policy and judge no bundle by it, or take the statements in another way. */
const OTHERS: Readonly<Record<string, string>> = {
  'trust remove': 'edits a policy; what is installed has its statements beside it',
  'trust revoke': 'edits a policy; what is installed has its statements beside it',
  'trust list': 'shows policies',
  'trust floor': 'edits a policy',
  'trust group': 'edits a policy',
  'trust require': 'edits a policy',
  'trust test': 'a file says which statements are there',
  'agent sign': 'with --if-trusted, those beside the bundle or attached to it',
  gate: 'each question names its own',
}

test('the walk below knows every command that judges', async () => {
  const reading: string[] = []
  for (const { name, load } of REGISTRY.commands) {
    const { command } = await load()
    const options = Object.keys(command.options ?? {})
    if (options.some(one => ['trust-policy', 'policy', 'allow-dev', 'attestations'].includes(one)))
      reading.push(name)
    assert.equal(options.includes('attestations'), name in JUDGES, name)
  }
  assert.deepEqual(reading.sort(), [...Object.keys(JUDGES), ...Object.keys(OTHERS)].sort())
})

let cwd = ''
before(async () => {
  const home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
  cwd = folder('cwd')
  mkdirSync(join(cwd, 'dist'))
  writeFileSync(join(cwd, NAME), bundleOf(FILES))
  writeFileSync(join(cwd, 'evidence.jsonl'), LINES)
  writeFileSync(join(cwd, 'trace.ndjson'), '')
  const made = [
    ['agent', 'push', NAME, 'oci-layout:store'],
    ['lock', 'add', NAME, '--attestations', 'evidence.jsonl'],
    ['agent', 'install', NAME, '--yes', '--root', 'installed', '--attestations', 'evidence.jsonl'],
  ]
  for (const args of made) {
    const { exit, stderr } = await run(args, undefined, { cwd })
    assert.equal(exit, 0, stderr)
  }
  rmSync(join(cwd, 'installed/mini.agent.bundle.intoto.jsonl'))
})

for (const judging of Object.values(JUDGES)) {
  for (const one of Array.isArray(judging) ? judging : [judging]) {
    const { args, exits, json, says, elsewhere } = one as Judging
    test(`${args.join(' ')}: untrusted without a required statement, accepted with it`, async () => {
      const ran = async (root: string, ...more: string[]) => {
        const named = args.map(arg => arg.replace('ROOT', root))
        const { exit, stdout, stderr } = await run(
          [...named, ...(json === false ? [] : ['--json']), ...more],
          undefined,
          { cwd },
        )
        return { exit, said: stdout + stderr }
      }
      const [refused, accepted] = says ?? [/"verdict":"untrusted"/, /"verdict":"trusted"/]
      const without = await ran('without')
      assert.match(without.said, refused)
      assert.equal(without.exit, exits[0], without.said)
      const taken = await ran('named', '--attestations', 'evidence.jsonl')
      assert.match(taken.said, accepted)
      assert.doesNotMatch(taken.said, /untrusted/)
      assert.equal(taken.exit, exits[1], taken.said)
      if (elsewhere) return
      renameSync(join(cwd, 'evidence.jsonl'), join(cwd, `${NAME}.intoto.jsonl`))
      try {
        const found = await ran('beside')
        assert.match(found.said, accepted)
        assert.equal(found.exit, exits[1], found.said)
      } finally {
        renameSync(join(cwd, `${NAME}.intoto.jsonl`), join(cwd, 'evidence.jsonl'))
      }
    })
  }
}

test('pull puts the statements that were named beside the file, so that it is as good elsewhere', async () => {
  const pull = ['agent', 'pull', 'oci-layout:store:1.0.0', '--expect', 'mini', '--out-dir', 'kept']
  assert.equal((await run([...pull, '--attestations', 'evidence.jsonl'], undefined, { cwd })).exit, 0)
  assert.deepEqual(readFileSync(join(cwd, 'kept/mini-1.0.0.agent.bundle.intoto.jsonl')), LINES)
  assert.equal((await run(['agent', 'verify', 'kept'], undefined, { cwd })).exit, 0)
})

test('a change of a policy that is only tried says what becomes of what is installed with its statements', async () => {
  const home = folder('other-home')
  const before = process.env['RUNLOOP_HOME']
  process.env['RUNLOOP_HOME'] = home
  try {
    writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
    const install = ['agent', 'install', NAME, '--yes', '--attestations', 'evidence.jsonl']
    assert.equal((await run(install, undefined, { cwd })).exit, 0)
    const effect = async (...args: string[]) => {
      const { stdout, stderr } = await run([...args, '--dry-run', '--json'], undefined, { cwd })
      const { result } = JSON.parse(stdout || stderr)
      return result.effect.changed.map((one: Record<string, string>) => [one['before'], one['after']])
    }
    assert.deepEqual(await effect('trust', 'revoke', KEYS.security.anchor), [])
    assert.deepEqual(await effect('trust', 'revoke', KEYS.release.anchor), [['trusted', 'revoked']])
    assert.deepEqual(await effect('trust', 'revoke', KEYS.second.anchor), [['trusted', 'revoked']])
  } finally {
    process.env['RUNLOOP_HOME'] = before
  }
})

test('--attestations of trust add is about the bundle of --for', async () => {
  const { exit, stderr } = await run(
    ['trust', 'add', 'release', '--allow-caps', 'time', '--attestations', 'evidence.jsonl'],
    undefined,
    { cwd },
  )
  assert.equal(exit, 2)
  assert.match(stderr, /Cannot use attestations: no bundle is named/)
})
