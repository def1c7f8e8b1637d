// The schemas that are kept as definitions → their names below `$defs`.
import type { Pointer } from '../../model/document.ts'

export class DefinitionNames {
  readonly #names = new Map<unknown, string>()
  readonly #taken = new Set<string>()
  /** How many names begin with one. */
  readonly #alike = new Map<string, number>()

  get(schema: unknown): string | undefined {
    return this.#names.get(schema)
  }

  /** @param label the name of the document, for its root; otherwise the last key on the way counts */
  add(schema: unknown, pointer: Pointer, label = ''): string {
    // Only characters that need no escape in a pointer.
    const base =
      String(pointer.at(-1) ?? label)
        .replace(/[^A-Za-z0-9._-]/g, '_')
        .slice(0, 60) || 'schema'
    let count = this.#alike.get(base) ?? 1
    let name = base
    for (; this.#taken.has(name); name = `${base}_${count}`) count++
    this.#alike.set(base, count)
    this.#taken.add(name)
    this.#names.set(schema, name)
    return name
  }
}
