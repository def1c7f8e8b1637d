// The functions of the library and their options: those of the verbs in src/<room>/verbs/, and those that are written by hand.
import type { AnyCommand } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/generated/commands.ts'
import { verb as summarize } from '../../src/evidence/verbs/summarize.ts'
import { VERB_OPTIONS } from '../../src/io/library/known-options.ts'
import { type AnyVerb, functionName, optionsOf } from '../../src/verb/verb.ts'

export interface DeclaredVerb {
  /** The function of the library. */
  readonly name: string
  readonly verb: AnyVerb
  /** Undefined for a function without a command of its own. */
  readonly command: AnyCommand | undefined
}

interface CommandModule {
  readonly command: AnyCommand
  readonly verb?: AnyVerb
}

const loaded: readonly CommandModule[] = await Promise.all(Object.values(COMMANDS).map(({ load }) => load()))

export const DECLARED_VERBS: readonly DeclaredVerb[] = [
  ...loaded.flatMap(({ verb, command }) =>
    verb === undefined ? [] : [{ name: functionName(verb), verb, command }],
  ),
  { name: functionName(summarize), verb: summarize, command: undefined },
]

/** The options of each function that takes some. */
export const FUNCTION_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  ...VERB_OPTIONS,
  ...Object.fromEntries(
    DECLARED_VERBS.map(({ name, verb }) => [
      name,
      ['cwd', 'env', 'signal', ...(verb.isLong ? ['onProgress'] : []), ...optionsOf(verb)],
    ]),
  ),
}
