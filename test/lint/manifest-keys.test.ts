// What manifest/unknown-key knows is what the published schema lists, and what real manifests hold.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { MANIFEST_KEYS } from '../../src/agent/manifest-keys.ts'
import { read } from '../../src/agent/read-agent.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { agentTree } from '../support/agent.ts'
import { ROOT } from '../support/lint-fixtures.ts'
import { memoryFiles } from '../support/memory.ts'

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

test('the tables are those of the published schema', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'schemas/manifest.schema.json'), 'utf8'))
  const found = new Map<string, string[]>()
  const walk = (node: Schema, path: readonly string[]): void => {
    const name = /^#\/\$defs\/(\w+)$/.exec(node.$ref ?? '')?.[1]
    const parts = [node, ...(name === undefined ? [] : [schema.$defs[name] as Schema])]
    const properties = Object.assign({}, ...parts.map(part => part.properties ?? {})) as Record<
      string,
      Schema
    >
    // [lint] has rules of its own.
    if (Object.keys(properties).length === 0 || path[0] === 'lint') return
    found.set(path.join('.'), Object.keys(properties).sort())
    for (const [key, child] of Object.entries(properties)) walk(child, [...path, key])
  }
  walk(schema, [])
  const known = [...MANIFEST_KEYS].map(([table, keys]) => [table, [...keys].sort()] as const)
  assert.deepEqual(Object.fromEntries(known), Object.fromEntries(found))
})

function findings(change: (manifest: string) => string) {
  const tree = agentTree()
  const files = { ...tree, 'manifest.toml': change(`${tree['manifest.toml']}`) }
  return lintAgent(read(memoryFiles(files), 'mini'), UNPREPARED).filter(
    ({ rule }) => rule === 'manifest/unknown-key',
  )
}

describe('what was probably meant', () => {
  const adding = (text: string) => findings(manifest => `${manifest}\n${text}\n`)
  test('nothing is said of a whole manifest, of keys with x-, or of what is free', () => {
    assert.deepEqual(
      findings(manifest => manifest),
      [],
    )
    assert.deepEqual(
      adding(
        '[ports]\nin = []\nout = []\nx-more = 1\n[x-mine]\npath_of = "a"\n[schemas.with]\nanything = 1\n[lint]\nsuppress = []',
      ),
      [],
    )
    // As older manifests have it.
    assert.deepEqual(
      findings(manifest => {
        const [entry = ''] = /^entry_wasm = .*$/m.exec(manifest) ?? []
        return `${entry}\n${manifest.replace(`${entry}\n`, '')}`
      }),
      [],
    )
  })
  for (const [text, message, fix] of [
    ['[tools]', 'No reader looks at the table "tools"', /^Did you mean tools in \[artifacts\]\?/],
    ['[tool]', 'No reader looks at the table "tool"', /^Did you mean tools in \[artifacts\]\?/],
    ['[port]', 'No reader looks at the table "port"', /^Did you mean ports\?/],
    ['[ports]\nIn = []', 'No reader looks at the key "In" in [ports]', /^Did you mean in\?/],
    [
      '[schemas]\nwiht = {}',
      'No reader looks at the table "wiht" in [schemas]',
      /known in \[schemas\]: with$/,
    ],
    [
      '[wholly-other]',
      'No reader looks at the table "wholly-other"',
      /^Remove it, or begin its name with "x-"; known at the top level: agent, /,
    ],
  ] as const) {
    test(text.replace('\n', ' '), () => {
      const [found, ...more] = adding(text)
      assert.deepEqual([found?.message, found?.severity, more], [message, 'warning', []])
      assert.match(found?.fix ?? '', fix)
    })
  }
  test('a key of a table', () => {
    const [found] = findings(manifest =>
      manifest.replace('[caps]', 'descripton = "x"\nvarient = "y"\n[caps]'),
    )
    assert.equal(found?.message, 'No reader looks at the key "descripton" in [agent]')
    const [, second] = findings(manifest =>
      manifest.replace('[caps]', 'descripton = "x"\nvarient = "y"\n[caps]'),
    )
    assert.match(second?.fix ?? '', /^Did you mean variant\?/)
  })
})
