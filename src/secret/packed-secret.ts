// The text of a packed file, piece by piece → the credentials in it, each kind once. Only unmistakable forms: what is found stops `pack`.
import { credentialShapes, mayHoldCredential } from './credential.ts'
import { likelySecret } from './likely-secret.ts'

export interface PackedSecret {
  /** `a GitHub token` */
  readonly kind: string
  /** 1-based. */
  readonly line: number
  /** No form proves it: a person has to look. */
  readonly isLikely?: true
}

/** A key or token that is written this close behind the mark is there on purpose, for tests. In characters. */
const MARK_REACH = 200
/** The longest form that is looked for, and the mark before it. */
const OVERLAP = 800
/** A file of variables is small. */
const MOST_ENV = 64 * 1024

/** One for each file; takes its bytes as latin1, in order. */
export class SecretScan {
  readonly #found = new Map<string, PackedSecret>()
  #carried = ''
  /** Lines before what is carried. */
  #lines = 0
  #length = 0
  #start = ''

  take(piece: string): void {
    const text = this.#carried + piece
    if (mayHoldCredential(text)) this.#look(text)
    if (this.#length <= MOST_ENV) this.#start = (this.#start + piece).slice(0, MOST_ENV + 1)
    this.#length += piece.length
    const kept = Math.min(OVERLAP, text.length)
    this.#lines += newlines(text, text.length - kept)
    this.#carried = text.slice(text.length - kept)
  }

  end(): readonly PackedSecret[] {
    const line = this.#length <= MOST_ENV ? variableLine(this.#start) : undefined
    const kind = 'a file of variables with a secret'
    if (line !== undefined && this.#found.size === 0) return [{ kind, line }]
    const likely = this.#found.size === 0 ? likelySecret(this.#start) : undefined
    if (likely !== undefined) return [{ kind: likely.what, line: likely.line, isLikely: true }]
    return [...this.#found.values()]
  }

  #look(text: string): void {
    for (const { kind, shape } of credentialShapes()) {
      const index = this.#found.has(kind) ? undefined : indexOf(shape, text)
      if (index !== undefined) this.#found.set(kind, { kind, line: this.#lines + newlines(text, index) + 1 })
    }
  }
}

/**
 * The kind of credential in a text of a document; undefined if it holds none.
 * @param before what is written before it in the file, where a mark for tests may be
 */
export function secretIn(text: string, before = ''): string | undefined {
  if (!mayHoldCredential(text)) return undefined
  const marked = before.slice(-MARK_REACH) + text
  return credentialShapes().find(({ shape }) => indexOf(shape, marked) !== undefined)?.kind
}

/** Where the first credential of a form begins that is neither an example nor marked. */
function indexOf(shape: RegExp, text: string): number | undefined {
  for (const { index, 0: match } of text.matchAll(shape))
    if (!isExample(match) && !isMarked(text, index)) return index
  return undefined
}

/** Keys for tests say so: `x-test-key` before them, on the same or the line before. The body of a key is one line further. */
function isMarked(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - MARK_REACH), index)
  const lines = before.split('\n')
  return lines.slice(-3).join('\n').includes('x-test-key')
}

/** Documentation of providers: `AKIAIOSFODNN7EXAMPLE`, a token of one character. */
function isExample(match: string): boolean {
  const body = match.slice(match.search(/[_-]/) + 1)
  return /EXAMPLE|XXXX|xxxx/.test(match) || new Set(body).size < 6
}

const VARIABLE = /^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/
const SECRET_NAME =
  /(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|(?:API|PRIVATE|ACCESS|SECRET|AUTH|ENCRYPTION|SIGNING|MASTER|ACCOUNT)_?KEY|CREDENTIALS?)$/i

/** The line of a secret in a file that holds variables and nothing else, as `.env` files do. */
function variableLine(text: string): number | undefined {
  let found: number | undefined
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^[ \t]*(?:#.*)?$/.test(line)) continue
    const [, name, value = ''] = VARIABLE.exec(line) ?? []
    if (name === undefined) return undefined
    const literal = value.trim().replace(/^(["'])(.*)\1$/, '$2')
    if (SECRET_NAME.test(name) && isWritten(literal)) found ??= index + 1
  }
  return found
}

/** A value, and neither a place where one is nor an example of one. */
function isWritten(value: string): boolean {
  return (
    value.length >= 8 &&
    !/[${}<>\s]/.test(value) &&
    !/^(?:\/|~|\.|https?:)/.test(value) &&
    !/change.?me|example|sample|your|placeholder|xxxx|\*\*\*|\.\.\.|test|dummy|fake|redacted/i.test(value)
  )
}

function newlines(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++
  return count
}
