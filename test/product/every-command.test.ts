// The output of every command in three ways: plain, with `--quiet` and with `--json`.
//
// With `--quiet`, a command that succeeds is silent on standard error. A command that shows something shows it whole; one that makes or
// changes something prints its paths, names and digests, a line each; a check that passes prints nothing. With `--json`, members are
// written in one way, and the identity of a bundle has one name. Members in the words of another format, such as tools.json, keep them.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { serialize } from '../../src/contract/serialize.ts'
import { isTable } from '../../src/model/own.ts'
import { ANSWERS } from '../support/answers/index.ts'
import { CALLS, callEnv, type EveryCall, homeIn } from '../support/every-command.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { callsText, portable, portableCalls } from '../support/kept-calls.ts'
import { assertKept } from '../support/kept-data.ts'
import { keep } from '../support/put-back.ts'
import { rlp } from '../support/run.ts'

const cwd = temporary('every-command')('world')

/** The commands of a list, one word or two words each, separated by commas. */
const names = (list: string): readonly string[] => list.trim().split(/,\s*/)

/** Commands whose call asks to see something: it is shown whole. */
const SHOWS = names(`
  agent inspect, agent diff, agent sbom, agent list, key list, key show, caps show, lock list, lock outdated,
  tool list, tool call, tool replay, trust list, trust explain, trust status, channel status`)

/** Commands that print values of what they made or changed. */
const MAKES = names(`
  agent scaffold, agent version, agent pack, agent sign, agent attest, agent provenance, agent push, agent copy,
  agent detach,  agent pull, agent install, agent uninstall, key generate, key import, lock add, lock update, lock remove,
  tool add, tool edit, tool import, tool export, tool remove,
  trust add, trust remove, trust revoke, trust group, trust require, trust floor, trust reset`)

/** Commands that print nothing: a check that passes, or a call that has named all that it changes. */
const SILENT = names(`
  agent init, agent lint, agent digest, agent test, agent verify, lock check, doctor,
  trust test, trust diff, trust update, tool check-result, channel init, report merge`)

/** Commands without a call here, each with the reason. */
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

/** Commands that find something here and say so with their exit code. */
const FINDS: Readonly<Record<string, number>> = { 'lock outdated': 3 }

/** A path, the name of an agent, a signer or a tool, a version, a reference, a key or a digest. No blank, and no mark. */
const VALUE = /^[A-Za-z0-9./_~-][A-Za-z0-9./_~:@+=-]*$/

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
/** Commands without a function of the library, each with the reason. */
const ALONE: Readonly<Record<string, string>> = {
  doctor: 'looks at the machine of the person who calls it',
  'tool check-result': 'checkResult of the tool contract takes what was read',
}
/** Earlier words for `changed`. */
const GONE_WORDS = ['isChanged', 'isWritten', 'updated', 'written', 'dryRun']
/** Members that the list of the existing runtime has. */
const KEPT = ['source_dir', 'search_dirs']

interface Envelope {
  readonly ok?: boolean
  readonly tool?: string
  readonly result?: unknown
  readonly warnings?: readonly string[]
}

function membersOf(
  value: unknown,
  at = '',
): { readonly at: string; readonly name: string; readonly value: unknown }[] {
  if (Array.isArray(value)) return value.flatMap(one => membersOf(one, at))
  if (!isTable(value)) return []
  return Object.entries(value).flatMap(([name, member]) => [
    { at, name, value: member },
    ...(OTHERS_WORDS[name] ? [] : membersOf(member, `${at}.${name}`)),
  ])
}

const lineOf = ({ command, args }: EveryCall): string => [command, ...args].join(' ')
const linesOf = (text: string): string[] => text.split('\n').filter(line => line !== '')
/** Removes the steps that a call proposes: they are the last lines. */
const withoutNext = (text: string): string => text.replace(/^next:[\s\S]*/m, '')

describe('every command', () => {
  let all: readonly EveryCall[] = []
  before(async () => {
    all = await portableCalls(cwd)
  })
  const those = (commands: readonly string[]) => all.filter(({ command }) => commands.includes(command))
  const envelopeOf = ({ json }: EveryCall) => JSON.parse(json.stdout) as Envelope
  // A dry run asks to see what would be, so it is no change.
  const changes = () => those(MAKES).filter(({ args }) => !args.includes('--dry-run'))

  test('is called here, or has a reason why not', () => {
    const called = [...new Set(CALLS.map(([command]) => command))]
    assert.deepEqual(
      [...called, ...Object.keys(WITHOUT)].sort(),
      REGISTRY.commands.map(({ name }) => name).sort(),
    )
    // And each of them keeps --quiet in one of three ways.
    assert.deepEqual([...SHOWS, ...MAKES, ...SILENT].sort(), called.sort())
  })

  test('ends in the same way, plain, with --quiet and with --json', () => {
    assert.equal(all.length, CALLS.length)
    for (const call of all) {
      const wanted = FINDS[call.command] ?? 0
      const ends = [call.plain.exit, call.quiet.exit, call.json.exit]
      assert.deepEqual(ends, [wanted, wanted, wanted], JSON.stringify(call, undefined, 1))
    }
  })

  // UPDATE_GOLDEN=1 npm run test:only -- test/product/every-command.test.ts writes it anew.
  test('prints what test/kept/calls.txt says, plain, with --quiet and with --json', () => {
    assertKept('calls.txt', callsText(cwd, all))
  })

  describe('with --quiet', () => {
    test('prints nothing on standard error', () => {
      assert.deepEqual(all.filter(({ quiet }) => quiet.stderr !== '').map(lineOf), [])
    })

    test('leaves values, a line each, of what was made or changed', () => {
      const others = changes().flatMap(call =>
        linesOf(call.quiet.stdout).flatMap(line => (VALUE.test(line) ? [] : [`${lineOf(call)}: ${line}`])),
      )
      assert.deepEqual(others, [])
      assert.ok(changes().filter(({ quiet }) => quiet.stdout !== '').length > 18)
    })

    test('leaves values that the plain output and the result name, too', () => {
      // Each call makes a key of its own.
      const known = changes().filter(({ command }) => command !== 'key generate')
      // A reference has its digest behind it: the plain output has both apart, and the result also the tag.
      for (const call of known)
        for (const line of linesOf(call.quiet.stdout)) {
          for (const value of line.split('@')) assert.ok(call.plain.stdout.includes(value), lineOf(call))
          for (const value of line.split(/[@:]/)) assert.ok(call.json.stdout.includes(value), lineOf(call))
        }
    })

    test('says nothing of a check that passed', () => {
      assert.deepEqual(
        those(SILENT).filter(({ quiet }) => quiet.stdout !== ''),
        [],
      )
    })

    test('shows what is asked for, without a next step', () => {
      for (const call of those(SHOWS)) {
        // No channel is followed here, and so there is nothing to show.
        assert.equal(call.quiet.stdout === '', call.command === 'trust status', lineOf(call))
        assert.doesNotMatch(call.quiet.stdout, /^next:/m, lineOf(call))
      }
    })

    test('shows the same as the plain call', () => {
      // A list of keys leaves their names.
      for (const call of those(SHOWS).filter(({ command }) => command !== 'key list'))
        assert.equal(call.quiet.stdout, withoutNext(call.plain.stdout), lineOf(call))
      const [keys] = those(['key list'])
      assert.equal(keys?.quiet.stdout, 'copy\nrelease\nsecond\nthird\n')
      assert.ok(all.some(({ plain }) => /^next:/m.test(plain.stdout)))
    })
  })

  describe('with --json', () => {
    test('prints one line of JSON on standard output, and nothing on standard error', () => {
      for (const call of all) {
        assert.match(call.json.stdout, /^\{.*\}\n$/, lineOf(call))
        assert.equal(call.json.stderr, '', lineOf(call))
        const { ok, tool } = envelopeOf(call)
        // An envelope of `tool call` names the tool that was called.
        const wanted = call.command === 'tool call' ? call.args[0] : call.command.replace(' ', '.')
        assert.deepEqual([ok, tool], [true, wanted], lineOf(call))
      }
    })

    test('gives the warnings that the plain call prints on standard error', () => {
      let count = 0
      for (const call of all) {
        const { warnings = [] } = envelopeOf(call)
        const printed = linesOf(call.plain.stderr).filter(line => line.startsWith('warning: '))
        assert.deepEqual(
          warnings.map(text => `warning: ${text}`),
          printed,
          lineOf(call),
        )
        count += warnings.length
      }
      assert.ok(count > 4, `${count}`)
    })

    test('answers what the function of the library answers', () => {
      const compared = all.filter(({ command }) => !(command in ALONE))
      for (const call of compared) {
        assert.notEqual(call.answer, undefined, `test/support/answers has no function for: ${lineOf(call)}`)
        const answer: unknown = JSON.parse(serialize(call.answer))
        assert.deepEqual(portable(cwd, envelopeOf(call).result), portable(cwd, answer), lineOf(call))
      }
      // And a command that has a function is compared with it.
      assert.deepEqual(
        Object.keys(ANSWERS).filter(command => command in ALONE),
        [],
      )
    })

    test('says in one word whether something changed', () => {
      const others = all.flatMap(call =>
        membersOf(envelopeOf(call).result).flatMap(({ at, name }) =>
          GONE_WORDS.includes(name) ? [`${lineOf(call)}: ${at}.${name}`] : [],
        ),
      )
      assert.deepEqual(others, [])
      for (const call of those(MAKES)) {
        const { result } = envelopeOf(call)
        assert.equal(typeof (result as { changed?: unknown }).changed, 'boolean', lineOf(call))
      }
    })

    test('writes members in one way', () => {
      const others = all.flatMap(call =>
        membersOf(envelopeOf(call).result)
          .filter(({ name }) => !/^[a-z][A-Za-z0-9]*$/.test(name) && !KEPT.includes(name))
          .map(({ at, name }) => `${lineOf(call)}: ${at}.${name}`),
      )
      assert.deepEqual(others, [])
    })

    test('calls the identity of a bundle identity, with blake3:', () => {
      let count = 0
      for (const call of all)
        for (const { name, value } of membersOf(envelopeOf(call).result)) {
          assert.notEqual(name, 'manifestDigest', lineOf(call))
          if (name === 'identity') {
            assert.match(String(value), /^blake3:[0-9a-f]{64}$/, lineOf(call))
            count++
          }
        }
      assert.ok(count > 10, `${count}`)
    })
  })

  /** One call of each kind: it shows, makes, checks, finds something, and fails. */
  const AS_PROCESS: readonly (readonly [exit: number, ...args: string[]])[] = [
    [0, 'agent', 'inspect', 'dist/mailer-0.1.1.agent.bundle', '--json'],
    [0, 'key', 'import', 'fourth', 'release', '--no-passphrase'],
    [0, 'agent', 'verify', 'dist/mailer-0.1.1.agent.bundle', '--quiet'],
    [3, 'lock', 'outdated'],
    [3, 'agent', 'inspect', 'nowhere.agent.bundle'],
  ]
  for (const [wanted, ...args] of AS_PROCESS)
    test(`the process of “rlp ${args.join(' ')}” writes what main() writes`, async () => {
      const env = callEnv(cwd)
      const kept = keep(cwd)
      const { exit, stdout, stderr } = await rlp(args, { cwd, env })
      kept.putBack()
      const inProcess = await homeIn(cwd, () => run(args, undefined, { cwd, env: { ...process.env } }))
      assert.deepEqual({ exit, stdout, stderr }, inProcess)
      assert.equal(exit, wanted, stderr)
    })
})
