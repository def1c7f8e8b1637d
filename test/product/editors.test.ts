// The set-up of editors, as docs/lint.md has it to be pasted, in the language services of VS Code and Taplo: a wrong member is reported at
// its place, and completion offers the right ones.
import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, mock, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import json from 'vscode-json-languageservice'
import { scaffold } from '../../src/library/generated/index.ts'
import { TRANSPORTS } from '../../src/tools/transports/index.ts'
import { temporary } from '../support/folder.ts'
import { LATE } from '../support/runs.ts'
import { startTaplo } from '../support/taplo.ts'
import { KEYS } from '../support/trust-world.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = readFileSync(join(ROOT, 'docs/lint.md'), 'utf8')
const section = page.slice(page.indexOf('## Editors'), page.indexOf('## Git hooks'))

/** The code block of the page that has a text. */
function block(text: string): string {
  const found = [...section.matchAll(/^```[a-z]+\n(.*?)^```$/gms)].map(([, code = '']) => code)
  const [code, ...others] = found.filter(code => code.includes(text))
  assert.ok(code !== undefined && others.length === 0, `one block has ${text}`)
  return code
}

const folderFor = temporary('editors')
const project = folderFor('project')
const agent = join(project, 'agents/mailer')

before(async () => {
  cpSync(join(ROOT, 'schemas'), join(project, 'node_modules/rlp-bundle/schemas'), { recursive: true })
  await scaffold('mailer', { cwd: project, net: ['api.mail.example'] })
})

describe('VS Code', () => {
  const service = (schemas?: { url: string; fileMatch: string[] }[]) => {
    const made = json.getLanguageService({
      schemaRequestService: async uri => readFileSync(fileURLToPath(uri), 'utf8'),
      workspaceContext: { resolveRelativePath: (path, resource) => new URL(path, resource).href },
    })
    made.configure({
      validate: true,
      // As the editor reads its settings: addresses are relative to the folder that it opens.
      schemas: (schemas ?? []).map(({ url, fileMatch }) => ({
        fileMatch,
        uri: new URL(url, `${pathToFileURL(project).href}/`).href,
      })),
    })
    return made
  }
  const open = async (made: ReturnType<typeof service>, text: string) => {
    const uri = pathToFileURL(join(agent, 'tools.json')).href
    const document = json.TextDocument.create(uri, 'json', 1, text.replace('|', ''))
    const parsed = made.parseJSONDocument(document)
    const problems = await made.doValidation(document, parsed)
    const cursor = text.indexOf('|')
    const offered = cursor < 0 ? null : await made.doComplete(document, document.positionAt(cursor), parsed)
    const hover = cursor < 0 ? null : await made.doHover(document, document.positionAt(cursor), parsed)
    return {
      problems: problems.map(({ range, message }) => `${range.start.line + 1}: ${message}`),
      offered: (offered?.items ?? []).map(({ label }) => label),
      hover: JSON.stringify(hover?.contents ?? ''),
    }
  }
  const tool = (transport: string, more = '') => `  "version": 1,
  "tools": [
    {
      "id": "mail.send",
      "description": "Send a mail.",
      "transport": ${transport},
      "input_schema": { "type": "object" },
      "result_schema": { "type": "object" }${more}
    }
  ]
}`
  const POST = '{ "kind": "http", "method": "POST", "url": "https://api.mail.example/send" }'
  const settings = () => JSON.parse(block('"json.schemas"'))['json.schemas']

  for (const [how, first, made] of [
    [
      'the key $schema, which scaffold has written',
      '  "$schema": "../../node_modules/rlp-bundle/schemas/tools.v1.schema.json",\n',
      () => service(),
    ],
    ['.vscode/settings.json', '', () => service(settings())],
  ] as const) {
    const top = `{\n${first}`
    const line = (number: number) => number + top.split('\n').length - 2

    test(`with ${how}: a sound file has no problem, one wrong member is reported in its line`, async () => {
      const written = readFileSync(join(agent, 'tools.json'), 'utf8')
      assert.deepEqual(
        (await open(made(), first === '' ? written.replace(/^ {2}"\$schema.*\n/m, '') : written)).problems,
        [],
      )
      assert.deepEqual((await open(made(), top + tool(POST))).problems, [])
      for (const [text, at, message] of [
        [tool(POST.replace('POST', 'PSOT')), 7, /^Value is not accepted. Valid values: "GET"/],
        [tool(POST, ',\n      "capability": ["time"]'), 10, /Property capability is not allowed/],
        [tool(POST, ',\n      "capabilities": ["kbwrite:notes"]'), 10, /does not match the pattern/],
        [
          tool(POST).replace('"type": "object"', '"type": "object", "enum": []'),
          8,
          /Array has too few items/,
        ],
        [tool(POST).replace('"type": "object"', '"type": "objekt"'), 8, /Valid values: "array"/],
        [tool('{ "kind": "http" }'), 7, /Missing property "method"/],
      ] as const) {
        const { problems } = await open(made(), top + text)
        assert.ok(problems.length > 0, text)
        for (const problem of problems) assert.equal(problem.split(':')[0], String(line(at)), problem)
        assert.match(problems.map(problem => problem.replace(/^\d+: /, '')).join('\n'), message)
      }
    })

    test(`with ${how}: completion offers the members that may come, hover explains them`, async () => {
      const members = await open(made(), top + tool(POST, ',\n      "|"'))
      for (const name of ['capabilities', 'secrets', 'requires_confirmation', 'x-rlp'])
        assert.ok(members.offered.includes(name), `${name}: ${members.offered}`)
      assert.ok(!members.offered.includes('id'), 'what is there is not offered again')
      const kinds = await open(made(), top + tool('{ "kind": "|" }'))
      for (const { kind } of TRANSPORTS) assert.ok(kinds.offered.includes(`"${kind}"`), String(kinds.offered))
      const keywords = await open(made(), top + tool(POST).replace('"type": "object"', '"|"'))
      for (const name of ['properties', 'required', 'additionalProperties'])
        assert.ok(keywords.offered.includes(name), String(keywords.offered))
      const hovered = await open(made(), top + tool(POST).replace('"input_schema"', '"input_|schema"'))
      assert.match(hovered.hover, /2020\W*12 of the arguments/)
    })
  }
})

describe('Taplo', { timeout: 120_000, skip: LATE }, () => {
  let taplo: Awaited<ReturnType<typeof startTaplo>>
  before(async () => {
    writeFileSync(join(project, '.taplo.toml'), block('[[rule]]'))
    mock.method(globalThis, 'fetch', () => Promise.reject(new Error('a test fetches nothing')))
    taplo = await startTaplo(project)
  })
  after(() => {
    taplo.stop()
    mock.restoreAll()
  })
  const has = (diagnostics: readonly unknown[]) => diagnostics.length > 0

  test('policy.caps, by the line that scaffold has written: a wrong member in its line, the right ones offered', async () => {
    const written = readFileSync(join(agent, 'policy.caps'), 'utf8')
    const line = block('/policy.schema.json\n')
    assert.ok(line.startsWith('#:schema ') && written.startsWith(line), line)
    const text = `${line}[capabilities]\nnet = ["*.mail.example"]\ntime = "yes"\nnte = []\n\n`
    const file = await taplo.open('agents/mailer/policy.caps', text, has)
    const shown = file.diagnostics.map(({ range, message }) => `${range.start.line + 1}: ${message}`).sort()
    // An unknown key is shown at its table.
    for (const [index, start] of [
      "2: Additional properties are not allowed ('nte'",
      '3: "*.mail',
      '4: "yes"',
    ].entries())
      assert.ok(shown[index]?.startsWith(start), shown.join('\n'))
    assert.equal(shown.length, 3, shown.join('\n'))
    const offered = await file.complete(5, 0)
    for (const name of ['kb_read', 'exec', 'secrets', 'model'])
      assert.ok(offered.includes(name), String(offered))
    assert.match(await file.hover(2, 1), /host or host:port, without wildcards/)
  })

  test('manifest.toml and trust-policy.toml, by the rules of .taplo.toml', async () => {
    const text = '[agent]\nname = "mailer"\nkind = "wasm"\n\n'
    const manifest = await taplo.open('agents/mailer/manifest.toml', text, has)
    assert.ok(
      manifest.diagnostics.some(
        ({ range, message }) => range.start.line === 2 && /^"wasm" is not one of/.test(message),
      ),
      JSON.stringify(manifest.diagnostics),
    )
    const offered = await manifest.complete(3, 0)
    for (const name of ['version', 'variant', 'entry_wasm.path'])
      assert.ok(offered.includes(name), String(offered))
    const policy = `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = { allow_exec = "yes" }\n[require]\n\n`
    const trust = await taplo.open('trust-policy.toml', policy, has)
    assert.deepEqual(
      trust.diagnostics.map(({ range }) => range.start.line),
      [3],
    )
    assert.deepEqual((await trust.complete(5, 0)).sort(), ['anchors', 'attestations', 'signatures'])
  })
})
