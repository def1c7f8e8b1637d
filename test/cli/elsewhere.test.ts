// A name that a command does not find: every command that takes an agent or a bundle says where it is, and what to type.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { AnyCommand } from '../../src/cli/command.ts'
import { REGISTRY } from '../../src/cli/commands.ts'
import type { Meant } from '../../src/cli/option.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('elsewhere')
const home = process.env['RUNLOOP_HOME']
let cwd = ''
before(() => {
  cwd = folder('world')
  process.env['RUNLOOP_HOME'] = join(cwd, 'home')
  writeTree(join(cwd, 'agents/source'), agentTree({ name: 'source' }))
  mkdirSync(join(cwd, 'dist'))
  writeFileSync(join(cwd, 'trace'), '')
  for (const version of ['0.1.0', '0.2.0'])
    writeFileSync(
      join(cwd, `dist/packed-${version}.agent.bundle`),
      bundleOf(agentTree({ name: 'packed', version })),
    )
  // Another agent, whose name only begins so.
  writeFileSync(join(cwd, 'dist/packed-other-9.0.0.agent.bundle'), '')
  mkdirSync(join(cwd, 'home/agents'), { recursive: true })
  writeFileSync(join(cwd, 'home/agents/there.agent.bundle'), bundleOf(agentTree({ name: 'there' })))
})
after(() => {
  if (home === undefined) delete process.env['RUNLOOP_HOME']
  else process.env['RUNLOOP_HOME'] = home
})

/** What a command needs beside the name to get as far as looking for it. */
const REST: Readonly<Record<string, readonly string[]>> = {
  'agent sign': ['--key', 'none'],
  'agent attest': ['--type', 'https://a.example', '--predicate', resolve('package.json'), '--key', 'none'],
  'agent provenance': ['--builder', 'https://ci.example/1'],
  'agent push': ['oci-layout:x'],
  'tool add': ['--id', 'a.b', '--kind', 'exec', '--command', '/bin/true', '--description', 'd'],
  'tool edit': ['a.b', '--description', 'd'],
  'tool remove': ['a.b'],
  'tool export': ['--to', 'mcp'],
  'agent diff': ['agents/source'],
}
/** Command lines whose name is not the first argument. */
const LINES: Readonly<Record<string, (name: string) => readonly string[]>> = {
  'tool call': name => ['a.b', name],
  'agent version': name => ['0.0.1', name],
  'tool replay': name => ['trace', '--bundle', name],
  'tool import': name => [name, 'tools.json'],
  'tool check-result': name => ['-', '--tool', 'a.b', '--agent', name],
}
/** Arguments that are called like a name of an agent, and are something else. */
const NO_NAMES: Readonly<Record<string, string>> = {
  'agent list stored': 'a registry or a layout folder',
  'agent copy stored': 'references to registries',
  'agent detach stored': 'references to registries',
  'agent pull from': 'a reference to a registry',
  'agent uninstall name': 'an installed agent: another place would not help',
  'key show key': 'a key; the agent in its help holds keys',
  'lock check agent': 'an agent of the lock',
  'report merge report': 'files of reports',
  'lock remove agent': 'an agent of the lock',
  'lock update agent': 'an agent of the lock',
  'trust add key': 'a key; the agent in its help holds keys',
  'trust floor agents': 'names that a policy is about, wherever their bundles are',
  'trust reset agent': 'an agent in the marks of this host',
  'trust revoke what': 'a key or a digest as well',
}

/** Commands that refuse --json before they look at anything. */
const NO_JSON: readonly string[] = ['tool serve', 'agent dev']

/** The last hint that a person reads, on whichever stream. */
const lastHint = (text: string) => /(?:^|\n) *hint: ([^\n]*)(?![\s\S]*\n *hint: )/.exec(text)?.[1] ?? ''

/** Every hint of an envelope, each once. */
function hintsIn(stdout: string): string[] {
  const hints = new Set<string>()
  JSON.parse(stdout, (key, value) => {
    if (key === 'hint' && typeof value === 'string') hints.add(value)
    return value
  })
  return [...hints]
}

const SAYS: Readonly<Record<Meant, readonly [source: RegExp, packed: RegExp, installed: RegExp]>> = {
  bundle: [
    /agents\/source is its source, and this command takes bundles: pack it first with rlp agent pack source$/,
    /It is packed: rlp .* dist\/packed-0\.2\.0\.agent\.bundle/,
    /It is installed: rlp .*\bhome\/agents\/there\.agent\.bundle/,
  ],
  installed: [
    /agents\/source is its source, and this command takes bundles: pack it first with rlp agent pack source$/,
    /It is packed: rlp .* dist\/packed-0\.2\.0\.agent\.bundle/,
    /^/,
  ],
  'installed or source': [
    // It is found.
    /^$/,
    /It is packed: rlp .* dist\/packed-0\.2\.0\.agent\.bundle/,
    /^/,
  ],
  source: [
    /^/,
    /It is packed, and this command takes sources: rlp agent inspect dist\/packed-0\.2\.0\.agent\.bundle$/,
    /It is installed, and this command takes sources: rlp agent inspect \S*home\/agents\/there\.agent\.bundle$/,
  ],
}

async function namesOf(command: AnyCommand): Promise<(readonly [name: string, names: Meant | undefined])[]> {
  const options = Object.entries(command.options).map(([name, option]) => ({ name: `--${name}`, ...option }))
  return [...(command.positionals ?? []), ...options]
    .filter(({ name, describe }) => {
      const isPlace = /^--(?:out|out-dir|root|agents-dir|report|trust-policy|expect|for|trace)$/.test(name)
      return !isPlace && !/^--/.test(name) && /\b(?:bundles?|agents?)\b/.test(`${name} ${describe}`)
    })
    .map(one => [one.name, 'names' in one ? one.names : undefined])
}

describe('every command', async () => {
  for (const entry of REGISTRY.commands) {
    const { command } = await entry.load()
    test(`${entry.name}: an argument that names an agent or a bundle says so`, async () => {
      for (const [name, names] of await namesOf(command)) {
        const key = `${entry.name} ${name}`
        const isOther = ['agent scaffold name', 'tool add agent'].includes(key) || NO_NAMES[key] !== undefined
        assert.ok(names !== undefined || isOther, key)
      }
    })
    const declared = [...(command.positionals ?? []), ...Object.values(command.options)].flatMap(one =>
      'names' in one && one.names !== undefined ? [one.names] : [],
    )
    const names = declared[0]
    if (names === undefined) continue
    for (const [index, name] of ['source', 'packed', 'there'].entries()) {
      test(`${entry.name} ${name}`, async () => {
        const line = LINES[entry.name]?.(name) ?? [name, ...(REST[entry.name] ?? [])]
        const words = [...entry.name.split(' '), ...line]
        const { stdout: said, stderr } = await run(words, undefined, { cwd, env: {}, columns: 400 })
        // What pack has written would be found by the next command.
        rmSync(join(cwd, 'dist/source-1.0.0.agent.bundle'), { force: true })
        const hint = lastHint(said + stderr)
        assert.match(hint, SAYS[names][index] ?? /^$/, `${words.join(' ')}\n${said}${stderr}`)
        if (!/It is |is its source|Its source is/.test(hint) || NO_JSON.includes(entry.name)) return
        const { stdout } = await run([...words, '--json'], undefined, { cwd, env: {} })
        assert.deepEqual(
          hintsIn(stdout).map(one => one.replace(' --json', '')),
          [hint],
          stdout,
        )
      })
    }
  }
})

test('one rule for names: a source by its name, and a misspelt one, in every kind of command', async () => {
  const at = (...words: string[]) => run(words, undefined, { cwd, env: {}, columns: 400 })
  const exported = await at('tool', 'export', 'source', '--to', 'mcp')
  assert.deepEqual(
    [exported.exit, exported.stderr],
    [0, 'source is not installed: its source agents/source is exported, unverified\n'],
  )
  const byPath = await at('tool', 'export', 'agents/source', '--to', 'mcp')
  assert.deepEqual([byPath.exit, byPath.stdout], [0, exported.stdout])
  assert.equal((await at('agent', 'diff', 'source', 'agents/source')).exit, 0)
  const lines = [
    ['tool', 'export', 'sourcs', '--to', 'mcp'],
    ['tool', 'list', 'sourcs'],
    ['agent', 'lint', 'sourcs'],
    ['agent', 'verify', 'sourcs'],
    ['agent', 'inspect', 'sourcs'],
    ['tool', 'add', 'sourcs'],
  ]
  for (const words of lines) {
    const { stdout, stderr } = await at(...words)
    assert.equal(lastHint(stdout + stderr), 'Did you mean source?', words.join(' '))
  }
  const path = await at('agent', 'lint', 'agents/sourcs')
  assert.equal(lastHint(path.stderr), 'Did you mean agents/source?')
  const said = await at('tool', 'list', 'source', '--unverified')
  assert.equal(lastHint(said.stderr), 'Its source is here: rlp tool list agents/source --unverified')
  assert.match(lastHint((await at('tool', 'list', 'theer')).stderr), /^Did you mean there\?$/)
})

test('nothing is said where nothing is', async () => {
  const { stderr } = await run(['agent', 'lint', 'other'], undefined, { cwd, env: {} })
  assert.match(stderr, /hint: Name its folder, say where to look with --agents-dir, or make it with/)
  rmSync(join(cwd, 'dist/packed-0.2.0.agent.bundle'))
  renameSync(join(cwd, 'dist/packed-0.1.0.agent.bundle'), join(cwd, 'packed-0.1.0.agent.bundle'))
  const here = await run(['agent', 'verify', 'packed'], undefined, { cwd, env: {} })
  assert.match(here.stdout, /hint: It is packed: rlp agent verify packed-0\.1\.0\.agent\.bundle$/m)
  const many = await run(['agent', 'verify', 'packed', 'other'], undefined, { cwd, env: {} })
  assert.match(many.stdout, /hint: It is packed: rlp agent verify packed-0\.1\.0\.agent\.bundle other$/m)
  const typed = await run(['agent', 'verify', './packed'], undefined, { cwd, env: {} })
  assert.doesNotMatch(typed.stdout, /It is packed/)
})
