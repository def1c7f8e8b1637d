// The library's `digest`: writes the digests of an agent's files into its manifest.
import { type LongOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { type DigestResult, digestAgent } from './digest-agent.ts'

export interface DigestOptions extends LongOptions {
  /** Write nothing: say what would change. */
  readonly check?: boolean
}

/**
 * Writes the BLAKE3 digest of each file into manifest.toml, and touches nothing else in it.
 *
 * @example
 * const { changes } = await digest('agents/mailer', { check: true })
 * if (changes.length > 0) console.log(`stale: ${changes.map(({ path }) => path).join(', ')}`)
 *
 * @throws {@link RlpError} `LINT_FAILED` when the manifest cannot be read, `NOT_EDITABLE` when it leaves no place for a digest, `CANCELLED`
 */
export async function digestPath(path: PathGiven, options: DigestOptions = {}): Promise<DigestResult> {
  return runVerb('digest', options, (given, io) =>
    digestAgent(targetGiven(path, io, 'digest'), given.check === true, io),
  )
}
