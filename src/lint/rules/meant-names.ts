// Guesses which name an author meant: the key of an entry, a table or a file of the manifest, a placeholder that this format does not have,
// or an entry of policy.caps that differs from another by a slip. Numbers count: api1 is not api2.
import { artifactsOf, KIND_OF_ENTRY } from '../../agent/manifest.ts'
import { type Agent, MANIFEST_FILE, POLICY_FILE, SIGNATURE_FOLDER, TOOLS_FILE } from '../../model/agent.ts'
import { isTable, own } from '../../model/own.ts'
import type { Family } from '../../model/policy.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { unsentSecrets } from '../../secret/unsent-secrets.ts'
import { probablyMeant } from '../../text/did-you-mean.ts'
import { editDistance } from '../../text/edit-distance.ts'
import { quoteText } from '../../text/quote.ts'
import { findInput } from '../../tools/template-input.ts'
import type { TemplateText } from '../../tools/transports/kind.ts'
import type { ToolSubject } from '../subjects.ts'
import { once } from './agent-parts.ts'

/** Whether a key was meant to name the entry: `entry_wsam`, `entry`, `entrypoint`, `wasm`. */
export function isEntry(key: string | number | undefined): boolean {
  if (typeof key !== 'string') return false
  return (
    /^(?:entry.*|main|wasm|binary)$/i.test(key) ||
    probablyMeant(key, Object.keys(KIND_OF_ENTRY)) !== undefined
  )
}

export function entryKeyFor(path: string): string {
  return path.endsWith('.wasm') ? 'entry_wasm' : 'entry_native'
}

/** The key of the manifest that names an entry under a name that no reader knows, and the path that it names. */
export function misnamedEntry(root: unknown): { readonly key: string; readonly path: string } | undefined {
  const agent = isTable(root) ? own(root, 'agent') : undefined
  for (const table of [agent, root]) {
    if (!isTable(table)) continue
    for (const [key, value] of Object.entries(table)) {
      const path = isTable(value) ? own(value, 'path') : undefined
      if (typeof path === 'string' && isEntry(key) && !Object.hasOwn(KIND_OF_ENTRY, key)) return { key, path }
    }
  }
  return undefined
}

/** The file that the entry means, which is not there: one beside it that nothing names, with nearly its name or the only module. */
export const meantEntryFile = (agent: Agent): string | undefined => meantEntry(agent).path

const meantEntry = once((agent: Agent): { readonly path: string | undefined } => {
  const { manifest, files } = agent
  const entry = manifest?.entries.find(({ path }) => files.get(path) === undefined)
  if (manifest === undefined || entry === undefined) return { path: undefined }
  const named = new Set(artifactsOf(manifest).map(({ path }) => path))
  const folder = folderOf(entry.path)
  const others = files.list
    .map(({ path }) => path)
    .filter(path => folderOf(path) === folder && !named.has(path) && !path.startsWith(SIGNATURE_FOLDER))
  const modules = entry.path.endsWith('.wasm') ? others.filter(path => path.endsWith('.wasm')) : []
  return { path: probablyMeant(entry.path, others) ?? (modules.length === 1 ? modules[0] : undefined) }
})

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

/** The files that tables name which no reader knows, up to two levels down. */
export const strayPaths = once((agent: Agent): ReadonlySet<string> => {
  const root = agent.documents.get(MANIFEST_FILE)?.value
  const named = new Set<string>()
  const look = (table: unknown, depth: number): void => {
    if (!isTable(table)) return
    const path = own(table, 'path')
    if (typeof path === 'string') named.add(path)
    if (depth > 0) for (const inner of Object.values(table)) look(inner, depth - 1)
  }
  if (isTable(root))
    for (const [key, table] of Object.entries(root)) if (key !== 'schemas' && key !== 'lint') look(table, 2)
  // What is below another table called files, with its digest.
  const files = isTable(root) ? own(root, 'files') : undefined
  if (isTable(files)) for (const path of Object.keys(files)) named.add(path)
  return named
})

export const REQUIRED_FILES = [MANIFEST_FILE, POLICY_FILE, TOOLS_FILE] as const

type RequiredFile = (typeof REQUIRED_FILES)[number]

/** Other formats that people write such a file in. */
const OTHER_ENDING = /^[a-z]+\.(?:json|toml|ya?ml|caps)$/

/** The fix for a required file that is missing, if a file at the root has its name with a slip or with another ending. */
export function renameTo(path: RequiredFile, agent: Agent): string | undefined {
  const found = misnamedFiles(agent).get(path)
  return found === undefined ? undefined : `Rename ${found} to ${path}`
}

/** The required file that a file was meant to be; undefined if it was not. */
export function requiredMeant(path: string, agent: Agent): RequiredFile | undefined {
  return REQUIRED_FILES.find(required => misnamedFiles(agent).get(required) === path)
}

const misnamedFiles = once((agent: Agent): ReadonlyMap<RequiredFile, string> => {
  const { files } = agent
  const missing = REQUIRED_FILES.filter(path => files.get(path) === undefined)
  if (missing.length === 0) return new Map()
  const others = files.list
    .map(({ path }) => path)
    .filter(path => !path.includes('/') && !REQUIRED_FILES.some(required => required === path))
  return new Map(
    missing.flatMap(path => {
      const stem = path.slice(0, path.indexOf('.') + 1)
      const found =
        others.find(other => OTHER_ENDING.test(other) && other.startsWith(stem)) ??
        probablyMeant(path, others)
      return found === undefined ? [] : [[path, found] as const]
    }),
  )
})

/** The table of the manifest that names a file, for files that have one of their own. */
export const OWN_TABLES: ReadonlyMap<string, string> = new Map([
  [POLICY_FILE, '[artifacts.policy]'],
  [TOOLS_FILE, '[artifacts.tools]'],
])

/** `{{city}}`, `{{ input.city }}`, `{{args.city | urlencode}}`, `{{.City}}`, `<%= city %>`: a name, perhaps with a word before it and a filter behind it. */
const NAMED =
  /^(?:\{\{|<%=?|\{%)\s*\$?(?:(?:inputs?|args?|arguments|params?|parameters|values|json|body|data)\.)?\.?\$?([A-Za-z0-9_-]{1,100}(?:\.[A-Za-z0-9_-]{1,100}){0,8})\s*(?:\|[^{}]{0,100})?(?:\}\}|%>|%\})$/
const VARIABLE = /^\{\{\s*(?:(?:env|secrets?|vars?|process\.env)[.:])?([A-Z_][A-Z0-9_]*)\s*\}\}$/

/** The fix; undefined if it cannot be told. */
export function placeholderMeant(
  text: string,
  where: TemplateText['where'],
  subject: ToolSubject,
): string | undefined {
  const name = NAMED.exec(text)?.[1]
  const fact = name === undefined ? undefined : findInput(subject.tool, name.split('.'), subject.fileAt)
  if (fact?.is === 'known') return writeInput(String(name))
  if (where !== 'header') return undefined
  const [, word, id = ''] = NAMED_SECRET.exec(text) ?? []
  if (subject.tool.secrets.includes(id)) return writeSecret(id)
  const isOther = (word !== undefined || id.includes('/')) && unsentSecrets(subject.tool).length === 1
  return isOther || VARIABLE.test(text) ? secretFix(subject) : undefined
}

/** `{{secrets.api_key}}`, `{{vault:api_key}}`, `{{runloop/mail/api_key}}` */
const NAMED_SECRET = /^\{\{\s*(?:(secrets?|vault|env)[.:])?([A-Za-z0-9_./-]{1,200})\s*\}\}$/

function writeSecret(id: string): string {
  return `Replace it with ${quoteText(`{{secret:${id}}}`, 100)}`
}

/** @param name the path of an argument: `draft.id` */
export function writeInput(name: string): string {
  return `Replace it with ${quoteText(`{{input.${name}}}`, 100)}`
}

/** What to write for a variable in a header: the one secret that the tool lists and does not send, if there is one. */
export function secretFix({ tool }: ToolSubject): string {
  const [only, ...others] = unsentSecrets(tool)
  return only === undefined || others.length > 0
    ? 'List a secret in secrets, and replace it with {{secret:<id>}}'
    : writeSecret(only.id)
}

/** Parts of a name that are shorter are rather two names than one and a slip. */
const SHORTEST = 4
/** The most entries that are compared: a person writes no more. */
const MOST = 200

/** @param key the list that both are entries of */
export function nearGrant(key: Family, entry: string, others: readonly string[]): string | undefined {
  const { scope } = capabilityFamily(key)
  return others.slice(0, MOST).find(other => {
    if (other === entry) return false
    if (scope === 'program' && baseName(other) === baseName(entry)) return true
    return scope === 'name' ? plain(other) === plain(entry) || isSlip(entry, other) : isSlip(entry, other)
  })
}

/** Of a secret or a domain the capitals and the signs between the words are easily mistaken. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9/]/g, '')
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function isSlip(a: string, b: string): boolean {
  const [one, other] = [a.split(/[./:]/), b.split(/[./:]/)]
  if (one.length !== other.length) return false
  const differing = one.flatMap((part, index) =>
    part === other[index] ? [] : [[part, other[index] ?? ''] as const],
  )
  const [first] = differing
  if (first === undefined || differing.length > 1) return false
  const [x, y] = first
  const isNumbered = x.replace(/[0-9]/g, '') === y.replace(/[0-9]/g, '')
  return Math.min(x.length, y.length) >= SHORTEST && !isNumbered && editDistance(x, y, 1) === 1
}
