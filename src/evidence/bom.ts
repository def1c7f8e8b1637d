// The CycloneDX bill of materials of a sound bundle: its files, and the programs and hosts outside of it that its tools use. Made without
// a clock, so that the same bundle and verdict give the same bytes.

import { hash } from 'node:crypto'
import type { Target } from '../io/find/search-folders.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { FileEntry } from '../model/files.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { isTable, own } from '../model/own.ts'
import type { Used } from '../model/permissions.ts'
import type { Report } from '../model/report.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { Tool } from '../model/tools.ts'
import { grantsOf } from '../policy/ceiling.ts'
import { portsByHost, readHostPort } from '../policy/host.ts'
import type { AttestedBundle } from '../statement/statement.ts'
import { printableJson } from '../text/printable.ts'
import { transportKind } from '../tools/transports/index.ts'
import type { Judging } from '../verify/examine.ts'
import { bundleIdentity } from '../version/reference.ts'
import { readWasm, WASM_MAGIC, type WasmModule } from '../wasm/read.ts'
import type { SignStated, StatedAbout } from './attest.ts'
import { examineSound, type Sound } from './verified.ts'

interface BomOptions {
  /** A UTC second for the bill; it has none where this is left out. */
  readonly time?: string | undefined
}

/** A bill of materials after CycloneDX 1.7, as an object whose members are in the order in which they are written. */
export type Bom = Readonly<Record<string, unknown>>

export function bomOf({ agent, report, about }: Sound, { time }: BomOptions = {}): Bom {
  const root = agentComponent(agent, about)
  const files = fileComponents(agent)
  const programs = programComponents(agent)
  const hosts = services(agent)
  const dependsOn = [...files, ...programs, ...hosts].map(one => one['bom-ref'])
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.7.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    version: 1,
    metadata: {
      timestamp: time,
      lifecycles: [{ phase: 'post-build' }],
      tools: { components: [{ type: 'application', name: 'rlp', version: VERSION }] },
      component: root,
      properties: [
        bomFact('verdict', report.verdict),
        ...report.skipped.map(text => bomFact('not-checked', text)),
      ],
    },
    components: [...files, ...programs],
    services: hosts,
    dependencies: [{ ref: root['bom-ref'], dependsOn }],
  }
}

/** The text that is printed. A statement has the same members, compact. */
export function bomText(bom: Bom): string {
  return shownJson(bom)
}

/** The agent as a whole, as a component of CycloneDX: what it is called, and what it may do. */
function agentComponent(agent: Agent, { file, manifest }: AttestedBundle): BomPart {
  const { name = '', version = '', variant, kind = '' } = agent.manifest ?? {}
  const { policy, tools } = agent
  const licence = licenceOf(agent)
  return {
    type: 'application',
    'bom-ref': 'agent',
    name: variant === undefined ? name : `${name}@${variant}`,
    version,
    ...(file && { hashes: [{ alg: 'SHA-256', content: file.sha256 }] }),
    ...(licence && { licenses: [licence] }),
    properties: [
      bomFact('identity', bundleIdentity(manifest.blake3)),
      bomFact('kind', kind),
      ...(policy === undefined ? [] : inOrder(grantsOf(policy)).map(text => bomFact('capability', text))),
      ...secretsOf(agent).map(id => bomFact('secret', id)),
      ...(tools?.tools.map(({ id }) => bomFact('tool', id)) ?? []),
    ],
  }
}

/** By name: a bundle holds no value of a secret. */
function secretsOf({ policy, tools }: Agent): string[] {
  return inOrder([...(policy?.secrets ?? []), ...(tools?.tools.flatMap(({ secrets }) => secrets) ?? [])])
}

const MOST_CHARACTERS = 1000
const EXPRESSION = /^\(?[A-Za-z0-9][A-Za-z0-9.+-]*(?: (?:AND|OR|WITH) \(?[A-Za-z0-9][A-Za-z0-9.+-]*\)?)*\)?$/

/** `license` of the table [agent]: an SPDX expression, or the name of another licence. */
function licenceOf({ documents }: Agent): object | undefined {
  const root = documents.get(MANIFEST_FILE)?.value
  const table = isTable(root) ? own(root, 'agent') : undefined
  const text = isTable(table) ? own(table, 'license') : undefined
  if (typeof text !== 'string' || text === '' || text.length > MOST_CHARACTERS) return undefined
  return EXPRESSION.test(text)
    ? { expression: text, acknowledgement: 'declared' }
    : { license: { name: text, acknowledgement: 'declared' } }
}

/** More imports are counted, and not listed. */
const MOST_IMPORTS = 10_000

export function fileComponents({ files, manifest }: Agent): BomPart[] {
  const roles = new Map(manifest?.entries.map(({ path, role }) => [path, role]))
  return files.list.map(file => {
    const { path, size, digest, content } = file
    if (content === undefined || digest === undefined)
      throw new TypeError('the content of this entry was not kept')
    const role = roles.get(path)
    const properties = [
      bomFact('bytes', String(size)),
      ...(role === undefined ? [] : [bomFact('role', role)]),
      ...wasmProperties(file, content),
    ]
    return {
      type: 'file',
      ...(isWasm(content) && { 'mime-type': 'application/wasm' }),
      'bom-ref': `file:${path}`,
      name: path,
      hashes: [
        { alg: 'SHA-256', content: hash('sha256', content, 'hex') },
        { alg: 'BLAKE3', content: digest },
      ],
      properties,
    }
  })
}

function wasmProperties({ size }: FileEntry, content: Uint8Array) {
  if (!isWasm(content)) return []
  if (size > PARSE_LIMITS.wasmBytes)
    return [bomFact('wasm:not-read', 'it is larger than what is looked into')]
  const read = readWasm(content)
  if (!read.ok) return [bomFact('wasm:not-read', read.reason)]
  if (read.module.isComponent) return [bomFact('wasm:not-read', 'it is a component')]
  return importProperties(read.module)
}

function importProperties({ imports, hasStart }: WasmModule) {
  const names = inOrder(imports.map(({ module, name, kind }) => `${module} ${name} (${kind})`))
  return [
    ...(names.length > MOST_IMPORTS
      ? [bomFact('wasm:not-listed', `${names.length} imports`)]
      : names.map(text => bomFact('wasm:import', text))),
    ...(hasStart ? [bomFact('wasm:start', 'a function runs before any export is called')] : []),
  ]
}

function isWasm(content: Uint8Array): boolean {
  return WASM_MAGIC.slice(0, 4).every((byte, index) => content[index] === byte)
}

interface Use extends Used {
  readonly tool: Tool
}

function usesOf({ tools }: Agent): Use[] {
  return (
    tools?.tools.map(tool => {
      const { act } = transportKind(tool.transport)
      return { ...act.uses(act.of(tool)), tool }
    }) ?? []
  )
}

/** Programs that a tool starts, and those that policy.caps grants beside them. */
export function programComponents(agent: Agent): BomPart[] {
  const uses = usesOf(agent).filter(({ what }) => what !== 'host')
  const exec = agent.policy?.exec
  const granted = new Set(Array.isArray(exec) ? (exec as readonly string[]) : [])
  const runs = byName(uses)
  return inOrder([...granted, ...runs.keys()]).map(name => ({
    type: 'application',
    'bom-ref': `program:${name}`,
    name,
    isExternal: true,
    properties: [
      ...inOrder((runs.get(name) ?? []).map(({ how, tool }) => `${tool.id}: ${how}`)).map(text =>
        bomFact('run', text),
      ),
      ...(granted.has(name) ? [bomFact('capability', `exec:${name}`)] : []),
    ],
  }))
}

/** Hosts that a tool calls, and those that policy.caps grants beside them. */
export function services(agent: Agent): BomPart[] {
  const uses = usesOf(agent).filter(({ what }) => what === 'host')
  const callsOf = byName(uses)
  const origins = inOrder(callsOf.keys())
  const called = origins.map(origin => {
    const calls = callsOf.get(origin) ?? []
    return {
      'bom-ref': `service:${origin}`,
      name: hostIn(origin),
      endpoints: inOrder(calls.map(({ how, verb = '' }) => endpoint(origin, how, verb))),
      authenticated: calls.some(({ tool }) => tool.secrets.length > 0),
      'x-trust-boundary': true,
      properties: inOrder(calls.map(({ how, tool }) => `${tool.id}: ${how}`)).map(text =>
        bomFact('request', text),
      ),
    }
  })
  const isCalled = calledHosts(origins)
  const left = inOrder(agent.policy?.net.hosts ?? []).filter(host => !isCalled(host))
  const granted = left.map(host => ({
    'bom-ref': `service:${host}`,
    name: host,
    'x-trust-boundary': true,
    properties: [bomFact('capability', `net:${host}`)],
  }))
  return [...called, ...granted]
}

/** `https://host:port` → `host:port`. */
function hostIn(origin: string): string {
  return origin.slice(origin.indexOf('://') + 3)
}

/** Whether a granted host is the one of an origin: without a port it is every port of it. */
function calledHosts(origins: readonly string[]): (granted: string) => boolean {
  const called = portsByHost(origins.map(hostIn))
  return granted => {
    const read = readHostPort(granted)
    if ('problem' in read) return false
    const ports = called.get(read.host)
    return ports !== undefined && (read.port === undefined || ports.has(read.port))
  }
}

function byName(uses: readonly Use[]): ReadonlyMap<string, readonly Use[]> {
  const found = new Map<string, Use[]>()
  for (const use of uses) {
    const same = found.get(use.name)
    if (same === undefined) found.set(use.name, [use])
    else same.push(use)
  }
  return found
}

const NOT_IN_URL = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]/gu

/** A place in a url that a call fills is no character of one, so it is percent-encoded. */
function endpoint(origin: string, how: string, verb: string): string {
  const path = how.startsWith(`${verb} `) ? how.slice(verb.length + 1) : how
  return `${origin}${path.replace(NOT_IN_URL, text => encodeURIComponent(text))}`
}

/** A fact that CycloneDX has no member for. Names of ours begin with `rlp:`. */
function bomFact(name: string, value: string): { readonly name: string; readonly value: string } {
  return { name: `rlp:${name}`, value }
}

/** Part of a bill: a component or a service. */
type BomPart = Readonly<Record<string, unknown>> & { readonly 'bom-ref': string }

/** In the order of code units, each once. */
function inOrder(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort()
}

export interface StatedBom extends StatedAbout {
  /** CycloneDX 1.7. */
  readonly bom: Bom
  readonly report: Report
}

/** For messages. */
export const LISTING = 'list the contents of'

/** @throws NotVerifiedError for a bundle that is not sound, or another one than is expected; RlpError as reading and signing do */
export async function stateBom(
  target: Target,
  how: Judging,
  options: BomOptions,
  sign: SignStated,
): Promise<StatedBom> {
  const sound = await examineSound(target, how, LISTING)
  const { about, report } = sound
  const bom = bomOf(sound, options)
  return { bom, report, ...(await sign({ name: 'bom', about, predicate: bom, target })) }
}

export function shownJson(document: object): string {
  return `${JSON.stringify(document, null, 2).split('\n').map(printableJson).join('\n')}\n`
}
