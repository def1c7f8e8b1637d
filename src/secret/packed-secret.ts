// Finds credentials in the packed files of an agent, piece by piece. Unmistakable forms stop `pack`; for the rest a person has to look, because no form
// proves it.
import { credentialShapes, mayHoldCredential } from './credential.ts'

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

/** What may be one, and its line. */
interface LikelySecret {
  readonly what: string
  /** 1-based. */
  readonly line: number
}

/** Longer lines are no settings, and the expressions below try every position. */
const LONGEST_LINE = 1000

const URL_PASSWORD =
  /(?<![a-z0-9])[a-z][a-z0-9+.-]{1,20}:\/\/([^\s:@/"'<>{}$]{0,64}):([^\s:@/"'<>{}$]{3,128})@[A-Za-z0-9[]/i
const NAME =
  '[A-Za-z0-9_.-]{0,40}(?:secret|token|passw(?:or)?d|pwd|passphrase|(?:api|access|private|secret|auth|account)[_-]?key|credential)s?[A-Za-z0-9_.-]{0,20}'
const ASSIGNED = new RegExp(
  `(?<![A-Za-z0-9_.-])${NAME}["']?[ \\t]{0,4}(?:=>|:=|[:=])[ \\t]{0,4}["']?([^\\s"'\`,;<>{}()\\[\\]$|\\\\]{12,200})`,
  'i',
)
const WORD = /:\/\/|secret|token|passw|pwd|passphrase|key|credential/i

/** The first one in a text; undefined if it has none, or is no text. */
function likelySecret(text: string): LikelySecret | undefined {
  if (text.includes('\0') || !WORD.test(text)) return undefined
  for (const [index, line] of text.split('\n').entries()) {
    if (line.length > LONGEST_LINE || !WORD.test(line) || line.includes('x-test-key')) continue
    const [, user = '', password] = URL_PASSWORD.exec(line) ?? []
    if (password !== undefined && !isExamplePassword(password) && !/^user(?:name)?$/i.test(user))
      return { what: 'a url with a password', line: index + 1 }
    const value = ASSIGNED.exec(line)?.[1]
    if (value !== undefined && isRandom(value))
      return { what: 'what looks like a credential', line: index + 1 }
  }
  return undefined
}

function isExamplePassword(text: string): boolean {
  return /^(?:pass(?:word|wd)?|secret|pw|pwd|changeme|example|x+|\*+|\.+|test|admin|root|postgres|user|guest|password[0-9]*)$/i.test(
    text,
  )
}

/** Bits of each character that a text of words or a path does not reach. */
const LEAST_ENTROPY = 3.4

/** Whether a value was made by a machine: letters and digits, and no word, path, version or reference. */
function isRandom(value: string): boolean {
  if (!/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false
  if (
    /^(?:[./~%@&*]|https?:|file:|env[:.]|secret[s]?[:.]|runloop\/|sha(?:256|512)[:-]|blake3[:-])/i.test(value)
  )
    return false
  if (/change.?me|example|sample|your|placeholder|dummy|fake|redacted|xxxx|\.\.\./i.test(value)) return false
  // The digest of a file.
  if (/^[0-9a-f]{64}$/i.test(value)) return false
  return entropy(value) >= LEAST_ENTROPY
}

function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** What a file of this name holds, as the signatures of gitrob have it, and what it does to pack it. */
const NAMES: readonly (readonly [what: string, name: RegExp])[] = [
  [
    'a private key',
    /^(?:.*_)?id_(?:rsa|dsa|ecdsa|ed25519)$|_(?:rsa|dsa|ecdsa|ed25519)$|\.(?:key|keypair|ppk|agekey)$/,
  ],
  [
    'a key store',
    /\.(?:p12|pfx|pkcs12|jks|jceks|bks|keystore|truststore|keychain|kdbx?|kwallet|psafe3|agilekeychain)$/,
  ],
  [
    'credentials',
    /^(?:credentials?|client_secret.*|service[_-]?account.*|application_default_credentials)(?:\.(?:json|ya?ml|toml|ini|xml|csv|txt|db))?$/,
  ],
  ['secrets', /^secrets?(?:[._-][a-z0-9]+)?\.(?:json|ya?ml|toml|ini|env|txt|properties)$/],
  [
    'passwords',
    /^[._]?(?:netrc|htpasswd|pgpass|proftpdpasswd|passwd|shadow|git-credentials|dockercfg|npmrc|pypirc|s3cfg)$/,
  ],
  ['access to a cluster', /^kube-?config(?:\..*)?$|\.kubeconfig$/],
  [
    'the settings of a connection',
    /\.(?:ovpn|rdp|tblk)$|^sftp-config(?:\.json)?$|^filezilla\.xml$|^recentservers\.xml$/,
  ],
  ['the state or the variables of Terraform', /\.tfstate(?:\.backup)?$|\.tfvars$/],
  ['a database', /\.(?:sqlite3?|db3?|mdb|accdb|mdf|sdf|rdb|dump)$|\.sql(?:\.gz)?$/],
  ['the history of a shell', /^[._]?(?:(?:bash|zsh|sh|mysql|psql|irb|python)_)?history$/],
  ['recorded traffic', /\.(?:har|pcap|pcapng)$|^cookies\.(?:txt|json|sqlite)$/],
]

/** Undefined for a name that says nothing of it. */
export function secretByName(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return NAMES.find(([, pattern]) => pattern.test(name))?.[0]
}
