// What may be a credential in a packed file, by the words around it or by the file's name. A person has to look: no form proves it.

/** What may be one, and its line. */
export interface LikelySecret {
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
export function likelySecret(text: string): LikelySecret | undefined {
  if (text.includes('\0') || !WORD.test(text)) return undefined
  for (const [index, line] of text.split('\n').entries()) {
    if (line.length > LONGEST_LINE || !WORD.test(line) || line.includes('x-test-key')) continue
    const [, user = '', password] = URL_PASSWORD.exec(line) ?? []
    if (password !== undefined && !isExample(password) && !/^user(?:name)?$/i.test(user))
      return { what: 'a url with a password', line: index + 1 }
    const value = ASSIGNED.exec(line)?.[1]
    if (value !== undefined && isRandom(value))
      return { what: 'what looks like a credential', line: index + 1 }
  }
  return undefined
}

function isExample(text: string): boolean {
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
