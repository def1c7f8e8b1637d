// Lists the repositories below a prefix, as the registry lists them to this login, or its mirror. The list proves nothing about what is left out.
import { timed } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import { isObstacle, UsageError } from '../model/error.ts'
import { hostPortOf, ociPrefixText, readOciPrefix, readOciReference } from '../oci/reference.ts'
import { placeToList } from './open-store.ts'

/** How a list of repositories ended. */
export interface ListingEnd {
  /** The host that made the list; undefined if none was asked. */
  readonly host: string | undefined
  /** Why there may be more repositories; undefined when these are all that the host lists. */
  readonly incomplete: string | undefined
}

/**
 * References to whole repositories, in groups, as the prefix spells them.
 * @param text `oci://HOST/` or `oci://HOST/PARTS/`
 * @param onEnd told after the last group
 * @throws RlpError USAGE for what is no prefix, or a config.toml that is malformed; CANCELLED
 */
export async function* repositoriesBelow(
  text: string,
  reach: Reach,
  onEnd: (end: ListingEnd) => void,
): AsyncGenerator<readonly string[]> {
  const read = readOciPrefix(text)
  if ('problem' in read)
    throw new UsageError(`Cannot list "${text}": ${read.problem}`, {
      hint: 'Write oci://HOST/ or oci://HOST/PARTS/ for every repository below it',
    })
  const written = ociPrefixText(read.value)
  const { prefix, inner } = await placeToList(read.value, reach.access)
  if (prefix.in === 'layout')
    return onEnd({ host: undefined, incomplete: 'its mirror is a folder, which has no list of repositories' })
  const host = hostPortOf(prefix)
  const below = prefix.parts.map(part => `${part}/`).join('')
  const [{ Client }, { catalogPages }] = await Promise.all([
    import('./http/client.ts'),
    import('./http/catalog.ts'),
  ])
  const place = { ...prefix, repository: '' }
  const client = Client.open(place, await timed(reach, { place }), { writes: false, lists: true })
  const doing = `list the repositories of ${host}`
  let elsewhere =
    inner && `${inner.from} names a mirror of ${ociPrefixText(inner.prefix)}, whose list is not read`
  try {
    const pages = catalogPages(client, doing)
    let page = await pages.next()
    for (; page.done !== true; page = await pages.next()) {
      const all = page.value
        .filter(name => name.startsWith(below))
        .map(name => written + name.slice(below.length))
      const named = all.filter(one => 'value' in readOciReference(one))
      // A name that fits a mirror may be too long with the host that it is read for.
      if (named.length < all.length)
        elsewhere = 'the list of its mirror holds a name that no repository of it can have'
      yield named
    }
    onEnd({ host, incomplete: page.value ?? elsewhere })
  } catch (error) {
    if (!isObstacle(error) || error.code === 'USAGE') throw error
    const { message } = error
    const stated = `Cannot ${doing}: `
    onEnd({ host, incomplete: message.startsWith(stated) ? message.slice(stated.length) : message })
  } finally {
    client.close()
  }
}
