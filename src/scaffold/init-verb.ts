// What the library offers of making an agent of a folder that exists.
import { type CallerOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { type Initialized, initAgent } from './init-agent.ts'

export interface InitOptions extends CallerOptions {
  /** Name of the agent; the folder's where this is left out. */
  readonly name?: string
  /** Write digests into a manifest that is there; otherwise one that needs them is refused. */
  readonly replace?: boolean
}

/**
 * Makes an agent of a folder that exists: writes what it lacks, and replaces no file but a manifest.toml that needs digests, with `replace`.
 *
 * @example
 * const { files } = await init('services/mailer', { name: 'mailer' })
 * console.log(files)
 *
 * @throws {@link RlpError} `EXISTS` for a manifest that would be replaced; then nothing was written. `USAGE`, `NOT_FOUND`, `WRONG_FILE_TYPE`,
 * `LINT_FAILED`, `CANCELLED`
 */
export async function initPath(folder: PathGiven, options: InitOptions = {}): Promise<Initialized> {
  return runVerb('init', options, (given, io) => {
    const target = targetGiven(folder, io, 'make an agent of')
    const confirm = async () => {
      if (given.replace === true) return
      throw new RlpError('EXISTS', `Cannot change "${target.label}": ${MANIFEST_FILE} would be replaced`, {
        hint: 'Pass replace: true, which writes its digests and nothing else of it',
      })
    }
    return initAgent(target, given.name, confirm, io)
  })
}
