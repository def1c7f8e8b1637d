// Reads plain TOML into a syntax tree, without an object for each token. Manifests and policies are nearly always plain, and the parser takes some
// hundred bytes for each token: 28 MB for 10,000 files, and 2 to 5 ms of every start (docs/performance.md).
import type { SyntaxHeader, SyntaxKey, SyntaxKeyPart, SyntaxPair, SyntaxTop, SyntaxValue } from './syntax.ts'

/** A text up to this many UTF-16 code units may stay in memory for one of its values. */
const MOST_KEPT = 4096

class TextCursor {
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

const WHITE = /[ \t\n]*/y
const COMMENT = /#[^\n]*/y
const SPACE = /[ \t]*/y
/** The end of a line, with white space and a comment. */
const REST = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y
const BARE = /[A-Za-z0-9_-]+/y
/** No escapes. Three quotes do not match any further, so they are left to the parser. */
const QUOTED = /"([^"\\\n]*)"|'([^'\n]*)'/y
/** Fifteen digits are always a safe integer. */
const WORD = /true|false|0|-?[1-9][0-9]{0,14}/y

/**
 * Reads bare and quoted keys, single-line strings without escapes, decimal integers, booleans, arrays and inline tables, with LF as line
 * ends. `parseTomlSyntax` reads every such text the same way; undefined for all others.
 * @param text one that `findTomlProblem` accepted: its bounds limit the recursion
 */
export function readPlainToml(text: string): SyntaxTop | undefined {
  return text.includes('\r') ? undefined : new PlainReader(text).top()
}

class PlainReader extends TextCursor {
  top(): SyntaxTop | undefined {
    const body: (SyntaxHeader | SyntaxPair)[] = []
    let pairs: Pick<SyntaxPair[], 'push'> = body
    for (this.blank(); this.at < this.text.length; this.blank()) {
      const start = this.at
      if (this.text[start] === '[') {
        const below: SyntaxPair[] = []
        const header = this.header(start, below)
        if (header === undefined) return undefined
        body.push(header)
        pairs = below
      } else {
        const pair = this.pair()
        if (pair === undefined) return undefined
        pairs.push(pair)
      }
      if (!this.skip(REST)) return undefined
    }
    return { body }
  }

  private blank(): void {
    do this.skip(WHITE)
    while (this.skip(COMMENT))
  }

  private header(start: number, body: readonly SyntaxPair[]): SyntaxHeader | undefined {
    const isArray = this.text[start + 1] === '['
    const brackets = isArray ? 2 : 1
    this.at += brackets
    const key = this.key()
    if (key === undefined || !this.text.startsWith(isArray ? ']]' : ']', this.at)) return undefined
    this.at += brackets
    return { type: 'TOMLTable', kind: isArray ? 'array' : 'standard', key, body, range: [start, this.at] }
  }

  private pair(): SyntaxPair | undefined {
    const start = this.at
    const key = this.key()
    if (key === undefined) return undefined
    this.skip(SPACE)
    if (!this.take('=')) return undefined
    this.skip(SPACE)
    const value = this.value()
    return value && { type: 'TOMLKeyValue', key, value, range: [start, this.at] }
  }

  private key(): SyntaxKey | undefined {
    const start = this.at
    const keys: SyntaxKeyPart[] = []
    do {
      const part = this.keyPart()
      if (part === undefined) return undefined
      keys.push(part)
    } while (this.take('.'))
    return { keys, range: [start, this.at] }
  }

  private keyPart(): SyntaxKeyPart | undefined {
    const start = this.at
    if (this.skip(BARE))
      return { type: 'TOMLBare', name: this.text.slice(start, this.at), range: [start, this.at] }
    const quoted = this.quoted()
    return quoted && { type: 'TOMLQuoted', value: quoted.value, range: [start, this.at] }
  }

  private quoted(): { readonly value: string; readonly style: 'basic' | 'literal' } | undefined {
    const found = this.match(QUOTED)
    if (found === null) return undefined
    const [, basic, literal = ''] = found
    return basic === undefined
      ? { value: this.own(literal), style: 'literal' }
      : { value: this.own(basic), style: 'basic' }
  }

  private value(): SyntaxValue | undefined {
    const start = this.at
    if (this.take('[')) return this.array(start)
    if (this.take('{')) return this.inline(start)
    const quoted = this.quoted()
    const type = 'TOMLValue'
    if (quoted !== undefined)
      return { type, kind: 'string', ...quoted, multiline: false, range: [start, this.at] }
    if (!this.skip(WORD)) return undefined
    const word = this.text.slice(start, this.at)
    const range = [start, this.at] as const
    if (word === 'true' || word === 'false') return { type, kind: 'boolean', value: word === 'true', range }
    return { type, kind: 'integer', value: Number(word), range }
  }

  private array(start: number): SyntaxValue | undefined {
    const elements: SyntaxValue[] = []
    for (;;) {
      this.blank()
      if (this.take(']')) return { type: 'TOMLArray', elements, range: [start, this.at] }
      const element = this.value()
      if (element === undefined) return undefined
      elements.push(element)
      this.blank()
      if (!this.take(',') && this.text[this.at] !== ']') return undefined
    }
  }

  private inline(start: number): SyntaxValue | undefined {
    const body: SyntaxPair[] = []
    this.skip(SPACE)
    if (!this.take('}')) {
      do {
        this.skip(SPACE)
        const pair = this.pair()
        if (pair === undefined) return undefined
        body.push(pair)
        this.skip(SPACE)
      } while (this.take(','))
      if (!this.take('}')) return undefined
    }
    return { type: 'TOMLInlineTable', body, range: [start, this.at] }
  }
}
