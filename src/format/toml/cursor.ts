// A place in a text that moves forward over what stands there.

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
}
