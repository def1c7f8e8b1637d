// Lists that a registry gives in pages. A link to the next page leads to the same server or nowhere, and there is an end to them.

import { RlpError } from '../../model/error.ts'
import { MAX_MANIFEST_BYTES } from '../../oci/document.ts'
import type { Client } from './client.ts'
import { refusedAnswer } from './refused-answer.ts'

export interface RegistryPage {
  readonly bytes: Uint8Array
  /** Without parameters, lower case. */
  readonly mediaType: string
}

/** @returns undefined if the first page is not there. After the last of `most` pages with more behind it: throws STORE. */
export async function* pagesOf(
  client: Client,
  to: string,
  { doing, most }: { readonly doing: string; readonly most: number },
): AsyncGenerator<RegistryPage, 'all' | 'not there'> {
  const seen = new Set<string>()
  let next: string | URL = to
  for (let count = 0; count < most; count++) {
    const { answer, url } = await client.ask({ method: 'GET', to: next, doing })
    if (answer.statusCode === 404 && count === 0) {
      answer.destroy()
      return 'not there'
    }
    if (answer.statusCode !== 200) throw await refusedAnswer(client, answer, doing)
    const bytes = await client.small(answer, MAX_MANIFEST_BYTES, doing)
    yield { bytes, mediaType: typeOf(answer.headers['content-type']) }
    const link = linkIn(answer.headers['link'])
    if (link === undefined) return 'all'
    const target = URL.canParse(link, url.href) ? new URL(link, url) : undefined
    if (target === undefined || !client.isOwn(target))
      throw wrong(doing, 'its list goes on at another server')
    if (seen.has(target.href)) throw wrong(doing, 'its list has no end')
    seen.add(target.href)
    next = target
  }
  throw wrong(doing, `its list has more than ${most} pages`)
}

export function typeOf(header: string | undefined): string {
  return (header ?? '').replace(/;.*$/s, '').trim().toLowerCase()
}

function linkIn(header: string | string[] | undefined): string | undefined {
  return /^\s*<([^<>]{1,4096})>\s*;\s*rel="?next"?/i.exec(String(header ?? ''))?.[1]
}

function wrong(doing: string, seen: string): RlpError {
  return new RlpError('STORE', `Cannot ${doing}: ${seen}`, { hint: 'Ask who keeps the registry' })
}
