// A question for a secret → the prompt, where a person can be asked. The prompt is loaded for a question alone.
import { RlpError } from '../model/error.ts'
import type { Io } from './command.ts'

interface Asking {
  /** For the message: `log in`. */
  readonly doing: string
  /** What is asked for: `password`. */
  readonly what: string
  /** How it is given without a person. */
  readonly hint: string
}

/** @throws RlpError NEEDS_ANSWER where no person can be asked */
export async function openSecretPrompt(io: Io, { doing, what, hint }: Asking) {
  if (!io.isTTY.stdin || !io.isTTY.stderr)
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: no person can be asked for the ${what}`, { hint })
  const prompt = await import('./secret-prompt.ts')
  // Whatever is written takes away how far the work is: a question must not begin behind it.
  io.stderr('')
  return prompt
}
