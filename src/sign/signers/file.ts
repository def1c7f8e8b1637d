// Keys in a PEM file: one of the user's by its name, or any by its path.

import { ioNow } from '../../io/fail.ts'
import { nearLabel } from '../../io/home.ts'
import { readOwn } from '../../io/owner/read-own.ts'
import { Ways } from '../../io/owner/ways.ts'
import { openFile, readWhole, withFile } from '../../io/read/read-file.ts'
import { RlpError } from '../../model/error.ts'
import { writePath } from '../../text/shell-words.ts'
import { filesOfKey, isKeyName, keyTooLarge, MOST_KEY_BYTES, pathOfKey } from '../named-keys.ts'
import type { KeyQuery, SignerKind } from './kind.ts'
import { privateKeyIn, publicKeyIn, signerIn } from './pem.ts'

export const file: SignerKind = {
  open: async query => signerIn(await textOf(query, 'private'), query),
  privateKey: async query => privateKeyIn(await textOf(query, 'private'), query),
  publicKey: async query => publicKeyIn((await publicHalf(query)) ?? (await textOf(query, 'public')), query),
}

/** The public file beside a named key. Its owner gives this key to others, who then trust it. So no other user may write the file. */
async function publicHalf({ which, home }: KeyQuery): Promise<string | undefined> {
  const bytes = isKeyName(which)
    ? await readOwn(filesOfKey(which, home).publicPath, new Ways(), { most: MOST_KEY_BYTES })
    : undefined
  return bytes && Buffer.from(bytes).toString('latin1')
}

async function textOf({ which, cwd, home }: KeyQuery, half: 'private' | 'public'): Promise<string> {
  const path = pathOfKey(which, cwd, home)
  const label = nearLabel(path, cwd)
  const opening = openFile(path, { follow: true, label }).catch((error: unknown) => {
    throw isKeyName(which) ? noSuchKey(error, which, half) : error
  })
  return withFile(opening, async file => {
    const { mode } = ioNow(`look at "${label}"`, () => file.handle.stat())
    if (file.size > MOST_KEY_BYTES) throw keyTooLarge(label, file.size)
    const text = Buffer.from(await readWhole(file)).toString('latin1')
    const isOpen = process.getuid !== undefined && (mode & 0o077) !== 0
    if (isOpen && (half === 'private' || text.includes('PRIVATE KEY')))
      throw new RlpError('NO_PERMISSION', `Cannot use "${label}" as a key: others can read it`, {
        hint: `Run chmod 600 ${writePath(label)}, and think about who may have read it`,
      })
    return text
  })
}

/** A name leads to a path that the user has not typed, so the hint is about names. */
function noSuchKey(error: unknown, which: string, half: 'private' | 'public'): unknown {
  if (!(error instanceof RlpError) || error.code !== 'NOT_FOUND') return error
  const make = half === 'private' ? `, and rlp key generate ${which} makes this one` : ''
  return new RlpError(error.code, error.message, {
    cause: error,
    hint: `rlp key list shows the keys that are there${make}. A file is named with its path: ./${which}`,
  })
}
