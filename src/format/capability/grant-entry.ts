// One entry of a list in policy.caps → why it grants nothing.

import type { PolicyKey } from '../policy/write.ts'
import { quoteText } from '../text/quote.ts'
import { readHostPort } from './host.ts'

/** One sentence without a full stop, and the edit that fixes it. */
export interface EntryProblem {
  readonly message: string
  readonly fix: string
}

/** Undefined if the entry is valid in the list at `key`. */
export function entryProblem(key: PolicyKey, entry: string): EntryProblem | undefined {
  return textProblem(entry) ?? formProblem(key, entry)
}

/** Some readers trim an entry, others do not; a C library ends it at a NUL. */
function textProblem(entry: string): EntryProblem | undefined {
  if (/[\x00-\x1f\x7f-\x9f]/.test(entry)) {
    return { message: `${quoteText(entry)} has a control character`, fix: 'Write the entry without it' }
  }
  if (entry.trim() === '') return { message: 'The entry is empty', fix: 'Remove it or name what is granted' }
  if (entry.trim() === entry) return undefined
  const message = `${quoteText(entry)} has white space around it, which some runtimes drop and others compare`
  return { message, fix: `Write ${quoteText(entry.trim())}` }
}

function formProblem(key: PolicyKey, entry: string): EntryProblem | undefined {
  switch (key) {
    case 'fs':
    case 'fs_ro':
    case 'fs_rw':
      return folderProblem(entry)
    case 'net':
      return hostProblem(entry)
    case 'exec':
      return programProblem(entry)
    default:
      return nameProblem(entry)
  }
}

function hostProblem(entry: string): EntryProblem | undefined {
  const host = readHostPort(entry)
  if (!('problem' in host)) return undefined
  return {
    message: `${quoteText(entry)} grants no host: ${host.problem}`,
    fix: 'Write host or host:port, a name in another script in punycode',
  }
}

function folderProblem(entry: string): EntryProblem | undefined {
  const isPlain = !entry.split('/').some(segment => segment === '..' || segment === '.')
  if (/^~?\//.test(entry) && isPlain) return undefined
  return {
    message: `${quoteText(entry)} is not an absolute folder`,
    fix: 'Write an absolute path, or one that begins with ~/, without . and .. segments, backslashes and control characters',
  }
}

function nameProblem(entry: string): EntryProblem | undefined {
  if (entry.includes('*')) return { message: `${quoteText(entry)} has a wildcard`, fix: 'Name each one' }
  return undefined
}

function programProblem(entry: string): EntryProblem | undefined {
  if (isProgramPath(entry)) return undefined
  return {
    message: `${quoteText(entry)} is not the absolute path of a program`,
    fix: 'Write for example /usr/bin/jq',
  }
}

/** Whether a text is an absolute path in plain form: capability strings are compared as text. A template could become any path. */
export function isProgramPath(text: string): boolean {
  return /^(?:\/[^/\0]+)+$/.test(text) && !/\/\.\.?(?:\/|$)/.test(text) && !text.includes('{{')
}
