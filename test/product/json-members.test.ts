// `--json` of every command: members are written in one way, and a bundle's identity has one name. What is written in the words of another
// format, as tools.json or a capability, keeps them.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { isTable } from '../../src/model/own.ts'
import { temporary } from '../support/folder.ts'
import { rlp } from '../support/run.ts'

const cwd = temporary('json-members')('world')
const HOME = join(cwd, 'home')
const JQ = ['--command', process.execPath, '--arg=-e', '--arg', 'console.log(1)']
const TOOL = [
  '--id',
  'say.it',
  '--description',
  'Say it',
  ...JQ,
  '--input-schema',
  'a:string',
  '--result-schema',
  'anything',
]
const BUNDLE = 'dist/mailer-0.1.1.agent.bundle'
const POLICY = 'home/trust-policy.toml'

/** In an order in which each has what it needs; the result of each is looked at. */
const CALLS: readonly (readonly [command: string, ...args: string[]])[] = [
  ['agent scaffold', 'mailer', '--non-interactive'],
  ['agent init', 'bare'],
  ['agent lint', 'mailer'],
  ['agent version', 'patch', 'mailer'],
  ['tool add', 'agents/mailer', ...TOOL, '--grant', '--non-interactive'],
  ['tool edit', 'agents/mailer', 'say.it', '--description', 'Say it now'],
  ['tool import', 'agents/mailer', 'agentcli.json', '--from', 'agentcli', '--dry-run', '--non-interactive'],
  ['agent digest', 'mailer'],
  ['agent test', 'agents/mailer'],
  ['agent pack', 'mailer'],
  ['key generate', 'release', '--no-passphrase'],
  ['key generate', 'second', '--no-passphrase'],
  ['key import', 'copy', 'release', '--no-passphrase'],
  ['key generate', 'third', '--no-passphrase'],
  ['key list'],
  ['key show', 'release'],
  ['agent sign', BUNDLE, '--key', 'release'],
  ['trust add', 'release', 'release', '--for', BUNDLE, '--yes'],
  ['trust add', 'second', 'second', '--yes'],
  ['trust group', 'both', '--of', 'release', '--of', 'second', '--at-least', '1'],
  ['trust floor', 'other', '0.0.1'],
  ['trust require', '--signatures', '1', '--dry-run'],
  ['trust list'],
  ['trust explain', BUNDLE],
  ['trust diff', POLICY, POLICY],
  ['trust test', 'questions.toml'],
  ['trust status'],
  ['trust update'],
  ['agent verify', BUNDLE],
  ['agent inspect', BUNDLE],
  ['agent diff', BUNDLE, BUNDLE],
  ['agent sbom', BUNDLE],
  ['agent provenance', BUNDLE, '--builder', 'https://ci.example/1', '--key', 'release'],
  [
    'agent attest',
    BUNDLE,
    '--type',
    'https://scan.example/v1',
    '--predicate',
    'predicate.json',
    '--key',
    'release',
  ],
  ['agent push', BUNDLE, 'oci-layout:store'],
  ['agent copy', 'oci-layout:store:0.1.1', 'oci-layout:copied'],
  ['agent pull', 'oci-layout:store:0.1.1', '--expect', 'mailer', '--out-dir', 'got'],
  ['agent install', BUNDLE, '--yes'],
  ['agent list'],
  ['agent list', 'oci-layout:store'],
  ['lock add', BUNDLE],
  ['lock check'],
  ['lock list'],
  ['lock outdated'],
  ['lock update', '--dry-run'],
  ['lock remove', 'mailer', '--dry-run'],
  ['caps show', 'agents/mailer'],
  ['caps lint', 'agents/mailer'],
  ['tool list', 'mailer'],
  ['tool call', 'say.it', 'mailer', '--args', '{"a":"x"}', '--trace', 'calls.ndjson'],
  ['tool replay', 'calls.ndjson'],
  ['tool check-result', 'answer.json'],
  ['tool export', BUNDLE, '--to', 'mcp', '--out', 'mcp.json'],
  ['tool remove', 'agents/mailer', 'say.it'],
  ['trust reset', 'mailer', '--dry-run'],
  ['trust revoke', 'second', '--dry-run'],
  ['trust add', 'third', 'third', '--yes'],
  ['trust remove', 'third', '--dry-run'],
  [
    'channel init',
    'house',
    '--name',
    'house',
    '--key',
    'release',
    '--threshold',
    '1',
    '--heartbeat-key',
    'second',
  ],
  ['channel status', 'house'],
  ['doctor'],
  ['agent uninstall', 'mailer', '--yes'],
]

/** Commands without a result in one line of JSON here, each with its reason. */
const WITHOUT: Readonly<Record<string, string>> = {
  'agent dev': 'standard output speaks MCP',
  'tool serve': 'standard output speaks MCP',
  'agent run': 'standard output is that of the module',
  gate: 'answers lines: docs/gate.md',
  login: 'asks a registry',
  logout: 'a name alone',
  completion: 'a script',
  'trust follow': 'needs a channel that is published: test/channel',
  'trust unfollow': 'as trust follow',
  'channel release': 'needs signatures first: test/channel',
  'channel rotate': 'as channel release',
  'channel sign': 'as channel release',
  'channel heartbeat': 'as channel release',
  'channel push': 'as channel release',
  'channel pull': 'as channel release',
}

/** Members below these are in the words of another format. */
const OTHERS_WORDS: Readonly<Record<string, string>> = {
  tools: 'tools.json',
  root: 'a statement of a channel',
  base: 'policy.caps',
  effective: 'policy.caps',
  says: 'policy.caps',
  predicate: 'who states it',
  provenance: 'SLSA',
  bom: 'CycloneDX',
  call: 'a trace',
  answer: 'a trace',
  document: 'another system',
  rules: 'names of signers and rules',
  safety: 'ids of tools',
}
/** Members that the existing runtime's list has, and what this version still gives beside their new names. */
const KEPT = ['source_dir', 'search_dirs', 'hidden_tools', 'cannot_tell']

function membersOf(
  value: unknown,
  at = '',
): { readonly at: string; readonly name: string; readonly value: unknown; readonly in: object }[] {
  if (Array.isArray(value)) return value.flatMap(one => membersOf(one, at))
  if (!isTable(value)) return []
  return Object.entries(value).flatMap(([name, member]) => [
    { at, name, value: member, in: value },
    ...(OTHERS_WORDS[name] ? [] : membersOf(member, `${at}.${name}`)),
  ])
}

describe('--json', () => {
  const results = new Map<string, unknown>()
  before(async () => {
    const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
    write(
      'agentcli.json',
      '{"tools":[{"name":"clock","description":"Tell the time","command":["/bin/date"],"inputSchema":{"type":"object"}}]}',
    )
    write('predicate.json', '{"findings":0}')
    write('answer.json', '{"ok":true,"result":1}')
    write(
      'questions.toml',
      `policies = ["${POLICY}"]\n\n[[question]]\nname = "a stranger"\nagent = "mailer"\nversion = "0.1.0"\nverdict = "unsigned"\n`,
    )
    mkdirSync(join(cwd, 'bare'))
    const failed: string[] = []
    for (const [command, ...args] of CALLS) {
      if (command === 'agent test') {
        mkdirSync(join(cwd, 'agents/mailer/tests'))
        write(
          'agents/mailer/tests/say.json',
          '{"cases":[{"tool":"say.it","arguments":{"a":"x"},"answer":1}]}',
        )
      }
      const given = [...command.split(' '), ...args, '--json']
      const ran = await rlp(given, { cwd, env: { RUNLOOP_HOME: HOME } })
      const [line = ''] = ran.stdout.trim().split('\n')
      const envelope = JSON.parse(line === '' ? '{}' : line) as { ok?: boolean; result?: unknown }
      if (envelope.ok === true) results.set(`${command} ${args.join(' ')}`, envelope.result)
      else failed.push(`${given.join(' ')}: ${ran.stdout.slice(0, 300)}${ran.stderr.slice(0, 300)}`)
    }
    assert.deepEqual(failed, [])
  })

  test('is looked at for every command, or says why not', () => {
    const known = new Set([...CALLS.map(([command]) => command), ...Object.keys(WITHOUT)])
    assert.deepEqual([...known].sort(), REGISTRY.commands.map(({ name }) => name).sort())
  })

  test('writes members in one way', () => {
    const others = [...results].flatMap(([call, result]) =>
      membersOf(result)
        .filter(({ name }) => !/^[a-z][A-Za-z0-9]*$/.test(name) && !KEPT.includes(name))
        .map(({ at, name }) => `${call}: ${at}.${name}`),
    )
    assert.deepEqual(others, [])
  })

  test('calls the identity of a bundle identity, with blake3:', () => {
    let count = 0
    for (const [call, result] of results)
      for (const { name, value, in: owner } of membersOf(result)) {
        if (name === 'identity') {
          assert.match(String(value), /^blake3:[0-9a-f]{64}$/, call)
          count++
        }
        if (name === 'manifestDigest') assert.equal(Reflect.get(owner, 'identity'), `blake3:${value}`, call)
      }
    assert.ok(count > 10, `${count}`)
  })
})
