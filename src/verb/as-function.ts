// Makes the function of the library from a verb. What is handed in is copied, unknown options are refused, and the answer cannot be changed.
import { runloopHome } from '../io/home.ts'
import type { LongOptions } from '../io/library/caller.ts'
import { copyChangeable, copyGiven, runFunction } from '../io/library/verb.ts'
import { own } from '../model/own.ts'
import { readGiven } from './read.ts'
import { type AnyVerb, functionName, optionsOf, parametersOf } from './verb.ts'
import type { World } from './world.ts'

/** What its function answers with. */
export type AnswerOf<V> = V extends { answer?(outcome: never): infer Answer } ? Awaited<Answer> : never

const CALLER = ['cwd', 'env', 'signal'] as const

/**
 * The types of the function are written by scripts/list-functions.ts, from the same declaration.
 * @throws RlpError USAGE for a value of another type, an option that there is not, and a parameter that is missing; whatever `run` throws
 */
export function functionOf<V extends AnyVerb, Call extends (...given: never[]) => Promise<AnswerOf<V>>>(
  verb: V,
): Call {
  const name = functionName(verb)
  const parameters = parametersOf(verb)
  const known = [...CALLER, ...(verb.isLong ? ['onProgress'] : []), ...optionsOf(verb)]
  const live = Object.keys(verb.inputs).filter(input => own(verb.inputs, input)?.isLive)
  const call = (...given: unknown[]) => {
    const copied = parameters.map((parameter, index) =>
      live.includes(parameter) ? copyChangeable(given[index]) : copyGiven(given[index], parameter),
    )
    const { [parameters.length]: options = {} } = given
    return runFunction({ name, known, live }, options as LongOptions, async (options, setting) => {
      const named = Object.fromEntries(parameters.map((parameter, index) => [parameter, copied[index]]))
      const world: World = {
        ...setting,
        home: async () => runloopHome(setting.env),
        spelt: input => input,
        tell: () => {},
      }
      const asked = await readGiven(verb, { ...options, ...named }, world)
      const outcome = await verb.run(asked as never, world)
      return verb.answer === undefined ? outcome : verb.answer(outcome as never)
    })
  }
  return (async (...given: unknown[]) => call(...given)) as unknown as Call
}
