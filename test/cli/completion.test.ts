// Completion: what `rlp __complete` answers, and what each shell makes of it with its script.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { SHELLS } from '../../src/cli/completion/shells.ts'
import { readWordTable } from '../../src/cli/completion/word-table.ts'
import { writeTree } from '../support/agent.ts'
import { builtProgram } from '../support/built.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { missing } from '../support/needs.ts'

const folder = temporary('completion')('work')
const env = { HOME: folder }
const [MAILER, RECORDED, OTHER] = ['a', 'b', 'c'].map(digit => digit.repeat(64))
const entry = (name: string, source: string, identity = MAILER) =>
  `\n[agents.${name}]\nsource = "${source}"\nagent = "0.1.0"\nidentity = "blake3:${identity}"\nsigners = ["ed25519:x"]\ncaps = ["model"]\ntools = {}\n`
const LOCK = `version = 1\n${entry('mailer', 'oci://r.example:5000/a/mailer:0.1.0')}${entry('"notes@pro"', 'dist/notes.agent.bundle')}`
const STATE = JSON.stringify({ version: 4, installs: [{ manifestDigest: RECORDED }] }, null, 1)

/** What means something to a shell, to a terminal, or to the reader of lines. */
const NASTY = [
  '$(touch pwned)',
  '`touch pwned`',
  ';touch pwned',
  '-rf',
  '--force',
  'x\ntouch pwned',
  '\u001b]0;pwned\u0007',
  'a b',
  `"'`,
  '*',
  '~',
  '\u202e',
  ':files',
]

before(() => {
  writeTree(folder, {
    'a file.txt': '',
    'a folder/x': '',
    'agents/mailer/manifest.toml': 'x',
    'agents/mailer/tools.json': '{ "tools": [{ "id": "mail.send" }, { "id": "mail.list" }] }',
    'agents/no-agent/x': '',
    '.runloop/keys/release.pem': '',
    '.runloop/keys/release.pub': '',
    '.runloop/agents/notes@pro.agent.bundle': '',
    '.runloop/agents/notes/tools.json': '{"tools":[{"id":"note.add"}]}',
    '.runloop/state/old.json': STATE,
    '.runloop/trust-policy.toml': '[anchors]\nacme = "ed25519:AAAA="\n',
    'rlp.lock': LOCK,
    'other lock': `version = 1\n${entry('courier', 'oci-layout:store:1.0.0', OTHER)}`,
  })
  mkdirSync(join(folder, '$(touch pwned)'))
  for (const name of NASTY)
    writeTree(folder, { [`agents/${name}/manifest.toml`]: 'x', [`.runloop/keys/${name}.pem`]: '' })
})

/** The candidates behind `rlp`, without what they mean, and what the shell completes. */
async function answered(line: string, cwd = folder): Promise<readonly string[]> {
  const { exit, stdout, stderr } = await run(['__complete', `rlp ${line}`], REGISTRY, { cwd, env })
  assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
  return stdout
    .trimEnd()
    .split('\n')
    .map(one => one.split('\t')[0] ?? '')
}

const GLOBALS = ['--json', '--quiet', '--color', '--no-color', '--help']
const KEYS = ['env:', 'ssh-agent:', 'command:', 'release', ':files']
const FORMATS = ['text', 'ndjson', 'sarif', ':none']
const REFERENCE = 'oci://r.example:5000/a/mailer:0.1.0'

/** What is typed behind `rlp`, and the answer. The shell leaves out what does not begin with the word at the cursor. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'caps ': ['show', ':none'],
  'help caps s': ['show', ':none'],
  '--json caps ': ['show', ':none'],
  'help caps show ': [':none'],
  'caps nothing ': [':none'],
  'constructor ': [':none'],
  'key show -': [...GLOBALS, ':none'],
  'key show -- -': KEYS,
  'agent verify --format ': FORMATS,
  'agent verify --format=s': FORMATS,
  'agent verify --format text --color --format "s': FORMATS,
  'agent sign --key ': KEYS,
  'agent sign --nothing=': [':none'],
  'agent sign ': ['notes@pro', REFERENCE, ':files'],
  'agent pack ': ['mailer', ':files'],
  'agent version 1.0.0 ': ['mailer', ':folders'],
  'agent version 1.0.0 --agents-dir ': [':folders'],
  'agent uninstall ': [':none'],
  'tool call ': ['mail.send', 'mail.list', 'note.add', ':none'],
  'completion ': ['bash', 'zsh', 'fish', ':none'],
  'lock check ': ['mailer', 'notes@pro', ':none'],
  'lock check mailer n': ['mailer', 'notes@pro', ':none'],
  "lock check --lock 'other lock' ": ['courier', ':none'],
  'lock check --lock=other\\ lock ': ['courier', ':none'],
  'agent verify --expect ': ['mailer', 'notes@pro', `blake3:${MAILER}`, `blake3:${RECORDED}`, ':none'],
  'agent pull ': [REFERENCE, ':none'],
  'trust add acme ': KEYS,
  // No policy is opened.
  'trust add ': [':none'],
}

describe('rlp __complete', () => {
  for (const [line, answer] of Object.entries(ANSWERS)) {
    test(`rlp ${line}`, async () => assert.deepEqual(await answered(line), answer))
  }

  test('a lock that is no lock, is a pipe, a folder or a device, is too large or is hostile offers nothing', async () => {
    const hostile = NASTY.map(name => entry(`"${name}"`, `oci://${name}`, '-')).join('')
    writeTree(folder, {
      'no.lock': '[agents.evil]\nsource = "oci://evil.example/a"\n',
      'version.lock': LOCK.replace('version = 1', 'version = 2'),
      'hostile.lock': `version = 1\n${hostile}${entry('../up', 'file:///etc', '-')}`,
      'large.lock': `${LOCK}${'#'.repeat(1_100_000)}\n`,
    })
    execFileSync('mkfifo', [join(folder, 'pipe.lock')])
    const none = ['no.lock', 'version.lock', 'hostile.lock', 'large.lock', 'pipe.lock', 'none.lock']
    for (const lock of [...none, '.', '/dev/zero', '/proc/kmsg', '-delete']) {
      assert.deepEqual(await answered(`lock check --lock ${lock} `), [':none'], lock)
      assert.deepEqual(
        await answered(`agent verify --lock ${lock} --expect `),
        [`blake3:${RECORDED}`, ':none'],
        lock,
      )
    }
  })

  test('links that go round, pipes and large folders', async () => {
    const odd = join(folder, 'odd')
    writeTree(odd, { 'agents/one/manifest.toml': 'x', 'agents/pipe/x': '' })
    symlinkSync('../agents', join(odd, 'agents/round'))
    symlinkSync('loop', join(odd, 'agents/loop'))
    for (const name of ['manifest.toml', 'tools.json'])
      execFileSync('mkfifo', [join(odd, 'agents/pipe', name)])
    assert.deepEqual(await answered('agent lint ', odd), ['one', ':folders'])
    assert.deepEqual(await answered('tool call ', odd), ['note.add', ':none'])
    for (let n = 0; n < 1500; n++) mkdirSync(join(odd, `agents/a${n}`))
    for (let n = 0; n < 1500; n++) writeFileSync(join(odd, `agents/a${n}/manifest.toml`), 'x')
    const many = await answered('agent lint ', odd)
    assert.ok(many.length > 250 && many.length <= 301, `${many.length}`)
  })

  test('without a home, and in a folder that is gone', async () => {
    const { exit, stdout, stderr } = await run(['__complete', 'rlp agent sign --key '], REGISTRY, {
      cwd: '/nowhere',
    })
    assert.deepEqual(
      { exit, stdout, stderr },
      { exit: 0, stdout: 'env:\nssh-agent:\ncommand:\n:files\n', stderr: '' },
    )
    const script = `mkdir gone && cd gone && rmdir ../gone && exec ${process.execPath} ${builtProgram()} __complete 'rlp caps ' 2>&1`
    const said = execFileSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8', env: {} })
    assert.equal(said, ':none\n')
  })

  test('the table has the declared lists, and the ids of rules', () => {
    const table = readWordTable()
    const first = (words: string) => table.get(words)?.places[0]
    for (const words of ['lock check', 'lock remove', 'trust reset', 'trust floor'])
      assert.equal(first(words), ':locked', words)
    for (const verb of ['verify', 'pull', 'copy', 'list', 'sign', 'install'])
      assert.match(first(`agent ${verb}`) ?? '', /:reference/, verb)
    assert.equal(first('trust revoke'), ':identity :reference :files')
    for (const [words, { options }] of table)
      for (const { names, values } of options)
        if (names === '--expect') assert.equal(values, ':locked :identity', words)
    const rule = table.get('agent lint')?.options.find(({ names }) => names === '--rule')
    assert.match(rule?.values ?? '', / files\/secret /)
  })

  test('every command and group is in the table, and every word of it means nothing to a shell', () => {
    const table = readWordTable()
    const known = [...REGISTRY.groups, ...REGISTRY.commands].map(({ name }) => name)
    assert.deepEqual([...table.keys()].sort(), ['', ...known].sort())
    for (const { options, places } of table.values()) {
      for (const { names } of options) assert.match(names, /^--[a-z][a-z0-9-]*(?: -[a-zA-Z0-9])?$/)
      for (const values of [...places, ...options.map(({ values = '' }) => values)])
        for (const word of values.split(' ')) assert.match(word, /^(?::?[A-Za-z0-9][A-Za-z0-9._@:/+-]*)?$/)
    }
  })

  test('is in no list of commands', async () => {
    const { stdout } = await run(['help', '--all'], REGISTRY)
    assert.match(stdout, /^ {2}completion /m)
    assert.doesNotMatch(stdout, /__complete/)
    assert.ok(!(await answered('')).includes('__complete'))
  })
})

/** What is typed behind `rlp`, and what a shell offers for the word at the cursor. */
const OFFERED: readonly (readonly [line: string, completions: readonly string[]])[] = [
  ['caps s', ['show']],
  ['--vers', ['--version']],
  ['agent verify --format s', ['sarif']],
  ['agent verify --format=s', ['sarif']],
  ['agent sign --key re', ['release']],
  ['agent sign --key ssh', ['ssh-agent:']],
  ['agent pack m', ['mailer']],
  ['agent verify a', ['a file.txt', 'a folder', 'agents']],
  ['agent lint --agents-dir=a', ['a folder', 'agents']],
  ['agent lint a', ['a folder', 'agents']],
  ['lock check notes@', ['notes@pro']],
  ['agent pull oci://r.example:50', [REFERENCE]],
  ['agent verify --expect blake3:b', [`blake3:${RECORDED}`]],
  ['agent uninstall ', []],
  ['agent lint $', ['$(touch pwned)']],
  ['agent lint x', []],
]

type Shell = 'bash' | 'zsh' | 'fish'

/** Runs a script in a shell without the user's own settings. Its `rlp` is the built program. */
function inShell(shell: Shell, script: string): string {
  const bare = { bash: ['--norc', '--noprofile'], zsh: ['-f'], fish: ['--no-config'] }[shell]
  const bin = join(folder, '.bin')
  writeTree(bin, { rlp: `#!/bin/sh\nexec '${process.execPath}' '${builtProgram()}' "$@"\n` })
  chmodSync(join(bin, 'rlp'), 0o755)
  writeFileSync(join(bin, shell), SHELLS[shell] ?? '')
  const variables = { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, TERM: 'xterm', LC_ALL: 'C.UTF-8' }
  return execFileSync(shell, [...bare, '-c', script], { cwd: folder, encoding: 'utf8', env: variables })
}

/** What a shell offers, in the form of {@link OFFERED}. */
function assertOffered(completed: readonly (readonly string[])[]): void {
  for (const [index, [line, expected]] of OFFERED.entries()) {
    const got = completed[index]?.map(one => one.replaceAll(/\\(.)/g, '$1').replace(/\/$/, ''))
    assert.deepEqual([...new Set(got)].sort(), [...expected].sort(), `rlp ${line}`)
  }
}

function assertNothingRan(): void {
  const all = ['.', 'agents', '.runloop/keys'].flatMap(place => readdirSync(join(folder, place)))
  assert.ok(all.includes('mailer') && !all.includes('pwned'))
}

describe('bash', { skip: missing('bash') }, () => {
  test('offers the candidates', () => {
    const typed = OFFERED.map(([line]) => {
      const [word = ''] = /@?[^\s:=@]*$/.exec(line) ?? []
      return `COMP_LINE='rlp ${line}'; COMP_POINT=\${#COMP_LINE}; _rlp rlp '${word}'; printf '%s\\n' "\${COMPREPLY[@]}" '<next>'`
    })
    const output = inShell('bash', ['source .bin/bash', ...typed].join('\n'))
    const completed = output.split('<next>\n').map(part => part.split('\n').filter(Boolean))
    // Bash keeps what is before the last word break, and replaces an at sign.
    const whole = completed.map((words, index) => {
      const word = OFFERED[index]?.[0].replace(/^.*[\s=]/s, '') ?? ''
      const head = word.replace(/@?[^:@]*$/, '')
      return words.map(one => head + one)
    })
    assertOffered(whole)
    assertNothingRan()
  })

  // Typed into a bash whose terminal zsh is.
  test('inserts what is the only candidate, names of folders without their meaning', {
    skip: missing('zsh'),
  }, () => {
    const INSERTED = {
      'rlp agent pack mai': 'rlp agent pack mailer ',
      'rlp agent lint \\$': 'rlp agent lint \\$\\(touch\\ pwned\\)/',
      'rlp agent lint a\\ ': 'rlp agent lint a\\ folder/',
      'rlp agent verify --format=sa': 'rlp agent verify --format=sarif ',
      'rlp agent sign --key ssh': 'rlp agent sign --key ssh-agent:',
      'rlp lock check notes@': 'rlp lock check notes@pro ',
      'A=1 rlp caps s': 'A=1 rlp caps show ',
      'true; rlp caps s': 'true; rlp caps show ',
    }
    const setup = `PS1=; source .bin/bash; bind -x '"\\C-g": printf "<line>%s</line>" "$READLINE_LINE"'; echo '<ready>'`
    writeFileSync(join(folder, 'setup.bash'), setup)
    const typed = Object.keys(INSERTED).map(
      line =>
        `zpty -w -n shell $'\\C-u''${line}'$'\\t\\C-g'; zpty -r -m shell out '*</line>*'; print -r -- "$out"`,
    )
    const started = `zmodload zsh/zpty; zpty shell bash --norc --noprofile -i; zpty -w shell 'source ./setup.bash'`
    const output = inShell('zsh', [started, `zpty -r -m shell out '*<ready>*'`, ...typed].join('\n'))
    const inserted = [...output.matchAll(/<line>(.*?)<\/line>/g)].map(([, line]) => line)
    assert.deepEqual(inserted, Object.values(INSERTED))
    assertNothingRan()
  })
})

describe('fish', { skip: missing('fish') }, () => {
  test('offers the candidates', () => {
    const typed = OFFERED.map(([line]) => `complete -C 'rlp ${line.replace('$', '\\\\$')}'; echo '<next>'`)
    const output = inShell('fish', ['source .bin/fish', ...typed].join('\n'))
    const completed = output.split('<next>\n').map(part =>
      part
        .split('\n')
        .filter(Boolean)
        .map(row => row.replace(/\t.*/, '').replace(/^--[a-z-]+=/, '')),
    )
    assertOffered(completed)
    assert.match(output, /^show\t\S+ /m)
    assertNothingRan()
  })
})

describe('zsh', { skip: missing('zsh') }, () => {
  // The completion system in a terminal of its own. Every match goes through `compadd`, which is made to print them.
  test('offers the candidates', () => {
    const setup = `PS1=; autoload -Uz compinit; compinit -u -D; source .bin/zsh
      compadd() {
        if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
        local -a hits; builtin compadd -A hits "$@"
        local hit; for hit in $hits; do print -r -- "<hit>$hit</hit>"; done
        builtin compadd "$@"
      }
      complete-and-say-so() { _main_complete; print -r '<done>' }
      zle -C complete-and-say-so complete-word complete-and-say-so
      bindkey -e; bindkey '^I' complete-and-say-so; print '<ready>'`
    const typed = OFFERED.map(([line]) => `'rlp ${line.replace('$', '\\$')}'`).join(' ')
    writeFileSync(join(folder, 'setup.zsh'), setup)
    const output = inShell(
      'zsh',
      `zmodload zsh/zpty; zpty shell zsh -f -i; zpty -w shell 'source ./setup.zsh'; zpty -r -m shell out '*<ready>*'
      for line in ${typed}; do
        zpty -w -n shell $'\\C-u'"$line"$'\\t'; zpty -r -m shell out '*<done>*'; print -r -- "$out<next>"
      done`,
    )
    const completed = output
      .split('<next>')
      .map(part => [...part.matchAll(/<hit>(.*?)<\/hit>/g)].map(([, hit = '']) => hit))
    assertOffered(completed)
    assertNothingRan()
  })
})

describe('rlp completion', () => {
  test('prints the script of the shell that is named, or of $SHELL', async () => {
    for (const [shell, script] of Object.entries(SHELLS)) {
      const named = await run(['completion', shell])
      assert.deepEqual(named, { exit: 0, stdout: script, stderr: '' })
      assert.deepEqual(await run(['completion'], REGISTRY, { env: { SHELL: `/usr/bin/${shell}` } }), named)
    }
    const { stdout } = await run(['completion', 'fish', '--json'])
    assert.equal(JSON.parse(stdout).result.shell, 'fish')
  })

  test('a shell that is not known is a usage error', async () => {
    for (const [env, state] of [
      [{}, '$SHELL is not set'],
      [{ SHELL: '/bin/tcsh' }, '$SHELL is "/bin/tcsh"'],
      [{ SHELL: '/bin/constructor' }, '$SHELL is "/bin/constructor"'],
    ] as const) {
      const { exit, stderr } = await run(['completion'], REGISTRY, { env })
      assert.equal(exit, 2)
      assert.ok(stderr.startsWith(`rlp: Cannot choose a shell: ${state}\nhint: Name one`), stderr)
    }
  })
})
