// A tool as a caller of the library hands it in → the same, with members of the right kinds. What it says is judged by lint.

import { copyGiven } from '../io/library/verb.ts'
import { UsageError } from '../model/error.ts'
import { isTable, own } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import { TRANSPORTS } from '../tools/transports/index.ts'

const isText = (value: unknown) => typeof value === 'string'
const isSchema = (value: unknown) => typeof value === 'boolean' || isTable(value)
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)

/** Types are gone at run time. */
const KINDS: { readonly [Name in keyof Tool]-?: readonly [what: string, is: (value: unknown) => boolean] } = {
  id: ['a text', isText],
  description: ['a text', isText],
  transport: [
    `an object of the kind ${TRANSPORTS.map(({ kind }) => kind).join(' or ')}`,
    value => isTable(value) && TRANSPORTS.some(({ kind }) => kind === value['kind']),
  ],
  inputSchema: ['a JSON Schema', isSchema],
  resultSchema: ['a JSON Schema', isSchema],
  capabilities: ['a list of texts', isTexts],
  secrets: ['a list of texts', isTexts],
  tags: ['a list of texts', isTexts],
  schemaRefs: ['an object', isTable],
  requiresConfirmation: ['true or false', value => typeof value === 'boolean'],
  budget: ['an object', value => value === undefined || isTable(value)],
  rlp: ['an object', isTable],
}

/** @returns a copy. @throws UsageError for a member that is missing, or of another kind */
export function toolGiven(given: Tool): Tool {
  const tool = copyGiven(given, 'the tool')
  if (!isTable(tool)) throw new UsageError('Cannot use the tool: it is no object', { field: 'tool' })
  for (const [name, [what, is]] of Object.entries(KINDS))
    if (!is(own(tool, name)))
      throw new UsageError(`Cannot use the tool: its ${name} is not ${what}`, {
        field: name,
        hint: 'A tool has every member that the tools of a loaded bundle have',
      })
  return tool as unknown as Tool
}
