// Gives every program that root starts in the sandbox another user than the one before it.
import { takeUser } from '../../src/io/owner/other-user.ts'
import { IS_ROOT } from './run.ts'

const NEVER = new AbortController().signal
const held: (() => void)[] = []

/**
 * Holds the first free number for the rest of this process, if it is root's, so that the next program gets a number that no program of
 * this process had. Otherwise, two programs that start one after the other are the same user on a quiet machine and two users on a busy
 * one, where other calls hold the first number: a test that needs the same user would fail there alone, as with a file that the first
 * program made in a sticky folder.
 */
export async function useUpUser(): Promise<void> {
  if (!IS_ROOT) return
  const { release } = await takeUser(NEVER)
  if (held.length === 0) process.once('exit', releaseAll)
  held.push(release)
}

function releaseAll(): void {
  for (const release of held) release()
}
