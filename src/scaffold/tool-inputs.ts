// The inputs of the verbs for tools: tools, and changes of one, as a program hands them in. Lint judges what their members say.
import { UsageError } from '../model/error.ts'
import { isTable, own } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import { TRANSPORTS } from '../tools/transports/index.ts'
import { type At, checked, type InputTable, isText, isTexts, whether } from '../verb/index.ts'

/** @interface GrantingOptions */
export const GRANTING = {
  /** Also write into policy.caps what the tool needs and the policy lacks. Without it `missing` says what that is. */
  grant: whether('grant in policy.caps what the tool needs and the policy lacks'),
} as const satisfies InputTable

/** What may change of a tool. What is left out stays; with another `id` the tool is renamed. */
export type ToolChanges = Partial<Tool>

const isSchema = (value: unknown) => typeof value === 'boolean' || isTable(value)

/** Types are gone at run time. */
const MEMBER_KINDS: {
  readonly [Name in keyof Tool]-?: readonly [what: string, is: (value: unknown) => boolean]
} = {
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

/** @throws UsageError for a member that is missing, or of another kind */
export function toolGiven(tool: Tool): Tool {
  const members: Readonly<Record<string, unknown>> = { ...tool }
  for (const [name, [what, is]] of Object.entries(MEMBER_KINDS))
    if (!is(own(members, name)))
      throw new UsageError(`Cannot use the tool: its ${name} is not ${what}`, {
        field: name,
        hint: 'A tool has every member that the tools of a loaded bundle have',
      })
  return tool
}

/** @throws UsageError for what is no list of tools */
export function toolsGiven(given: readonly Tool[], at: At): readonly Tool[] {
  return checked(isList, 'a list of tools')(given, at).map(toolGiven)
}

function isList(value: unknown): value is readonly Tool[] {
  return Array.isArray(value)
}

/** @throws UsageError */
export function objectGiven<T>(given: T, at: At): T {
  return checked((value): value is T => isTable(value), 'an object')(given, at)
}
