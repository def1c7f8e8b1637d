// Lists the calls of node:fs that some work makes.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Runs the work, and returns its calls in their order, such as `lstatSync /tmp`. Nothing else of the process may use files meanwhile.
 * A call of `fs.promises` is `promises.readFile /tmp/a`.
 */
export async function fileCalls(work: () => unknown): Promise<string[]> {
  const calls: string[] = []
  const restore = [watch(fs, '', calls), watch(fs.promises, 'promises.', calls)]
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    for (const one of restore) one()
    syncBuiltinESMExports()
  }
  return calls
}

function watch(holder: object, before: string, calls: string[]): () => void {
  const members = holder as Record<string, unknown>
  const originals = Object.entries(members).filter(
    (entry): entry is [string, (...given: unknown[]) => unknown] =>
      typeof entry[1] === 'function' && /^[a-z]/.test(entry[0]),
  )
  for (const [name, original] of originals)
    members[name] = (...given: unknown[]) => {
      calls.push(`${before}${name} ${String(given[0])}`)
      return Reflect.apply(original, holder, given)
    }
  return () => {
    for (const [name, original] of originals) members[name] = original
  }
}
