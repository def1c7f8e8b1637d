// What the library offers of the cases of an agent: each is called, and compared.
import { type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { UNANSWERED } from './context.ts'
import { openSource, readCallable } from './open-source.ts'
import { type TestedAgent, testAgent } from './run-cases.ts'
import { type SessionGiven, sessionGiven } from './session.ts'

export interface TestOptions extends SessionGiven {
  /** Confirm every call in advance; without it a call that wants a person's yes is refused. */
  readonly yes?: boolean
}

/**
 * Runs the cases in `tests/*.json` of an agent's folder, one after the other, without verification.
 *
 * @example
 * const { results } = await testTools('agents/mailer')
 * for (const { name, problem } of results) if (problem !== undefined) console.log(`${name}: ${problem}`)
 *
 * @throws {@link RlpError} `LINT_FAILED` for an agent with errors, and for a file that holds no cases; `CANCELLED`
 */
export async function testPath(path: PathGiven, options: TestOptions = {}): Promise<TestedAgent> {
  return runVerb('testTools', options, async (given, io) => {
    const target = targetGiven(path, io, 'test')
    const source = await readCallable('test', target, io)
    const agent = await openSource('test', target, source, io)
    const confirm = given.yes === true ? async () => 'approved' as const : UNANSWERED
    const session = await sessionGiven(given, confirm, io)
    try {
      return await testAgent(target, { is: 'open', target, agent, isTrusted: false }, session, io.signal)
    } finally {
      await session.close()
    }
  })
}
