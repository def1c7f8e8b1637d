// A place in a text that moves forward over what stands there.

/** A text of so many UTF-16 code units may stay in memory for one of its values. */
const MOST_KEPT = 4096

export class TextCursor {
  protected readonly text: string
  protected at = 0

  constructor(text: string) {
    this.text = text
  }

  /** Goes on where a sticky pattern ends that matches here; null where it does not. */
  protected match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found !== null) this.at = pattern.lastIndex
    return found
  }

  /** {@link match}, if only the place is wanted. */
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

  /** A part that the engine cuts out of a text keeps all of it in memory: a report would hold on to megabytes of comments. */
  protected own(value: string): string {
    return this.text.length > MOST_KEPT ? Buffer.from(value).toString() : value
  }
}
