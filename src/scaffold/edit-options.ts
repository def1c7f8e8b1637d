// The options of `tool edit` and the tool as it is → the tool as it shall be.
import { type ArgsOf, camelCase, type OptionTable } from '../cli/option.ts'
import type { Answers } from '../cli/wizard/question.ts'
import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import { toolWith, valueIn } from '../tools/fields/index.ts'
import { TRANSPORTS, transportKind } from '../tools/transports/index.ts'
import { answersOf, extrasOf, TOOL_OPTIONS } from './tool-options.ts'
import { toolOf } from './wizard/tool-answer.ts'
import { type ToolContext, toolQuestions } from './wizard/tool-questions.ts'
import { answerAll } from './wizard/unasked.ts'

/** Those of `tool add`. What is left out stays; of a list, - alone empties it. */
export const CHANGE_OPTIONS = {
  ...TOOL_OPTIONS,
  id: { type: 'string', placeholder: 'ID', describe: 'a new id' },
  'requires-confirmation': { ...TOOL_OPTIONS['requires-confirmation'], negatable: true },
  stdin: { ...TOOL_OPTIONS.stdin, negatable: true },
} as const satisfies OptionTable

export type ChangeArgs = ArgsOf<typeof CHANGE_OPTIONS, readonly []>

/** The options that were given, without dashes. */
export function givenFlags(args: ChangeArgs): string[] {
  return Object.keys(CHANGE_OPTIONS).filter(flag => {
    const value = own<unknown>(args as Record<string, unknown>, camelCase(flag))
    return Array.isArray(value) ? value.length > 0 : value !== undefined
  })
}

/** @throws UsageError for a value that is refused or does not go with the others */
export async function toolFrom(
  old: Tool,
  args: ChangeArgs,
  context: ToolContext,
  cwd: string,
): Promise<Tool> {
  const flags = new Set(givenFlags(args))
  const given = await answersOf(
    {
      ...args,
      secret: cleared(args.secret),
      capability: cleared(args.capability),
      tag: cleared(args.tag),
      requiresConfirmation: args.requiresConfirmation ?? old.requiresConfirmation,
      stdin: args.stdin ?? false,
    },
    cwd,
  )
  const kind = transportKind(old.transport)
  const isSameKind = (given.get('kind') ?? kind.kind) === kind.kind
  const base = new Map<string, string>([
    ['id', old.id],
    ['description', old.description],
    ['kind', kind.kind],
    ['input-schema', JSON.stringify(old.inputSchema)],
    ['result-schema', JSON.stringify(old.resultSchema)],
    ...(isSameKind ? Object.entries(kind.asked.stated(old.transport)) : []),
  ])
  const answers: Answers = answerAll(
    known => toolQuestions(known, context),
    new Map([...base, ...given]),
    `change the tool "${old.id}"`,
    // What the file has is judged by lint: another fact of a wrong tool can be changed.
    given,
  )
  const extras = extrasOf({
    ...args,
    env: cleared(args.env),
    header: cleared(args.header),
    stdin: args.stdin ?? false,
    requiresConfirmation: false,
  })
  const headers =
    flags.has('header') || !isSameKind || !('headers' in old.transport)
      ? extras.headers
      : old.transport.headers
  const made = toolOf(answers, context, { ...extras, headers })
  return onlyGiven(old, made, flags)
}

/** What no option speaks of stays as it is, to the order of a list. What only one kind of transport has goes with the kind. */
function onlyGiven(old: Tool, made: Tool, flags: ReadonlySet<string>): Tool {
  const isMoved = made.transport.kind !== old.transport.kind
  const ofKinds = TRANSPORTS.flatMap(({ asked }) => asked.flags)
  return toolWith((name, field) => {
    const [was, is] = [valueIn(old, name), valueIn(made, name)]
    const isGiven = Object.keys(field.flags).some(
      flag => flags.has(flag) || (isMoved && ofKinds.includes(flag)),
    )
    if (!isGiven) return was
    return field.edited === undefined ? is : field.edited(was, is)
  })
}

/** `-` alone empties it. An empty list would mean that the option was left out. */
function cleared(list: readonly string[]): readonly string[] {
  return list.length === 1 && list[0] === '-' ? [] : list
}

/** @throws UsageError if nothing shall change */
export function refuseNothing(args: ChangeArgs, grant: boolean): void {
  if (grant || givenFlags(args).length > 0) return
  throw new UsageError('Cannot run "rlp tool edit": no option says what to change', {
    hint: 'Name what is new, for example --description TEXT or --url URL; --grant grants what the tool needs',
  })
}
