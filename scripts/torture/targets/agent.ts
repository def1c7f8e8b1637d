// Targets: one file of a whole agent damaged. Lint answers with findings that have a place, digest settles, and what pack lets pass is
// what verify calls sound: two views of one bundle that must not differ.

import { read } from '../../../src/agent/read-agent.ts'
import { outline } from '../../../src/agent/read-in-turns.ts'
import { permissionsOf, widen } from '../../../src/inspect/widen.ts'
import { readBundle } from '../../../src/io/bundle/read-bundle.ts'
import { lintAgent } from '../../../src/lint/lint.ts'
import { UNPREPARED } from '../../../src/lint/rules/rule.ts'
import type { Agent } from '../../../src/model/agent.ts'
import { RlpError } from '../../../src/model/error.ts'
import type { Finding } from '../../../src/model/finding.ts'
import type { Permissions, ToolPermission } from '../../../src/model/permissions.ts'
import { digestManifest } from '../../../src/pack/digest.ts'
import { isSilent } from '../../../src/schema/keywords.ts'
import { load } from '../../../src/verify/load.ts'
import { verify } from '../../../src/verify/verify.ts'
import { bundleOf, type Tree } from '../../../test/support/agent.ts'
import { memoryFiles } from '../../../test/support/memory.ts'
import { fixtureTree, textOf } from '../fixture-tree.ts'
import { mutateJson } from '../mutate/json.ts'
import { mutateToml } from '../mutate/toml.ts'
import { mutateWasm } from '../mutate/wasm.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'
import { WORDS } from './words.ts'

const AGENT = fixtureTree('every-transport')
const WITH_RECORDS = fixtureTree('interfaces')
const ENTRY = 'bin/mailer.wasm'
const SCHEMA = 'schemas/mail.send.request.v1.json'

export const AGENT_TARGETS: readonly Target[] = [
  target('manifest', 1400, AGENT, 'manifest.toml', (random, text) =>
    mutateToml(random, text, WORDS.manifest),
  ),
  target('policy', 900, AGENT, 'policy.caps', (random, text) => mutateToml(random, text, WORDS.policy)),
  target('tools', 1400, AGENT, 'tools.json', (random, text) =>
    mutateJson(random, JSON.parse(text), WORDS.tools),
  ),
  target('schema', 900, AGENT, SCHEMA, (random, text) => mutateJson(random, JSON.parse(text), WORDS.schema)),
  target('interfaces', 500, WITH_RECORDS, 'interfaces.json', (random, text) =>
    mutateJson(random, JSON.parse(text), WORDS.interfaces),
  ),
  target('wasm', 700, AGENT, ENTRY, random => mutateWasm(random)),
]

function target(
  name: string,
  share: number,
  base: Tree,
  path: string,
  mutate: (random: Random, text: string) => Uint8Array,
): Target {
  const text = textOf(base, path)
  return {
    name,
    share,
    make: random => mutate(random, text),
    answer: input => judge({ ...base, [path]: input }),
  }
}

async function judge(tree: Tree): Promise<string> {
  const before = read(memoryFiles(tree), 'agent')
  checkPlaces(before, lintAgent(before, UNPREPARED))
  const digested = settle(before, tree)
  const agent = read(memoryFiles(digested), 'agent')
  const findings = lintAgent(agent, UNPREPARED)
  checkPlaces(agent, findings)
  const errors = findings.filter(({ severity }) => severity === 'error')
  const { report, bundle } = await verify(
    await outline(await readBundle(bundleOf(digested), { keep: 'all' })),
    {
      expect: 'any',
      allowUnsigned: true,
    },
  )
  // What the author is told and what everybody else is told (field notes: "green validate, failed install").
  if (errors.length === 0) {
    demand(report.verdict === 'unsigned', `lint has no error, and verify says ${report.verdict}`)
  }
  demand(report.verdict !== 'trusted', 'trusted without a signature')
  if (bundle !== undefined) {
    const loaded = load(bundle)
    for (const { path } of report.files) demand(loaded.bytes(path).length >= 0, `${path} is not handed out`)
    const handed = new Set(loaded.tools.map(({ id }) => id))
    for (const { id, isWithheld } of permissionsOf(bundle.agent).tools)
      demand(!isWithheld || !handed.has(id), `${id} is withheld, and handed out`)
    const { widened, narrowed } = widen(permissionsOf(bundle.agent), permissionsOf(bundle.agent))
    demand(widened.length + narrowed.length === 0, 'it may do more than itself')
    for (const [what, changed] of changedPermissions(permissionsOf(bundle.agent)))
      demand(widen(permissionsOf(bundle.agent), changed).widened.length > 0, `${what} is no change`)
  }
  return errors.length === 0 ? report.verdict : `${report.verdict}, with errors`
}

/** Each is one step further than the bundle goes. */
function* changedPermissions(all: Permissions): Generator<[what: string, changed: Permissions]> {
  for (const [at, tool] of all.tools.entries()) {
    const put = (other: ToolPermission): Permissions => ({ ...all, tools: all.tools.with(at, other) })
    const { isWithheld, ...running } = tool
    if (isWithheld) {
      yield ['what a record withheld and lets go', put(running)]
      continue
    }
    if (tool.kind === 'http') {
      yield ['another path', put({ ...tool, path: `${tool.path}x` })]
      yield ['another method', put({ ...tool, method: `${tool.method}X` })]
      yield ['another header', put({ ...tool, headers: [...tool.headers, ['x-torture', '1']] })]
      yield ['another path under another id', put({ ...tool, id: `${tool.id}x`, path: `${tool.path}x` })]
    }
    for (const [index, filled] of tool.fills.entries()) {
      const open = { ...filled, schema: true, beside: '' } as const
      const isOpen = filled.schema === true || (typeof filled.schema === 'object' && isWide(filled.schema))
      if (!isOpen) yield ['any argument', put({ ...tool, fills: tool.fills.with(index, open) })]
    }
  }
}

/** Whether all keywords are words for people. */
function isWide(schema: object): boolean {
  return Object.keys(schema).every(isSilent)
}

/** Digests as `rlp agent digest` writes them; a second time nothing is left to do. */
function settle(agent: Agent, tree: Tree): Tree {
  try {
    const { text } = digestManifest(agent)
    const next = { ...tree, 'manifest.toml': text }
    const { changes } = digestManifest(read(memoryFiles(next), 'agent'))
    demand(changes.length === 0, `digest a second time changes ${changes.map(({ path }) => path).join(', ')}`)
    return next
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return tree
  }
}

/** Every finding is one that a person can look up: in the file, and not beyond it. */
function checkPlaces(agent: Agent, findings: readonly Finding[]): void {
  for (const { rule, file, line, column, endLine = line, endColumn = column, message, fix } of findings) {
    const text = agent.documents.get(file)?.text ?? agent.unreadable.find(({ path }) => path === file)?.text
    const lines = text === undefined ? 1 : text.split('\n').length
    const isPlace = line >= 1 && column >= 1 && line <= lines && endLine <= lines
    const isOrdered = endLine > line || (endLine === line && endColumn >= column)
    demand(
      isPlace && isOrdered,
      `${rule} points to ${file}:${line}:${column}-${endLine}:${endColumn} of ${lines} lines`,
    )
    demand(message !== '' && fix !== '', `${rule} says nothing`)
  }
}
