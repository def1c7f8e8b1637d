// The lines of a TOML text, for edits that add and remove whole lines.

/** A text in which every line has a line end, including the last; offsets are those of the text as given. */
export class TomlLines {
  readonly text: string
  /** The text's own line end: that of its first line. */
  readonly newline: string
  private readonly isOpenEnded: boolean

  constructor(text: string) {
    this.newline = /\r?\n/.exec(text)?.[0] ?? '\n'
    this.isOpenEnded = !text.endsWith('\n')
    this.text = this.isOpenEnded ? text + this.newline : text
  }

  /** Removes the final line end of an edited text if the given text had none. */
  restoreEnd(edited: string): string {
    const extra = this.isOpenEnded && edited.endsWith(this.newline)
    return extra ? edited.slice(0, -this.newline.length) : edited
  }

  lineStart(offset: number): number {
    return offset <= 0 ? 0 : this.text.lastIndexOf('\n', offset - 1) + 1
  }

  /** Start of the line below; the end of the text if there is none. */
  nextLine(offset: number): number {
    const end = this.text.indexOf('\n', offset)
    return end === -1 ? this.text.length : end + 1
  }

  /** The white space before the line's first character. */
  indentAt(offset: number): string {
    return /^[ \t]*/.exec(this.text.slice(this.lineStart(offset), offset))?.[0] ?? ''
  }

  /** The white space between a comma and an item behind the one at the offset: that one's line break and indentation, or a blank. */
  leadAt(offset: number): string {
    return /\n[ \t]*$/.exec(this.text.slice(0, offset))?.[0] ?? ' '
  }

  isComment(lineStart: number): boolean {
    return /^[ \t]*#/.test(this.lineAt(lineStart))
  }

  /** Also true at the end of the text. */
  isBlank(lineStart: number): boolean {
    return /^[ \t]*(?:\r?\n)?$/.test(this.lineAt(lineStart))
  }

  private lineAt(start: number): string {
    return this.text.slice(start, this.nextLine(start))
  }
}
