// Completion scripts: each shell accepts its script, and asked for completions it gives the right ones.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Command, type CommandEntry, defineCommand, type Registry } from '../../src/cli/command.ts'
import { REGISTRY } from '../../src/cli/commands.ts'
import { SHELLS, type Shell } from '../../src/cli/completion/index.ts'
import { type Node, readNodes, type Values } from '../../src/cli/completion/model.ts'
import { run } from '../support/fake-terminal.ts'

const NASTY = `it's a [test]: $(touch pwned) \`x\` "y" \\ 100%`

const commands = [
  defineCommand({
    name: 'agent lint',
    summary: NASTY,
    positionals: [{ name: 'path', describe: 'a folder', many: true }],
    options: {
      format: { type: 'string', describe: NASTY, choices: ['text', 'sarif', 'github'] },
      out: { type: 'string', describe: 'where to write', placeholder: 'FILE', alias: 'o' },
      'agents-dir': { type: 'string', describe: 'where to look', placeholder: 'DIR' },
      caps: { type: 'strings', describe: 'capabilities', choices: ['net', 'time'] },
      n: { type: 'integer', describe: 'how many' },
      unpack: { type: 'boolean', describe: 'unpack too', negatable: true },
      internal: { type: 'boolean', describe: 'internal', hidden: true },
      'skip-verify': { type: 'refused', describe: 'old', instead: 'no' },
    },
    examples: [],
    run: async () => 0,
  }),
  defineCommand({
    name: 'agent list',
    summary: 'List agents',
    positionals: [{ name: 'name', describe: 'an agent', complete: 'none' }],
    options: {},
    examples: [],
    run: async () => 0,
  }),
  defineCommand({
    name: 'agent sign',
    summary: 'Sign',
    positionals: [{ name: 'bundle', describe: 'a bundle' }],
    options: {
      key: { type: 'string', describe: 'a key', placeholder: 'KEY', begins: ['env:', 'ssh-agent:'] },
    },
    examples: [],
    run: async () => 0,
  }),
  defineCommand({
    name: 'agent pack',
    summary: 'Pack',
    positionals: [{ name: 'path', describe: 'an agent', complete: 'dir' }],
    options: {},
    examples: [],
    run: async () => 0,
  }),
  defineCommand({
    name: 'agent call',
    summary: 'Call',
    positionals: [{ name: 'id', describe: 'a tool', complete: 'none' }],
    options: {},
    examples: [],
    run: async () => 0,
  }),
  defineCommand({
    name: 'lock check',
    summary: 'Check',
    positionals: [{ name: 'agent', describe: 'an agent', complete: 'none', many: true, lists: ['locked'] }],
    options: {
      expect: { type: 'string', describe: 'which', placeholder: 'NAME[@VARIANT][@RANGE]' },
      lock: { type: 'string', describe: 'a lock', placeholder: 'FILE' },
    },
    examples: [],
    run: async () => 0,
  }),
  defineCommand({
    name: 'lock add',
    summary: 'Add',
    positionals: [{ name: 'from', describe: 'a reference', complete: 'none', lists: ['reference'] }],
    options: { lock: { type: 'string', describe: 'a lock', placeholder: 'FILE' } },
    examples: [],
    run: async () => 0,
  }),
  defineCommand({
    name: 'trust add',
    summary: 'Add',
    positionals: [
      { name: 'name', describe: 'a signer', complete: 'none', lists: ['signer'] },
      { name: 'key', describe: 'a key', begins: ['env:'] },
    ],
    options: {
      of: { type: 'strings', describe: 'signers', placeholder: 'SIGNER' },
      'trust-policy': { type: 'string', describe: 'a policy', placeholder: 'FILE' },
    },
    examples: [],
    run: async () => 0,
  }),
  defineCommand({
    name: 'completion',
    summary: 'Print a script',
    positionals: [{ name: 'shell', describe: 'the shell', choices: ['bash', 'zsh', 'fish'] }],
    options: {},
    examples: [],
    run: async () => 0,
  }),
] as unknown as Command[]

const registry: Registry = {
  groups: [
    { name: 'agent', summary: NASTY },
    { name: 'lock', summary: 'locks' },
    { name: 'trust', summary: 'signers' },
    { name: 'caps', summary: 'nothing in it yet' },
  ],
  commands: commands.map((command): CommandEntry => ({ ...command, load: async () => ({ command }) })),
}

const temporary = mkdtempSync(join(tmpdir(), 'rlp-completion-'))
after(() => rmSync(temporary, { recursive: true }))
const scripts = join(temporary, 'scripts')
const folder = join(temporary, 'work')
mkdirSync(scripts)
mkdirSync(folder)
mkdirSync(join(folder, 'a folder'))
writeFileSync(join(folder, 'a file.txt'), '')
// The home of this user is the same folder. Names that begin with other letters than the two files.
for (const path of ['agents/mailer', '.runloop/keys', '.runloop/agents/notes'])
  mkdirSync(join(folder, path), { recursive: true })
for (const path of ['agents/mailer/manifest.toml', '.runloop/keys/release.pem', '.runloop/keys/release.pub'])
  writeFileSync(join(folder, path), '')
writeFileSync(join(folder, '.runloop/agents/notes@pro.agent.bundle'), '')
writeFileSync(
  join(folder, 'agents/mailer/tools.json'),
  '{ "tools": [\n{ "id": "mail.send" },\n{ "id": "mail.list" }] }',
)
writeFileSync(join(folder, '.runloop/agents/notes/tools.json'), '{"tools":[{"id":"note.add"}]}')

const [MAILER, NOTES, RECORDED, OTHER] = ['a', 'b', 'c', 'd'].map(digit => digit.repeat(64))
const entry = (name: string, source: string, identity = MAILER) =>
  `\n[agents.${name}]\nsource = "${source}"\nagent = "0.1.0"\nidentity = "blake3:${identity}"\nsigners = ["ed25519:x"]\ncaps = ["model"]\ntools = {}\n`
const LOCK = `version = 1\n${entry('mailer', 'oci://r.example:5000/a/mailer:0.1.0')}${entry('"notes@pro"', 'dist/notes.agent.bundle', NOTES)}`
writeFileSync(join(folder, 'rlp.lock'), LOCK)
writeFileSync(join(folder, 'other.lock'), `version = 1\n${entry('courier', 'oci-layout:store:1.0.0', OTHER)}`)
mkdirSync(join(folder, '.runloop/state'))
writeFileSync(
  join(folder, '.runloop/state/old.json'),
  JSON.stringify({ version: 4, installs: [{ manifestDigest: RECORDED }] }, null, 1),
)
const POLICY = `valid_until = "2030-01-01T00:00:00Z"

[anchors]
acme = "ed25519:AAAA="
ci = { key = "ed25519:BBBB=", use = ["attest"] }

[anchors.desk]
keys = ["ed25519:CCCC="]

[rules]
rule = { allow_caps = "any" }

[groups]
both = { of = ["acme", "ci"], at_least = 2 }

[revoked]
gone = { reason = "lost" }
`
writeFileSync(join(folder, '.runloop/trust-policy.toml'), POLICY)
writeFileSync(join(folder, 'other.toml'), '[anchors]\nelse = "ed25519:DDDD="\n')

/** What no shell and no terminal may get: each is in a place where a word is read. */
const HOSTILE: Readonly<Record<string, string>> = {
  'no lock': 'agents: what is this\n[agents.evil]\nsource = "oci://evil.example/a"\n',
  'another version': LOCK.replace('version = 1', 'version = 2'),
  'escapes and commands': `version = 1\n${entry('"e\u001b]0;x"', 'oci://e/\u001b[2J')}${entry('"$(touch pwned)"', 'oci://e/$(touch pwned)')}${entry('a;id', 'oci://`id`')}`,
  'an option, a path and a blank': `version = 1\n${entry('-rf', '-x')}${entry('"../up"', 'file:///etc')}${entry('"a b"', 'oci://a b')}`,
  'other bytes': `version = 1\n[agents.\u00ff\u202e]\n`,
  'too much': `version = 1\n${entry('mailer', 'oci://r/mailer')}${'#'.repeat(1_100_000)}\n`,
}
for (const [name, text] of Object.entries(HOSTILE))
  writeFileSync(join(folder, `.runloop/${name.replaceAll(' ', '-')}.lock`), text, 'latin1')
execFileSync('mkfifo', [join(folder, '.runloop/pipe.lock')])
/** Each has no agent that is offered: also what cannot be read, what find would take for an option, and what is not there. */
const NO_LOCK = [
  ...Object.keys(HOSTILE).map(name => `.runloop/${name.replaceAll(' ', '-')}.lock`),
  ...['.runloop/pipe.lock', '-delete', '/', '.', 'none.lock'],
]

const nodes = await readNodes(registry)

/** Runs `script` in `shell`, in the folder with the two files, without the user's own settings. */
function inShell(shell: Shell, script: string): string {
  const bare = { bash: ['--norc', '--noprofile'], zsh: ['-f'], fish: ['--no-config'] }[shell]
  const env = { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm', LC_ALL: 'C.UTF-8' }
  return execFileSync(shell, [...bare, '-c', script], { cwd: folder, encoding: 'utf8', env })
}

function missing(shell: Shell): string | false {
  return spawnSync(shell, ['-c', ':']).error ? `${shell} is not installed` : false
}

function written(shell: Shell, from: readonly Node[]): string {
  const path = join(scripts, `rlp.${shell}`)
  writeFileSync(path, SHELLS[shell](from))
  return path
}

const GLOBALS = ['--json', '--quiet', '--color', '--no-color', '--help']
const LINT = ['--format', '--out', '--agents-dir', '--caps', '--n', '--unpack', '--no-unpack', ...GLOBALS]

/** Words typed so far, the last one unfinished, and what completes it. */
const EXPECTED: readonly (readonly [words: readonly string[], completions: readonly string[]])[] = [
  [[''], ['agent', 'lock', 'trust', 'completion', 'help']],
  [['a'], ['agent']],
  [['--v'], ['--version']],
  [['--json', 'a'], ['agent']],
  [
    ['agent', ''],
    ['call', 'lint', 'list', 'pack', 'sign'],
  ],
  [['agent', 'lin'], ['lint']],
  [['agent', 'sign', '--key', 're'], ['release']],
  [['agent', 'sign', '--key', 'ssh'], ['ssh-agent:']],
  [['agent', 'sign', 'n'], ['notes@pro']],
  [['agent', 'pack', 'm'], ['mailer']],
  [
    ['agent', 'call', 'mail.'],
    ['mail.list', 'mail.send'],
  ],
  [['agent', 'call', 'note.'], ['note.add']],
  [
    ['help', 'agent', 'li'],
    ['lint', 'list'],
  ],
  [['agent', 'lint', '--'], LINT],
  [['agent', '-q', 'lint', '--'], LINT],
  [['agent', 'lint', '--for'], ['--format']],
  [
    ['agent', 'lint', '--format', ''],
    ['text', 'sarif', 'github'],
  ],
  [['agent', 'lint', 'x', '--format', 's'], ['sarif']],
  [['agent', 'lint', '--caps', 'n'], ['net']],
  [
    ['agent', 'lint', 'a '],
    ['a file.txt', 'a folder'],
  ],
  [
    ['agent', 'lint', 'x', 'a f'],
    ['a file.txt', 'a folder'],
  ],
  [
    ['agent', 'lint', '--out', 'a '],
    ['a file.txt', 'a folder'],
  ],
  [
    ['agent', 'lint', '-o', 'a '],
    ['a file.txt', 'a folder'],
  ],
  [['agent', 'lint', '--agents-dir', 'a '], ['a folder']],
  [['agent', 'list', ''], []],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['completion', 'z'], ['zsh']],
  [
    ['lock', 'check', ''],
    ['mailer', 'notes@pro'],
  ],
  [['lock', 'check', 'mailer', 'n'], ['notes@pro']],
  [['lock', 'check', '--lock', 'other.lock', ''], ['courier']],
  [['lock', 'check', '--lock=other.lock', ''], ['courier']],
  [
    ['lock', 'check', '--expect', ''],
    ['mailer', 'notes@pro', `blake3:${MAILER}`, `blake3:${NOTES}`, `blake3:${RECORDED}`],
  ],
  [['lock', 'check', '--lock', 'other.lock', '--expect', 'c'], ['courier']],
  [['lock', 'add', ''], ['oci://r.example:5000/a/mailer:0.1.0']],
  [['lock', 'add', '--lock', 'other.lock', 'o'], ['oci-layout:store:1.0.0']],
  [
    ['trust', 'add', ''],
    ['acme', 'both', 'ci', 'desk'],
  ],
  [['trust', 'add', '--of', 'd'], ['desk']],
  [['trust', 'add', '--trust-policy', 'other.toml', ''], ['else']],
  [['trust', 'add', 'acme', 're'], ['release']],
  [['trust', 'add', '--of', 'ci', 'acme', 're'], ['release']],
  ...NO_LOCK.flatMap(lock => [
    [['lock', 'check', '--lock', lock, ''], []] as const,
    [['lock', 'add', '--lock', lock, ''], []] as const,
  ]),
]

describe('bash', { skip: missing('bash') }, () => {
  /** All in one shell, as they are typed in one. */
  const completeAll = (lists: readonly (readonly string[])[]): string[][] => {
    const typed = lists.map(words => {
      const quoted = words.map(word => `'${word}'`).join(' ')
      return `COMP_WORDS=(rlp ${quoted}); COMP_CWORD=${words.length}; _rlp; printf '%s\\n' "\${COMPREPLY[@]}" '<next>'`
    })
    const output = inShell('bash', [`source ${written('bash', nodes)}`, ...typed].join('\n'))
    return output.split('<next>\n').map(lines)
  }
  let completed: string[][] = []
  before(() => {
    completed = completeAll(EXPECTED.map(([words]) => words))
  })
  test('accepts the script, also that of the real registry', async () => {
    for (const from of [nodes, await readNodes(REGISTRY)]) inShell('bash', `bash -n ${written('bash', from)}`)
  })
  for (const [index, [words, completions]] of EXPECTED.entries()) {
    test(`rlp ${words.join(' ')}`, () => assert.deepEqual(completed[index]?.sort(), [...completions].sort()))
  }
  test('a value after an equals sign, which bash makes a word of its own', () => {
    const format = ['agent', 'lint', '--format', '=']
    const [all, begun] = completeAll([format, [...format, 'g']])
    assert.deepEqual(all, ['text', 'sarif', 'github'])
    assert.deepEqual(begun, ['github'])
  })
  test('a reference and a digest, which bash splits at colons and at signs', () => {
    const [digest, reference, variant, both] = completeAll([
      ['lock', 'check', '--expect', 'blake3', ':', 'bb'],
      ['lock', 'add', 'oci', ':', '//r.example', ':', '50'],
      ['lock', 'check', 'notes', '@'],
      ['lock', 'check', '--expect', '=', 'blake3', ':'],
    ])
    // Only what is behind the last of them is replaced.
    assert.deepEqual(digest, [NOTES])
    assert.deepEqual(reference, ['5000/a/mailer:0.1.0'])
    assert.deepEqual(variant, ['pro'])
    assert.deepEqual(both?.sort(), [MAILER, NOTES, RECORDED])
  })
  test('is registered for rlp', () => {
    assert.match(inShell('bash', `source ${written('bash', nodes)}; complete -p rlp`), /-F _rlp rlp/)
  })
})

describe('fish', { skip: missing('fish') }, () => {
  /** All in one shell, which reads the script once. */
  const completeAll = (lists: readonly (readonly string[])[]): string[] => {
    const typed = lists.map(words => {
      const line = ['rlp', ...words.map(word => word.replaceAll(' ', '\\ '))].join(' ')
      return `complete -C '${line.replaceAll('\\', '\\\\')}'; echo '<next>'`
    })
    return inShell('fish', [`source ${written('fish', nodes)}`, ...typed].join('\n')).split('<next>\n')
  }
  let completed: string[] = []
  before(() => {
    completed = completeAll(EXPECTED.map(([words]) => words))
  })
  test('accepts the script, also that of the real registry', async () => {
    for (const from of [nodes, await readNodes(REGISTRY)]) inShell('fish', `fish -n ${written('fish', from)}`)
  })
  for (const [index, [words, completions]] of EXPECTED.entries()) {
    test(`rlp ${words.join(' ')}`, () => {
      const got = lines(completed[index] ?? '')
        .map(row => row.split('\t')[0] ?? '')
        .map(one => one.replaceAll('\\ ', ' ').replace(/\/$/, ''))
        // fish offers letters too where a single dash or two may still become either.
        .filter(one => !/^-[a-z]$/i.test(one))
      assert.deepEqual(got.sort(), [...completions].sort())
    })
  }
  test('descriptions come through as they are', () => {
    assert.match(
      completed[EXPECTED.findIndex(([words]) => words.join(' ') === 'agent lin')] ?? '',
      /it's a \[test\]: \$\(touch pwned\)/,
    )
  })
})

describe('zsh', { skip: missing('zsh') }, () => {
  // The real completion system in a terminal of its own, all lines in one. Every match goes through `compadd`, which is
  // made to print them.
  const setup = join(scripts, 'setup.zsh')
  const completeAll = (lists: readonly (readonly string[])[]): string[][] => {
    writeFileSync(
      setup,
      `PS1=; autoload -Uz compinit; compinit -u -D; source ${written('zsh', nodes)}
      compadd() {
        if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
        local -a hits; builtin compadd -A hits "$@"
        local hit; for hit in $hits; do print -r -- "<hit>$hit</hit>"; done
        builtin compadd "$@"
      }
      complete-and-say-so() { _main_complete; print -r '<done>' }
      zle -C complete-and-say-so complete-word complete-and-say-so
      bindkey -e; bindkey '^I' complete-and-say-so; print '<ready>'`,
    )
    const typed = lists.map(words => ['rlp', ...words.map(word => word.replaceAll(' ', '\\ '))].join(' '))
    const output = inShell(
      'zsh',
      `zmodload zsh/zpty; zpty shell zsh -f -i; zpty -w shell 'source ${setup}'; zpty -r -m shell out '*<ready>*'
      for line in ${typed.map(line => `'${line}'`).join(' ')}; do
        zpty -w -n shell $'\\C-u'"$line"$'\\t'; zpty -r -m shell out '*<done>*'; print -r -- "$out<next>"
      done`,
    )
    return output
      .split('<next>')
      .map(part => [...part.matchAll(/<hit>(.*?)<\/hit>/g)].map(match => match[1] ?? ''))
  }
  let completed: string[][] = []
  before(() => {
    completed = completeAll(EXPECTED.map(([words]) => words))
  })
  test('accepts the script, also that of the real registry', async () => {
    for (const from of [nodes, await readNodes(REGISTRY)]) inShell('zsh', `zsh -n ${written('zsh', from)}`)
  })
  for (const [index, [words, completions]] of EXPECTED.entries()) {
    test(`rlp ${words.join(' ')}`, () => {
      const got = (completed[index] ?? [])
        .map(one => one.replaceAll('\\ ', ' '))
        .filter(one => !/^-[a-z]$/i.test(one))
      assert.deepEqual([...new Set(got)].sort(), [...completions].sort())
    })
  }
})

describe('rlp completion', () => {
  test('prints the script of the shell that is named, or of $SHELL', async () => {
    const real = await readNodes(REGISTRY)
    for (const shell of Object.keys(SHELLS) as Shell[]) {
      const named = await run(['completion', shell])
      assert.deepEqual(named, { exit: 0, stdout: SHELLS[shell](real), stderr: '' })
      assert.deepEqual(await run(['completion'], REGISTRY, { env: { SHELL: `/usr/bin/${shell}` } }), named)
    }
  })

  test('a shell that is not known is a usage error', async () => {
    for (const [env, state] of [
      [{}, '$SHELL is not set'],
      [{ SHELL: '/bin/tcsh' }, '$SHELL is "/bin/tcsh"'],
      [{ SHELL: '/bin/constructor' }, '$SHELL is "/bin/constructor"'],
    ] as const) {
      const { exit, stderr } = await run(['completion'], REGISTRY, { env })
      assert.equal(exit, 2)
      assert.match(
        stderr,
        new RegExp(`^rlp: Cannot choose a shell: ${state.replaceAll('$', '\\$')}\nhint: Name one`),
      )
    }
  })

  test('with --json the script is in the envelope', async () => {
    const { stdout } = await run(['completion', 'fish', '--json'])
    assert.equal(JSON.parse(stdout).result.shell, 'fish')
  })

  test('offers the ids of rules', async () => {
    const lint = (await readNodes(REGISTRY)).find(({ words }) => words === 'agent lint')
    const rule = lint?.flags.find(({ spellings }) => spellings.includes('--rule'))
    assert.ok(rule?.value?.kind === 'words' && rule.value.words.includes('files/secret'))
  })

  test('nothing in a lock was run, and a lock called as an option of find does nothing', () => {
    assert.ok(existsSync(join(folder, 'rlp.lock')))
    assert.ok(!existsSync(join(folder, 'pwned')))
  })

  test('offers what a lock, the records and a policy have wherever a command takes it', async () => {
    const real = new Map((await readNodes(REGISTRY)).map(node => [node.words, node]))
    const listed = (values: Values | undefined) =>
      values !== undefined && 'lists' in values ? values.lists : undefined
    const option = (words: string, name: string) =>
      listed(real.get(words)?.flags.find(({ spellings }) => spellings.includes(name))?.value)
    const first = (words: string) => listed(real.get(words)?.positionals[0]?.values)
    for (const words of ['lock check', 'lock remove', 'lock update', 'trust reset', 'trust floor'])
      assert.deepEqual(first(words), ['locked'], words)
    for (const words of [
      'agent verify',
      'agent pull',
      'agent copy',
      'agent list',
      'agent sign',
      'agent install',
      'lock add',
    ])
      assert.deepEqual(first(words), ['reference'], words)
    for (const words of ['trust add', 'trust remove']) assert.deepEqual(first(words), ['signer'], words)
    assert.deepEqual(first('trust revoke'), ['signer', 'identity', 'reference'])
    assert.deepEqual(option('trust require', '--signer'), ['signer'])
    assert.deepEqual(option('trust group', '--of'), ['signer'])
    for (const [words, { flags }] of real)
      if (flags.some(({ spellings }) => spellings.includes('--expect')))
        assert.deepEqual(option(words, '--expect'), ['locked', 'identity'], words)
  })

  test('choices that a shell would read otherwise are our bug, found here', async () => {
    const bad = {
      ...commands[1],
      options: { x: { type: 'string', describe: '', choices: ['$(id)'] } },
    } as Command
    const entry: CommandEntry = { name: 'agent list', summary: '', load: async () => ({ command: bad }) }
    await assert.rejects(readNodes({ groups: [], commands: [entry] }), TypeError)
  })
})

function lines(text: string): string[] {
  return text.split('\n').filter(Boolean)
}
