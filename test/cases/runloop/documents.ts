// Cases of the bundle's own documents: tools.json, manifest.toml, policy.caps.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { referenceText } from '../../../src/agent/agent-name.ts'
import { read } from '../../../src/agent/read-agent.ts'
import { blake3Hex } from '../../../src/bundle/blake3.ts'
import { findAgents } from '../../../src/io/find/find-agents.ts'
import { lintAgent } from '../../../src/lint/lint.ts'
import { UNPREPARED } from '../../../src/lint/rules/rule.ts'
import type { Finding } from '../../../src/model/finding.ts'
import type { Policy } from '../../../src/model/policy.ts'
import { parseToml } from '../../../src/toml/parse.ts'
import { isVersion } from '../../../src/version/reference.ts'
import { agentTree, type Tree, WASM, writeTree } from '../../support/agent.ts'
import { temporary } from '../../support/folder.ts'
import { memoryFiles } from '../../support/memory.ts'
import { type Checks, check } from '../case.ts'

const folderFor = temporary('cases-documents')

interface Loaded {
  readonly ok: boolean
  readonly error?: string
  readonly errorPrefix?: string
  readonly finding?: string
  readonly findings?: readonly string[]
  /** Of our own cases: what our findings say. */
  readonly says?: readonly string[]
  readonly caps?: object
  readonly entry_wasm?: Entry
  readonly entry_native?: Entry
}
interface Named {
  readonly name: string
  readonly variant: string | null
}
interface Entry {
  readonly path: string
  readonly blake3?: string
}

export const documents: Checks = {
  toolsJson: check<string, Loaded>((text, expected) => {
    const { findings, agent } = judge({
      ...agentTree({ files: { 'policy.caps': GENEROUS, 'tools.json': text } }),
    })
    const errors = about('tools.json', findings)
    // Objects are closed: what upstream passes over and the recommendation only finds is an error here.
    const ok = expected.ok && complaintsOf(expected).length === 0
    assert.equal(errors.length === 0, ok, errors.join('\n'))
    checkWords(expected, TOOLS_ERRORS, errors)
    // Nothing of a document with an error of its shape is handed out.
    if (errors.some(line => /^(?:json|tools\/shape|tools\/version)/.test(line)))
      assert.equal(agent.tools, undefined)
    if (ok) assert.ok(agent.tools)
  }),

  manifest: check<{ text: string; request: Named }, Loaded>(async ({ text, request }, expected) => {
    if (/^agent mismatch|requested variant/.test(expected.error ?? expected.finding ?? ''))
      return await checkMismatch(text, request)
    const { findings, agent } = judge(completed(text), request.name)
    const errors = about('manifest.toml', findings)
    const stricter = expected.ok ? stricterThan(statedIn(text)) : []
    for (const words of stricter) assert.ok(errors.some(line => words.test(line)))
    if (stricter.length === 0) assert.equal(errors.length === 0, expected.ok, errors.join('\n'))
    checkWords(expected, MANIFEST_ERRORS, errors)
    for (const [index, entry] of [expected.entry_wasm, expected.entry_native].entries()) {
      if (entry === undefined) continue
      const [found] = agent.manifest?.entries ?? []
      assert.equal(found?.at.at(-2), ['entry_wasm', 'entry_native'][index])
      assert.equal(found?.path, entry.path)
      if (entry.blake3 !== undefined) assert.equal(found?.blake3, entry.blake3)
    }
  }),

  policyCaps: check<string, Loaded>((text, expected) => {
    const { findings, agent } = judge({ ...agentTree({ files: { 'policy.caps': text } }) })
    const errors = about('policy.caps', findings)
    // A wrong type is an error, never "reads as false", also where upstream reads it so.
    const wrong = expected.ok ? wrongTypes(text) : []
    const ok = expected.ok && wrong.length === 0
    assert.equal(errors.length === 0, ok, errors.join('\n'))
    checkWords(expected, POLICY_ERRORS, errors)
    if (ok) assert.deepEqual(agent.policy && inTheirWords(agent.policy), expected.caps)
    for (const key of wrong)
      assert.ok(
        errors.some(line => line.includes(` ${key}`) && line.includes('must be')),
        errors.join('\n'),
      )
  }),

  blake3: check<string, string>((text, expected) =>
    assert.equal(blake3Hex(new TextEncoder().encode(text)), expected),
  ),
}

/** A folder found by a name declares another agent: the authoring commands refuse it. */
async function checkMismatch(text: string, { name, variant }: Named): Promise<void> {
  const cwd = folderFor('mismatch')
  writeTree(join(cwd, 'agents', name), { 'manifest.toml': text })
  const stated = statedIn(text)
  const declared = referenceText({ name: stated.name ?? '', variant: stated.variant })
  const find = (reference: string) => findAgents([reference], { agentsDir: 'agents', cwd })
  await assert.rejects(find(referenceText({ name, variant: variant ?? undefined })), {
    code: 'NOT_FOUND',
    message: `Cannot use "agents/${name}" as ${referenceText({ name, variant: variant ?? undefined })}: its manifest declares ${declared}`,
  })
  // Positive control: what it declares is found where it is.
  const [own = ''] = declared.split('@')
  writeTree(join(cwd, 'agents', own), { 'manifest.toml': text })
  assert.equal((await find(declared))[0]?.label, `agents/${own}`)
}

/** A policy under which no case fails for want of a grant. */
const GENEROUS = '[capabilities]\nexec = true\nnet = ["api.mail.example", "x", "api.example"]\n'

/** What upstream or the recommendation says of a document → what we say. Our words one by one are in our own cases (`says`). */
type Words = readonly (readonly [theirs: RegExp, ours: RegExp])[]

const TOOLS_ERRORS: Words = [
  [/unsupported tools\.json version/, /^tools\/version/],
  [/invalid JSON/, /^(?:json\/|tools\/shape|tools\/version)/],
  [/tool id cannot be empty/, /id must not be blank/],
  [/exec transport requires a command/, /command must not be blank/],
  // Upstream says the first of the two, we say both.
  [/http transport requires a method/, /method must be/],
  [/http transport requires a url/, /url must not be blank/],
  [/must be an absolute path/, /The command is not an absolute path/],
  [/not a field of exec transport/, /is not a key of an exec transport/],
  [/input_schema is required/, /"input_schema" is missing/],
  [/result_schema is required/, /"result_schema" is missing/],
  [/duplicate tool id/, /^tools\/duplicate-id/],
]

const MANIFEST_ERRORS: Words = [
  [/failed to parse manifest/, /^(?:toml|manifest)\//],
  [/unsupported tools\.json version 99/, /version is 99, tools\.json has version 1/],
  [/is declared twice/, /^manifest\/entry-twice/],
]

/** What our own form does not allow where upstream loads: versions are SemVer, and a kind is one of two. */
function stricterThan({ version, kind = 'native-shim' }: Stated): RegExp[] {
  return [
    ...(isVersion(String(version)) ? [] : [/version must be a version such as 1\.2\.3/]),
    ...(['wasm32-wasip1', 'native-shim'].includes(String(kind))
      ? []
      : [/kind must be "wasm32-wasip1" or "native-shim"/]),
  ]
}

const POLICY_ERRORS: Words = [
  [/missing `capabilities` table/, /capabilities (?:must be a table|is missing)|"capabilities" is missing/],
  [/invalid filesystem capability entry/, /fs\w*\[\d\] must not be blank/],
  [/fs must be an array of strings/, /fs must be an array of strings/],
  [/fs entries must be absolute/, /is not an absolute folder/],
  [/invalid network host entry/, /^caps\/\S+ net/],
  [/invalid capability entry/, /kb_\w+(?:\[\d\])? must be/],
]

/** The keys whose value has a type that they do not take. Upstream reads some of them as nothing. */
function wrongTypes(text: string): string[] {
  const { capabilities } = (tablesOf(text) ?? {}) as { capabilities?: Readonly<Record<string, unknown>> }
  return Object.entries(capabilities ?? {}).flatMap(([key, value]) =>
    (POLICY_TYPES[key] ?? (() => true))(value) ? [] : key,
  )
}

const isFlag = (value: unknown) => typeof value === 'boolean'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(one => typeof one === 'string')
const isFlagOrTexts = (value: unknown) => isFlag(value) || isTexts(value)
const POLICY_TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  fs: isTexts,
  fs_ro: isTexts,
  fs_rw: isTexts,
  secrets: isTexts,
  time: isFlag,
  model: isFlag,
  exec: isFlagOrTexts,
  kb_read: isFlagOrTexts,
  kb_write: isFlagOrTexts,
}

/** Everything that is said against a document. */
function complaintsOf({ error, errorPrefix, finding, findings = [], says = [] }: Loaded): readonly string[] {
  return [error ?? [], errorPrefix ?? [], finding ?? [], findings, says].flat()
}

function checkWords(expected: Loaded, known: Words, errors: readonly string[]): void {
  for (const complaint of complaintsOf(expected)) {
    const ours = known.find(([theirs]) => theirs.test(complaint))?.[1]
    const isSaid = (line: string) =>
      expected.says?.includes(complaint) ? line.includes(complaint) : ours?.test(line)
    assert.ok(errors.some(isSaid), `${complaint} is not in ${errors.join('\n')}`)
  }
}

function judge(tree: Tree, label = 'mini') {
  const agent = read(memoryFiles(tree), label)
  return { agent, findings: lintAgent(agent, UNPREPARED) }
}

/** Errors in one file, but for those about digests that were not computed: no case is about them. */
function about(file: string, findings: readonly Finding[]): string[] {
  return findings
    .filter(({ rule }) => !/^manifest\/digest-(?:pending|stale|missing)$/.test(rule))
    .filter(finding => finding.file === file && finding.severity === 'error')
    .map(({ rule, message }) => `${rule} ${message}`)
}

/** What a manifest states, where it can be read. */
interface Stated {
  readonly name?: string
  readonly variant?: string
  readonly version?: unknown
  readonly kind?: unknown
  /** By key, those at the top and those of `[agent]`. */
  readonly entries: readonly { readonly key: string; readonly path: string }[]
  readonly tables: Readonly<Record<string, unknown>>
}

function tablesOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const parsed = parseToml('x', new TextEncoder().encode(text))
  return parsed.ok ? (parsed.document.value as Readonly<Record<string, unknown>>) : undefined
}

function statedIn(text: string): Stated {
  const tables = tablesOf(text) ?? {}
  const agent = (tables['agent'] ?? {}) as Stated
  const entries = [tables, agent].flatMap(table =>
    ['entry_wasm', 'entry_native'].flatMap(key => {
      const { path } = ((table as Record<string, unknown>)[key] ?? {}) as { path?: string }
      return path === undefined ? [] : { key, path }
    }),
  )
  return { ...agent, entries, tables }
}

/** The manifest with everything that our form asks for and the case is not about, and the files that it names. */
function completed(text: string): Tree {
  const digest = 'a'.repeat(64)
  const { kind, entries, tables } = statedIn(text)
  const agentLines = [
    ...(kind === undefined ? ['kind = "wasm32-wasip1"'] : []),
    ...(entries.length === 0 ? [`entry_wasm = { path = "bin/writer.wasm", blake3 = "${digest}" }`] : []),
  ]
  const { caps, artifacts = {} } = tables as { caps?: object; artifacts?: { tools?: object } }
  const more = [
    ...(caps === undefined ? ['[caps]', 'file = "policy.caps"'] : []),
    ...(artifacts.tools === undefined
      ? ['[artifacts.tools]', 'path = "tools.json"', `blake3 = "${digest}"`, 'version = 1']
      : []),
    '[artifacts.policy]',
    'path = "policy.caps"',
    `blake3 = "${digest}"`,
  ]
  const manifest = `${text.replace('[agent]\n', `[agent]\n${agentLines.join('\n')}\n`)}\n${more.join('\n')}\n`
  const { 'policy.caps': policy = '', 'tools.json': tools = '' } = agentTree()
  const programs = entries.map(({ key, path }) => [path, key === 'entry_native' ? '#!/bin/sh\n' : WASM])
  return {
    'manifest.toml': manifest,
    'policy.caps': policy,
    'tools.json': tools,
    'bin/writer.wasm': WASM,
    ...Object.fromEntries(programs),
  }
}

function inTheirWords(policy: Policy): object {
  const { fs, fsRo, fsRw, net, time, model, kbRead, kbWrite, secrets, exec } = policy
  const roots = (list: readonly string[], write: boolean) => list.map(root => ({ root, write }))
  return {
    fs: [...roots([...fs, ...fsRo], false), ...roots(fsRw, true)],
    net: net.hosts,
    net_allow_http: net.allowHttp,
    time,
    kb_read: allOf(kbRead),
    kb_write: allOf(kbWrite),
    model,
    secrets,
    exec: exec === true || exec.length > 0,
  }
}

/** `true` is all of them, and an empty list none. */
export function allOf(list: true | readonly string[]): 'all' | 'none' | readonly string[] {
  if (list === true) return 'all'
  return list.length === 0 ? 'none' : list
}
