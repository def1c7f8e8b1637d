// `--json` of every command: members are written in one way, and a bundle's identity has one name. What is written in the words of another
// format, as tools.json or a capability, keeps them.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { isTable } from '../../src/model/own.ts'
import { CALLS, prepareCall, prepareCalls } from '../support/every-command.ts'
import { temporary } from '../support/folder.ts'
import { rlp } from '../support/run.ts'

const cwd = temporary('json-members')('world')
const HOME = join(cwd, 'home')
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
    prepareCalls(cwd)
    const failed: string[] = []
    for (const [command, ...args] of CALLS) {
      prepareCall(cwd, command)
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
