// Compares policy.caps with what an agent uses: which tools and which code need a grant, and the line that adds a missing one. A factory
// makes the rules about the imports of modules. No verdict needs this, so verification does not load it.
import { type Agent, POLICY_FILE } from '../../model/agent.ts'
import type { Document } from '../../model/document.ts'
import type { Place } from '../../model/finding.ts'
import { isTable } from '../../model/own.ts'
import type { Family, Policy } from '../../model/policy.ts'
import type { Tool } from '../../model/tools.ts'
import { readCapability } from '../../policy/capability.ts'
import { isGranted, withGrants } from '../../policy/containment.ts'
import type { Grant } from '../../policy/families/family.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { readHostPort } from '../../policy/host.ts'
import type { Need } from '../../policy/need.ts'
import { firstOfNeeds } from '../../policy/needs.ts'
import { grantsAny, type PolicyKey, policyEntries, policyLine } from '../../policy/write.ts'
import { lineColumn } from '../../text/decode.ts'
import { doubleQuoted } from '../../text/double-quoted.ts'
import { listLiteral } from '../../toml/write.ts'
import { programIn } from '../../tools/command-oddities.ts'
import { transportKind } from '../../tools/transports/index.ts'
import { familyOf, isOffered } from '../../wasm/host.ts'
import type { WasmImport } from '../../wasm/read.ts'
import { isStub } from '../../wasm/stub.ts'
import { listText, quoteName } from '../message-words.ts'
import { once } from './once.ts'
import type { Rule } from './rule.ts'
import { entriesOf, moduleOf } from './wasm-entries.ts'

/** Families whose grants are checked. */
export type UsedFamily = 'net' | 'secrets' | 'exec'

/** The needs of the tools. A list is undefined if a tool cannot be read. */
export interface ToolUse {
  /** `host` for the usual port, and `host:port` for every port. */
  readonly net: ReadonlySet<string> | undefined
  readonly secrets: ReadonlySet<string>
  /** Commands; `*` if a tool asks for all of them. */
  readonly exec: ReadonlySet<string> | undefined
  /** Whether a tool has a plain http url. */
  readonly http: boolean
}

const usedBy = once(useOf)

/** Found out once, for all rules. Undefined if tools.json could not be read. */
export function toolUse({ tools }: Agent): ToolUse | undefined {
  return tools && usedBy(tools.tools)
}

function useOf(tools: readonly Tool[]): ToolUse {
  const net = new Set<string>()
  const secrets = new Set<string>()
  const exec = new Set<string>()
  let http = false
  // Many tools need the same.
  const seen = { encrypted: new Set<string>(), http: new Set<string>() }
  const look = ({ capability: text, scheme }: Need): undefined => {
    const same = scheme === 'http' ? seen.http : seen.encrypted
    if (same.has(text)) return undefined
    same.add(text)
    const capability = readCapability(text)
    if ('problem' in capability) return undefined
    const { family, scope } = capability
    if (family === 'secrets' && scope !== undefined) secrets.add(scope)
    if (family === 'exec') exec.add(scope === undefined ? '*' : programIn(scope))
    if (family !== 'net' || scope === undefined) return undefined
    const target = readHostPort(scope)
    if ('problem' in target) return undefined
    http ||= scheme === 'http'
    const usual = scheme === 'http' ? 80 : 443
    if (target.port !== undefined) net.add(`${target.host}:${target.port}`)
    if (target.port === undefined || target.port === usual) net.add(target.host)
    return undefined
  }
  for (const tool of tools) firstOfNeeds(tool, look)
  const unread = new Set<UsedFamily>()
  for (const { transport } of tools) {
    const { need } = transportKind(transport)
    if (need.words(transport).length === 0) unread.add(need.family)
  }
  return {
    net: unread.has('net') ? undefined : net,
    secrets,
    exec: unread.has('exec') ? undefined : exec,
    http,
  }
}

/** What the agent's own code can use. `placeholder`: the code is not there yet. */
type CodeUse = 'can' | 'cannot' | 'placeholder' | 'unknown'

/** By the functions that its wasm modules import. Native code, and missing or unreadable code, may use anything. */
export function codeUse(agent: Agent, family: UsedFamily): CodeUse {
  const modules = entriesOf(agent).filter(({ key }) => key === 'entry_wasm')
  if (modules.length === 0 || modules.length < (agent.manifest?.entries.length ?? 0)) return 'unknown'
  if (modules.some(({ file: { bytes } }) => bytes !== undefined && isStub(bytes))) return 'placeholder'
  for (const entry of modules) {
    const imports = moduleOf(entry)?.imports
    if (imports === undefined || imports.some(imported => !isOffered(imported))) return 'unknown'
    if (imports.some(imported => familyOf(imported) === family)) return 'can'
  }
  return 'cannot'
}

/** A longer list is not written out: the line would be unreadable. */
const MOST_ENTRIES = 20

/** The edit for one grant, with all that were asked for so far. */
export type AskedGrant = () => string

export class GrantLines {
  readonly #document: Document | undefined
  readonly #withHttp: Policy
  #policy: Policy

  constructor({ documents }: Agent, policy: Policy) {
    this.#document = documents.get(POLICY_FILE)
    this.#withHttp = { ...policy, net: { ...policy.net, allowHttp: true } }
    this.#policy = policy
  }

  /** Asks for a grant. All needs of one tool are asked for before the first edit is written, so that all edits agree. */
  ask(need: Need, grant: Grant): AskedGrant {
    const { key, entry } = grant
    const isHttpOnly = grant.allowHttp && isGranted(need, this.#withHttp)
    const entries = policyEntries(this.#policy, key)
    if (entries.length >= MOST_ENTRIES && entry !== true) {
      const http = grant.allowHttp ? ', with allow_http = true' : ''
      if (isHttpOnly) return () => `Write allow_http = true at net in ${POLICY_FILE}`
      return () => `Add ${doubleQuoted(entry)} to ${key} in ${POLICY_FILE}${http}`
    }
    // Another tool may have asked for the same entry.
    const hasIt = isHttpOnly || (entry !== true && entries.includes(entry))
    const { net } = this.#policy
    this.#policy = hasIt
      ? { ...this.#policy, net: { ...net, allowHttp: net.allowHttp || grant.allowHttp } }
      : withGrants(this.#policy, [grant])
    return () => this.#edit(key)
  }

  #edit(key: PolicyKey): string {
    const found = this.#standing(key)
    if (found === undefined)
      return `Add below [capabilities] in ${POLICY_FILE}: ${policyLine(this.#policy, key)}`
    const place = `${POLICY_FILE} line ${found.line}`
    if (!found.isTable) return `Write in ${place}: ${policyLine(this.#policy, key)}`
    const { hosts, allowHttp } = this.#policy.net
    const list = `hosts = ${listLiteral(hosts)}`
    return `Write at net in ${place}: ${list}${allowHttp ? ' and allow_http = true' : ''}`
  }

  #standing(key: PolicyKey): { line: number; isTable: boolean } | undefined {
    const document = this.#document
    const { capabilities } = (document?.value ?? { capabilities: {} }) as {
      capabilities: Readonly<Record<string, unknown>>
    }
    const value = Object.hasOwn(capabilities, key) ? capabilities[key] : undefined
    if (document === undefined || value === undefined) return undefined
    const { start } = document.locate(['capabilities', key], 'key')
    const isGroup = isTable(value)
    return { line: lineColumn(document.text, start).line, isTable: isGroup }
  }
}

/**
 * A rule of scope `source`: the runtime refuses the call, not the module, so a bundle with such an import is valid. Its author would only
 * notice when the agent fails at work.
 * @param isAbout which imports the rule is about
 * @param advice what to do, given the line that grants what is missing, and where it belongs
 */
export function importGrantRule(
  isAbout: (imported: WasmImport) => boolean,
  advice: (line: string, where: 'here' | 'under [capabilities]') => string,
  words: Pick<Rule, 'id' | 'severity' | 'summary' | 'why' | 'fix'>,
): Rule {
  return {
    ...words,
    scope: 'source',
    looks: 'entry',
    check({ agent, entry }, report) {
      const { policy } = agent
      const about = moduleOf(entry)?.imports.filter(isAbout) ?? []
      const document = agent.documents.get(POLICY_FILE)
      if (policy === undefined || document === undefined || about.length === 0) return
      for (const [family, names] of namesByFamily(about)) {
        if (grantsAny(policy, family)) continue
        report({
          file: POLICY_FILE,
          place: placeOf(document, family),
          message: `${entry.path} imports ${listText(names)}, and policy.caps does not grant ${family}`,
          fix: advice(
            capabilityFamily(family).table.example,
            isWritten(document, family) ? 'here' : 'under [capabilities]',
          ),
        })
      }
    },
  }
}

/** `runloop.http_request`; in quotes unless it is a plain name. */
export function importText({ module, name }: WasmImport): string {
  const text = `${module}.${name}`
  return /^[\w.]{1,60}$/.test(text) ? text : quoteName(text)
}

function namesByFamily(imports: readonly WasmImport[]): Map<Family, Set<string>> {
  const found = new Map<Family, Set<string>>()
  for (const imported of imports) {
    const family = familyOf(imported)
    if (family === undefined) continue
    const names = found.get(family) ?? new Set()
    found.set(family, names.add(importText(imported)))
  }
  return found
}

/** The value that says no, or the head of the table if there is none: there the author will write. */
function placeOf(document: Document, family: Family): Place {
  return isWritten(document, family)
    ? { pointer: ['capabilities', family] }
    : { pointer: ['capabilities'], part: 'key' }
}

function isWritten({ value }: Document, family: Family): boolean {
  const { capabilities } = value as { capabilities: object }
  return family in capabilities
}
