// Commands that write agents answer what their functions answer, in the shapes that one call of each does not have: nothing changed, a dry
// run, a refusal, several targets.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { serialize } from '../../src/contract/serialize.ts'
import { agentTree, bundleOf, type Tree, writeTree } from '../support/agent.ts'
import { callEnv, homeIn } from '../support/every-command.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { portable } from '../support/kept-calls.ts'
import * as library from '../support/library.ts'
import { keep } from '../support/put-back.ts'
import { installKeys } from '../support/trust-world.ts'

const folderFor = temporary('author-answers')

interface World {
  readonly cwd: string
  /**
   * Makes the call with `--json`, and then the same by the function, from the same files.
   *
   * @param answer as the envelope should hold it, without the targets that failed
   * @returns the result of the call
   */
  compare(args: readonly string[], answer: () => Promise<unknown>): Promise<Readonly<Record<string, unknown>>>
}

/** @param agents by name, in `agents/` */
function world(name: string, agents: Readonly<Record<string, Tree>> = { mini: agentTree() }): World {
  const cwd = folderFor(name)
  for (const [agent, tree] of Object.entries(agents)) writeTree(join(cwd, 'agents', agent), tree)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'config.toml'), '[security]\nsandbox = "off"\n', { mode: 0o600 })
  return {
    cwd,
    compare: (args, answer) =>
      homeIn(cwd, async () => {
        const kept = keep(cwd)
        const { stdout } = await run([...args, '--json'], undefined, { cwd, env: callEnv(cwd) })
        kept.putBack()
        const wanted: unknown = JSON.parse(serialize(await answer()))
        kept.putBack()
        const { result } = JSON.parse(stdout)
        assert.notEqual(result, undefined, stdout)
        const { failed: _, ...others } = result
        assert.deepEqual(portable(cwd, others), portable(cwd, wanted), args.join(' '))
        return result
      }),
  }
}

const changedOf = (answers: readonly { readonly changed: boolean }[]) =>
  answers.some(({ changed }) => changed)

test('init: a manifest that gets its digests, and a folder that lacks nothing', async () => {
  const { cwd, compare } = world('init', { mini: agentTree({ files: { 'README.md': 'x' } }) })
  const agent = 'agents/mini'
  writeFileSync(join(cwd, agent, 'README.md'), 'y')
  const init = () =>
    compare(['agent', 'init', agent, '--yes'], () => library.init(agent, { cwd, replace: true }))
  const done = await init()
  assert.deepEqual([done['files'], done['replaced']], [['.bundleignore', 'manifest.toml'], ['manifest.toml']])
  await library.init(agent, { cwd, replace: true })
  assert.deepEqual(await init(), { path: join(cwd, agent), files: [], replaced: [], changed: false })
})

test('lint: several agents and one that is missing, fixes, a file of tools, and a credential', async () => {
  const sound = agentTree()
  const manifest = String(sound['manifest.toml']).replace('[caps]\nfile = "policy.caps"\n\n', '')
  const token = `ghp_${'a1B2'.repeat(9)}`
  const secret = `${manifest}# ${token}\n`
  const { cwd, compare } = world('lint', {
    broken: { ...sound, 'policy.caps': '[capabilities]\nnet = 7\n' },
    fixable: { ...sound, 'manifest.toml': manifest.replace('"mini"', '"fixable"') },
    mini: sound,
    secret: { ...sound, 'manifest.toml': secret.replace('"mini"', '"secret"') },
  })
  writeFileSync(join(cwd, 'tools.json'), '{"tools":[{"name":"a","command":["./tools/bin/a"]}]}')
  const lint = (paths: readonly string[], fix?: 'shown' | 'written') => async () => {
    const agents: library.LintResult[] = []
    for (const path of paths) agents.push(await library.lint(path, { cwd, ...(fix && { fix }) }))
    const sum = (count: (linted: library.LintResult) => number) =>
      agents.reduce((all, one) => all + count(one), 0)
    const errors = sum(({ counts }) => counts.errors)
    const summary = {
      agents: agents.length,
      errors,
      warnings: sum(({ counts }) => counts.warnings),
      infos: sum(({ counts }) => counts.infos),
      suppressed: sum(({ counts }) => counts.suppressed),
    }
    return { agents, changed: changedOf(agents), passed: errors === 0, summary }
  }
  const all = ['agents/broken', 'agents/fixable', 'agents/mini', 'agents/secret']
  const several = await compare(['agent', 'lint', 'agents', 'nowhere'], lint(all))
  assert.deepEqual([several['passed'], several['changed']], [false, false])
  const [missing, ...others] = several['failed'] as Readonly<Record<string, string>>[]
  assert.deepEqual([missing?.['target'], missing?.['code'], others], ['nowhere', 'NOT_FOUND', []])
  for (const [flags, fix] of [
    [['--fix'], 'written'],
    [['--fix', '--dry-run'], 'shown'],
  ] as const) {
    const fixed = await compare(['agent', 'lint', 'agents', ...flags], lint(all, fix))
    assert.equal(fixed['changed'], true)
    const [, fixable, mini, hidden] = fixed['agents'] as readonly library.LintResult[]
    assert.deepEqual([fixable?.changed, mini?.changed], [true, false])
    assert.match(fixable?.fixes[0]?.diff ?? '', /^\+\[caps\]$/m)
    // The line of the credential is shown beside the change.
    assert.match(hidden?.fixes[0]?.diff ?? '', /^ # \S+$/m)
    assert.doesNotMatch(JSON.stringify(fixed), new RegExp(token))
  }
  const alone = await compare(['agent', 'lint', 'tools.json'], lint(['tools.json']))
  assert.equal((alone['agents'] as readonly library.LintResult[])[0]?.agent, 'tools.json')
})

test('digest: --check, digests that are missing, and several agents', async () => {
  const { cwd, compare } = world('digest', {
    mini: agentTree({ files: { 'README.md': 'x', 'old.txt': 'x' } }),
    other: agentTree({ name: 'other' }),
  })
  writeFileSync(join(cwd, 'agents/mini/more.txt'), 'new')
  rmSync(join(cwd, 'agents/mini/old.txt'))
  for (const check of [true, false]) {
    const digested = await compare(['agent', 'digest', ...(check ? ['--check'] : [])], async () => {
      const agents = [
        await library.digest('agents/mini', { cwd, check }),
        await library.digest('agents/other', { cwd, check }),
      ]
      return { agents, changed: changedOf(agents) }
    })
    const [mini, other] = digested['agents'] as readonly library.DigestResult[]
    assert.deepEqual([digested['changed'], mini?.changed, other?.changed], [true, true, false])
    // What a manifest has not, or loses, is left out.
    assert.deepEqual(
      mini?.changes.map(one => [one.path, 'before' in one, 'after' in one]),
      [
        ['more.txt', false, true],
        ['old.txt', true, false],
      ],
    )
  }
  const right = await compare(['agent', 'digest', 'other'], async () => {
    const one = await library.digest('agents/other', { cwd })
    return { agents: [one], changed: one.changed }
  })
  assert.equal(right['changed'], false)
})

test('pack: the same bytes, --check, provenance, and an agent that is refused', async () => {
  const { cwd, compare } = world('pack', {
    mini: agentTree(),
    broken: { ...agentTree({ name: 'broken' }), 'policy.caps': '[capabilities]\nnet = 7\n' },
  })
  installKeys(join(cwd, 'home'))
  const bundle = 'dist/mini-1.0.0.agent.bundle'
  const pack = async (options: library.PackOptions & { readonly check?: undefined } = {}) => {
    const packed = await library.pack('agents/mini', { cwd, ...options })
    return { bundles: [packed], changed: packed.changed }
  }
  const several = await compare(['agent', 'pack'], () => pack())
  assert.deepEqual([several['changed'], (several['failed'] as readonly unknown[]).length], [true, 1])
  await pack()
  assert.equal((await compare(['agent', 'pack', 'mini'], () => pack()))['changed'], false)
  const key = join(cwd, 'home/keys/release.pem')
  const builder = 'https://ci.example/1'
  const stated = await compare(
    ['agent', 'pack', 'mini', '--provenance', '--builder', builder, '--key', key],
    () => pack({ provenance: { builder, key } }),
  )
  assert.equal(stated['changed'], true)
  const check = () =>
    compare(['agent', 'pack', 'mini', '--check', bundle], async () => {
      const checked = await library.pack('agents/mini', { cwd, check: bundle })
      return { bundles: [checked], changed: checked.changed }
    })
  assert.deepEqual(await check(), {
    bundles: [{ agent: 'agents/mini', bundle, changed: false }],
    changed: false,
  })
  writeFileSync(join(cwd, bundle), bundleOf(agentTree({ files: { 'README.md': 'x' } })))
  const other = await check()
  const [{ difference } = { difference: undefined }] = other['bundles'] as readonly library.PackCheck[]
  assert.deepEqual([other['changed'], difference?.what], [true, 'content'])
})

describe('the tools of an agent', () => {
  test('are imported: a grant in a dry run, a loss, and a file that holds them already', async () => {
    const { cwd, compare } = world('import')
    const clock = { name: 'clock', description: 'Tell the time', command: ['/bin/date'] }
    writeFileSync(join(cwd, 'in.json'), JSON.stringify({ tools: [{ ...clock, more: 1 }] }))
    const agent = 'agents/mini'
    const imported = (options: library.ImportToolsOptions) => () =>
      library.importTools('in.json', { cwd, ...options })
    const dry = await compare(
      ['tool', 'import', agent, 'in.json', '--dry-run', '--grant'],
      imported({ agent, dryRun: true, grant: true }),
    )
    assert.deepEqual(
      [dry['changed'], dry['files'], dry['granted'], dry['missing']],
      [true, [], ['exec = ["/bin/date"]'], []],
    )
    const lossy = await compare(
      ['tool', 'import', agent, 'in.json', '--fail-on-loss'],
      imported({ agent, failOnLoss: true }),
    )
    assert.deepEqual([lossy['changed'], lossy['files']], [false, []])
    const out = async (...flags: readonly string[]) => {
      const dryRun = flags.length > 0
      const line = ['tool', 'import', 'in.json', '--out', 'new.json', ...flags]
      return (await compare(line, imported({ out: 'new.json', dryRun })))['changed']
    }
    assert.deepEqual([await out('--dry-run'), await out()], [true, true])
    await imported({ out: 'new.json' })()
    assert.deepEqual([await out('--dry-run'), await out()], [false, false])
  })

  test('are exported: as a value, into files, and not if a fact would be lost', async () => {
    const tools = { version: 1, tools: [{ ...JSON_TOOL, requires_confirmation: true }] }
    const { cwd, compare } = world('export', {
      mini: agentTree({
        files: {
          'policy.caps': '[capabilities]\nexec = ["/bin/true"]\n',
          'tools.json': JSON.stringify(tools),
        },
      }),
    })
    const exported = (flags: readonly string[], options: Partial<library.ExportToolsOptions>) =>
      compare(['tool', 'export', 'agents/mini', '--to', 'mcp', ...flags], () =>
        library.exportTools('agents/mini', { cwd, to: 'mcp', ...options }),
      )
    const value = await exported([], {})
    assert.deepEqual([value['changed'], value['files'], typeof value['document']], [false, [], 'object'])
    const lossy = await exported(['--fail-on-loss'], { failOnLoss: true })
    assert.deepEqual([lossy['changed'], lossy['document']], [false, undefined])
    const files = () =>
      exported(['--out', 'out.json', '--names', 'names.json'], { out: 'out.json', names: 'names.json' })
    const written = await files()
    assert.deepEqual(
      [written['changed'], written['files'], written['document']],
      [true, ['names.json', 'out.json'], undefined],
    )
    await library.exportTools('agents/mini', { cwd, to: 'mcp', out: 'out.json', names: 'names.json' })
    assert.equal((await files())['changed'], false)
    writeFileSync(join(cwd, 'out.json'), '{}')
    await assert.rejects(library.exportTools('agents/mini', { cwd, to: 'mcp', out: 'out.json' }), {
      code: 'EXISTS',
    })
    const forced = await exported(['--out', 'out.json', '--force'], { out: 'out.json', force: true })
    assert.equal(forced['changed'], true)
  })

  test('are tested: several agents, and a case that is not fulfilled', async () => {
    const tree = agentTree({
      files: {
        'policy.caps': '[capabilities]\nexec = ["/bin/true"]\n',
        'tools.json': JSON.stringify({ version: 1, tools: [JSON_TOOL] }),
      },
    })
    const { cwd, compare } = world('test', { mini: tree, other: tree })
    for (const [agent, text] of [
      ['mini', ''],
      ['other', 'another'],
    ] as const) {
      mkdirSync(join(cwd, 'agents', agent, 'tests'))
      const cases = [{ tool: 'say.it', arguments: {}, answer: { text } }]
      writeFileSync(join(cwd, 'agents', agent, 'tests/a.json'), JSON.stringify({ cases }))
    }
    const tested = await compare(['agent', 'test', 'agents'], async () => ({
      agents: [
        await library.testTools('agents/mini', { cwd }),
        await library.testTools('agents/other', { cwd }),
      ],
    }))
    const problems = (tested['agents'] as readonly library.TestedAgent[]).map(({ results }) =>
      results.map(({ problem }) => problem !== undefined),
    )
    assert.deepEqual(problems, [[false], [true]])
  })
})

const JSON_TOOL = {
  id: 'say.it',
  description: 'Say it',
  transport: { kind: 'exec', command: '/bin/true', args: [] },
  input_schema: { type: 'object' },
  result_schema: true,
}
