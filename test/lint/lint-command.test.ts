// rlp agent lint as people and pipelines call it: exit codes, what counts, what is shown, and what it refuses.
import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DESCRIBED_RULES as RULES } from '../../src/lint/rules/agentcli.ts'
import { type Tree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { STUB, suppressing, treeWith } from '../support/lint-agent.ts'
import { IS_ROOT, NOBODY, rlp } from '../support/run.ts'
import { IN_CI } from '../support/runs.ts'

const folder = temporary('lint-command')

const WILD: Tree = { 'policy.caps': '[capabilities]\nnet = ["*.example.com"]\n' }
const BROAD: Tree = { 'policy.caps': '[capabilities]\nfs_rw = ["/"]\n' }

/** A folder with these agents in agents/, each under the name that is its key and with the warning {@link STUB}. */
function place(agents: Readonly<Record<string, Tree>>): string {
  const root = folder('agents')
  for (const [name, tree] of Object.entries(agents)) writeTree(join(root, 'agents', name), tree)
  return root
}

const lint = (cwd: string, ...args: string[]) => run(['agent', 'lint', ...args], undefined, { cwd })

describe('the exit code', () => {
  const sound = place({ mini: treeWith(suppressing(`rule = "${STUB}", reason = "x"`)) })
  const warned = place({ mini: treeWith() })
  const twice = place({ mini: treeWith('', BROAD) })
  const broken = place({ mini: treeWith('', WILD) })
  const table: [name: string, root: string, args: string, exit: number][] = [
    ['nothing counts', sound, '', 0],
    ['nothing counts, strictly', sound, '--strict --max-warnings 0', 0],
    ['a warning', warned, '', 0],
    ['a warning, strictly', warned, '--strict', 1],
    ['a warning, of which none is allowed', warned, '--max-warnings 0', 1],
    ['a warning, of which one is allowed', warned, '--max-warnings 1', 0],
    ['two warnings, of which one is allowed', twice, '--max-warnings 1', 1],
    ['two warnings, of which two are allowed', twice, '--max-warnings 2', 0],
    ['two warnings, allowed but strictly', twice, '--max-warnings 2 --strict', 1],
    ['an error', broken, '', 1],
    ['an error that the caller turned off', broken, '--rule caps/entry=off', 0],
    ['an error that the caller made a warning', broken, '--rule caps/entry=warn', 0],
    ['the same, strictly', broken, '--rule caps/entry=warn --strict', 1],
    ['a warning that the caller made an error', warned, `--rule ${STUB}=error`, 1],
    ['a warning that the caller made information', warned, `--rule ${STUB}=info --strict`, 0],
    ['a suppressed warning that the caller made an error', sound, `--rule ${STUB}=error`, 0],
    ['nothing by that name', sound, 'nobody', 2],
    ['one that is there and one that is not', sound, 'mini nobody', 2],
    ['an unknown rule', sound, '--rule caps/entri=off', 2],
    ['a word that is no level', sound, '--rule caps/entry=loud', 2],
    ['a rule without a level', sound, '--rule caps/entry', 2],
    ['a negative limit', sound, '--max-warnings=-1', 2],
    ['an unknown format', sound, '--format xml', 2],
    ['two ways to report', sound, '--json --format sarif', 2],
    ['a dry run of nothing', sound, '--dry-run', 2],
    ['the list of rules', sound, '--rules', 0],
    ['the list of rules as results', sound, '--rules --format sarif', 2],
  ]
  const formats = ['json', 'sarif', 'github', 'junit', 'codequality']
  for (const [index, [name, root, args, exit]] of table.entries()) {
    test(`is ${exit} for ${name}: ${args}`, async () => {
      const given = args.split(' ').filter(Boolean)
      assert.equal((await lint(root, ...given)).exit, exit)
      // What is said, and how, does not decide.
      const isFormatted = /--(?:format|json|rules)/.test(args)
      const tried = IN_CI ? formats : formats.slice(index % formats.length, (index % formats.length) + 1)
      for (const format of isFormatted ? [] : tried)
        assert.equal((await lint(root, ...given, '--format', format)).exit, exit, format)
      assert.equal((await lint(root, ...given, '--quiet')).exit, exit, 'quiet')
    })
  }

  test('is 3 for a folder that cannot be read, above all others', async () => {
    const root = place({ broken: treeWith('', WILD), mini: treeWith() })
    chmodSync(join(root, 'agents/mini'), 0o000)
    const args = ['agent', 'lint', 'agents/mini', 'agents/broken', 'agents/nobody', '--json']
    // Root may read everything, so that another user has to try.
    const { exit, stdout } = await rlp(args, { cwd: root, ...(IS_ROOT && { uid: NOBODY }) })
    const { result } = JSON.parse(stdout)
    assert.deepEqual(
      [exit, result.passed, result.failed.map(({ code }: { code: string }) => code), result.agents.length],
      [3, false, ['NO_PERMISSION', 'NOT_FOUND'], 1],
    )
  })
})

describe('several targets', () => {
  test('are each reported once, and the missing ones beside them', async () => {
    const root = place({ mini: treeWith() })
    const { stdout, stderr } = await lint(root, 'nobody', 'mini', 'agents/mini', 'agents', 'ghost')
    assert.equal(stdout.split(STUB).length, 2)
    assert.equal(stderr.match(/^rlp: Cannot find/gm)?.length, 2)
    assert.match(stderr, /^1 warning in 1 agent$/m)
    const json = await lint(root, 'nobody', 'mini', '--json')
    const { result } = JSON.parse(json.stdout)
    assert.deepEqual(
      [result.agents.length, result.failed.map(({ target }: { target: string }) => target), json.stderr],
      [1, ['nobody'], ''],
    )
  })
})

describe('people', () => {
  test('see what counts, and how many do not', async () => {
    const root = place({ mini: treeWith(suppressing(`rule = "${STUB}", reason = "built at night"`), WILD) })
    const plain = await lint(root)
    assert.doesNotMatch(plain.stdout, /wasm\/stub|built at night/)
    assert.match(plain.stdout, /^agents\/mini\/policy\.caps:2:8 error .* caps\/entry$/m)
    assert.match(plain.stderr, /^1 error, 1 suppressed in 1 agent$/m)
    const all = await lint(root, '--show-suppressed')
    assert.match(all.stdout, /^agents\/mini\/bin\/mini\.wasm:1:1 warning .* wasm\/stub$/m)
    assert.match(all.stdout, /^ {2}suppressed: built at night \(manifest\.toml\)$/m)
    const off = await lint(root, '--show-suppressed', '--rule', 'caps/entry=off')
    assert.match(off.stdout, /^ {2}suppressed: by the caller, --rule caps\/entry=off$/m)
    assert.match(off.stderr, /^2 suppressed in 1 agent$/m)
  })

  test('see which severities the caller changed, and which limit was passed', async () => {
    const root = place({ mini: treeWith() })
    const raised = await lint(root, '--rule', `${STUB}=error`)
    assert.match(raised.stdout, /:1:1 error \(warning by itself\) /)
    const limited = await lint(root, '--max-warnings', '0')
    assert.match(limited.stderr, /^1 warning; --max-warnings allows 0$/m)
    assert.doesNotMatch((await lint(root)).stderr, /allows/)
  })

  test('see with --quiet only what makes the command fail', async () => {
    const root = place({ mini: treeWith('', WILD) })
    const shown = async (...args: string[]) => {
      const { stdout, stderr } = await lint(root, '--quiet', ...args)
      assert.equal(stderr, '')
      return [...stdout.matchAll(/^agents\S+ (?:error|warning|info) .* (\S+)$/gm)].map(([, rule]) => rule)
    }
    assert.deepEqual(await shown(), ['caps/entry'])
    assert.deepEqual(await shown('--strict'), [STUB, 'caps/entry'])
    assert.deepEqual(await shown('--max-warnings', '0'), [STUB, 'caps/entry'])
    assert.deepEqual(await shown('--max-warnings', '1'), ['caps/entry'])
  })

  test('are told what they misspelt', async () => {
    const root = place({ mini: treeWith() })
    for (const [args, message, hint] of [
      [
        ['--rule', 'caps/entri=off'],
        'Cannot use --rule: there is no rule "caps/entri"',
        'Did you mean caps/entry?',
      ],
      [
        ['--rule', 'caps/entry=loud'],
        'Cannot use --rule: "caps/entry=loud" names no level',
        'Write for example --rule caps/entry=off',
      ],
      [
        ['--rule', 'capz/*=off'],
        'Cannot use --rule: there is no rule "capz/*"',
        'rlp agent lint --rules lists all of them',
      ],
      [['--rule', 'x=constructor'], 'Cannot use --rule: "x=constructor" names no level', 'Write for example'],
      [
        ['--dry-run'],
        'Cannot use --dry-run: without --fix nothing is written anyway',
        'Write --fix --dry-run',
      ],
    ] as const) {
      const { stderr, stdout } = await lint(root, ...args)
      assert.ok(stderr.startsWith(`rlp: ${message}\nhint: ${hint}`), stderr)
      assert.equal(stdout, '')
    }
  })

  test('get the list of rules', async () => {
    const { stdout } = await lint(place({ mini: treeWith() }), '--rules')
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map(line => line.split(' ')[0]),
      RULES.map(({ id }) => id),
    )
  })
})

test('rlp agent pack goes by the same suppressions, and by no others', async () => {
  const pack = async (tree: Tree) => {
    const cwd = place({ mini: tree })
    return run(['agent', 'pack'], undefined, { cwd })
  }
  assert.match((await pack(treeWith())).stderr, /1 lint warning/)
  const quiet = await pack(treeWith(suppressing(`rule = "${STUB}", reason = "x"`)))
  assert.deepEqual([quiet.exit, quiet.stderr.includes('warning')], [0, false])
  const refused = await pack(treeWith(suppressing('rule = "caps/entry", reason = "x"'), WILD))
  assert.equal(refused.exit, 1)
  assert.match(refused.stderr, /^rlp: Cannot pack "agents\/mini": /)
})

const FACE = '{"schema_version":"0.2.0","interface_id":"i","tool_id":"a"}'
const RUN_RECORD =
  '{"schema_version":"0.2.0","invocation_id":"i","tool_id":"a","status":"running","created_at":"2026-01-01T00:00:00Z"}'

describe('a file by its name', () => {
  const root = place({})
  const table: [text: string, exit: number, said: RegExp][] = [
    ['{"tools":[{"name":"a","command":["./tools/bin/a"]}]}', 0, /agentcli\/description/],
    ['{"version":1,"tools":[]}', 2, /: it is one file of an agent\n/],
    ['{"version":1,"tools":[{"command":["a"]}]}', 2, /: it mixes two formats\n/],
    [
      '{"tools":[{"name":"a","inputSchema":{}}]}',
      2,
      /: it is another system’s list of tools\n.* tool import/,
    ],
    [`[${FACE}]`, 0, /no findings/],
    [FACE, 0, /no findings/],
    [`{"records":[${FACE}]}`, 0, /no findings/],
    ['{"schema_version":"0.2.0","tool_id":"a"}', 1, /"interface_id" is missing tools\/interface-shape/],
    ['{"schema_version":"0.2.0","permission_profile_id":"p"}', 1, /risk_level/],
    [`[${FACE},${FACE}]`, 0, /tools\.json:1:\d+ .*tools\/interface-record/],
    [
      `[{"schema_version":"0.2.0","interface_id":"i","interface_id":"j","tool_id":"a"}]`,
      1,
      /json\/duplicate-key/,
    ],
    // A record of a run is what such a file may be for.
    [RUN_RECORD, 0, /no findings/],
    ['{"tools":[]}', 0, /no findings/],
    ['{"TOOLS":[]}', 0, /agentcli\/key/],
    ['{"tools":[{"name":"a"}]}', 1, /tool\[0\] "a": command must have at least program name/],
    ['{"tools":[{}]}', 1, /tool\[0\]: name is required/],
    ['{"tools":[5]}', 1, /parse manifest: /],
    ['{"tools":[{"id":"a"}]}', 2, /: no tool in it has a command, .*\n.* "command": \[/],
    ['{"version":"1","tools":[]}', 2, /: no tool in it has a command, /],
    ['{}', 2, /: no tool in it has a command, /],
  ]
  for (const [text, exit, said] of table) {
    test(text, async () => {
      writeTree(root, { 'tools.json': text })
      const ran = await lint(root, 'tools.json')
      assert.equal(ran.exit, exit)
      assert.match(ran.stdout + ran.stderr, said)
    })
  }
})
