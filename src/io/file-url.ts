// A `file:` url → the path that it names.
import { fileURLToPath } from 'node:url'
import { RlpError } from '../model/error.ts'
import { classMember, inherits } from '../model/own.ts'
import { meantHint } from '../oci/reference.ts'

/**
 * @param doing for the message, in the grammar of messages: `verify a bundle`
 * @throws RlpError USAGE for a url of another kind, or one that names no file of this machine
 */
export function pathOfUrl(url: string | URL, doing: string): string {
  const text = String(url)
  if (!/^file:/i.test(text))
    throw new RlpError('USAGE', `Cannot ${doing} "${text}": rlp fetches nothing from the network`, {
      hint: meantHint(text, 'Download it first, then name the file'),
    })
  const refused = (cause?: unknown) =>
    new RlpError('USAGE', `Cannot ${doing} "${text}": it names no file of this machine`, {
      cause,
      hint: 'Write file:// and an absolute path',
    })
  let path: string
  try {
    path = fileURLToPath(text)
  } catch (cause) {
    // Node's words for a host, an encoded slash or a text that is no url.
    throw refused(cause)
  }
  if (path.includes('\0')) throw refused()
  return path
}

/** By its members: a test runner may have a `URL` of its own. A plain object with such members is not a URL. */
export function isUrl(value: unknown): value is URL {
  if (typeof value !== 'object' || value === null || !inherits(value)) return false
  const href = classMember(value, 'href')
  return typeof href === 'string' && classMember(value, 'protocol') !== undefined && URL.canParse(href)
}
