// Targets: dates and names inside of schemas. A date is an error wherever it is, and what lint lets pass means one thing: the schema as
// it is, and the same with its references put in their places accept the same values.
import { read } from '../../../src/agent/read-agent.ts'
import { lintAgent } from '../../../src/lint/lint.ts'
import { UNPREPARED } from '../../../src/lint/rules/rule.ts'
import type { JsonSchema } from '../../../src/model/tools.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { inlineSchema } from '../../../src/schema/inline.ts'
import { resolverIn } from '../../../src/schema/reference.ts'
import type { Tree } from '../../../test/support/agent.ts'
import { memoryFiles } from '../../../test/support/memory.ts'
import { fixtureTree, textOf } from '../fixture-tree.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'

const AGENT = fixtureTree('every-transport')
const PLAIN = fixtureTree('interfaces')
const MANIFEST = textOf(PLAIN, 'manifest.toml')
const [TOOL] = (JSON.parse(textOf(AGENT, 'tools.json')) as { tools: readonly object[] }).tools

export const NAME_TARGETS: readonly Target[] = [
  { name: 'dates', share: 150, make: random => Buffer.from(settings(random)), answer: judgeDates },
  {
    name: 'anchors',
    share: 300,
    make: random => Buffer.from(JSON.stringify(named(random))),
    answer: judgeNames,
  },
]

const DATES = [
  '2026-01-02',
  '07:32:00',
  '07:32:00.5',
  '1979-05-27T07:32:00',
  '1979-05-27 07:32:00Z',
  '1979-05-27T00:32:00.999999-07:00',
]
/** Texts that look like dates, and other values. */
const NO_DATES = ['"2026-01-02"', "'07:32:00'", '"""1979-05-27T07:32:00"""', '1979', '0.5', 'true', '"x"']
const KEYS = ['const', 'default', 'enum', 'examples', 'x-note', '"2026-01-02"']

/** Lines of `[schemas.with]`; a comment says how many dates there are. */
function settings(random: Random): string {
  let dates = 0
  const value = (depth: number): string => {
    if (depth > 0 && random.once(3)) return `[${value(depth - 1)}, ${value(depth - 1)}]`
    if (depth > 0 && random.once(3)) return `{ a = ${value(depth - 1)}, "b.c" = ${value(depth - 1)} }`
    if (!random.once(3)) return random.pick(NO_DATES)
    dates += 1
    return random.pick(DATES)
  }
  const lines = random
    .shuffle(KEYS)
    .slice(0, random.between(1, 4))
    .map(key => `${key} = ${key === 'enum' || key === 'examples' ? `[${value(2)}]` : value(2)}`)
  return `# ${dates}\n[schemas.with]\n${lines.join('\n')}\n`
}

function judgeDates(input: Uint8Array): string {
  const text = new TextDecoder().decode(input)
  const dates = Number(/^# (\d+)/.exec(text)?.[1])
  const tree: Tree = { ...PLAIN, 'manifest.toml': `${MANIFEST}\n${text}` }
  const agent = read(memoryFiles(tree), 'agent')
  if (agent.documents.get('manifest.toml') === undefined) return 'not TOML'
  const found = lintAgent(agent, UNPREPARED).filter(({ message }) => message.includes('JSON has no dates'))
  demand(found.length === dates, `${dates} dates, and ${found.length} findings`)
  return dates === 0 ? 'no dates' : 'dates'
}

const NAMES = ['a', 'b', 'constructor', 'toString']
const IDS = ['https://x.example/a', 'https://x.example/b.json', 'b.json', '#c', 'urn:a']
const TYPES = ['string', 'integer', 'object', 'array', 'boolean', 'null']

/** A schema in which anchors, ids and references meet. */
function named(random: Random): JsonSchema {
  const local = [
    ...NAMES.map(name => `#${name}`),
    ...['#', '#/$defs/a', '#/properties/a', '#/properties/b', '#/$defs/constructor', '#%61'],
  ]
  const away = [...IDS, ...IDS.map(id => `${id}#a`)]
  const ref = () => (random.once(20) ? random.pick(away) : random.pick(local))
  const schema = (depth: number): Record<string, unknown> => ({
    ...(random.once(2) && { type: random.pick(TYPES) }),
    ...(random.once(4) && { $anchor: random.pick(NAMES) }),
    ...(random.once(8) && { $dynamicAnchor: random.pick(NAMES) }),
    ...(random.once(40) && { $id: random.pick(IDS) }),
    ...(random.once(5) && { $ref: ref() }),
    ...(random.once(20) && { $dynamicRef: ref() }),
    ...(depth > 0 && {
      ...(random.once(2) && { properties: { a: schema(depth - 1), b: schema(depth - 1) } }),
      ...(random.once(2) && { $defs: { a: schema(depth - 1), [random.pick(NAMES)]: schema(depth - 1) } }),
      ...(random.once(4) && { items: schema(depth - 1) }),
      ...(random.once(6) && { anyOf: [schema(depth - 1), schema(depth - 1)] }),
    }),
  })
  return schema(3)
}

const VALUES: readonly unknown[] = [
  ...[null, true, 1, 'a', [], [1, 'a'], {}],
  ...[{ a: 1 }, { a: 'a', b: 1 }, { a: { a: 'a' }, b: {} }, { a: { b: { a: 1 } } }],
]

/** An anchor that two schemas define and a reference names, in a document without an `$id`: counted without walking keywords. */
function ambiguous(schema: JsonSchema): string | undefined {
  const holders = new Map<string, number>()
  const named = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { $anchor, $dynamicAnchor, $ref, $dynamicRef } = value as Record<string, unknown>
    for (const name of new Set([$anchor, $dynamicAnchor]))
      if (typeof name === 'string') holders.set(name, (holders.get(name) ?? 0) + 1)
    for (const ref of [$ref, $dynamicRef]) if (typeof ref === 'string') named.add(ref.slice(1))
    for (const part of Object.values(value)) visit(part)
  }
  if (JSON.stringify(schema).includes('"$id"')) return undefined
  visit(schema)
  return [...holders].find(([name, count]) => count > 1 && named.has(name))?.[0]
}

async function judgeNames(input: Uint8Array): Promise<string> {
  const schema = JSON.parse(new TextDecoder().decode(input)) as JsonSchema
  const tools = JSON.stringify({
    version: 1,
    tools: [{ ...TOOL, input_schema: true, result_schema: schema }],
  })
  const agent = read(memoryFiles({ ...AGENT, 'tools.json': tools }), 'agent')
  const rules = lintAgent(agent, UNPREPARED)
    .filter(({ file, severity }) => severity === 'error' && file === 'tools.json')
    .map(({ rule }) => rule)
  const resolve = resolverIn({}, () => undefined)
  const compiled = await compileSchema(schema, resolve, 'tools.json')
  const inlined = inlineSchema(schema, resolve)
  if (rules.some(rule => rule !== 'schema/impossible')) return 'refused'
  const twice = ambiguous(schema)
  demand(twice === undefined, `the anchor ${twice} is defined twice, and a reference finds it`)
  demand(compiled.ok, `lint lets it pass, and a call does not: ${JSON.stringify(compiled)}`)
  demand(!('problem' in inlined), `lint lets it pass, and an export does not: ${JSON.stringify(inlined)}`)
  const again = await compileSchema(inlined.schema, resolve, 'tools.json')
  demand(again.ok, `what is exported is no schema: ${JSON.stringify(again)}`)
  for (const value of VALUES) {
    const [one, other] = [compiled.check(value), again.check(value)].map(violation => violation === undefined)
    demand(
      one === other,
      `${JSON.stringify(value)} fits ${one ? 'only here' : 'only where it is exported to'}`,
    )
  }
  return 'one meaning'
}
