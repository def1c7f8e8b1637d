// The published schemas against real agents and the shared cases. What only a parser or a rule can see is left out, with the reason.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'smol-toml'
import { checkShape, type ShapeKind } from '../../src/schema/check.ts'

const SHARED = join(import.meta.dirname, '../../../shared')
const skip = existsSync(SHARED) ? false : 'the shared inputs are not here'
const text = (path: string) => readFileSync(join(SHARED, path), 'utf8')
const messages = (kind: ShapeKind, value: unknown) =>
  checkShape(kind, value).map(({ pointer, message }) => `${pointer.join('/')}: ${message}`)

describe('real files', { skip }, () => {
  const agents = ['agents/contact_resolver', 'agents/mailer', 'agents/system_helper', 'agents/system_tra']
  // Two entries at once are one too many: rule manifest/entry-twice.
  const older = [
    'older/contact_resolver',
    'older/entry_wasm_both',
    'older/entry_wasm_top_level',
    'older/mailer',
  ]
  for (const folder of [...agents, ...older]) {
    test(`${folder} is in order`, () => {
      assert.deepEqual(messages('manifest', parse(text(`real/${folder}/manifest.toml`))), [])
      assert.deepEqual(messages('policy', parse(text(`real/${folder}/policy.caps`))), [])
      if (!existsSync(join(SHARED, `real/${folder}/tools.json`))) return
      assert.deepEqual(messages('toolsV1', JSON.parse(text(`real/${folder}/tools.json`))), [])
    })
  }

  test('a tools.json of agentcli is another format', () => {
    assert.deepEqual(messages('toolsV1', JSON.parse(text('real/tools/agentcli/goagent-readme.tools.json'))), [
      ': "version" is missing',
      'tools/0: "id" is missing',
      'tools/0: "transport" is missing',
      'tools/0: "input_schema" is missing',
      'tools/0: "result_schema" is missing',
      'tools/0/name: "name" is not a key of a tool',
      'tools/0/schema: "schema" is not a key of a tool',
      'tools/0/command: "command" is not a key of a tool',
      'tools/0/timeoutSec: "timeoutSec" is not a key of a tool',
    ])
    const all = messages('toolsV1', JSON.parse(text('real/tools/agentcli/goagent.tools.json')))
    assert.equal(all.length, 101)
    assert.match(all.at(-1) ?? '', /^: At least [0-9]+ more problems are not listed$/)
  })

  test('an MCP list of tools is another format', () => {
    const [first] = messages('toolsV1', JSON.parse(text('real/tools/mcp/alfresco.tools-list.json')))
    assert.equal(first, ': "version" is missing')
  })
})

interface Case {
  readonly id: string
  readonly kind: string
  readonly input: string & { readonly text: string }
  readonly reference: { readonly ok: boolean }
  readonly recommended?: { readonly ok: boolean }
}

/** Case → what the schema alone says of it, or that it cannot be parsed, and whose part the rest is. */
type LeftOut = Readonly<Record<string, readonly [schema: boolean | 'unparsable', reason: string]>>

const WITHOUT_KIND = 'the schema asks for agent.kind; with it the case is judged below'

const LEFT_OUT: Readonly<Record<string, LeftOut>> = {
  toolsJson: {
    'not-json': ['unparsable', 'the parser refuses it'],
    bom: ['unparsable', 'the parser refuses it'],
    'duplicate-json-key': [true, 'duplicate keys are gone after parsing: the strict parser refuses them'],
    'exec-relative': [true, 'rule tools/command'],
    'duplicate-id': [true, 'rule tools/duplicate-id'],
    'exec-extra-http-fields': [false, 'objects are closed: the finding is an error'],
  },
  manifest: {
    'broken-toml': ['unparsable', 'the parser refuses it'],
    'no-ports': [false, 'version "1" is not SemVer'],
    'kind-ignored': [false, 'kind is one of two words'],
    'unknown-table': [false, WITHOUT_KIND],
    'entry-in-agent': [false, WITHOUT_KIND],
  },
  policyCaps: {
    'fs-relative': [true, 'rule caps/entry'],
    'secrets-nonarray': [false, 'a wrong type is an error, never "reads as false"'],
    'secrets-mixed': [false, 'a wrong type is an error, never "reads as false"'],
  },
}

/** With the kind these manifests are in order for the schema; what else is wrong with them is a rule's to say. */
const WITH_KIND: Readonly<Record<string, string>> = {
  'unknown-table': 'unknown tables are kept',
  'entry-in-agent': 'the present place of the entry',
  'entry-both': 'rule manifest/entry-twice',
  'tools-no-digest': 'rule manifest/digest-format',
}

const SHAPES: Readonly<Record<string, ShapeKind>> = {
  toolsJson: 'toolsV1',
  manifest: 'manifest',
  policyCaps: 'policy',
}

describe('shared cases', { skip }, () => {
  const cases: Case[] = skip ? [] : JSON.parse(text('cases/runloop.json')).cases
  for (const [kind, shape] of Object.entries(SHAPES)) {
    const mine = cases.filter(entry => entry.kind === kind)
    const leftOut = LEFT_OUT[kind] ?? {}
    for (const { id, input, reference, recommended } of mine) {
      const source = kind === 'manifest' ? input.text : input
      const read = () => (kind === 'toolsJson' ? JSON.parse(source) : parse(source))
      const exception = leftOut[id]
      if (exception === undefined) {
        const { ok } = recommended ?? reference
        test(`${kind} ${id}: ${ok ? 'in order' : 'not in order'}`, () => {
          assert.equal(checkShape(shape, read()).length === 0, ok)
        })
      } else {
        const [schema, reason] = exception
        test(`${kind} ${id} is left out: ${reason}`, () => {
          if (schema === 'unparsable') assert.throws(read)
          else assert.equal(checkShape(shape, read()).length === 0, schema)
        })
      }
      if (kind === 'manifest' && WITH_KIND[id] !== undefined) {
        test(`manifest ${id} with a kind: ${WITH_KIND[id]}`, () => {
          const amended = source.replace('[agent]\n', '[agent]\nkind = "wasm32-wasip1"\n')
          assert.deepEqual(messages('manifest', parse(amended)), [])
        })
      }
    }
    test(`${kind}: every case that is left out is there`, () => {
      assert.ok(mine.length > 10)
      assert.deepEqual(
        Object.keys(leftOut).filter(id => !mine.some(entry => entry.id === id)),
        [],
      )
    })
  }
})
