// `Warning: 299 - "text"` of a registry → what a person should read, once. Nothing is decided by it, and nothing is repeated that this
// client told the registry in confidence.

const FORM = /(?:^|,\s*)299 \S{1,255} "((?:[^"\\\u0000-\u001f]|\\["\\])*)"/g
/** Of all warnings together (distribution-spec 1.1). */
const MOST_CHARACTERS = 4096

export class Warnings {
  readonly #tell: ((text: string) => void) | undefined
  readonly #told = new Set<string>()
  #left = MOST_CHARACTERS

  constructor(tell: ((text: string) => void) | undefined) {
    this.#tell = tell
  }

  /** @param isSecret whether a text holds what must not be repeated */
  read(header: string | string[] | undefined, host: string, isSecret: (text: string) => boolean): void {
    if (this.#tell === undefined || header === undefined) return
    const all = (Array.isArray(header) ? header.join(', ') : header).slice(0, 2 * MOST_CHARACTERS)
    for (const [, escaped = ''] of all.matchAll(FORM)) {
      const text = escaped.replace(/\\(.)/g, '$1')
      if (text === '' || this.#told.has(text) || text.length > this.#left || isSecret(text)) continue
      this.#told.add(text)
      this.#left -= text.length
      this.#tell(`${host} says: ${text}`)
    }
  }
}
