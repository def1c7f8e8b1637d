// Hints of those who write agents: folders, tools, imports, packs.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { create } from 'tar'
import { REGISTRY } from '../../../src/cli/commands.ts'
import { OTHER_WORDS } from '../../../src/cli/main.ts'
import { writeTree } from '../agent.ts'
import { good, made, madeTree, RELEASE, world } from '../install-world.ts'
import { signedTree } from '../signed.ts'
import { commandIn, doesItInstead, type Following, follow, keysIn, leadsOn, placeIn, shows } from './led.ts'

const BUNDLE = 'mini-1.0.0.agent.bundle'
const READS_A_PAGE = [
  ...['--id', 't', '--description', 'Reads a page', '--url', 'https://127.0.0.1:9/'],
  ...['--input-schema', 'nothing', '--result-schema', 'anything'],
]

export function hintsOfAuthors(folder: (part: string) => string): void {
  /** An agent in `agents/mini`. */
  async function author(name: string, input?: string) {
    const at = world(folder(name))
    keysIn(at.home, { release: 1 })
    const here = { ...at, ...placeIn(at.cwd, at.home, {}, input), agent: join(at.cwd, 'agents/mini') }
    await good(here, 'agent', 'scaffold', 'mini')
    return here
  }
  type Author = Awaited<ReturnType<typeof author>>
  const write = (here: Author, path: string, text: string) => writeFileSync(join(here.agent, path), text)
  const noBinary = '{"version":1,"tools":[{"id":"x"}]}'
  const breakTools = (here: Author) => write(here, 'tools.json', noBinary)
  const override = (here: Author) => {
    mkdirSync(join(here.home, 'caps/overrides'), { recursive: true })
    writeFileSync(join(here.home, 'caps/overrides/mini.toml'), '[capabilities]\nnet = 1\n')
  }
  const nothing = () => {}
  const addTool = (here: Author, ...more: string[]) =>
    good(here, 'tool', 'add', 'mini', ...READS_A_PAGE, ...more)

  type Look = readonly [
    before: (here: Author) => unknown,
    args: readonly string[],
    name: string,
    what: RegExp,
    following?: Following,
  ]
  const BROKEN = /tools\.json:\d/
  const looks: Readonly<Record<string, Look>> = {
    'tool add to broken tools': [
      breakTools,
      ['tool', 'add', 'mini', ...READS_A_PAGE],
      'agent lint',
      BROKEN,
      { exit: 1 },
    ],
    'tool export of broken tools': [
      breakTools,
      ['tool', 'export', 'agents/mini', '--to', 'openai'],
      'agent lint',
      BROKEN,
      { exit: 1 },
    ],
    'tool list of broken tools': [
      breakTools,
      ['tool', 'list', 'agents/mini', '--unverified'],
      'agent lint',
      BROKEN,
      { exit: 1 },
    ],
    'tool call of broken tools': [
      breakTools,
      ['tool', 'call', 'x', 'agents/mini', '--unverified'],
      'agent lint',
      BROKEN,
      { exit: 1 },
    ],
    'tool check-result of broken tools': [
      breakTools,
      ['tool', 'check-result', '--tool', 'x', '--agent', 'mini', 'agents/mini/tools.json'],
      'agent lint',
      BROKEN,
      { exit: 1 },
    ],
    'caps show of a broken policy': [
      here => write(here, 'policy.caps', '[capabilities]\nnet = 1\n'),
      ['caps', 'show', 'mini'],
      'agent lint',
      /policy\.caps:2/,
      { exit: 1 },
    ],
    'a call under a broken policy': [
      async here => {
        await addTool(here)
        write(here, 'policy.caps', '[capabilities]\nnet = 1\n')
      },
      ['tool', 'call', 't', 'agents/mini', '--unverified'],
      'agent lint',
      /policy\.caps:2/,
      { exit: 1 },
    ],
    'an override that cannot be used': [
      here => override(here),
      ['caps', 'show', 'mini'],
      'doctor',
      /mini\.toml line 2/,
      { exit: 1 },
    ],
    'a call under an override that cannot be used': [
      async here => {
        await addTool(here, '--grant')
        override(here)
      },
      ['tool', 'call', 't', 'agents/mini', '--unverified'],
      'doctor',
      /mini\.toml line 2/,
      { exit: 1 },
    ],
    'a rule that does not exist': [
      nothing,
      ['agent', 'lint', 'mini', '--rule', 'xyzzy=error'],
      'agent lint',
      /wasm\/stub/,
    ],
    'a suppression of a rule that does not exist': [
      here => {
        const path = join(here.agent, 'manifest.toml')
        const entry = '[[lint.suppress]]\nrule = "xyzzy/plugh"\nreason = "a reason"\n'
        writeFileSync(path, `${readFileSync(path, 'utf8')}\n${entry}`)
      },
      ['agent', 'lint', 'mini'],
      'agent lint',
      /wasm\/stub/,
    ],
    'a broken manifest to pack': [
      here => write(here, 'manifest.toml', 'x'),
      ['agent', 'pack', 'mini'],
      'agent lint',
      /manifest\.toml:1/,
      { exit: 1 },
    ],
    'a broken manifest to digest': [
      here => write(here, 'manifest.toml', 'x'),
      ['agent', 'digest', 'mini'],
      'agent lint',
      /manifest\.toml:1/,
      { exit: 1 },
    ],
    'a version of a broken manifest': [
      here => write(here, 'manifest.toml', '[agent]\nname = "mini"\n'),
      ['agent', 'version', 'minor', 'mini'],
      'agent lint',
      /manifest\.toml/,
      { exit: 1 },
    ],
    'a bundle for a folder': [
      here => here.put(BUNDLE, made({}, RELEASE)),
      ['agent', 'lint', BUNDLE],
      'agent verify',
      /trusted/,
      { words: [BUNDLE] },
    ],
    'a stored bundle for a folder': [
      async here => {
        here.put(BUNDLE, made({}, RELEASE))
        await good(here, 'agent', 'push', BUNDLE, 'oci-layout:store')
      },
      ['agent', 'lint', 'oci-layout:store:1.0.0'],
      'agent inspect',
      /mini/,
    ],
    'an installed agent for a source': [
      async here => {
        here.put(BUNDLE, made({}, RELEASE))
        await good(here, 'agent', 'install', BUNDLE, '--yes')
        rmSync(here.agent, { recursive: true })
      },
      ['agent', 'lint', 'mini'],
      'agent inspect',
      /mini/,
    ],
  }
  describe('what a hint of an author shows', () => {
    for (const [what, [before, args, name, shown, following]] of Object.entries(looks))
      test(what, async () => {
        const here = await author(what)
        await before(here)
        await shows(here, args, name, shown, following)
      })
  })

  type Lead = readonly [
    before: (here: Author) => unknown,
    args: readonly string[],
    name: string,
    following?: Following,
  ]
  const leads: Readonly<Record<string, Lead>> = {
    'an agent that is nowhere': [nothing, ['agent', 'lint', 'other'], 'agent scaffold'],
    'a path with no agent': [nothing, ['agent', 'lint', './agents/other'], 'agent scaffold'],
    'no agent at all': [
      here => rmSync(join(here.cwd, 'agents'), { recursive: true }),
      ['agent', 'lint'],
      'agent scaffold',
      { fill: { NAME: 'other' } },
    ],
    'a folder without an agent': [
      here => {
        mkdirSync(join(here.cwd, 'plain'))
        writeFileSync(join(here.cwd, 'plain/x.txt'), '')
      },
      ['agent', 'lint', 'plain'],
      'agent init',
      { words: ['plain'] },
    ],
    'a folder to init that is not there': [
      nothing,
      ['agent', 'init', 'agents/other'],
      'agent scaffold',
      { words: ['other'], refusedStill: true },
    ],
    'another folder without an agent': [
      here => {
        mkdirSync(join(here.cwd, 'plain'))
        writeFileSync(join(here.cwd, 'plain/x.txt'), '')
      },
      ['agent', 'lint', 'plain'],
      'agent scaffold',
      { words: ['other', '--root', 'plain'] },
    ],
    'a folder without a bundle': [
      here => mkdirSync(join(here.cwd, 'dist')),
      ['agent', 'verify', 'dist'],
      'agent pack',
      { words: ['mini'], refusedStill: true },
    ],
    'digest --check': [
      here => write(here, 'README.md', '# changed\n'),
      ['agent', 'digest', '--check'],
      'agent digest',
    ],
    'a stale digest to pack': [
      here => write(here, 'README.md', '# changed\n'),
      ['agent', 'pack', 'mini'],
      'agent digest',
    ],
    'an answer of a tool that an agent without tools does not have': [
      here => writeFileSync(join(here.cwd, 'answer.json'), '{"ok":true,"tool":"t","result":1}'),
      ['tool', 'check-result', 'answer.json', '--tool', 't', '--agent', 'mini'],
      'tool add',
      { words: ['mini', ...READS_A_PAGE] },
    ],
    'a tool of an agent without tools': [
      nothing,
      ['tool', 'remove', 'mini', 't'],
      'tool add',
      { words: ['mini', ...READS_A_PAGE] },
    ],
  }
  describe('what a hint of an author does', () => {
    for (const [what, [before, args, name, following]] of Object.entries(leads))
      test(what, async () => {
        const here = await author(what)
        await before(here)
        await leadsOn(here, args, name, following)
      })

    test('digests that are stale after a tool, and a tool that is not granted', async () => {
      const here = await author('tool-next')
      const { stdout, stderr } = await here.say('tool', 'add', 'mini', ...READS_A_PAGE)
      const call = ['tool', 'call', 't', 'agents/mini', '--unverified', '--dry-run']
      assert.notEqual((await here.rlp(...call)).exit, 0)
      await follow(here, stderr, 'tool edit')
      await good(here, ...call)
      assert.notEqual((await here.rlp('agent', 'digest', '--check')).exit, 0)
      await follow(here, stdout, 'agent digest')
      await good(here, 'agent', 'digest', '--check')
    })

    test('tools that are imported without a grant, and stale digests', async () => {
      for (const ids of [['page'], ['page', 'mail']]) {
        const here = await author(`import-${ids.length}`)
        const tools = ids.map(name => ({ name, description: 'Reads', inputSchema: { type: 'object' } }))
        writeFileSync(join(here.cwd, 'mcp.json'), JSON.stringify({ tools }))
        const line = ['tool', 'import', 'mini', 'mcp.json', '--command', '/usr/bin/true']
        const { stdout, stderr } = await here.say(...line)
        const call = ['tool', 'call', 'page', 'agents/mini', '--unverified', '--dry-run']
        assert.notEqual((await here.rlp(...call)).exit, 0)
        await follow(here, stderr, 'tool edit', { fill: ids.length > 1 ? { TOOL: 'page' } : {} })
        await good(here, ...call)
        await follow(here, stdout, 'agent digest')
        await good(here, 'agent', 'digest', '--check')
      }
    })

    test('a file before the agent, and an agent that is an option', async () => {
      const here = await author('import-swapped')
      const schema = { type: 'object', properties: {} }
      const tools = [{ name: 'one', description: 'Reads', schema, command: ['/usr/bin/true'] }]
      writeFileSync(join(here.cwd, 'theirs.json'), JSON.stringify({ tools }))
      await doesItInstead(here, ['tool', 'import', 'theirs.json', 'mini'], 'tool import')
      const asOption = ['tool', 'import', 'theirs.json', '--agent', 'mini']
      const other = await author('import-option')
      writeFileSync(join(other.cwd, 'theirs.json'), JSON.stringify({ tools }))
      await doesItInstead(other, asOption, 'tool import', { fill: { AGENT: 'mini', FILE: 'theirs.json' } })
    })

    test('a packed bundle asks for its signature', async () => {
      const here = await author('packed')
      const { stdout, stderr } = await here.say('agent', 'pack', 'mini')
      const hint = stdout
      await follow(here, hint, 'key generate', { fill: { NAME: 'mine' }, words: ['--no-passphrase'] })
      await follow(here, hint, 'agent sign', { fill: { NAME: 'mine' } })
      await follow(here, stderr, 'agent lint')
    })

    test('a tool that is there', async () => {
      const here = await author('taken')
      await addTool(here)
      const again = ['tool', 'add', 'mini', ...READS_A_PAGE]
      await doesItInstead(here, again, 'tool edit', { words: ['--description', 'Reads another page'] })
      assert.match(readFileSync(join(here.agent, 'tools.json'), 'utf8'), /Reads another page/)
    })

    test('a call that policy.caps does not grant', async () => {
      const here = await author('not-granted')
      await addTool(here)
      const call = ['tool', 'call', 't', 'agents/mini', '--unverified']
      const { stderr } = await here.say(...call)
      await follow(here, stderr, 'tool edit', { fill: { AGENT: 'mini' } })
      await good(here, ...call, '--dry-run')
    })

    test('an answer that was not given, and a shell that was not named', async () => {
      const here = await author('answer')
      writeFileSync(join(here.cwd, 'answer.json'), '{"ok":true,"tool":"t","result":1}')
      const { stderr } = await here.typing('', 'tool', 'check-result')
      await follow(here, stderr, 'tool check-result', { words: ['answer.json'] })
      await doesItInstead(here, ['completion'], 'completion')
    })

    test('lists of tools of other systems', async () => {
      const here = await author('lists')
      const tools = [{ name: 'page', description: 'Reads', inputSchema: { type: 'object' } }]
      writeFileSync(join(here.cwd, 'mcp.json'), JSON.stringify({ tools }))
      const words = ['mini', 'mcp.json', '--command', '/usr/bin/true']
      await doesItInstead(here, ['tool', 'export', 'mcp.json', '--to', 'openai'], 'tool import', { words })
      const other = await author('lint-list')
      writeFileSync(join(other.cwd, 'mcp.json'), JSON.stringify({ tools }))
      await doesItInstead(other, ['agent', 'lint', 'mcp.json'], 'tool import', { words })
      writeFileSync(join(other.cwd, 'api.json'), JSON.stringify({ openapi: '3.1.0', info: {}, paths: {} }))
      const api = ['tool', 'import', 'mini', 'api.json']
      await doesItInstead(other, api, 'tool add', { words: ['mini', ...READS_A_PAGE] })
    })

    test('a manifest to install, and facts of a build without --provenance', async () => {
      const here = await author('install-manifest')
      await doesItInstead(here, ['agent', 'install', 'agents/mini/manifest.toml', '--yes'], 'agent pack', {
        words: ['mini'],
      })
      const words = ['dist/mini-0.1.0.agent.bundle', '--builder', 'https://ci.example/1']
      await doesItInstead(here, ['agent', 'pack', 'mini', ...words.slice(1), '--force'], 'agent provenance', {
        words,
      })
    })

    test('an archive that another program has packed', async () => {
      const here = await author('archive')
      await create({ file: join(here.cwd, 'a.tar'), cwd: join(here.cwd, 'agents') }, ['mini'])
      await doesItInstead(here, ['agent', 'verify', 'a.tar'], 'agent pack')
      rmSync(join(here.cwd, 'dist'), { recursive: true })
      await doesItInstead(here, ['agent', 'install', 'a.tar', '--yes'], 'agent pack')
      rmSync(join(here.cwd, 'dist'), { recursive: true })
      const { stderr } = await here.say('agent', 'pack', 'a.tar')
      await follow(here, stderr, 'agent lint', { words: ['mini'] })
      breakTools(here)
      await create({ file: join(here.cwd, 'b.tar'), cwd: join(here.cwd, 'agents') }, ['mini'])
      await shows(here, ['agent', 'pack', 'b.tar'], 'agent lint', BROKEN, { words: ['mini'], exit: 1 })
    })

    test('an unpacked bundle that was changed', async () => {
      const here = await author('unpacked')
      const bundle = join(here.cwd, 'out/agent.bundle')
      mkdirSync(join(here.cwd, 'out'))
      writeTree(bundle, signedTree(madeTree(), [RELEASE]))
      writeFileSync(join(bundle, 'policy.caps'), '[capabilities]\ntime = true\n')
      await doesItInstead(here, ['agent', 'install', 'out/agent.bundle', '--yes'], 'agent pack', {
        words: ['mini'],
      })
    })

    test('what is a source', async () => {
      const here = await author('sources')
      await doesItInstead(here, ['agent', 'sign', 'agents/mini', '--key', 'release'], 'agent pack')
      await doesItInstead(here, ['tool', 'serve', 'agents/mini'], 'agent pack', {
        words: ['mini', '--force'],
      })
    })

    test('swapped words', async () => {
      const here = await author('swapped')
      await addTool(here, '--grant')
      await doesItInstead(here, ['agent', 'version', 'agents/mini', 'minor'], 'agent version')
      here.put(BUNDLE, made({}, RELEASE))
      const call = ['tool', 'call', BUNDLE, 'text.echo']
      await doesItInstead(here, call, 'tool call', { exit: 1 })
    })

    test('an agent without cases', async () => {
      const here = await author('cases')
      await addTool(here, '--grant')
      const fill = { TOOL: 't', '{…}': '{}' }
      await leadsOn(here, ['agent', 'test', 'agents/mini'], 'agent test', { fill })
    })

    test('a file that is not a trace', async () => {
      const here = await author('trace')
      await addTool(here, '--grant')
      writeFileSync(join(here.cwd, 't.ndjson'), '{}\n')
      const replay = ['tool', 'replay', 't.ndjson']
      await good(here, 'agent', 'digest', 'mini')
      await good(here, 'agent', 'pack', 'mini')
      await good(here, 'agent', 'sign', 'dist/mini-0.1.0.agent.bundle', '--key', 'release')
      const words = ['other.ndjson', 't', 'dist/mini-0.1.0.agent.bundle']
      // Nothing answers at the tool's address; the trace says so.
      await doesItInstead(here, replay, 'tool call', { words, exit: 1 })
      await good(here, 'tool', 'replay', 'other.ndjson')
    })
  })

  describe('words of other programs', () => {
    const values: Readonly<Record<string, string>> = {
      AGENT: 'agents/mini',
      FOLDER: 'agents/mini',
      TOOL: 't',
      FILE: './home/keys/release.pem',
      BUNDLE,
      '{…}': '{}',
    }
    const commands: Readonly<Record<string, Following>> = {
      'agent scaffold': {},
      'agent init': { words: ['plain'] },
      'agent pack': { words: ['mini'] },
      'agent run': { fill: { AGENT: BUNDLE } },
      'agent lint': { words: ['mini'] },
      'agent verify': { words: [BUNDLE] },
      'agent inspect': {},
      'agent install': { words: [BUNDLE, '--yes'] },
      'agent test': {},
      'key generate': { words: ['--no-passphrase'] },
      'key import': { words: ['--no-passphrase'] },
      'tool remove': {},
      // Nothing answers at the tool's address, and without --unverified nothing is sent there.
      'tool call': { exit: 1 },
      'tool check-result': { words: ['answer.json'] },
      doctor: {},
    }
    const place = once(async () => {
      const here = await author('words')
      await addTool(here, '--grant')
      await good(here, 'agent', 'digest', 'mini')
      await good(here, 'agent', 'test', 'mini', '--record', 't', '--args', '{}')
      here.put(BUNDLE, made({}, RELEASE))
      mkdirSync(join(here.cwd, 'plain'))
      // One hint spells this name out.
      here.put('FILE.agent.bundle', made({}, RELEASE))
      writeFileSync(join(here.cwd, 'answer.json'), '{"ok":true,"tool":"t","result":1}')
      return here
    })
    test('none of them is a command by now', () => {
      const names = REGISTRY.commands.map(({ name }) => name)
      assert.deepEqual(
        Object.keys(OTHER_WORDS).filter(word => names.includes(word)),
        [],
      )
    })
    // Many words have the same hint.
    const words = new Map(Object.entries(OTHER_WORDS).map(([word, hint]) => [hint, word]))
    for (const word of words.values())
      test(word, async () => {
        const here = await place()
        const { stderr } = await here.say(...word.split(' '))
        const hint = stderr
        const named = Object.keys(commands).filter(name => hint.includes(`rlp ${name} `))
        assert.notEqual(named.length + Number(hint.includes('--version')), 0, hint)
        for (const name of named) {
          // The words before have changed the agent.
          if (name === 'agent lint') await good(here, 'agent', 'digest', 'mini')
          const command = commandIn(hint, name)
          const there = Object.entries(values).filter(([place]) => command.includes(place))
          const fill = {
            ...Object.fromEntries(there),
            ...(command.includes('NAME') && { NAME: `n_${word.replace(/\W/g, '_')}` }),
          }
          await follow(here, hint, name, { fill, ...commands[name] })
        }
      })
  })
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
