// What an archive or a folder holds → the first limit that it is beyond, in words. Readers of all forms say the same.
import { byteLimit } from '../model/limits.ts'
import { type Limits, MAX_FILE_BYTES } from './header.ts'

/**
 * @param files so many, the last included
 * @param total their bytes
 */
export function beyondLimits(
  { files, total, last }: { files: number; total: number; last?: { path: string; size: number } | undefined },
  limits: Limits,
): string | undefined {
  const largest = Math.min(limits.fileBytes, MAX_FILE_BYTES)
  if (files > limits.files) return `it holds more than ${limits.files} files`
  if (last !== undefined && last.size > largest) return `${last.path} is larger than ${byteLimit(largest)}`
  return total > limits.totalBytes ? `it holds more than ${byteLimit(limits.totalBytes)}` : undefined
}
