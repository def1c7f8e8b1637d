// docs/contract.md and the examples beside the code: they compile, they run, and they say what is so.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import * as contract from '../../src/contract/index.ts'
import { isSuccess, KINDS, RETRYABLE } from '../../src/contract/index.ts'
import { compiled } from '../support/compile.ts'

const DOCS = readFileSync('docs/contract.md', 'utf8')
const INDEX = resolve('src/contract/index.ts')

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'rlp-contract-'))
})
after(() => rmSync(folder, { recursive: true }))

/** The code of every `@example`, by the file that it is in. */
function examples(): { readonly name: string; readonly code: string }[] {
  return readdirSync('src/contract').flatMap(file => {
    const text = readFileSync(join('src/contract', file), 'utf8')
    const found = text.matchAll(/@example\n((?: \* ?.*\n)+?) \*\/\n/g)
    return [...found].map(([, body = ''], index) => ({
      name: `${file.replace('.ts', '')}-${index}`,
      code: body.replaceAll(/^ \* ?/gm, ''),
    }))
  })
}

/** The names of the exports that a text uses, types included. */
function importsFor(code: string): string {
  const exported = readFileSync(INDEX, 'utf8').matchAll(
    /(?<=[{,]\s*(?:type )?|export type \{ )\b([A-Za-z_]+)(?=\s*[,}])/g,
  )
  const names = [...new Set([...exported].map(([, name = '']) => name))]
  const used = names.filter(
    name => new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`\\bconst ${name}\\b`).test(code),
  )
  const isValue = (name: string) => Object.hasOwn(contract, name)
  return `import { ${used.map(name => (isValue(name) ? name : `type ${name}`)).join(', ')} } from 'rlp-bundle/contract'\n`
}

test('every example compiles, the one of the page among them', () => {
  const all = examples()
  assert.ok(all.length >= 12, `only ${all.length} examples`)
  const page = /```ts\n([\s\S]*?)```/.exec(DOCS)?.[1] ?? ''
  for (const { name, code } of all) writeFileSync(join(folder, `${name}.ts`), importsFor(code) + code)
  writeFileSync(join(folder, 'page.ts'), page)
  writeFileSync(
    join(folder, 'wrong.ts'),
    `import { failure } from 'rlp-bundle/contract'\nfailure({ kind: 'oops', message: '' })\n`,
  )
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: resolve('tsconfig.json'),
      compilerOptions: {
        noEmit: true,
        rootDir: '/',
        noUnusedLocals: false,
        noUnusedParameters: false,
        moduleDetection: 'force',
        typeRoots: [resolve('node_modules/@types')],
        paths: { 'rlp-bundle/contract': [INDEX] },
      },
      include: ['*.ts', resolve('test/types/contract.ts')],
    }),
  )
  const { stdout } = spawnSync(
    process.execPath,
    [resolve('node_modules/typescript/bin/tsc'), '--pretty', 'false', '--project', folder],
    { encoding: 'utf8', cwd: folder },
  )
  const lines = stdout.trim().split('\n')
  // The one that must not compile shows that the others were looked at.
  assert.deepEqual(
    lines.map(line => line.split('(')[0]),
    ['wrong.ts'],
    stdout,
  )
})

test('the example of the page runs', async () => {
  const page = /```ts\n([\s\S]*?)```/.exec(DOCS)?.[1] ?? ''
  const file = await compiled(page.replace("'rlp-bundle/contract'", "'./src/contract/index.ts'"), folder)
  const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  assert.deepEqual(
    stdout.trim().split('\n'),
    [
      '{"ok":true,"result":{"kind":"file","path":"notes.txt","text":"one\\ntwo\\n"},"tool":"read_file"}',
      '{"expected":"relative path","field":"path","kind":"invalid_args","message":"Argument `path` must not be empty (relative path).","ok":false,"retryable":true,"tool":"read_file"}',
      '{"expected":"path under the agent home (relative, or absolute under `/home/agent`)","field":"path","kind":"invalid_args","message":"Argument `path` rejected: a `..` in the path leads out (path traversal). Got `../other/notes.txt`.","ok":false,"retryable":true,"tool":"read_file"}',
    ],
    stderr,
  )
})

test('the page has every kind, in the order of the code', () => {
  const rows = [...DOCS.matchAll(/^\| `([a-z_]+)` \| (.+) \| (true|false) \|$/gm)]
  assert.deepEqual(
    rows.map(([, kind, meaning, retryable]) => [kind, meaning, retryable]),
    Object.entries(KINDS).map(([kind, meaning]) => [
      kind,
      meaning,
      String(RETRYABLE[kind as keyof typeof KINDS]),
    ]),
  )
})

test('the page names functions that are there, and all of them', () => {
  const section = DOCS.split('| function | what it is for |')[1]?.split('\n## ')[0] ?? ''
  const named = [...section.matchAll(/^\| ((?:`\w+` ?)+)\|/gm)].flatMap(
    ([, cell = '']) => cell.match(/\w+/g) ?? [],
  )
  const functions = Object.entries(contract)
    .filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name))
    .map(([name]) => name)
  // What reads old forms, and what writes, need no row of their own.
  assert.deepEqual(
    named.sort(),
    functions.filter(name => !['legacyFailure', 'serialize'].includes(name)).sort(),
  )
})

test('the envelopes of the page are envelopes', () => {
  const lines = (/```json\n([\s\S]*?)```/.exec(DOCS)?.[1] ?? '').trim().split('\n')
  assert.deepEqual(
    lines.map(line => contract.checkResult(line)).map(({ passed, remarks }) => [passed, remarks]),
    [
      [true, []],
      [true, []],
    ],
  )
  assert.deepEqual(lines.map(isSuccess), [true, false])
})

test('the table of what is mended is what is mended', () => {
  const section = DOCS.split('| sent | becomes |')[1]?.split('\n\n')[0] ?? ''
  const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
  let count = 0
  for (const row of section.split('\n')) {
    const [, sent, becomes, where] = row.split(' | ').length === 3 ? ['', ...row.split(' | ')] : []
    const after = quoted(becomes).map((text): unknown => JSON.parse(text))
    const types = quoted(where).filter(word => word !== 'enum' && word !== 'properties')
    for (const [index, text] of quoted(sent).entries()) {
      if (after.length === 0 || text.includes('…')) continue
      const type = types[index] ?? types[0]
      const schema = { type, ...(where?.includes('`enum`') && { enum: after }) }
      assert.deepEqual(contract.coerce(JSON.parse(text), schema), after[index], text)
      count++
    }
  }
  assert.equal(count, 9)
})
