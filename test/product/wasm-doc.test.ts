// docs/wasm.md: its programs are built where the compilers are, run by rlp agent run, and packed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { shell } from '../support/run.ts'
import { LATE, slice } from '../support/runs.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const PAGE = readFileSync('docs/wasm.md', 'utf8')
const folder = temporary('wasm-doc')

function sourceIn(language: string): string {
  const source = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1]
  assert.ok(source, `${language} has no program in the page`)
  assert.ok(source.split('\n').length <= 20)
  return source
}

function ask(program: string, ...args: string[]): string {
  return spawnSync(program, args, { encoding: 'utf8' }).stdout?.trim() ?? ''
}

/** Where a Rust compiler has its standard library for the target; its name was another before 1.78. */
const targets = ['wasm32-wasip1', 'wasm32-wasi']
const rust = targets.find(target => existsSync(ask('rustc', '--print', 'target-libdir', '--target', target)))
const hasWasiC = existsSync('/usr/lib/wasm32-wasi/libc.a') && ask('clang', '--version') !== ''

const BUILDS = [
  {
    language: 'rust',
    file: 'counter.rs',
    build: ['rustc', '--target', rust ?? '', '-O', '-C', 'strip=symbols'],
    skip: rust === undefined,
  },
  { language: 'c', file: 'counter.c', build: ['clang', '--target=wasm32-wasi', '-O2'], skip: !hasWasiC },
]

/** The lines of the section that tries the module. */
const TRIES = [
  ...(PAGE.split('## Trying the module')[1] ?? '').matchAll(/^(?:echo .*\| )?rlp agent run .*$/gm),
].map(([line]) => line)

for (const { language, file, build, skip } of BUILDS) {
  const source = sourceIn(language)
  test(`the program in ${language}`, {
    skip: LATE || (skip && `no compiler of ${language} for WASI is here`) || NO_SANDBOX_HERE,
  }, async () => {
    const cwd = folder(language)
    const rlp = async (...args: string[]) => {
      const { exit, stdout, stderr } = await run(args, undefined, { cwd })
      assert.equal(exit, 0, stdout + stderr)
      return stdout
    }
    await rlp('agent', 'scaffold', 'counter', '--non-interactive')
    writeFileSync(join(cwd, file), source)
    const module = join(cwd, 'agents/counter/bin/counter.wasm')
    const [program = '', ...args] = build
    const built = spawnSync(program, [...args, '-o', module, file], { cwd, encoding: 'utf8' })
    assert.equal(built.status, 0, built.stderr)
    await assertTried(cwd)
    await rlp('agent', 'digest', 'counter')
    await rlp('agent', 'lint', 'counter', '--strict')
    await rlp('agent', 'pack', 'counter')
  })
}

test('what was built of the programs before counts words too, as the page runs it', {
  skip: LATE || NO_SANDBOX_HERE,
}, async () => {
  const modules = [
    ['rust', 'counter-rust', 'counter.rs'],
    ['c', 'counter', 'counter.c'],
  ] as const
  for (const [language, , file] of modules)
    assert.equal(readFileSync(`fixtures/wasi/${file}`, 'utf8'), sourceIn(language))
  // The one in C is run in other tests too.
  for (const [, name] of slice(modules, 2)) {
    const cwd = folder(name)
    await run(['agent', 'scaffold', 'counter', '--non-interactive'], undefined, { cwd })
    copyFileSync(`fixtures/wasi/${name}.wasm`, join(cwd, 'agents/counter/bin/counter.wasm'))
    await assertTried(cwd)
  }
})

/** The first line counts what `echo` says, the second the words of the source, which is what it is given. */
async function assertTried(cwd: string): Promise<void> {
  const source = sourceIn('c')
  writeFileSync(join(cwd, 'counter.c'), source)
  assert.equal(TRIES.length, 2)
  const counts = [3, source.split(/\s+/).filter(Boolean).length]
  for (const [at, line] of TRIES.entries()) {
    const [, echo, args = ''] = /^(?:(echo .*\| ))?rlp (.*)$/.exec(line) ?? []
    const { status, stdout, stderr } = await shell(cwd, `${echo ?? ''}"$@"`, args.split(' '))
    assert.deepEqual([status, stdout], [0, `{"words":${counts[at]}}\n`], stderr)
  }
}

test('README shows the same program, built the same way', () => {
  const readme = readFileSync('README.md', 'utf8')
  assert.ok(readme.includes(`\`\`\`c\n${sourceIn('c')}\`\`\``))
  const line = 'clang --target=wasm32-wasi -O2 -o agents/NAME/bin/NAME.wasm counter.c'
  for (const [page, name] of [
    [PAGE, 'counter'],
    [readme, 'mailer'],
  ] as const)
    assert.ok(page.includes(`\n${line.replaceAll('NAME', name)}\n`), name)
})

test('the question that leads here is answered', async () => {
  const ran = await run(['run', 'mailer'])
  assert.equal(ran.exit, 2)
  assert.match(
    ran.stderr,
    /rlp agent run AGENT runs the module of a bundle, rlp tool call TOOL AGENT one of its tools/,
  )
  assert.match((await run(['agent', 'build'])).stderr, /docs\/wasm\.md/)
  assert.match((await run(['init'])).stderr, /rlp agent init makes an agent of a folder/)
})
