// Permissions in a state file → Permissions, read strictly.

import { closed, flag, list, matching, type Read, ReadProblem, text, wordOf } from '../json/read.ts'
import type { FilledArgument, Permissions, ToldOfTool, ToolPermission } from '../model/permissions.ts'
import type { Policy } from '../model/policy.ts'
import { isSchemaObject } from '../schema/walk.ts'
import { TRANSPORT_KINDS, transportKind } from '../tools/transports/index.ts'
import { CAPABILITY_FAMILIES, policyOf } from './families/index.ts'

/** @throws ReadProblem */
export const readPermissions: Read<Permissions> = (value, at) => {
  const table = closed(value, at, ['policy', 'tools', 'entry'])
  return {
    policy: policy(table['policy'], `${at}.policy`),
    tools: list(tool)(table['tools'], `${at}.tools`),
    entry: digest(table['entry'], `${at}.entry`),
  }
}

const texts = list(text)

const policy: Read<Policy> = (value, at) => {
  const table = closed(value, at, [...CAPABILITY_FAMILIES.map(({ member }) => member), 'unknown?'])
  return {
    ...policyOf(({ member, table: { stored } }) => stored(table[member], `${at}.${member}`)),
    ...('unknown' in table && { unknown: texts(table['unknown'], `${at}.unknown`) }),
  }
}

const tool: Read<ToolPermission> = (value, at) => {
  const named: unknown =
    typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
  const { act } = transportKind({ kind: wordOf(TRANSPORT_KINDS)(named, `${at}.kind`) })
  const table = closed(value, at, [
    'id',
    'kind',
    'secrets',
    'confirm',
    'fills',
    'isWithheld?',
    'told',
    ...act.members,
  ])
  return {
    id: text(table['id'], `${at}.id`),
    secrets: texts(table['secrets'], `${at}.secrets`),
    confirm: flag(table['confirm'], `${at}.confirm`),
    fills: list(filled)(table['fills'], `${at}.fills`),
    ...(table['isWithheld'] !== undefined && withheld(table['isWithheld'], at)),
    told: told(table['told'], `${at}.told`),
    ...act.read(table, at),
  }
}

const digest = matching(/^[0-9a-f]{64}$/, 'is no BLAKE3 digest')

const told: Read<ToldOfTool> = (value, at) => {
  const table = closed(value, at, ['title?', 'description', 'words', 'schemas'])
  return {
    ...(table['title'] !== undefined && { title: text(table['title'], `${at}.title`) }),
    description: text(table['description'], `${at}.description`),
    words: digest(table['words'], `${at}.words`),
    schemas: digest(table['schemas'], `${at}.schemas`),
  }
}

function withheld(value: unknown, at: string): { readonly isWithheld: true } {
  if (value !== true) throw new ReadProblem(`${at}.isWithheld is not true`)
  return { isWithheld: true }
}

const filled: Read<FilledArgument> = (value, at) => {
  const table = closed(value, at, ['path', 'schema', 'beside'])
  const { schema } = table
  if (typeof schema !== 'boolean' && !isSchemaObject(schema))
    throw new ReadProblem(`${at}.schema is no JSON Schema`)
  return {
    path: matching(/^[A-Za-z0-9_.-]*$/, 'names no argument')(table['path'], `${at}.path`),
    schema,
    beside: matching(/^(?:[0-9a-f]{64})?$|^not compared$/, 'is no digest')(table['beside'], `${at}.beside`),
  }
}
