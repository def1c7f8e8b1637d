// A file or a text → the SHA-256 of the token that askers at a port have to send.
import { namedPath } from '../../io/home.ts'
import { readOwn } from '../../io/owner/read-own.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { SERVICE_LIMITS } from '../../model/limits.ts'
import { tokenHash } from './asker.ts'
import type { ListenAddress } from './listen-address.ts'

/** @throws UsageError where none is needed, or one is; RlpError WRONG_FILE_TYPE, NO_PERMISSION for a file that others may write */
export async function askerToken(
  address: ListenAddress,
  file: string | undefined,
  cwd: string,
): Promise<Uint8Array | undefined> {
  if (address.is === 'unix') {
    if (file === undefined) return undefined
    throw new UsageError('Cannot use --token-file with a socket: its mode says who may ask', {
      field: 'token-file',
      hint: 'Leave it out',
    })
  }
  if (file === undefined)
    throw new UsageError('Cannot listen at a port without a token: every program of this machine could ask', {
      field: 'listen',
      hint: 'Add --token-file FILE, or listen at unix:PATH',
    })
  return tokenInFile(file, cwd)
}

/** @throws RlpError WRONG_FILE_TYPE, NO_PERMISSION for a file that others may write */
export async function tokenInFile(file: string, cwd: string): Promise<Uint8Array> {
  const bytes = await readOwn(namedPath(file, cwd), { most: SERVICE_LIMITS.mostToken })
  const refuse = (state: string) =>
    new RlpError('WRONG_FILE_TYPE', `Cannot use the token in "${file}": ${state}`, {
      hint: `Write one there, for example with: head -c 32 /dev/urandom | base64 > ${file}`,
    })
  if (bytes === undefined) throw refuse('it is not there')
  const token = Buffer.from(bytes)
    .toString('latin1')
    .replace(/\r?\n$/, '')
  return checkedToken(token, refuse)
}

/** @param refuse makes an error of a clause */
export function checkedToken(token: string, refuse: (state: string) => Error): Uint8Array {
  const { leastToken, mostToken } = SERVICE_LIMITS
  if (token.length < leastToken) throw refuse(`it has fewer than ${leastToken} characters`)
  if (token.length > mostToken) throw refuse(`it has more than ${mostToken} characters`)
  if (!/^[\x21-\x7e]+$/.test(token)) throw refuse('it has characters that no header can hold')
  return tokenHash(token)
}
