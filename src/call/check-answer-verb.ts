// What the library offers for answers of tools: whether one keeps the tool contract, and fits its schema.
import { isUint8Array } from 'node:util/types'
import { type CallerOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { UsageError } from '../model/usage-error.ts'
import { type CheckedAnswer, checkAnswer } from './checked-answer.ts'

export interface CheckAnswerOptions extends CallerOptions {
  /** A file with a JSON Schema that the result has to fit. */
  readonly schema?: PathGiven
  /** The tool that answered, and the folder of its agent: the result has to fit its `result_schema`. */
  readonly tool?: string
  readonly agent?: PathGiven
  /** Hold it to agentcli's page instead: what the program wrote to standard error, and how it ended. */
  readonly agentcli?: { readonly stderr?: string | Uint8Array; readonly exitCode?: number }
}

/**
 * Whether what a tool answered keeps the tool contract. Remarks do not make it fail.
 *
 * @param answer what the tool printed
 *
 * @example
 * const { passed, remarks } = await checkAnswer('{"ok":true,"result":{"sent":1}}', { schema: 'sent.schema.json' })
 * console.log(passed, remarks)
 *
 * @throws {@link RlpError} `USAGE` for a schema that is no schema, `NOT_FOUND`, `LINT_FAILED` for an agent that cannot be read, `CANCELLED`
 */
export async function checkAnswerOf(
  answer: string | Uint8Array,
  options: CheckAnswerOptions = {},
): Promise<CheckedAnswer> {
  return runVerb('checkAnswer', options, async (given, io) => {
    const { schema, tool, agent, agentcli } = given
    const isJudged = [schema, tool, agent].some(one => one !== undefined)
    const asked = {
      schema: schema === undefined ? undefined : pathGiven(schema, io, 'use schema'),
      ...{ tool, agentsDir: io.cwd },
      agent: agent === undefined ? undefined : pathGiven(agent, io, 'use agent'),
    }
    const against = isJudged
      ? await (await import('./answer-schema.ts')).answerSchemaOf(asked, io)
      : undefined
    const { stderr = '', exitCode = 0 } = agentcli ?? {}
    const end = agentcli && { stderr: bytesOf(stderr, 'stderr'), exitCode }
    return checkAnswer(bytesOf(answer, 'answer'), against, end)
  })
}

function bytesOf(given: string | Uint8Array, field: string): Uint8Array {
  if (typeof given === 'string') return new TextEncoder().encode(given)
  if (isUint8Array(given)) return given
  throw new UsageError(`Cannot check an answer: ${field} is ${given === null ? 'null' : typeof given}`, {
    field,
    hint: 'Give a text or bytes',
  })
}
