// A file in tests/ of an agent ↔ its cases: what a tool is called with, and what it has to answer (docs/authoring.md).

import { closed, list, ReadProblem, text } from '../json/read.ts'
import { isTable } from '../model/own.ts'
import type { JsonSchema } from '../model/tools.ts'

/** What counts as right. */
export type Expected =
  | { readonly is: 'answer'; readonly value: unknown }
  | { readonly is: 'answer_schema'; readonly schema: JsonSchema }
  /** Members of the failure's envelope, `kind` among them. Others of it do not count. */
  | { readonly is: 'failure'; readonly members: Readonly<Record<string, string>> }

export interface ToolCase {
  /** For people; the tool's id and a number where the file says nothing. */
  readonly name: string
  readonly tool: string
  readonly arguments: unknown
  readonly expected: Expected
}

const EXPECTED = ['answer', 'answer_schema', 'failure'] as const

/** @throws ReadProblem */
export function readCases(value: unknown): readonly ToolCase[] {
  const { cases } = closed(value, 'the file', ['cases', '$schema?'])
  return list((one, at) => readCase(one, at))(cases, 'cases').map((one, index) => ({
    ...one,
    name: one.name ?? `${one.tool} ${index + 1}`,
  }))
}

function readCase(
  value: unknown,
  at: string,
): Omit<ToolCase, 'name'> & { readonly name: string | undefined } {
  const members = closed(value, at, ['name?', 'tool', 'arguments?', ...EXPECTED.map(word => `${word}?`)])
  const given = EXPECTED.filter(word => Object.hasOwn(members, word))
  const [is] = given
  if (is === undefined || given.length > 1)
    throw new ReadProblem(`${at} has to have one of ${EXPECTED.join(', ')}`)
  return {
    name: Object.hasOwn(members, 'name') ? text(members['name'], `${at}.name`) : undefined,
    tool: text(members['tool'], `${at}.tool`),
    arguments: Object.hasOwn(members, 'arguments') ? members['arguments'] : {},
    expected: readExpected(is, members[is], `${at}.${is}`),
  }
}

function readExpected(is: Expected['is'], value: unknown, at: string): Expected {
  if (is === 'answer') return { is, value }
  if (is === 'answer_schema') {
    if (typeof value === 'boolean' || isTable(value)) return { is, schema: value }
    throw new ReadProblem(`${at} is no JSON Schema`)
  }
  const members = closed(value, at, ['kind', 'field?', 'reason?', 'message?'])
  const texts = Object.entries(members).map(([name, one]) => [name, text(one, `${at}.${name}`)] as const)
  return { is, members: Object.fromEntries(texts) }
}

/** As the file has it. A name that is made of the tool's id is left out. */
export function writeCase(
  { tool, arguments: given, expected }: Omit<ToolCase, 'name'>,
  name?: string,
): object {
  const { is } = expected
  const value = is === 'answer' ? expected.value : is === 'answer_schema' ? expected.schema : expected.members
  return { ...(name !== undefined && { name }), tool, arguments: given, [is]: value }
}
