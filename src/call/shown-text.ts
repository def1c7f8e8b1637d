// Text from a server → a piece of it for a message: short, one line, without control characters and secrets. Masked before it is cut,
// because half a secret would no longer be recognised.

import type { RunRequest } from '../model/run.ts'
import { SecretMask, SHORTEST_SECRET } from '../secret/secret-mask.ts'
import { shortText, withoutUnseen } from '../text/quote.ts'

/** Characters that are read. */
const LOOKED_AT = 16_384
/** Characters that are shown. */
const SHOWN = 200

/** Also without the secrets of the session's other tools: a secret sent by one may come back to another. */
export function shownText(text: string, { secrets, hide }: Pick<RunRequest, 'secrets' | 'hide'>): string {
  const mask = new SecretMask()
  for (const secret of secrets.values()) {
    for (const spelling of [secret, oneLine(secret), ...asHost(secret)]) {
      if (spelling.length >= SHORTEST_SECRET) mask.add(spelling)
    }
  }
  // The cut may have gone through a secret.
  const seen = oneLine(hide(text.slice(0, LOOKED_AT)))
  return shortText(mask.cutText(hide(seen)), SHOWN)
}

/** A parsed url writes a host in lower case, and other scripts as ASCII. */
function asHost(text: string): string[] {
  const url = `http://${text}.x/`
  const lower = text.toLowerCase()
  return URL.canParse(url) ? [lower, new URL(url).hostname.slice(0, -'.x'.length)] : [lower]
}

/** Invisible characters go first: without them the parts of a secret are adjacent and can be masked. */
function oneLine(text: string): string {
  return withoutUnseen(text.replace(/\s+/g, ' ').trim())
}
