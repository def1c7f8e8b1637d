// Turns the text of a key into a signer or the public half, for every place that holds such a text. Variables of pipelines hold PEM with
// `\n` for line ends, or in base64; a key of another kind is refused by its name.
import { createPublicKey, type KeyObject, sign as signWith } from 'node:crypto'
import { RlpError } from '../../model/error.ts'
import type { Signer } from '../../model/signer.ts'
import { publicKey, rawPublicKey } from '../../signature/ed25519.ts'
import {
  bare,
  isEncrypted,
  kindOfPem,
  kindOfSsh,
  kindOfSshPem,
  pemIn,
  publicPem,
  type ReadKey,
  readPem,
  readPublicPem,
} from '../../signature/pem.ts'
import type { KeyQuery } from './kind.ts'

export async function signerIn(pem: string, query: KeyQuery): Promise<Signer> {
  const key = await privateKeyIn(pem, query)
  const bytes = rawPublicKey(key)
  if (bytes === undefined) throw new TypeError('only Ed25519 keys are loaded')
  return {
    key: { kind: 'ed25519', bytes },
    sign: async message => new Uint8Array(signWith(null, message, key)),
  }
}

/** A public key, the public half of a private one included. */
export async function publicKeyIn(text: string, query: KeyQuery): Promise<KeyObject> {
  const pem = asPem(text)
  const read = readPublicPem(pem)
  if (!read.ok && read.why !== 'not-a-key') throw refused(query.which, read, pem)
  return read.ok ? read.key : createPublicKey(await privateKeyIn(pem, query))
}

/** A person who mistypes a passphrase is asked again. */
const TRIES = 3

/** The private key itself, to be kept elsewhere. */
export async function privateKeyIn(text: string, { which, env, ask }: KeyQuery): Promise<KeyObject> {
  const pem = asPem(text)
  // An empty variable is nearly always one that the user forgot to set.
  const given = env['RLP_KEY_PASSPHRASE'] || undefined
  for (let tries = 1; ; tries++) {
    const asks = isEncrypted(pem) && given === undefined
    const read = readPem(pem, asks ? await ask(tries === 1 ? which : `${which} (try again)`) : given)
    if (read.ok) return read.key
    if (read.why !== 'passphrase' || !asks || tries === TRIES) throw refused(which, read, pem)
  }
}

const REFUSALS = {
  passphrase: ['the passphrase does not open it', 'Try again, or set RLP_KEY_PASSPHRASE'],
  'several-keys': ['it holds more than one PEM block', 'Put each key into a file of its own'],
  'not-a-key': ['it holds no key in PEM', 'Make one with rlp key generate NAME'],
} as const

function refused(which: string, read: ReadKey & { readonly ok: false }, pem: string): RlpError {
  const [state, hint] = stateOf(read, pem)
  return new RlpError('WRONG_FILE_TYPE', `Cannot use the key "${which}": ${state}`, { hint })
}

function stateOf(
  read: ReadKey & { readonly ok: false },
  pem: string,
): readonly [state: string, hint: string] {
  if (read.why === 'other-algorithm')
    return [`it is ${withArticle(read.kind)} key, not an Ed25519 key`, MAKE_ONE]
  // `openssl ecparam -genkey` writes two blocks for one key.
  const isOne = read.why === 'not-a-key' || pem.includes('-----BEGIN EC PARAMETERS-----')
  const foreign = isOne ? foreignKey(pem) : undefined
  return foreign === undefined ? REFUSALS[read.why] : [`it is ${foreign.is}`, foreign.hint]
}

/** The same text as PEM with line ends. A text of another form stays. */
export function asPem(text: string): string {
  return pemIn(text) ?? fromSshLine(bare(text)) ?? text
}

/** What a text is that holds no key of ours, with a way to one; undefined if it is nothing known. */
function foreignKey(text: string): { readonly is: string; readonly hint: string } | undefined {
  const known = FOREIGN.find(([pattern]) => pattern.test(text))
  if (known === undefined) return plainPem(text)
  const [, is, hint = MAKE_ONE] = known
  return { is: typeof is === 'string' ? is : is(text), hint }
}

/** For a key of another algorithm. */
const MAKE_ONE = 'Signatures are Ed25519: make a key with rlp key generate NAME'
const CONVERT = 'Convert it: openssl pkey -inform DER -in FILE -out key.pem'
const FOREIGN: readonly (readonly [
  pattern: RegExp,
  is: string | ((text: string) => string),
  hint?: string,
])[] = [
  [/-----BEGIN EC (?:PRIVATE KEY|PARAMETERS)-----/, text => `${kindIn(text, 'EC')} key`],
  [/-----BEGIN RSA (?:PRIVATE|PUBLIC) KEY-----/, text => `${kindIn(text, 'RSA')} key`],
  [/-----BEGIN DSA PRIVATE KEY-----/, text => `${kindIn(text, 'DSA')} key`],
  [
    /-----BEGIN OPENSSH PRIVATE KEY-----/,
    openSsh,
    'Make a key with rlp key generate NAME: a key that signs bundles should open no shell. A key that ssh-add -l shows is named ssh-agent:COMMENT',
  ],
  [/^(?:ssh-rsa|ssh-dss|ecdsa-sha2-\S+|sk-\S+) /, text => `${openSshLine(text)} public key of OpenSSH`],
  [/^---- BEGIN SSH2 PUBLIC KEY ----/, 'a public key of SSH2'],
  [
    /-----BEGIN CERTIFICATE(?: REQUEST)?-----/,
    'a certificate',
    'Name the key, in PEM: rlp knows no certificates',
  ],
  [/-----BEGIN PGP /, 'a key of OpenPGP'],
  [/^PuTTY-User-Key-File/, 'a key of PuTTY'],
  [
    /-----BEGIN ENCRYPTED COSIGN PRIVATE KEY-----|-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----/,
    'a key of cosign',
  ],
  [/^untrusted comment:/, 'a key of minisign'],
  [/^\{[\s\S]*"kty"/, 'a key in JSON (JWK)', 'Write it as PEM, if it is an Ed25519 key'],
  // A DER sequence with a long length, or the head of an Ed25519 key, read as latin1.
  [/^0(?:\x2e\x02\x01\x00|\x2a0\x05\x06|[\x81\x82])/, 'a key in DER, or another file in DER', CONVERT],
]

/** A public key where a private one is needed, and PEM that was damaged on its way. */
function plainPem(text: string): { readonly is: string; readonly hint: string } | undefined {
  if (!/-----BEGIN (?:PUBLIC|PRIVATE) KEY-----/.test(text)) return undefined
  if (kindOfPem(text) === undefined)
    return {
      is: 'PEM, but damaged: no key can be read from it',
      hint: 'Copy the whole file again, line by line',
    }
  return { is: 'the public half of a key', hint: 'Name the private key: only that one signs' }
}

function kindIn(pem: string, otherwise: string): string {
  // `openssl ecparam -genkey` writes the curve into a block of its own before the key.
  const key = pem.replace(/-----BEGIN EC PARAMETERS-----[^-]*-----END EC PARAMETERS-----\s*/, '')
  return withArticle(kindOfPem(key) ?? otherwise)
}

function openSsh(pem: string): string {
  const known = kindOfSshPem(pem)
  const form = 'in the format of OpenSSH, which is its own'
  if (known === undefined) return `a private key ${form}`
  return `${withArticle(`${known.encrypted ? 'encrypted ' : ''}${known.kind}`)} private key ${form}`
}

function openSshLine(line: string): string {
  const kind = kindOfSsh(line.slice(0, line.indexOf(' ')))
  return kind === undefined ? 'a' : withArticle(kind)
}

/** `an RSA`, `a DSA`. */
function withArticle(kind: string): string {
  return `${/^(?:E|R|X|[aeiou])/.test(kind) ? 'an' : 'a'} ${kind}`
}

/** `ssh-ed25519 AAAA… comment` → the same key in PEM. */
function fromSshLine(line: string): string | undefined {
  const [, encoded = ''] = /^ssh-ed25519 ([A-Za-z0-9+/]+={0,2})(?: [^\n]*)?$/.exec(line) ?? []
  const blob = Buffer.from(encoded, 'base64')
  // Two texts with their lengths before them: the algorithm, and 32 bytes.
  const isKey = blob.length === 51 && blob.toString('latin1', 4, 15) === 'ssh-ed25519' && blob[18] === 32
  if (!isKey) return undefined
  try {
    return publicPem(publicKey(new Uint8Array(blob.subarray(19))))
  } catch {
    // 32 bytes that are no point of the curve.
    return undefined
  }
}
