// The verbs, and the options of the functions that are made of them.
import { verb as callTool } from '../../src/call/verbs/call.ts'
import { verb as dev } from '../../src/call/verbs/dev.ts'
import { verb as runAgent } from '../../src/call/verbs/run.ts'
import { verb as serveTools } from '../../src/call/verbs/serve.ts'
import type { AnyCommand } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/generated/commands.ts'
import { verb as summarize } from '../../src/evidence/verbs/summarize.ts'
import { verb as openGate } from '../../src/gate/verbs/gate.ts'
import { verb as countersign } from '../../src/registry/verbs/countersign.ts'
import { verb as listVersions } from '../../src/registry/verbs/list-versions.ts'
import { type AnyVerb, functionName, optionsOf } from '../../src/verb/verb.ts'
import { verb as loadBundle } from '../../src/verify/verbs/load.ts'
import { verb as verifyBundle } from '../../src/verify/verbs/verify.ts'

export interface DeclaredVerb {
  /** The function of the library. */
  readonly name: string
  readonly verb: AnyVerb
  /** Undefined for a function whose command is written by hand, or that has none. */
  readonly command: AnyCommand | undefined
}

interface CommandModule {
  readonly command: AnyCommand
  readonly verb?: AnyVerb
}

const loaded: readonly CommandModule[] = await Promise.all(Object.values(COMMANDS).map(({ load }) => load()))
/** The command of such a verb is written by hand, or there is none. */
const WITHOUT_COMMANDS: readonly AnyVerb[] = [
  ...[callTool, countersign, dev, listVersions, loadBundle],
  ...[openGate, runAgent, serveTools, summarize, verifyBundle],
]

/** Those of the small entry are left out: they are called as those of the main one. */
export const DECLARED_VERBS: readonly DeclaredVerb[] = [
  ...loaded.flatMap(({ verb, command }) =>
    verb === undefined ? [] : [{ name: functionName(verb), verb, command }],
  ),
  ...WITHOUT_COMMANDS.map(verb => ({ name: functionName(verb), verb, command: undefined })),
]

/** The options of each function that takes some. */
export const FUNCTION_OPTIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  DECLARED_VERBS.map(({ name, verb }) => [
    name,
    ['cwd', 'env', 'signal', ...(verb.isLong ? ['onProgress'] : []), ...optionsOf(verb)],
  ]),
)
