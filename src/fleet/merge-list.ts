// The list that the jobs were given: whether the merged reports name all of it, and nothing else.
import { trimmed } from '../io/find/search-folders.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { isWholeRepository, placeText, readOciReference } from '../oci/reference.ts'
import { isOciReference } from '../oci/scheme.ts'
import { quoted } from '../text/printable.ts'
import { listedNames } from './bundle-list.ts'
import { shardIndex } from './shard.ts'

export class MergeList {
  readonly #bundles = new Set<string>()
  /** By their place: a repository stands for all that is in it. */
  readonly #repositories = new Map<string, { readonly name: string; isNamed: boolean }>()
  /** The same names, by the part that they belong to. */
  #byShard: Map<number, Set<string>> | undefined

  /** @throws UsageError for a line that is no name, a name that is there twice, and an empty list */
  static async read(file: string, { nul, setting }: { nul: boolean; setting: Setting }): Promise<MergeList> {
    const list = new MergeList()
    let number = 0
    for await (const line of listedNames(file, nul, setting)) {
      number++
      if ('problem' in line) throw new UsageError(`Cannot use "${file}": ${line.problem}`, { field: 'list' })
      // Reports name a folder without the slashes behind it; those of a reference mean something.
      const name = isOciReference(line.name) ? line.name : trimmed(line.name)
      list.#add(name, () => `Cannot use "${file}": ${nul ? 'name' : 'line'} ${number}`)
    }
    if (number === 0)
      throw new UsageError(`Cannot use "${file}": the list names no bundle`, {
        field: 'list',
        hint: 'Name the list that the jobs were given',
      })
    return list
  }

  #add(name: string, where: () => string): void {
    const place = isWholeRepository(name) ? placeOf(name) : undefined
    if (place === undefined ? this.#bundles.has(name) : this.#repositories.has(place))
      throw new UsageError(`${where()}: ${quoted(name)} is there twice`, {
        field: 'list',
        hint: 'List each bundle once',
      })
    if (place === undefined) this.#bundles.add(name)
    else this.#repositories.set(place, { name, isNamed: false })
  }

  /** A report names a bundle. @returns what is wrong with that */
  meets(target: string, of: number): string | undefined {
    const repository = this.#repositories.get(placeOf(target) ?? '')
    if (repository !== undefined) repository.isNamed = true
    const isListed = this.#sorted(of).get(shardIndex(target, of))?.delete(target) === true
    return isListed || repository !== undefined ? undefined : 'is not on the list'
  }

  /** A name of a shard that no report has named. */
  leftOf(index: number, of: number): string | undefined {
    const [left] = this.#sorted(of).get(index) ?? []
    return left
  }

  /** A repository that no report has named. */
  get left(): string | undefined {
    return [...this.#repositories.values()].find(({ isNamed }) => !isNamed)?.name
  }

  #sorted(of: number): Map<number, Set<string>> {
    this.#byShard ??= this.#sort(of)
    return this.#byShard
  }

  #sort(of: number): Map<number, Set<string>> {
    const sorted = new Map<number, Set<string>>()
    for (const name of this.#bundles) {
      const index = shardIndex(name, of)
      const names = sorted.get(index) ?? new Set()
      sorted.set(index, names.add(name))
      this.#bundles.delete(name)
    }
    return sorted
  }
}

function placeOf(text: string): string | undefined {
  const read = readOciReference(text)
  return 'value' in read ? placeText(read.value.place) : undefined
}
