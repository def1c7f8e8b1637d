// Where a reference leads for a tool: a call, a lock and an export have to read what verification judged (specification, D-11 and D-19).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SchemaRefs } from '../../src/model/tools.ts'
import { followRef, resolverIn } from '../../src/schema/reference.ts'

const FILES: Readonly<Record<string, unknown>> = {
  'schemas/e.json': { title: 'the file e', $defs: { x: { title: 'x of the file' } } },
  'schemas/other.json': { title: 'the file other' },
  'schemas/box.json': {},
}

/** The title of what a reference leads to. */
function led(text: string, from: string, refs: SchemaRefs): unknown {
  const resolve = resolverIn(refs, path => FILES[path])
  const target = followRef(text, { schema: FILES[from] ?? {}, path: from }, from, resolve)
  return target.is === 'found' && typeof target.schema === 'object' ? target.schema['title'] : target.is
}

const own: SchemaRefs = { e: { title: 'the entry e' } }
const alias: SchemaRefs = { e: 'schema:other' }

for (const [what, text, from, refs, expected] of [
  ['a tool’s entry', 'schema:e', 'tools.json', own, 'the entry e'],
  ['a tool’s entry, in a file', 'schema:e', 'schemas/box.json', own, 'the entry e'],
  ['a tool’s alias', 'schema:e', 'tools.json', alias, 'the file other'],
  ['an alias does not count in a file', 'schema:e', 'schemas/box.json', alias, 'the file e'],
  ['a part that the entry lacks', 'schema:e#/$defs/x', 'tools.json', own, 'missing'],
  ['in a file, the file has it', 'schema:e#/$defs/x', 'schemas/box.json', own, 'x of the file'],
  ['nothing has it', 'schema:none', 'schemas/box.json', own, 'registry'],
] as const)
  test(`${what}: ${text} in ${from} is ${expected}`, () => assert.equal(led(text, from, refs), expected))
