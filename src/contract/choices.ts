// The members of an `enum`, indexed for many lookups.
import { serialize } from './serialize.ts'

export class Choices {
  readonly members: readonly unknown[]
  readonly #written = new Set<string>()
  readonly #texts = new Set<string>()
  /** By lower-case spelling: the first member spelt so. */
  readonly #spellings = new Map<string, string>()

  constructor(members: readonly unknown[]) {
    this.members = members
    for (const member of members) {
      const written = write(member)
      if (written !== undefined) this.#written.add(written)
      if (typeof member !== 'string') continue
      this.#texts.add(member)
      const loose = member.toLowerCase()
      if (!this.#spellings.has(loose)) this.#spellings.set(loose, member)
    }
  }

  /** Whether the value is a member, exactly. */
  has(value: unknown): boolean {
    const written = write(value)
    return written !== undefined && this.#written.has(written)
  }

  /**
   * The declared spelling of a text: itself, else the first member that differs in case only; undefined if
   * there is none.
   */
  spell(text: string): string | undefined {
    return this.#texts.has(text) ? text : this.#spellings.get(text.toLowerCase())
  }
}

function write(value: unknown): string | undefined {
  try {
    return serialize(value)
  } catch (error) {
    // A value without a JSON form, or one that contains itself, cannot be an argument or a member.
    if (error instanceof TypeError) return undefined
    throw error
  }
}
