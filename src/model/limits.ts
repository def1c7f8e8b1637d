// Every limit on what a stranger's bundle may hold. Numbered statements of docs/spec say the same, and a test compares the two. No real
// bundle comes near them: each limit ends work that would take too long.

const KIB = 1024
const MIB = 1024 ** 2

/** Of an archive, and of a folder that is packed into one. */
export const ARCHIVE_LIMITS = {
  files: 10_000,
  fileBytes: 512 * MIB,
  totalBytes: 1024 * MIB,
  /** No flag raises the size of one file above this: readers in other languages use signed 32-bit sizes. */
  mostFileBytes: 1024 * MIB,
} as const

/** Of what is parsed. `all…` counts over all files of one bundle together. */
export const PARSE_LIMITS = {
  /** A manifest, policy, tools file or schema. */
  textBytes: 16 * MIB,
  allTextBytes: 64 * MIB,
  /** Values of any kind, counted before `JSON.parse` makes objects of them: two bytes of text can be a hundred bytes of memory. */
  allJsonValues: 2_000_000,
  /** Members of one JSON object. Engines keep larger ones in tables that take seconds to list. */
  jsonMembers: 50_000,
  /** How deep arrays and objects may nest. */
  jsonDepth: 64,
  /** Keys, values, signs and lines. A manifest that lists 10,000 files has 40,000. One step of a parser takes less than a tenth of a second. */
  allTomlTokens: 80_000,
  /** The same in a trust policy, which is the host's own: one with 5,000 rules and 5,000 floors has 150,000. */
  trustPolicyTokens: 400_000,
  /** How deep tables, arrays and dotted key parts may nest, including the root table. */
  tomlDepth: 64,
  /** UTF-16 code units in one string with its quotes. */
  tomlString: 32_768,
  /** Characters in one bare key, number or date. */
  tomlWord: 1024,
  /** A larger module is not inspected; rules say so. */
  wasmBytes: 32 * MIB,
  allWasmBytes: 64 * MIB,
  /** Sections of one module, including those without a meaning. */
  wasmSections: 10_000,
  /** Entries of one section. Browser engines load no more functions either. */
  wasmEntries: 1_000_000,
} as const

/** Of what lint looks at for credentials. Keys and tokens are in small files. */
export const LOOK_LIMITS = {
  /** The beginning of one file. */
  fileBytes: 8 * MIB,
  allBytes: 128 * MIB,
} as const

/** Of a file of signatures, in a bundle or attached to it in a registry. */
export const MAX_ENVELOPE_BYTES: number = 64 * KIB

/** Of one file of signatures, with those that are attached in a registry. */
export const MAX_SIGNATURES = 16

/** Characters of an agent's name, and of its variant. Longer ones leave no room for the rest of a bundle's file name. */
export const MAX_NAME_LENGTH = 200

/**
 * Of what is attested of one bundle, in the file beside it or attached to it in a registry. Strangers may add envelopes, and one signer may
 * repeat himself: each signer has a room of his own.
 */
export const ATTESTATION_LIMITS = {
  /** Of one envelope. */
  bytes: MIB,
  /** Of those that one key has signed. Others of this key stay unread. */
  signerEnvelopes: 64,
  signerBytes: MIB,
  /** Signatures that are checked, whether they hold or not. */
  signatures: 2048,
  /** Of all envelopes together. */
  allBytes: 16 * MIB,
  /** So many lines of a file are envelopes; an envelope of 256 bytes is small. */
  lines: 65_536,
} as const

/** Of Sigstore bundles that come with a bundle, beside the other statements. */
export const KEYLESS_LIMITS = {
  /** Of one; a larger one is left out. */
  bytes: 64 * KIB,
  /** Of all together. */
  allBytes: 4 * MIB,
  /** So many are read; as many as manifests in a registry. */
  bundles: 1000,
  /** Twice what any has. The library takes time by the square of its depth: sixteen of this size take half a second. */
  certificateBytes: 4 * KIB,
  /** Of all time stamps of one. */
  stampBytes: 8 * KIB,
  /** So many are verified, of those that claim an identity of a trust policy. */
  verified: 16,
} as const

/** Of one answer of a tool, and of one message of a client. */
export const MESSAGE_LIMITS = {
  /** Of a message on the wire, in either direction. */
  bytes: 32 * MIB,
  /** Bytes that a client has not read yet. Another message is always allowed after what was read. */
  unreadBytes: 64 * MIB,
  jsonValues: 250_000,
} as const

/** Of a module that `rlp agent run` runs. */
export const MODULE_LIMITS = {
  /** Memory that a module can address. */
  mostMemoryMb: 4 * KIB,
  /** In MiB, of the engine beside the memory of the module, or of a program with hosts: Node 24 and 26 need as much. */
  engineMemoryMb: 640,
  seconds: 300,
  mostSeconds: 86_400,
  /** Of what the sandbox says when a start fails. */
  startBytes: 64 * KIB,
} as const

/** Characters of a url with its values filled in: twice what is written in the bundle. Servers accept less. */
export const MAX_FILLED_URL: number = 16 * KIB

/** Characters of a tool's name in MCP. */
export const MCP_NAME_LENGTH = 128

/** Of one line of a trace: arguments and results have much lower limits. */
export const TRACE_LINE_BYTES: number = 64 * MIB

/** Of one line of a report of many bundles. The lines together have no limit. */
export const REPORT_LINE_BYTES: number = 64 * MIB

/** Of a folder that is searched for bundles, or read. */
export const FOLDER_LIMITS = {
  /** Files and folders below it. */
  entries: 10_000_000,
  /** Of folders that are packed or unpacked too: a path of 256 bytes has at most 128 segments. */
  depth: 128,
  /** So many names of one folder are sorted together. */
  listed: 10_000,
} as const

/** Folders of an agent that the system watches for `rlp agent dev`; with more, it looks at them itself. */
export const WATCHED_FOLDERS = 256

/** Of a line in a list of bundles. */
export const LIST_LINE_BYTES: number = 8 * KIB

/** Of one question to `rlp gate`. */
export const GATE_LIMITS = {
  /** Of a line: base64 of three quarters of it. A larger bundle is named by its path. */
  lineBytes: 32 * MIB,
  idLength: 200,
  /** Of a path, a reference and an expectation. */
  nameLength: 4 * KIB,
  /** What a question without `within_ms` allows. */
  withinMs: 10_000,
  mostMs: 600_000,
} as const

/** Of a gate that listens. */
export const SERVICE_LIMITS = {
  connections: 1024,
  /** Questions that have no answer yet, and their bytes together. */
  underWay: 256,
  underWayBytes: 128 * MIB,
  /** Of the request line and all headers of one request. */
  headerBytes: 8 * KIB,
  /** How long the headers may take, and the whole of a question. */
  headersMs: 10_000,
  requestMs: 60_000,
  /** A connection that asks nothing for so long is closed. */
  idleMs: 60_000,
  /** Characters of a token: fewer can be guessed. */
  leastToken: 32,
  mostToken: 4 * KIB,
} as const

/** Of the time that a registry may take, counted while it is waited for. */
export const FETCH_LIMITS = {
  /** Of all requests of one operation together: about one bundle, or one list of tags. `[registries] timeout` states a shorter time. */
  seconds: 600,
  /** A registry that gives and takes less than that over `slowSeconds` is given up. */
  bytesPerSecond: KIB,
  slowSeconds: 60,
  /** Of everything that is attached to one bundle together. */
  attachedSeconds: 30,
} as const

/**
 * Of single texts, in characters. The schemas in `schemas/` have the same numbers, so that editors know them. Those of lists are in the schemas alone.
 */
export const TEXT_LIMITS = {
  id: 256,
  url: 8 * KIB,
  header: 8 * KIB,
  /** What Windows takes as a whole command line; Linux takes four times that. */
  argument: 32 * KIB - 1,
  /** A path, host, capability or id of a secret. */
  grant: 4 * KIB,
  description: 64 * KIB,
} as const

/** `512 MiB`, for a limit that is a whole number of them. */
export function inUnits(bytes: number): string {
  for (const [unit, size] of UNITS) if (Number.isInteger(bytes / size)) return `${bytes / size} ${unit}`
  return `${bytes} bytes`
}

const UNITS = [
  ['GiB', 1024 * MIB],
  ['MiB', MIB],
  ['KiB', KIB],
] as const

/** `512 MiB (536870912 bytes)`: a message that names a limit has the number that a person compares, and the one that programs print. */
export function byteLimit(bytes: number): string {
  const units = inUnits(bytes)
  return units.endsWith('bytes') ? units : `${units} (${bytes} bytes)`
}

/** How an operator lets a slow registry take longer; for hints. */
export const MORE_TIME = 'allow more time with timeout under [registries] in config.toml (docs/operator.md)'

/** The way out for a person who has received a bundle. */
export const ASK_FOR_LESS = 'Ask its author for one within the limits (docs/format.md#limits)'

/** Of a trust channel (docs/channels.md). */
export const CHANNEL_LIMITS = {
  /** Of one statement with its signatures. */
  envelopeBytes: 64 * KIB,
  /** A root may be signed by all keys of the one before and by all of its own. */
  signatures: 64,
  /** Keys of a root, and keys of its heartbeats. */
  keys: 32,
  files: 16,
  fileBytes: 4 * MIB,
  /** Roots that one update walks. */
  roots: 256,
  /** Roots that the file of a channel holds. */
  storedRoots: 4096,
  /** Days that a release may last. */
  releaseDays: 90,
  /** How long an update waits for a registry in all. */
  updateSeconds: 120,
  /** How far a clock may be behind, in seconds. */
  clockSeconds: 600,
  /** Of the file with everything that is known of a channel. */
  stateBytes: 128 * MIB,
} as const

/** Of what programs in a sandbox say to the hosts that they are granted (docs/sandbox.md). */
export const TUNNEL_LIMITS = {
  /** At once, of one call. */
  tunnels: 16,
  /** Of a `CONNECT` with its headers. */
  headBytes: 4 * KIB,
  /** Of a ClientHello: five times that of a browser with keys against quantum computers. */
  helloBytes: 16 * KIB,
  /** How long a head may take, and how long a ClientHello may. */
  headMs: 10_000,
  /** How long it may take to look a name up and to connect to it. */
  connectMs: 30_000,
  /** How long a server may go on after the program has hung up. */
  lingerMs: 5000,
  /** Of one call in both directions together. A tunnel counts as a whole head. */
  allBytes: 4096 * MIB,
  /** So many different refusals of one call are told. */
  told: 8,
} as const
