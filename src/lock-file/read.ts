// Reads rlp.lock, or says on which line and why it is refused. It has one byte form: what was read is written again and compared. The
// document is closed: every member is known, and has the one spelling that is compared.

import { isAgentName, readReference, referenceText } from '../agent/agent-name.ts'
import type { Document, Pointer } from '../model/document.ts'
import { LOCK_VERSION, type Lock, type LockedAgent, type LockProblem } from '../model/lock.ts'
import { own, ownMembers } from '../model/own.ts'
import { DIGEST } from '../oci/scheme.ts'
import { decodeText, lineColumn } from '../text/decode.ts'
import { readDigestText } from '../text/digest-text.ts'
import { quoted } from '../text/printable.ts'
import { type Table, TableReader } from '../toml/closed-table.ts'
import { parseToml } from '../toml/parse.ts'
import { readExpectation } from '../version/reference.ts'
import { isVersion } from '../version/version.ts'
import { writeLock } from './write.ts'

type ReadLock =
  | { readonly ok: true; readonly lock: Lock }
  | { readonly ok: false; readonly problems: readonly LockProblem[] }

const CONFLICT = /^(?:<{7}|\|{7}|={7}|>{7})(?: |$)/

/** @param path name of the file in messages. Never throws for any bytes. */
export function readLock(path: string, bytes: Uint8Array): ReadLock {
  const decoded = decodeText(bytes)
  if (decoded.ok) {
    const at = linesOf(decoded.text).findIndex(line => CONFLICT.test(line))
    if (at !== -1) return no(at + 1, 'a merge left its marks here')
  }
  const parsed = parseToml(path, bytes)
  if (!parsed.ok) {
    const { offset = 0, message } = parsed.problem
    return no(parsed.text === undefined ? 1 : lineColumn(parsed.text, offset).line, message)
  }
  const { document } = parsed
  const lineOf = (pointer: Pointer, part: 'key' | 'value' = 'key') =>
    lineColumn(document.text, document.locate(pointer, part).start).line
  const { version } = ownMembers(document.value as { readonly version?: unknown })
  if (typeof version === 'number' && version > LOCK_VERSION)
    return no(
      lineOf(['version']),
      `version ${version} is newer than this build reads, which is ${LOCK_VERSION}`,
    )
  const reader = new LockReader(document)
  const lock = reader.lock()
  if (reader.problems.length > 0) {
    const problems = reader.problems.map(({ pointer, part, message }) => ({
      line: lineOf(pointer, part),
      message,
    }))
    return { ok: false, problems }
  }
  const written = writeLock(lock)
  return written === document.text ? { ok: true, lock } : differing(document.text, written)
}

/** Reads well, and is not what rlp writes: names the first line. */
function differing(text: string, written: string): ReadLock {
  const [is, should] = [linesOf(text), linesOf(written)]
  const at = should.findIndex((line, index) => is[index] !== line)
  if (at === -1) return no(should.length, 'nothing may follow the last line')
  const [found, expected = ''] = [is[at], should[at]]
  const end = at === should.length - 1
  if (found === undefined || end)
    return no(Math.min(at + 1, is.length), 'the file ends in another way than rlp ends it')
  return no(at + 1, `it is not as rlp writes it: expected ${quoted(expected, 160)}`)
}

/** A carriage return stays in its line, where it is another byte. */
function linesOf(text: string): string[] {
  return text.split('\n')
}

function no(line: number, message: string): ReadLock {
  return { ok: false, problems: [{ line, message }] }
}

const MEMBERS = ['source', 'expect', 'oci', 'agent', 'identity', 'signers', 'caps', 'tools']
const OPTIONAL = ['expect', 'oci']
/** Continues after a text that is not a name. */
export const LOCK_NAME_FORM = 'a lock is called as an agent is: small letters, digits and _'
const NO_BLAKE3 = 'it is not blake3: and 64 hex digits in lower case'

class LockReader extends TableReader {
  private readonly root: Table

  constructor(document: Document) {
    super(document)
    this.root = ownMembers(document.value as Table)
  }

  /** With {@link problems}, not to be used. */
  lock(): Lock {
    this.closed(this.root, ['version', 'name', 'agents'], [])
    const version = own(this.root, 'version')
    if (version === undefined) this.wrong([], `version is missing: write version = ${LOCK_VERSION}`)
    else if (version !== LOCK_VERSION) this.wrong(['version'], `the version must be ${LOCK_VERSION}`)
    const agents = Object.entries(this.table(own(this.root, 'agents'), ['agents']))
    return {
      name: own(this.root, 'name') === undefined ? undefined : this.said(this.root, 'name', [], nameProblem),
      agents: new Map(agents.map(([name, value]) => [name, this.agent(name, value)])),
    }
  }

  private agent(name: string, value: unknown): LockedAgent {
    const at = ['agents', name]
    if (readReference(name) === undefined) this.wrong(at, 'an agent is called name or name@variant', 'key')
    const table = this.table(value, at)
    this.closed(table, MEMBERS, at)
    for (const key of MEMBERS)
      if (!OPTIONAL.includes(key) && own(table, key) === undefined) this.wrong(at, `${key} is missing`, 'key')
    const signers = this.list(own(table, 'signers'), [...at, 'signers'])
    if (own(table, 'signers') !== undefined && signers.length === 0)
      this.wrong([...at, 'signers'], 'a locked agent has at least one signer')
    return {
      source: this.said(table, 'source', at, text => (text === '' ? 'it is empty' : undefined)),
      ...(own(table, 'expect') !== undefined && {
        expect: this.said(table, 'expect', at, text => expectProblem(text, name)),
      }),
      oci: own(table, 'oci') === undefined ? undefined : this.said(table, 'oci', at, ociProblem),
      version: this.said(table, 'agent', at, text => (isVersion(text) ? undefined : 'it is not a version')),
      identity: this.said(table, 'identity', at, blake3Problem).slice('blake3:'.length),
      signers: signers.flatMap((key, index) => this.signers(key, [...at, 'signers', index])),
      caps: this.texts(own(table, 'caps'), [...at, 'caps'], text =>
        text === '' ? 'it is empty' : undefined,
      ),
      tools: this.tools(own(table, 'tools'), [...at, 'tools']),
    }
  }

  private tools(value: unknown, at: Pointer): Map<string, string> {
    const tools = Object.entries(this.table(value, at))
    return new Map(
      tools.map(([id, digest]) => {
        const hex = typeof digest === 'string' ? readDigestText(digest) : undefined
        if (hex === undefined) this.wrong([...at, id], NO_BLAKE3)
        return [id, hex ?? '']
      }),
    )
  }

  private said(
    table: Table,
    key: string,
    at: Pointer,
    problemOf: (text: string) => string | undefined,
  ): string {
    const text = this.text(own(table, key), [...at, key])
    const problem = text === undefined ? undefined : problemOf(text)
    if (problem !== undefined) this.wrong([...at, key], problem)
    return text ?? ''
  }
}

function nameProblem(text: string): string | undefined {
  return isAgentName(text) ? undefined : LOCK_NAME_FORM
}

/** @param name of the table: the agent that is locked */
function expectProblem(text: string, name: string): string | undefined {
  const read = readExpectation(text)
  if (read?.name === undefined || read.versions === undefined)
    return 'it is not an agent and its versions, as mailer@^1.2'
  return referenceText({ ...read, name: read.name }) === name ? undefined : 'it is about another agent'
}

function blake3Problem(text: string): string | undefined {
  return readDigestText(text) === undefined ? NO_BLAKE3 : undefined
}

function ociProblem(text: string): string | undefined {
  return DIGEST.test(text) ? undefined : 'it is not sha256: and 64 hex digits in lower case'
}
