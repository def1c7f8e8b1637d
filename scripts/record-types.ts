// schemas/agent-tool/*.json → the TypeScript types of Agent Tool's records, with the words of the schemas as their documentation.

interface Property {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly items?: Property
  readonly description: string
}

interface Schema {
  readonly title: string
  readonly description: string
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, Property>>
}

/** Kinds whose names would say too little on their own. */
const NAMED: Readonly<Record<string, string>> = {
  'tool-interface': 'ToolInterfaceRecord',
  result: 'ToolResult',
  progress: 'ToolProgress',
  event: 'ToolEvent',
  hook: 'ToolHook',
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  object: 'RecordData',
  array: 'readonly unknown[]',
}

/** @param records kind of record → the text of its schema */
export function recordTypes(records: Readonly<Record<string, string>>): string {
  const schemas = Object.entries(records).map(([name, text]) => [name, JSON.parse(text) as Schema] as const)
  return [
    '/** An object of which Agent Tool says nothing more. */',
    'export interface RecordData {',
    '  readonly [key: string]: unknown',
    '}',
    ...schemas.flatMap(([name, schema]) => declare(typeName(name), schema)),
    '/** Kind of record → its type. */',
    'export interface RecordTypes {',
    ...schemas.map(([name]) => `  readonly '${name}': ${typeName(name)}`),
    '}',
    '',
  ].join('\n')
}

function declare(name: string, { description, required, properties }: Schema): string[] {
  return [
    `/** ${description} */`,
    `export interface ${name} {`,
    ...Object.entries(properties).flatMap(([key, property]) => [
      `  /** ${property.description} */`,
      `  readonly ${key}${required.includes(key) ? '' : '?'}: ${typeOf(property)}`,
    ]),
    '}',
  ]
}

function typeName(name: string): string {
  const words = name.split('-').map(word => word.charAt(0).toUpperCase() + word.slice(1))
  return NAMED[name] ?? words.join('')
}

function typeOf({ type, enum: words, items }: Property): string {
  if (words !== undefined) return words.map(word => `'${word}'`).join(' | ')
  if (type === undefined) return 'unknown'
  if (type === 'array' && items !== undefined) return `readonly ${typeOf(items)}[]`
  return [type]
    .flat()
    .map(one => NAMES[one] ?? 'unknown')
    .join(' | ')
}
