// A position in a text that moves forward.

/** A text up to this many UTF-16 code units may stay in memory for one of its values. */
const MOST_KEPT = 4096

export class TextCursor {
  protected readonly text: string
  protected at = 0

  constructor(text: string) {
    this.text = text
  }

  /** Moves behind a sticky pattern that matches here; null if it does not match. */
  protected match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found !== null) this.at = pattern.lastIndex
    return found
  }

  /** {@link match}, if only the position is needed. */
  protected skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    return true
  }

  protected take(sign: string): boolean {
    if (!this.text.startsWith(sign, this.at)) return false
    this.at += sign.length
    return true
  }

  /** A substring keeps the whole text in memory: a report would hold megabytes of comments. So a copy is made. */
  protected own(value: string): string {
    return this.text.length > MOST_KEPT ? Buffer.from(value).toString() : value
  }
}
