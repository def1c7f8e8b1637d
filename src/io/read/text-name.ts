// Names of files are bytes, and paths here are texts: a name that is not UTF-8 has no path.
import { RlpError } from '../../model/error.ts'

/** Node reads U+FFFD in place of bytes that are not UTF-8, and finds nothing by such a name. */
export function isTextName(name: string): boolean {
  return !name.includes('\ufffd')
}

export function refuseName(label: string): never {
  throw new RlpError('USAGE', `Cannot read "${label}": its name is not UTF-8, or has U+FFFD`, {
    hint: 'Rename it, or leave it out with .bundleignore',
  })
}
