// Entries of an archive that were read → a tree of files; and the candidate of a bundle that was not.
import type { Candidate, Refusal } from '../../model/bundle.ts'
import type { RlpError } from '../../model/error.ts'
import { byPath, type FileEntry, type Files } from '../../model/files.ts'

/** A bundle of which nothing could be read. */
export function unreadCandidate(label: string, error: RlpError): Candidate {
  const { message, hint, code } = error
  const refusal: Refusal = {
    ...(code === 'LIMIT_EXCEEDED' ? { why: 'form' } : { why: 'io', error }),
    message,
    hint,
  }
  return { label, form: 'archive', files: filesOf([]), refusal }
}

export function filesOf(entries: readonly FileEntry[]): Files {
  const list = [...entries].sort(byPath)
  const index = new Map(list.map(entry => [entry.path, entry]))
  return {
    list,
    oddities: [],
    get: path => index.get(path),
    open: async function* (path) {
      const content = index.get(path)?.content
      if (content === undefined) throw new TypeError('the content of this entry was not kept')
      yield content
    },
  }
}
