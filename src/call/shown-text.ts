// Text that a server wrote → a piece of it that may stand in a message: short, on one line, without what steers a terminal, and without
// secrets. Masked before it is cut: half a secret is no longer known for one.
import { SecretMask, SHORTEST_SECRET } from '../format/secret-mask.ts'
import { shortText } from '../format/text/quote.ts'
import type { RunRequest } from '../model/run.ts'

/** Characters that are looked at. */
const LOOKED_AT = 16_384
/** Characters that are shown. */
const SHOWN = 200

/** Also without the secrets of other tools of the session: what one of them sent there may come back to another. */
export function shownText(text: string, { secrets, hide }: Pick<RunRequest, 'secrets' | 'hide'>): string {
  const mask = new SecretMask()
  for (const secret of secrets.values()) {
    for (const spelling of [secret, oneLine(secret), ...asHost(secret)]) {
      if (spelling.length >= SHORTEST_SECRET) mask.add(spelling)
    }
  }
  // Whoever cut the text may have cut through a secret.
  const seen = oneLine(hide(text.slice(0, LOOKED_AT)))
  return shortText(mask.cutText(hide(seen)), SHOWN)
}

/** As a parsed url writes a host: in lower case, with other scripts as ASCII. */
function asHost(text: string): string[] {
  const url = `http://${text}.x/`
  const lower = text.toLowerCase()
  return URL.canParse(url) ? [lower, new URL(url).hostname.slice(0, -'.x'.length)] : [lower]
}

/** What nobody sees goes first: with it gone, the parts of a secret stand together. */
function oneLine(text: string): string {
  return shortText(text.replace(/\s+/g, ' ').trim(), Number.POSITIVE_INFINITY)
}
