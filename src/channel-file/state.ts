// Reads and writes the files with what a host knows of a channel, and with the highest numbers that a user has seen. This program alone
// writes them, in one byte form, so any other bytes mean that a file is damaged.
import type {
  ChannelSeen,
  ChannelState,
  ChannelStatement,
  Reached,
  SignedStatement,
} from '../model/channel.ts'
import { byteLimit, CHANNEL_LIMITS } from '../model/limits.ts'
import { isTable, own } from '../model/own.ts'
import { canonicalBase64 } from '../signature/ed25519.ts'
import { isUtcSecond } from '../signature/envelope.ts'
import { isChannelFileName, readSigned } from './statement.ts'

const VERSION = 1

type ReadChannelState =
  | { readonly ok: true; readonly state: ChannelState }
  | { readonly ok: false; readonly problem: string }

export function writeChannelState(state: ChannelState): Uint8Array {
  const { pinned, manifest, updated, roots, release, heartbeat, files, highest } = state
  const text = (signed: SignedStatement<ChannelStatement> | undefined) =>
    signed === undefined ? null : Buffer.from(signed.envelope).toString('utf8')
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1))
  return Buffer.from(
    `${JSON.stringify({
      version: VERSION,
      pinned,
      manifest: manifest ?? null,
      updated: updated ?? null,
      roots: roots.map(text),
      release: text(release),
      heartbeat: text(heartbeat),
      files: Object.fromEntries(sorted.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])),
      highest: { release: writeReached(highest.release), heartbeat: writeReached(highest.heartbeat) },
    })}\n`,
  )
}

/** A number and its statement as a member of a file. */
function writeReached(reached: Reached | undefined): object | null {
  return reached === undefined ? null : { epoch: reached.epoch, at: reached.at, blake3: reached.blake3 }
}

/** Never throws for any bytes. No signature is checked. */
export function readChannelState(bytes: Uint8Array): ReadChannelState {
  if (bytes.length > CHANNEL_LIMITS.stateBytes)
    return damaged(`it has more than ${byteLimit(CHANNEL_LIMITS.stateBytes)}`)
  const read = contentOf(bytes)
  if (typeof read === 'string') return damaged(read)
  return Buffer.compare(writeChannelState(read), bytes) === 0
    ? { ok: true, state: read }
    : damaged('it is not as this program writes it')
}

/** The file is ours: a text that another wrote has another byte form, whatever `JSON.parse` makes of it. */
function contentOf(bytes: Uint8Array): ChannelState | string {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    // What JSON.parse says of it helps no person: the file is written by this program alone.
    return 'it is no JSON'
  }
  if (!isTable(value)) return 'it is not an object'
  const { version, pinned, manifest, updated, roots, release, heartbeat, files, highest } = value
  if (version !== VERSION)
    return `its version is ${typeof version === 'number' ? version : 'missing'}, and this program reads ${VERSION}`
  if (typeof pinned !== 'string' || !/^[0-9a-f]{64}$/.test(pinned)) return 'it names no pinned root'
  if (manifest !== null && (typeof manifest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(manifest)))
    return 'it names no manifest'
  if (updated !== null && !isUtcSecond(updated)) return 'it does not say when it was updated'
  if (!Array.isArray(roots) || roots.length > CHANNEL_LIMITS.storedRoots) return 'it has no roots'
  const readRoots = roots.map(root => signedIn(root, 'root'))
  const readRelease = signedIn(release, 'release')
  const readHeartbeat = signedIn(heartbeat, 'heartbeat')
  const wrong = [...readRoots, readRelease, readHeartbeat].find(one => typeof one === 'string')
  if (wrong !== undefined) return wrong as string
  const contents = filesIn(files)
  if (contents === undefined) return 'its files are not in base64'
  if (!isTable(highest)) return 'it does not say how far it got'
  const marks = { release: readReached(highest['release']), heartbeat: readReached(highest['heartbeat']) }
  if (marks.release === null || marks.heartbeat === null) return 'it does not say how far it got'
  return {
    pinned,
    manifest: manifest ?? undefined,
    updated: updated ?? undefined,
    roots: readRoots as ChannelState['roots'],
    release: readRelease as ChannelState['release'],
    heartbeat: readHeartbeat as ChannelState['heartbeat'],
    files: contents,
    highest: { release: marks.release, heartbeat: marks.heartbeat },
  }
}

/** A statement, undefined for none, or what is wrong with it. */
function signedIn(
  value: unknown,
  kind: ChannelStatement['kind'],
): SignedStatement<ChannelStatement> | string | undefined {
  if (value === null && kind !== 'root') return undefined
  if (typeof value !== 'string') return `a ${kind} in it is no text`
  const read = readSigned(new Uint8Array(Buffer.from(value)), kind)
  return read.ok
    ? (read.value as SignedStatement<ChannelStatement>)
    : `a ${kind} in it is not sound: ${read.problem}`
}

function filesIn(value: unknown): Map<string, Uint8Array> | undefined {
  if (!isTable(value)) return undefined
  const files = new Map<string, Uint8Array>()
  for (const [name, text] of Object.entries(value)) {
    const bytes = typeof text === 'string' ? canonicalBase64(text) : undefined
    if (bytes === undefined || !isChannelFileName(name)) return undefined
    files.set(name, new Uint8Array(bytes))
  }
  return files
}

/** Reads what {@link writeReached} writes: undefined for none, null for anything else. */
function readReached(value: unknown): Reached | undefined | null {
  if (value === null) return undefined
  if (!isTable(value)) return null
  const { epoch, at, blake3 } = value
  const isNumbered = Number.isSafeInteger(epoch) && Number.isSafeInteger(at)
  if (!isNumbered || typeof blake3 !== 'string' || !/^[0-9a-f]{64}$/.test(blake3)) return null
  return { epoch: epoch as number, at: at as number, blake3 }
}

function damaged(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}

const SEEN_VERSION = 1

export function writeChannelSeen({ since, root, release, heartbeat }: ChannelSeen): Uint8Array {
  const numbers = [root, release, heartbeat].map(writeReached)
  const [first, second, third] = numbers
  return Buffer.from(
    `${JSON.stringify({ version: SEEN_VERSION, since, root: first, release: second, heartbeat: third })}\n`,
  )
}

/** Returns undefined for anything that {@link writeChannelSeen} does not write. Never throws. */
export function readChannelSeen(bytes: Uint8Array): ChannelSeen | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    // The caller says that the file is damaged, which is all that a person has to know.
    return undefined
  }
  if (!isTable(value)) return undefined
  const { since } = value
  const [root, release, heartbeat] = ['root', 'release', 'heartbeat'].map(name =>
    readReached(own(value, name)),
  )
  if (!isUtcSecond(since) || root === null || release === null || heartbeat === null) return undefined
  const seen = { since, root, release, heartbeat }
  return Buffer.compare(writeChannelSeen(seen), bytes) === 0 ? seen : undefined
}
