// The README and its pages against the registries, and the examples against the built command.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { COMMANDS_DOC, commandsDoc } from '../../scripts/commands-doc.ts'
import { EXIT, MODULE_EXIT } from '../../src/model/exit-code.ts'
import { VERDICTS } from '../../src/model/verdict.ts'
import { deadLinks, wrongCitations } from '../support/citations.ts'
import { rlpHere } from '../support/here.ts'
import { rlp } from '../support/run.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const README = readFileSync('README.md', 'utf8')
const page = (name: string) => readFileSync(`docs/${name}.md`, 'utf8')

/** The rows of the first table below a heading of a page, each as its cells. */
function table(text: string, heading: string): string[][] {
  const section = text.split(new RegExp(`^#+ ${heading}\n`, 'm'))[1]?.split('\n## ')[0] ?? ''
  const rows = section
    .split('\n')
    .filter(line => line.startsWith('|'))
    .slice(2)
  return rows.map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

test('docs/commands.md is what the commands declare', async () => {
  const hint = 'run npm run docs, read what changed, and commit docs/commands.md'
  assert.equal(readFileSync(COMMANDS_DOC, 'utf8'), await commandsDoc(), hint)
})

test('every verdict has its line, in order of precedence', () => {
  const expected = Object.entries(VERDICTS).map(([word, { exit, meaning }]) => [
    `\`${word}\``,
    String(exit),
    meaning,
  ])
  assert.deepEqual(table(page('verdicts'), 'Verdicts'), expected)
})

test('every exit code has its line', () => {
  assert.deepEqual(
    table(page('command-line'), 'Exit codes').map(([code]) => Number(code)),
    Object.values(EXIT),
  )
  assert.deepEqual(
    table(page('command-line'), 'Exit codes of a run').map(([code]) => Number(code)),
    Object.values(MODULE_EXIT),
  )
})

test('the quick start prints what it says', async () => {
  const blocks = [...README.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  assert.equal(blocks.length, 3)
  const folder = mkdtempSync(join(tmpdir(), 'rlp-readme-'))
  // Keys and the trust policy of this user stay out of it.
  const home = process.env['HOME']
  process.env['HOME'] = folder
  const env = { RUNLOOP_HOME: join(folder, '.runloop') }
  try {
    for (const block of blocks) {
      let made = ''
      // The module is built by then: this one from the very source.
      const isModule = block.startsWith('$ rlp agent run')
      if (isModule && NO_SANDBOX_HERE) continue
      if (isModule) {
        copyFileSync('fixtures/wasi/counter.wasm', join(folder, 'agents/mailer/bin/mailer.wasm'))
        writeFileSync(join(folder, 'counter.c'), /```c\n([\s\S]*?)```/.exec(README)?.[1] ?? '')
      }
      for (const line of block.split('\n').filter(line => line.startsWith('$ rlp '))) {
        // One line in a process.
        const how = line.startsWith('$ rlp agent pack') ? rlp : rlpHere
        const { stdout, stderr, exit } = await how(line.slice(6).split(' '), { cwd: folder, env })
        assert.equal(exit, 0, stderr)
        made += `${line}\n${isModule ? stderr + stdout : stdout + stderr}`.replaceAll(
          /ed25519:[A-Za-z0-9+/]{43}=/g,
          'ed25519:…',
        )
      }
      if (process.env['UPDATE_GOLDEN'] === '1') {
        const now = readFileSync('README.md', 'utf8')
        writeFileSync(
          'README.md',
          now.replace(block, () => made),
        )
      } else assert.equal(made, block)
    }
  } finally {
    if (home === undefined) delete process.env['HOME']
    else process.env['HOME'] = home
    rmSync(folder, { recursive: true })
  }
})

test('the library example runs', async () => {
  const code = /```ts\n([\s\S]*?)```/.exec(README)?.[1] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'rlp-readme-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(resolve('.'), join(folder, 'node_modules/rlp-bundle'))
    const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    await rlpHere(['agent', 'scaffold', 'mailer', '--non-interactive'], { cwd: folder })
    await rlpHere(['agent', 'pack'], { cwd: folder })
    writeFileSync(join(folder, 'example.mjs'), code)
    const { stdout, stderr } = run('example.mjs')
    assert.match(stdout, /^0\.1\.0 \d+ 0 \[\]\n$/, stderr)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('every page is in the list at the end of the README', () => {
  const listed = [...README.matchAll(/\]\((docs\/[a-z-]+\.md)/g)].map(([, path]) => path)
  const pages = readdirSync('docs')
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`)
  assert.deepEqual(
    pages.filter(path => !listed.includes(path)),
    [],
  )
  const specification = readFileSync('docs/spec/index.md', 'utf8')
  const parts = readdirSync('docs/spec').filter(name => name.endsWith('.md') && name !== 'index.md')
  assert.deepEqual(
    parts.filter(name => !specification.includes(`](${name})`)),
    [],
  )
})

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => ending.test(path) && !path.includes('node_modules'))
    .map(path => join(folder, path))
}

test('every link of a page leads to a file, and to a heading of it', () => {
  const pages = [
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
    ...filesIn('docs', /\.md$/),
    ...filesIn('fixtures', /^[a-z/]*README\.md$/),
  ]
  assert.ok(pages.length > 50, `only ${pages.length} pages`)
  const links = (text: string) => deadLinks('docs/spec/index.md', text)
  assert.deepEqual(links('[a](archive.md#15-limits) [b](#version) [c](../trust.md) [d](../../schemas)'), [])
  assert.equal(links('[a](archive.md#15-limit) [b](#versions) [c](trust.md)').length, 3)
  assert.deepEqual(
    pages.flatMap(path => deadLinks(path, readFileSync(path, 'utf8'))),
    [],
  )
})

test('every page that the code names is there, with the heading or statement', () => {
  const says = (text: string) => wrongCitations('here', text)
  assert.deepEqual(
    says(
      '(docs/spec/archive.md, A-1 to A-3 and A-1), docs/trust.md#the-file, docs/trust.md, "The file", docs/keys.md.',
    ),
    [],
  )
  for (const wrong of [
    'docs/tryst.md',
    'docs/trust.md#a-file',
    'docs/spec/archive.md, A-99',
    'docs/spec/archive.md, A-1 and\n// S-1',
    'docs/trust.md §1',
    'docs/trust.md, section 1',
    'docs/trust.md, "A file"',
  ])
    assert.equal(says(`// (${wrong})`).length, 1, wrong)
  const isComment = (line: string) => /^\s*(?:\/\/|\/?\*)/.test(line)
  // Trees of agents in tests have files below docs/ too.
  const comments = (path: string) => readFileSync(path, 'utf8').split('\n').filter(isComment).join('\n')
  const whole = (path: string) => readFileSync(path, 'utf8')
  const tests = filesIn('test', /\.ts$/)
  const code = [
    ...filesIn('src', /\.ts$/).map(path => [path, whole(path)] as const),
    ...filesIn('schemas', /\.json$/).map(path => [path, whole(path)] as const),
    ...['action.yml', '.ci/run', 'docs/spec/reader.py', 'docs/spec/writer.py'].map(
      path => [path, whole(path)] as const,
    ),
    ...[...tests, ...filesIn('scripts', /\.ts$/), ...filesIn('fixtures/conformance', /\.ts$/)].map(
      path => [path, comments(path)] as const,
    ),
  ]
  const named = code.filter(([, text]) => /\bdocs\/[a-z/-]+\.md\b/.test(text))
  assert.ok(named.length > 60, `only ${named.length} files name a page`)
  assert.deepEqual(
    code.flatMap(([path, text]) => wrongCitations(path, text)),
    [],
  )
})

/** Commands that would run whatever a stranger puts into a package registry under a name that is not there yet. */
const FROM_A_REGISTRY =
  /npm (?:install|i|add|view|pack|exec|x)\b[^\n`]*[ "']rlp-bundle(?![-/\w]*\.tgz)|npx (?!--no-install\b)[^\n`]*\brlp\b|(?:pnpm|yarn|bun)x? [^\n`]*\brlp(?:-bundle)?\b/

test('no page installs from a package registry what is in none', () => {
  for (const wrong of [
    'npm install rlp-bundle',
    'npm install --save-dev rlp-bundle',
    'npx rlp-bundle agent lint',
    'npx rlp agent lint',
    'npm view rlp-bundle@0.1.0 dist.integrity',
    'mv "$(npm pack --silent "rlp-bundle@$RLP_VERSION")" rlp.tgz',
    'pnpm add rlp-bundle',
  ])
    assert.match(wrong, FROM_A_REGISTRY)
  for (const right of [
    'npm install --omit=optional ./rlp.tgz',
    'npm install ./rlp-bundle-0.1.0.tgz',
    'npx --no-install rlp agent lint',
  ])
    assert.doesNotMatch(right, FROM_A_REGISTRY)
  const texts = [
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'action.yml', '.pre-commit-hooks.yaml'],
    ...filesIn('docs', /\.md$/),
    ...filesIn('fixtures/pipelines', /(?:\.ya?ml|\.md|\.sh)$/),
  ]
  const wrong = texts.flatMap(path => {
    const text = readFileSync(path, 'utf8').replace(/\\\n\s*/g, ' ')
    return text.split('\n').flatMap(line => (FROM_A_REGISTRY.test(line) ? `${path}: ${line.trim()}` : []))
  })
  assert.deepEqual(wrong, [])
})

test('docs/installing.md installs what has the digest, and nothing else', () => {
  const [, block = ''] = /```sh machine\n([\s\S]*?)```/.exec(page('installing')) ?? []
  const { url } = JSON.parse(readFileSync('package.json', 'utf8')).repository
  assert.ok(block.includes(` ${url.slice('git+'.length, -'.git'.length)}/releases/download/`), block)
  const digest = `sha512-${hash('sha512', 'the package', 'base64')}`
  const installed = (integrity: string) => {
    const root = mkdtempSync(join(tmpdir(), 'rlp-installing-'))
    try {
      const [npm, curl] = ['[ -f "$5" ] && echo "$*" > asked', `printf 'the package' > "$5"`]
      for (const [name, script] of Object.entries({ npm, curl }))
        writeFileSync(join(root, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
      const env = { PATH: `${root}:/usr/bin:/bin`, HOME: root }
      spawnSync('bash', ['-c', block.replace('sha512-…', integrity)], { cwd: root, env })
      return readdirSync(root).includes('asked')
    } finally {
      rmSync(root, { recursive: true })
    }
  }
  assert.ok(block.includes('sha512-…'))
  assert.equal(installed(digest), true)
  assert.equal(installed(digest.replace('sha512-', 'sha512-A')), false)
  assert.equal(installed(''), false)
})
