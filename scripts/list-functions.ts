// Writes the entries of the library, src/library/generated/<entry>.ts, from the verbs in src/<room>/verbs/: each function with the types that
// its inputs imply and the comments of the sources, and the types that these lead to. What else an entry has is in src/library/<entry>.ts.
// They are checked in, so that a review shows each change of what the library offers.
// npm run functions; with --check it writes nothing, and fails for a file that is not up to date.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { AnyInput, InputTable } from '../src/verb/input.ts'
import { type AnyVerb, functionName, optionsOf, parametersOf } from '../src/verb/verb.ts'
import { ENTRIES, type EntryName, entryOf } from './entries.ts'
import { readGenerated, writeGenerated } from './generated-file.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const FOLDER = 'src/library/generated'
/** The interfaces of options that several functions share. */
const SHARED = `${FOLDER}/options.ts`
const BUILT_IN = /^(?:Date|URL|Uint8Array|ArrayBuffer|Promise|Record|Readonly|Partial|AsyncIterable)$/

/** A verb with the file that declares it. */
interface Declared {
  readonly path: string
  readonly source: string
  readonly verb: AnyVerb
}

/** InputTable that verbs share, and which are an interface of their own. */
interface Group {
  readonly name: string
  readonly path: string
  readonly inputs: InputTable
  /** It is written by hand, with its comments. */
  readonly isWritten: boolean
}

/** By path, the text of each file. */
async function functionFiles(): Promise<Map<string, string>> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map(path => `src/${path.replaceAll('\\', '/')}`)
    .filter(path => path.endsWith('.ts') && !path.startsWith(FOLDER))
    .sort()
  const sources = new Map(files.map(path => [path, readFileSync(join(root, path), 'utf8')]))
  const verbs = await declaredVerbs(sources)
  const shared = await sharedInputs(sources)
  const known = { verbs, sources, ...shared }
  const entries = Object.entries(ENTRIES).filter(([, path]) => path.startsWith(FOLDER))
  const texts = entries.map(([name, path]): [string, string] => [path, entryText(name as EntryName, known)])
  return new Map(
    [[SHARED, sharedText(known)] as const, ...texts].map(([path, text]) => [path, formatted(path, text)]),
  )
}

interface Known {
  readonly verbs: readonly Declared[]
  readonly sources: ReadonlyMap<string, string>
  readonly groups: readonly Group[]
  readonly comments: ReadonlyMap<AnyInput, ReadonlyMap<string, string>>
}

async function declaredVerbs(sources: ReadonlyMap<string, string>): Promise<Declared[]> {
  const found = [...sources].filter(([path]) => /^src\/[a-z-]+\/verbs\/[a-z-]+\.ts$/.test(path))
  return Promise.all(
    found.map(async ([path, source]) => ({ path, source, verb: (await loaded(path))['verb'] as AnyVerb })),
  )
}

function loaded(path: string): Promise<Record<string, unknown>> {
  return import(pathToFileURL(join(root, path)).href)
}

/** Groups, and the comments above inputs that are declared once for several verbs. */
async function sharedInputs(
  sources: ReadonlyMap<string, string>,
): Promise<Pick<Known, 'groups' | 'comments'>> {
  const groups: Group[] = []
  const comments = new Map<AnyInput, Map<string, string>>()
  const keep = (name: string, input: AnyInput, comment: string | undefined) => {
    if (comment === undefined) return
    const known = comments.get(input) ?? new Map<string, string>()
    comments.set(input, known.set(name, comment))
  }
  for (const [path, source] of sources) {
    if (!/\/(?:[a-z-]+-)?inputs\.ts$|\/ask-[a-z-]+\.ts$|^src\/verb\/kinds\//.test(path)) continue
    for (const [name, value] of Object.entries(await loaded(path))) {
      if (isInput(value)) keep('', value, commentAbove(source, `export const ${name}\\b`))
      if (!isInputs(value)) continue
      const [, named] = /@interface (\w+)/.exec(commentAbove(source, `export const ${name}\\b`) ?? '') ?? []
      const written = named && declaring(named, sources)
      const whole = written === undefined ? source : (sources.get(written) ?? '')
      const text = whole.slice(Math.max(0, whole.indexOf(`export interface ${named} `)))
      for (const [member, input] of Object.entries(value))
        keep(member, input, commentAbove(text, `  (?:readonly )?${member}\\b`))
      if (named !== undefined)
        groups.push({ name: named, path, inputs: value, isWritten: written !== undefined })
    }
  }
  return { comments, groups: groups.sort((a, b) => sizeOf(b) - sizeOf(a)) }
}

function sizeOf({ inputs }: Group): number {
  return Object.keys(inputs).length
}

function isInput(value: unknown): value is AnyInput {
  return typeof value === 'object' && value !== null && ('fromGiven' in value || 'fromTyped' in value)
}

function isInputs(value: unknown): value is InputTable {
  if (typeof value !== 'object' || value === null || isInput(value)) return false
  const members = Object.values(value)
  return members.length > 0 && members.every(isInput)
}

function sharedText(known: Known): string {
  const groups = known.groups.filter(({ isWritten }) => !isWritten)
  const texts = groups.map(group => groupText(group, known))
  return [GENERATED, ...importsOf(namesIn(texts), known), '', ...texts].join('\n')
}

function groupText(group: Group, known: Known): string {
  const { parts, rest } = inGroups(group.inputs, known, group)
  return interfaceText(group.name, parts, rest, known)
}

function entryText(entry: EntryName, known: Known): string {
  const verbs = known.verbs.filter(({ path, verb }) => entryOf(functionName(verb), path) === entry)
  const functions = verbs.map(one => functionText(one, known))
  const more = `src/library/${entry}.ts`
  const named = namesIn(functions)
  const errors = new Set(
    functions.flatMap(text => [...text.matchAll(/\{@link (\w+Error)\}/g)].map(([, name = '']) => name)),
  )
  return [
    GENERATED,
    ...importsOf(named, known),
    ...verbs.map(({ path, verb }) => `import { verb as ${verbName(verb)} } from '../../${path.slice(4)}'`),
    "import { functionOf } from '../../verb/as-function.ts'",
    '',
    ...(known.sources.has(more) ? [`export * from '../${entry}.ts'`] : []),
    ...[...errors].map(name => `export { ${name} } from '${importFrom(name, known)}'`),
    ...[...reachedFrom(named, known)]
      .filter(([name]) => !errors.has(name))
      .map(([name, path]) => `export type { ${name} } from '${fromEntries(path)}'`),
    '',
    ...functions,
  ].join('\n')
}

const GENERATED = '// Generated by scripts/list-functions.ts.'

function importsOf(names: readonly string[], known: Known): string[] {
  return names.map(name => `import type { ${name} } from '${importFrom(name, known)}'`)
}

/** The types that a caller may have to name: those of what functions take and give, and of all members of these. By name, their files. */
function reachedFrom(names: readonly string[], known: Known): Map<string, string> {
  const reached = new Map<string, string>()
  const reach = (name: string, path: string | undefined) => {
    if (path === undefined || reached.get(name) === path) return
    if (reached.has(name))
      throw new Error(`an entry leads to two types ${name}: ${reached.get(name)} and ${path}`)
    reached.set(name, path)
    const text = declarationIn(known.sources.get(path) ?? '', name)
    for (const member of namesIn([text])) reach(member, exporting(member, path, known.sources))
  }
  const start = (name: string) => {
    const group = known.groups.find(one => one.name === name && !one.isWritten)
    if (group === undefined) return reach(name, declaring(name, known.sources))
    reached.set(name, SHARED)
    for (const member of namesIn([groupText(group, known)])) if (!reached.has(member)) start(member)
  }
  for (const name of names) start(name)
  return reached
}

/** The file that exports what a file calls so: itself, or one from which it comes. */
function exporting(name: string, path: string, sources: ReadonlyMap<string, string>): string | undefined {
  const source = sources.get(path) ?? ''
  if (declarationIn(source, name) !== '') return path
  const from = new RegExp(`^(?:im|ex)port (?:type )?{[^}]*\\b${name}\\b[^}]*} from '(\\.[^']+)'`, 'm').exec(
    source,
  )?.[1]
  return from === undefined ? undefined : exporting(name, join(dirname(path), from), sources)
}

/** The text of an exported type, without its name. */
function declarationIn(source: string, name: string): string {
  const declaration = `^export (?:interface|type|class|abstract class) ${name}\\b(.*?)^(?:}|(?=\\S)|(?![^]))`
  return new RegExp(declaration, 'ms').exec(source)?.[1] ?? ''
}

/** Types that are named in code, comments apart. */
function namesIn(texts: readonly string[]): string[] {
  const code = texts.join('\n').replace(/\/\*\*.*?\*\//gs, '')
  const declared = new Set([...code.matchAll(/export (?:interface|type) (\w+)/g)].map(([, name]) => name))
  const named = new Set(code.match(/\b[A-Z]\w+\b/g))
  return [...named].filter(name => !declared.has(name) && !BUILT_IN.test(name)).sort()
}

/** Types of Node, by the module that has them. */
const OF_NODE: Readonly<Record<string, string>> = { Writable: 'node:stream' }

function importFrom(name: string, { sources, groups }: Known): string {
  const ofNode = OF_NODE[name]
  if (ofNode !== undefined) return ofNode
  const group = groups.find(one => one.name === name && !one.isWritten)
  if (group !== undefined) return './options.ts'
  const path = declaring(name, sources)
  if (path === undefined) throw new Error(`no file of src/ exports the type ${name}`)
  return fromEntries(path)
}

function fromEntries(path: string): string {
  return path === SHARED ? './options.ts' : relative(FOLDER, path).replaceAll('\\', '/')
}

function declaring(name: string, sources: ReadonlyMap<string, string>): string | undefined {
  const declaration = new RegExp(`^export (?:interface|type|class|abstract class) ${name}\\b`, 'm')
  return [...sources].find(([, source]) => declaration.test(source))?.[0]
}

/** The groups that a table of inputs holds whole, and its other members. */
function inGroups(inputs: InputTable, { groups }: Known, itself?: Group) {
  const rest = new Map(Object.entries(inputs))
  const parts: string[] = []
  for (const group of groups) {
    if (group === itself) continue
    const members = Object.entries(group.inputs).filter(([, { fromGiven }]) => fromGiven !== undefined)
    const isThere = ([name, { fromGiven, isNeeded }]: readonly [string, AnyInput]) =>
      rest.get(name)?.fromGiven === fromGiven && rest.get(name)?.isNeeded === isNeeded
    if (!members.every(isThere)) continue
    // A kind that several groups have is in none of them: one member at least is the group's own.
    if (!members.some(([name, input]) => rest.get(name) === input)) continue
    parts.push(group.name)
    for (const [name] of members) rest.delete(name)
  }
  return { parts, rest }
}

function interfaceText(
  name: string,
  parts: readonly string[],
  rest: ReadonlyMap<string, AnyInput>,
  known: Known,
  source = '',
): string {
  const members = [...rest].flatMap(([member, input]) =>
    input.fromGiven === undefined ? [] : memberText(member, input, known, source),
  )
  const extending = parts.length === 0 ? '' : ` extends ${parts.join(', ')}`
  return `export interface ${name}${extending} {\n${members.join('\n')}\n}\n`
}

function memberText(name: string, input: AnyInput, { comments }: Known, source: string): string {
  const shared = comments.get(input)
  const above =
    commentAbove(inputsIn(source), `    ${name}\\b`) ??
    shared?.get(name) ??
    shared?.get('') ??
    (input.typed && sentence(input.typed.describe))
  if (above === undefined) throw new Error(`no comment says what ${name} is`)
  const text = above.replace(/\s*@interface \w+/, '')
  const comment = text.includes('\n') ? `/**\n   * ${text}\n   */` : `/** ${text} */`
  const type = `${/=>/.test(input.type ?? '') ? `(${input.type})` : input.type}`
  return `  ${comment}\n  readonly ${name}${input.isNeeded ? '' : '?'}: ${type}${input.isNeeded ? '' : ' | undefined'}`
}

/** The declaration of the inputs in the source of a verb. */
function inputsIn(source: string): string {
  const begin = source.indexOf('\n  inputs: {')
  return begin === -1 ? '' : source.slice(begin, source.indexOf('\n  },', begin))
}

function functionText({ path, source, verb }: Declared, known: Known): string {
  const name = functionName(verb)
  const base = verb.isLong ? 'LongOptions' : 'CallerOptions'
  const options = Object.fromEntries(optionsOf(verb).map(option => [option, verb.inputs[option] as AnyInput]))
  const { parts, rest } = inGroups(options, known)
  const own = `${name[0]?.toUpperCase()}${name.slice(1)}Options`
  const isPlain = rest.size === 0 && parts.length === 0
  const taken = isPlain ? base : own
  const isOptional = Object.values(options).every(input => !input.isNeeded)
  const parameters = parametersOf(verb).map(parameter => `${parameter}: ${verb.inputs[parameter]?.type}`)
  const comment = commentAbove(source, 'export const verb\\b', false)
  if (comment === undefined) throw new Error(`${path} has no comment above its verb`)
  const all = [...parameters, `options${isOptional ? '?' : ''}: ${taken}`].join(', ')
  const type =
    verb.answers === undefined
      ? `(${all}) => Promise<${answerType(path, source)}>`
      : `{ ${overloads(verb, `${all} & `).join('; ')} }`
  return `${isPlain ? '' : `${interfaceText(own, [base, ...parts], rest, known, source)}\n`}${comment}
export const ${name}: ${type} = functionOf(${verbName(verb)})
`
}

/** A signature for each option that decides the type of the answer: with it, and without the others. */
function overloads({ answers = {}, inputs }: AnyVerb, parameters: string): string[] {
  const deciding = Object.keys(answers).filter(option => option !== '')
  return Object.entries(answers).map(([given, answer]) => {
    const members = deciding.map(option => {
      const isSwitch = inputs[option]?.type === 'boolean'
      if (option !== given) return `readonly ${option}?: ${isSwitch ? 'false | ' : ''}undefined`
      return `readonly ${option}: ${isSwitch ? 'true' : inputs[option]?.type}`
    })
    const all = `${parameters}{ ${members.join('; ')} }`
    return `(${given === '' ? all : all.replace('options?:', 'options:')}): Promise<${answer}>`
  })
}

/** The type of the answer, as `answer` or `run` declares it. */
function answerType(path: string, source: string): string {
  const [, later, answer = later] =
    /\n {2}(?:async )?answer\b[^;]*?\): (?:Promise<([^\n]+)>|([^\n]+?)) (?:=>|\{\n)/.exec(source) ?? []
  const [, outcome] = /\n {2}(?:async )?run\b.*?\): Promise<([^\n]+?)> (?:=>|\{\n)/s.exec(source) ?? []
  const type = answer ?? outcome
  if (type === undefined) throw new Error(`${path} does not declare what it answers`)
  return type
}

function verbName(verb: AnyVerb): string {
  return `${functionName(verb)}Verb`
}

/** The text of the comment directly above a line; without its marks, unless they are asked for. */
function commentAbove(source: string, line: string, isBare = true): string | undefined {
  const [, comment, inner] =
    new RegExp(`^( *\\/\\*\\*((?:(?!\\*\\/).)*)\\*\\/)\\n *(?:${line.trim()})`, 'ms').exec(source) ?? []
  if (!isBare || inner === undefined) return comment
  return inner
    .trim()
    .replace(/^\* ?/, '')
    .replace(/\n +\* ?/g, '\n   * ')
}

/** Makes a sentence of what a flag is for. */
function sentence(describe: string): string {
  return `${describe[0]?.toUpperCase()}${describe.slice(1)}.`
}

function formatted(path: string, text: string): string {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const args = [biome, 'check', '--write', `--stdin-file-path=${path}`]
  return execFileSync(process.execPath, args, { cwd: root, input: text, encoding: 'utf8' })
}

const isCheck = process.argv.includes('--check')
const made = await functionFiles()
const stale = [...made].filter(([path, text]) => readGenerated(join(root, path)) !== text)
if (!isCheck) for (const [path, text] of stale) writeGenerated(join(root, path), text)
else if (stale.length > 0) {
  process.stderr.write(`npm run functions writes anew: ${stale.map(([path]) => path).join(', ')}\n`)
  process.exitCode = 1
}
