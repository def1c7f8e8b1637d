// trust-policy.toml → TrustPolicy, or every reason why it decides nothing. A closed document: what is not known is an error (DESIGN §3.7).
import type { Document, Pointer } from '../model/document.ts'
import type { Anchor, Ceiling, Revocation, TrustPolicy } from '../model/trust.ts'
import { readCapability } from './capability.ts'
import { anchorString, readAnchor } from './ed25519.ts'
import { readHostPort } from './host.ts'
import { readReference } from './reference.ts'

/** One thing that is wrong, and where. */
export interface PolicyProblem {
  readonly pointer: Pointer
  readonly part: 'key' | 'value'
  readonly message: string
}

export type ReadTrustPolicy =
  | { readonly ok: true; readonly policy: TrustPolicy }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] }

const ANCHOR_NAME = /^[A-Za-z0-9_-]{1,64}$/
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

type Table = { readonly [key: string]: unknown }

export function readTrustPolicy(document: Document): ReadTrustPolicy {
  return new Reader().read(document.value as Table)
}

/** Collects problems, so that one run names them all. */
class Reader {
  readonly #problems: PolicyProblem[] = []

  read(root: Table): ReadTrustPolicy {
    this.#closed(root, ['anchors', 'rules', 'require', 'revoked'], [])
    const anchors = Object.entries(this.#table(root['anchors'], ['anchors'])).map(entry =>
      this.#anchor(...entry),
    )
    this.#uniqueKeys(anchors)
    const names = new Set(anchors.map(({ name }) => name))
    const rules = new Map<string, Ceiling>()
    for (const [name, value] of Object.entries(this.#table(root['rules'], ['rules']))) {
      if (!names.has(name)) this.#wrong(['rules', name], `${name} is no anchor`, 'key')
      rules.set(name, this.#ceiling(value, ['rules', name]))
    }
    const require = root['require'] === undefined ? undefined : this.#require(root['require'], names)
    const revokedKeys = new Map<string, Revocation>()
    const revokedBundles = new Map<string, Revocation>()
    for (const [what, value] of Object.entries(this.#table(root['revoked'], ['revoked']))) {
      const at = ['revoked', what]
      const revocation = this.#revocation(value, at)
      const bundle = /^blake3:([0-9a-f]{64})$/i.exec(what)?.[1]
      if (bundle !== undefined) revokedBundles.set(bundle.toLowerCase(), revocation)
      else revokedKeys.set(this.#key(what, at, 'key'), revocation)
    }
    if (this.#problems.length > 0) return { ok: false, problems: this.#problems }
    return { ok: true, policy: { anchors, rules, require, revokedKeys, revokedBundles } }
  }

  #anchor(name: string, value: unknown): Anchor {
    const at = ['anchors', name]
    if (!ANCHOR_NAME.test(name)) this.#wrong(at, 'an anchor’s name has letters, digits, _ and - only', 'key')
    if (typeof value === 'string') return { name, keys: [this.#key(value, at)], allowDev: false }
    const table = this.#table(value, at, 'an anchor is a key, or a table with key or keys')
    this.#closed(table, ['key', 'keys', 'allow_dev'], at)
    const keys: string[] = []
    if (table['key'] !== undefined) keys.push(this.#key(table['key'], [...at, 'key']))
    for (const [index, key] of this.#list(table['keys'], [...at, 'keys']).entries()) {
      keys.push(this.#key(key, [...at, 'keys', index]))
    }
    if (keys.length === 0) this.#wrong(at, 'the anchor has no key')
    return { name, keys, allowDev: this.#flag(table['allow_dev'], [...at, 'allow_dev']) }
  }

  /** One key under two anchors could be counted as two people. */
  #uniqueKeys(anchors: readonly Anchor[]): void {
    const owner = new Map<string, string>()
    for (const { name, keys } of anchors) {
      for (const key of keys) {
        const other = owner.get(key)
        if (other !== undefined) this.#wrong(['anchors', name], `its key stands under ${other} already`)
        owner.set(key, name)
      }
    }
  }

  #ceiling(value: unknown, at: Pointer): Ceiling {
    const table = this.#table(value, at)
    this.#closed(table, ['allow_caps', 'allow_net', 'allow_exec', 'agents'], at)
    return {
      allowCaps: this.#anyOrList(table['allow_caps'], [...at, 'allow_caps'], text => {
        const capability = readCapability(text)
        if ('problem' in capability) return capability.problem
        return capability.family === 'net' || capability.family === 'exec'
          ? `${capability.family} has a key of its own`
          : undefined
      }),
      allowNet: this.#anyOrList(table['allow_net'], [...at, 'allow_net'], text => {
        const host = readHostPort(text)
        return 'problem' in host ? host.problem : undefined
      }),
      allowExec: this.#flag(table['allow_exec'], [...at, 'allow_exec']),
      agents:
        table['agents'] === undefined
          ? undefined
          : this.#texts(table['agents'], [...at, 'agents'], text =>
              readReference(text) === undefined ? 'it is not name or name@variant' : undefined,
            ),
    }
  }

  #require(value: unknown, names: ReadonlySet<string>): NonNullable<TrustPolicy['require']> {
    const at = ['require']
    const table = this.#table(value, at)
    this.#closed(table, ['anchors', 'signatures'], at)
    const anchors = this.#texts(table['anchors'] ?? [], [...at, 'anchors'], name =>
      names.has(name) ? undefined : 'it is no anchor',
    )
    if (new Set(anchors).size !== anchors.length) this.#wrong([...at, 'anchors'], 'an anchor stands twice')
    const signatures = table['signatures'] ?? 1
    if (typeof signatures !== 'number' || !Number.isInteger(signatures) || signatures < 1) {
      this.#wrong([...at, 'signatures'], 'it must be a whole number, 1 or more')
      return { anchors, signatures: 1 }
    }
    // A threshold that can never be met would read like "nothing is trusted" by accident.
    if (signatures > names.size) this.#wrong([...at, 'signatures'], `there are only ${names.size} anchors`)
    return { anchors, signatures }
  }

  #revocation(value: unknown, at: Pointer): Revocation {
    const table = this.#table(value, at)
    this.#closed(table, ['since', 'reason', 'replaced_by'], at)
    const since = this.#text(table['since'], [...at, 'since'])
    if (since !== undefined && !(DAY.test(since) && !Number.isNaN(Date.parse(since)))) {
      this.#wrong([...at, 'since'], 'it is not a day, YYYY-MM-DD')
    }
    const replacedBy = table['replaced_by']
    return {
      since,
      reason: this.#text(table['reason'], [...at, 'reason']),
      replacedBy: replacedBy === undefined ? undefined : this.#key(replacedBy, [...at, 'replaced_by']),
    }
  }

  #key(value: unknown, at: Pointer, part: 'key' | 'value' = 'value'): string {
    const read = typeof value === 'string' ? readAnchor(value) : { problem: 'is not a text' }
    if ('key' in read) return anchorString(read.key)
    this.#wrong(at, `the key ${read.problem}`, part)
    return ''
  }

  #anyOrList(
    value: unknown,
    at: Pointer,
    problemOf: (text: string) => string | undefined,
  ): 'any' | readonly string[] {
    if (value === 'any') return 'any'
    return value === undefined ? [] : this.#texts(value, at, problemOf)
  }

  #texts(value: unknown, at: Pointer, problemOf: (text: string) => string | undefined): string[] {
    const texts: string[] = []
    for (const [index, text] of this.#list(value, at).entries()) {
      const problem = typeof text === 'string' ? problemOf(text) : 'it is not a text'
      if (problem !== undefined)
        this.#wrong([...at, index], `${JSON.stringify(text).slice(0, 60)}: ${problem}`)
      else texts.push(text as string)
    }
    return texts
  }

  #list(value: unknown, at: Pointer): readonly unknown[] {
    if (Array.isArray(value)) return value
    if (value !== undefined) this.#wrong(at, 'it must be a list')
    return []
  }

  #text(value: unknown, at: Pointer): string | undefined {
    if (value === undefined || typeof value === 'string') return value
    this.#wrong(at, 'it must be a text')
    return undefined
  }

  #flag(value: unknown, at: Pointer): boolean {
    if (typeof value === 'boolean') return value
    if (value !== undefined) this.#wrong(at, 'it must be true or false')
    return false
  }

  #table(value: unknown, at: Pointer, what = 'it must be a table'): Table {
    if (value === undefined) return {}
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Table
    this.#wrong(at, what)
    return {}
  }

  #closed(table: Table, known: readonly string[], at: Pointer): void {
    for (const key of Object.keys(table)) {
      if (!known.includes(key))
        this.#wrong(
          [...at, key],
          `${key.slice(0, 60)} is not a key here; known are ${known.join(', ')}`,
          'key',
        )
    }
  }

  #wrong(pointer: Pointer, message: string, part: 'key' | 'value' = 'value'): void {
    this.#problems.push({ pointer, part, message })
  }
}
