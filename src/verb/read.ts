// Reads the inputs of one call, from the arguments of a command line or from what a program hands in.
import { camelCase } from '../cli/option.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { own, ownMembers } from '../model/own.ts'
import { type AnyInput, flagOf, type InputTable } from './input.ts'
import { type AnyVerb, functionName } from './verb.ts'
import type { World } from './world.ts'

type Values = Readonly<Record<string, unknown>>

/** @param args of the command line, by flag in camelCase. @throws UsageError */
export function readTyped(
  { inputs, arguments: places = [] }: Pick<AnyVerb, 'inputs' | 'arguments'>,
  args: Values,
  world: World,
) {
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
export function readGiven(verb: Pick<AnyVerb, 'name' | 'called' | 'inputs'>, given: Values, world: World) {
  return readAll(verb.inputs, world, (name, input) => {
    const value = own(given, name)
    if (value === undefined && input.isNeeded && input.fromGiven !== undefined)
      throw new UsageError(`Cannot call ${functionName(verb)}: ${name} is missing`, {
        field: name,
        expected: input.type,
        hint: `Give ${name}${input.typed === undefined ? '' : `: ${input.typed.describe}`}`,
      })
    if (value === undefined || input.fromGiven === undefined) return undefined
    const at = { world, spelt: name, field: name }
    return { value: naming(name, () => input.fromGiven?.(value as never, at)) }
  })
}

async function readAll(
  inputs: InputTable,
  world: World,
  readOne: (name: string, input: AnyInput) => { readonly value: unknown } | undefined,
): Promise<Values> {
  const asked: Record<string, unknown> = ownMembers({})
  for (const name of Object.keys(inputs)) {
    const input = own(inputs, name) as AnyInput
    const read = readOne(name, input)
    const value = read === undefined ? input.absent?.(world) : read.value
    // Most are there at once, and each wait is a turn.
    asked[name] = value instanceof Promise ? await value : value
  }
  return asked
}

/** Reads at once. What the reader refuses then names the option or the parameter, whatever the reader calls it. */
function naming<T>(field: string, read: () => T): T | Promise<Awaited<T>> {
  try {
    const value = read()
    return value instanceof Promise ? value.catch(error => refuseNamed(field, error)) : value
  } catch (error) {
    return refuseNamed(field, error)
  }
}

function refuseNamed(field: string, error: unknown): never {
  if (!(error instanceof RlpError) || error.code !== 'USAGE') throw error
  const { expected } = error as Partial<UsageError>
  throw new UsageError(error.message, { field, hint: error.hint, expected })
}
