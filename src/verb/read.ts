// Reads the inputs of one call, from the arguments of a command line or from what a program hands in.
import { camelCase } from '../cli/option.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { type AnyInput, flagOf, type InputTable } from './input.ts'
import { type AnyVerb, functionName } from './verb.ts'
import type { World } from './world.ts'

type Values = Readonly<Record<string, unknown>>

/** @param args of the command line, by flag in camelCase. @throws UsageError */
export function readTyped({ inputs, arguments: places = [] }: AnyVerb, args: Values, world: World) {
  return readAll(inputs, world, (name, input) => {
    if (input.fromTyped === undefined) return undefined
    const flag = flagOf(name, input)
    const typed = input.flags === undefined ? own(args, camelCase(flag)) : args
    const spelt = places.includes(name) ? flag : `--${flag}`
    return typed === undefined
      ? undefined
      : { value: input.fromTyped(typed as never, { world, spelt, field: flag }) }
  })
}

/** @param given the parameters and the options of a call, by name. @throws UsageError for a value of another type, and for one that is missing */
export function readGiven(verb: AnyVerb, given: Values, world: World) {
  return readAll(verb.inputs, world, (name, input) => {
    const value = own(given, name)
    if (value === undefined && input.isNeeded && input.fromGiven !== undefined)
      throw new UsageError(`Cannot call ${functionName(verb)}: ${name} is missing`, {
        field: name,
        ...(input.type !== undefined && { expected: input.type }),
        hint: `Give ${name}${input.typed === undefined ? '' : `: ${input.typed.describe}`}`,
      })
    if (value === undefined || input.fromGiven === undefined) return undefined
    return { value: input.fromGiven(value as never, { world, spelt: name, field: name }) }
  })
}

async function readAll(
  inputs: InputTable,
  world: World,
  readOne: (name: string, input: AnyInput) => { readonly value: unknown } | undefined,
): Promise<Values> {
  const asked = Object.create(null)
  for (const [name, input] of Object.entries(inputs)) {
    try {
      const read = readOne(name, input)
      asked[name] = await (read === undefined ? input.absent?.(world) : read.value)
    } catch (error) {
      throw withField(error, name)
    }
  }
  return asked
}

/** What a reader refuses names the input, also where the reader does not. */
function withField(error: unknown, field: string): unknown {
  if (!(error instanceof RlpError) || error.code !== 'USAGE') return error
  if (error instanceof UsageError && error.field !== undefined) return error
  return new UsageError(error.message, { field, hint: error.hint })
}
