// Lists the repositories of a registry, page by page. Everything in the list is the registry's word: a page that leads elsewhere, or brings
// nothing new, ends it as incomplete.
import { createHash, randomBytes } from 'node:crypto'
import { own } from '../../model/own.ts'
import { MAX_MANIFEST_BYTES, readObject } from '../../oci/document.ts'
import { repositoryProblem } from '../../oci/reference.ts'
import { type Client, refusedAnswer } from './client.ts'
import { linkIn } from './referrers.ts'

/** Registries refuse to send more at once. */
const PAGE = 1000
const MOST_NAMES = 10_000_000
/** As many names, if a registry sends only a hundred at once. */
const MOST_PAGES = 100_000

/** For tests. */
export interface CatalogLimits {
  readonly names: number
  readonly pages: number
}

/**
 * The names of each page that were not on an earlier one.
 * @returns why there may be more; undefined when these are all
 * @throws RlpError as {@link Client.ask} does, and for an answer other than 200
 */
export async function* catalogPages(
  client: Client,
  doing: string,
  most: CatalogLimits = { names: MOST_NAMES, pages: MOST_PAGES },
): AsyncGenerator<readonly string[], string | undefined> {
  const met = new MetNames()
  let to: string | URL = `_catalog?n=${PAGE}`
  for (let count = 0; count < most.pages; count++) {
    const { answer, url } = await client.ask({ method: 'GET', to, doing })
    if (answer.statusCode !== 200) throw await refusedAnswer(client, answer, doing)
    const link = linkIn(answer.headers['link'])
    const names = namesIn(await client.small(answer, MAX_MANIFEST_BYTES, doing))
    if (names === undefined) return 'the answer is no list of repositories'
    const isName = (name: unknown): name is string =>
      typeof name === 'string' && repositoryProblem(name, client.host) === undefined
    const fresh = names.filter(isName).filter(name => met.add(name))
    yield fresh
    if (!names.every(isName)) return 'the list holds a name that no repository can have'
    if (met.size >= most.names) return `the list has ${most.names} names, and more are not read`
    if (names.length === 0 && link === undefined) return undefined
    if (fresh.length === 0) return 'a page of the list names no repository that an earlier one does not name'
    if (link === undefined && names.length < PAGE) return undefined
    // A registry that sends no link says with a full page that there may be more.
    const next = link ?? `${url.pathname}?n=${PAGE}&last=${encodeURIComponent(`${names.at(-1)}`)}`
    to = URL.canParse(next, url.href) ? new URL(next, url) : url
    if (!client.isOwn(to) || to.pathname !== client.url('_catalog').pathname)
      return 'the list goes on at another place'
  }
  return `the list has more than ${most.pages} pages`
}

function namesIn(bytes: Uint8Array): readonly unknown[] | undefined {
  const read = readObject(bytes)
  // A list without members is null where a registry is written in Go.
  const list = 'problem' in read ? undefined : (own(read.value, 'repositories') ?? [])
  return Array.isArray(list) ? list : undefined
}

/**
 * Names that were met, in eight to sixteen bytes each: ten million fit. Their digests have a key that is drawn at random, so that a name
 * cannot be chosen to hide another one.
 */
export class MetNames {
  readonly #key = randomBytes(32)
  #slots = new BigUint64Array(1024)
  size = 0

  /** Whether it was not met before. */
  add(name: string): boolean {
    const digest = createHash('sha256').update(this.#key).update(name).digest()
    // Zero is an empty slot.
    if (!put(this.#slots, digest.readBigUInt64LE() | 1n)) return false
    this.size++
    if (this.size * 4 > this.#slots.length * 3) {
      const larger = new BigUint64Array(this.#slots.length * 2)
      for (const one of this.#slots) if (one !== 0n) put(larger, one)
      this.#slots = larger
    }
    return true
  }
}

/** False if it is there. The number of slots is a power of two, and one is empty. */
function put(slots: BigUint64Array, value: bigint): boolean {
  let at = Number((value >> 1n) & BigInt(slots.length - 1))
  for (; slots[at] !== 0n; at = (at + 1) & (slots.length - 1)) if (slots[at] === value) return false
  slots[at] = value
  return true
}
