// Cases of the bundle's own documents: tools.json, manifest.toml, policy.caps (systems reference §3a).
import assert from 'node:assert/strict'
import { blake3Hex } from '../../../src/format/blake3.ts'
import { lint } from '../../../src/lint.ts'
import type { Finding } from '../../../src/model/finding.ts'
import type { Policy } from '../../../src/model/policy.ts'
import { read } from '../../../src/read.ts'
import { agentTree, type Tree, WASM } from '../../support/agent.ts'
import { memoryFiles } from '../../support/memory.ts'
import { type Checks, check } from '../case.ts'

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
interface Entry {
  readonly path: string
  readonly blake3?: string
}

export const documents: Checks = {
  toolsJson: check<string, Loaded>((text, expected, { id }) => {
    const { findings, agent } = judge({
      ...agentTree({ files: { 'policy.caps': GENEROUS, 'tools.json': text } }),
    })
    const errors = about('tools.json', findings)
    const words = expected.says ?? TOOLS_ERRORS[id]
    // Objects are closed (DESIGN §3.3): what upstream passes over and the recommendation only finds is an error here.
    const ok = expected.ok && words === undefined
    assert.ok(ok || !expected.ok || id === 'exec-extra-http-fields', `${id}: we refuse it, and should not`)
    assert.equal(errors.length === 0, ok, errors.join('\n'))
    for (const word of words ?? [])
      assert.ok(
        errors.some(line => line.includes(word)),
        errors.join('\n'),
      )
    // Nothing of a document with an error of its shape is handed out.
    if (errors.some(line => /^(?:json|tools\/shape|tools\/version)/.test(line)))
      assert.equal(agent.tools, undefined)
    if (ok) assert.ok(agent.tools)
  }),

  manifest: check<{ text: string; request: { name: string; variant: string | null } }, Loaded>(
    ({ text, request }, expected, { id }) => {
      const { findings, agent } = judge(completed(text), request.name)
      const errors = about('manifest.toml', findings)
      const theirs = expected.says?.[0] ?? MANIFEST_ERRORS[id]
      const [word, reason = ''] = [theirs ?? STRICTER[id]].flat()
      assert.equal(expected.ok, theirs === undefined, `${id}: nothing is known of this case`)
      if (word === undefined) assert.deepEqual(errors, [])
      else
        assert.ok(
          errors.some(line => line.includes(word)),
          `${word} ${reason} is not in ${errors.join('\n')}`,
        )
      for (const [index, entry] of [expected.entry_wasm, expected.entry_native].entries()) {
        if (entry === undefined) continue
        const [found] = agent.manifest?.entries ?? []
        assert.equal(found?.at.at(-2), ['entry_wasm', 'entry_native'][index])
        assert.equal(found?.path, entry.path)
        if (entry.blake3 !== undefined) assert.equal(found?.blake3, entry.blake3)
      }
    },
  ),

  policyCaps: check<string, Loaded>((text, expected, { id }) => {
    const { findings, agent } = judge({ ...agentTree({ files: { 'policy.caps': text } }) })
    const errors = about('policy.caps', findings)
    const words = expected.says ?? POLICY_ERRORS[id]
    // A wrong type is an error, never "reads as false" (DESIGN §3.4), also where upstream reads it so.
    assert.equal(errors.length === 0, words === undefined, errors.join('\n'))
    assert.ok(
      words === undefined || !expected.ok || WRONG_TYPES.includes(id),
      `${id}: we refuse it, and should not`,
    )
    for (const word of words ?? [])
      assert.ok(
        errors.some(line => line.includes(word)),
        errors.join('\n'),
      )
    if (words === undefined) assert.deepEqual(agent.policy && inTheirWords(agent.policy), expected.caps)
  }),

  blake3: check<string, string>((text, expected) =>
    assert.equal(blake3Hex(new TextEncoder().encode(text)), expected),
  ),
}

/** A policy under which no case fails for want of a grant. */
const GENEROUS = '[capabilities]\nexec = true\nnet = ["api.mail.example", "x", "api.example"]\n'

/** What we say of the documents that are refused. Upstream stops at the first thing, in its parser's words. */
const TOOLS_ERRORS: Readonly<Record<string, readonly string[]>> = {
  'version-missing': ['tools/version', '"version" is missing'],
  'version-2': ['tools/version', 'Version 2 is newer than this rlp reads (1)'],
  'version-0': ['tools/version', 'found 0'],
  'version-string': ['tools/version', 'found "1"'],
  'version-negative': ['tools/version', 'found -1'],
  'tools-null': ['tools must be an array, found null'],
  'tools-object': ['tools must be an array, found an object'],
  'not-json': ['json/syntax'],
  'version-checked-before-entries': ['tools/version'],
  'id-empty': ['id must not be blank'],
  'id-missing': ['"id" is missing'],
  'description-missing': ['"description" is missing'],
  'transport-missing': ['"transport" is missing'],
  'transport-kind-missing': ['"kind" is missing'],
  'transport-kind-unix': ['kind must be "exec" or "http"'],
  'http-method-missing': ['"method" is missing'],
  'http-url-empty': ['url must not be blank'],
  // Upstream says the first of the two, we say both.
  'http-method-before-url': ['method must be', 'url must not be blank'],
  'http-headers-number': ['must be a string, found a number'],
  'exec-command-empty': ['command must not be blank'],
  'exec-relative': ['The command is not an absolute path'],
  'exec-extra-http-fields': ['"url" is not a key of an exec transport'],
  'schemas-missing': ['"input_schema" is missing', '"result_schema" is missing'],
  'duplicate-id': ['mail.smtp_send'],
  'capabilities-string': ['capabilities must be an array of strings'],
  'budget-negative-tokens': ['tokens must be at least 0'],
  'confirm-string': ['requires_confirmation must be true or false'],
  'confirm-null': ['requires_confirmation must be true or false, found null'],
  'schema-refs-array': ['schema_refs must be an object'],
  'duplicate-json-key': ['json/duplicate-key'],
  bom: ['json/encoding'],
}

const MANIFEST_ERRORS: Readonly<Record<string, string>> = {
  'no-version': '"version" is missing',
  'no-agent': '"agent" is missing',
  'broken-toml': 'toml/syntax',
  'tools-version-99': 'version is 99, tools.json has version 1',
  'tools-no-digest': 'manifest/digest-format',
  'entry-both': 'manifest/entry-twice',
}

/** Manifests that upstream loads and our own form does not allow (DESIGN §3.2). */
const STRICTER: Readonly<Record<string, readonly [word: string, reason: string]>> = {
  'no-ports': ['version must be a version such as 1.2.3', 'versions are SemVer'],
  'kind-ignored': ['kind must be "wasm32-wasip1" or "native-shim"', 'kind is one of two words'],
}

const POLICY_ERRORS: Readonly<Record<string, readonly string[]>> = {
  'table-not-table': ['capabilities must be a table'],
  'fs-empty-entry': ['fs[0] must not be blank'],
  'fs-not-array': ['fs must be an array of strings'],
  'fs-relative': ['"notes" is not an absolute folder'],
  'net-empty': ['net[0] must not be blank'],
  'net-bool': ['net must be an array of strings or a table'],
  'kb-number': ['kb_read must be'],
  'kb-array-number': ['kb_read[0] must be a string'],
  'secrets-nonarray': ['secrets must be an array of strings'],
  'secrets-mixed': ['secrets[1] must be a string'],
}
const WRONG_TYPES: readonly string[] = ['secrets-nonarray', 'secrets-mixed']

function judge(tree: Tree, label = 'mini') {
  const agent = read(memoryFiles(tree), label)
  return { agent, findings: lint(agent) }
}

/** Errors in one file, but for those about digests that were not computed: no case is about them. */
function about(file: string, findings: readonly Finding[]): string[] {
  return findings
    .filter(({ rule }) => !/^manifest\/digest-(?:pending|stale|missing)$/.test(rule))
    .filter(finding => finding.file === file && finding.severity === 'error')
    .map(({ rule, message }) => `${rule} ${message}`)
}

/** The manifest with everything that our form asks for and the case is not about, and the files that it names. */
function completed(text: string): Tree {
  const digest = 'a'.repeat(64)
  const has = (pattern: RegExp) => pattern.test(text)
  const agentLines = [
    ...(has(/^kind = /m) ? [] : ['kind = "wasm32-wasip1"']),
    ...(has(/entry_/) ? [] : [`entry_wasm = { path = "bin/writer.wasm", blake3 = "${digest}" }`]),
  ]
  const tables = [
    ...(has(/^\[caps\]/m) ? [] : ['[caps]', 'file = "policy.caps"']),
    ...(has(/^\[artifacts\.tools\]/m)
      ? []
      : ['[artifacts.tools]', 'path = "tools.json"', `blake3 = "${digest}"`, 'version = 1']),
    '[artifacts.policy]',
    'path = "policy.caps"',
    `blake3 = "${digest}"`,
  ]
  const manifest = `${text.replace('[agent]\n', `[agent]\n${agentLines.join('\n')}\n`)}\n${tables.join('\n')}\n`
  const { 'policy.caps': policy = '', 'tools.json': tools = '' } = agentTree()
  const entries = Object.fromEntries(
    [...text.matchAll(/entry_(\w+) = \{ path = "([^"]+)"/g)].map(([, kind, path = '']) => [
      path,
      kind === 'native' ? '#!/bin/sh\n' : WASM,
    ]),
  )
  return {
    'manifest.toml': manifest,
    'policy.caps': policy,
    'tools.json': tools,
    'bin/writer.wasm': WASM,
    ...entries,
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
