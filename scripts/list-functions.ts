// Writes the functions of the library, src/library/generated/<room>.ts, from the verbs in src/<room>/verbs/: the types that their inputs imply,
// with the comments of the sources. They are checked in, so that a review shows each change of what the library offers.
// npm run functions; with --check it writes nothing, and fails for a file that is not up to date.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { AnyInput, InputTable } from '../src/verb/input.ts'
import { type AnyVerb, functionName, optionsOf, parametersOf } from '../src/verb/verb.ts'
import { readGenerated, writeGenerated } from './generated-file.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const FOLDER = 'src/library/generated'
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
  const rooms = [...new Set(verbs.map(({ path }) => roomOf(path)))]
  return new Map(
    rooms.map(room => {
      const path = `${FOLDER}/${room}.ts`
      return [path, formatted(path, roomText(room, { verbs, sources, ...shared }))]
    }),
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
      const text = written === undefined ? source : (sources.get(written) ?? '')
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

function roomText(room: string, known: Known): string {
  const verbs = known.verbs.filter(({ path }) => roomOf(path) === room)
  const own = known.groups.filter(({ path, isWritten }) => roomOf(path) === room && !isWritten)
  const groups = own.map(group => {
    const { parts, rest } = inGroups(group.inputs, known, group)
    return interfaceText(group.name, parts, rest, known)
  })
  const functions = verbs.map(one => functionText(one, known))
  const body = [...groups, ...functions].join('\n')
  const here = new Set(own.map(({ name }) => name))
  const types = namesIn([...groups, ...functions]).filter(name => !here.has(name))
  return [
    '// Generated by scripts/list-functions.ts.',
    ...types.map(name => `import type { ${name} } from '${importFrom(name, known)}'`),
    ...verbs.map(({ path, verb }) => `import { verb as ${verbName(verb)} } from '../../${path.slice(4)}'`),
    "import { functionOf } from '../../verb/as-function.ts'",
    '',
    body,
  ].join('\n')
}

/** Types that are named in code, comments apart. */
function namesIn(texts: readonly string[]): string[] {
  const code = texts.join('\n').replace(/\/\*\*.*?\*\//gs, '')
  const declared = new Set([...code.matchAll(/export (?:interface|type) (\w+)/g)].map(([, name]) => name))
  const named = new Set(code.match(/\b[A-Z]\w+\b/g))
  return [...named].filter(name => !declared.has(name) && !BUILT_IN.test(name)).sort()
}

function importFrom(name: string, { sources, groups }: Known): string {
  const group = groups.find(one => one.name === name && !one.isWritten)
  if (group !== undefined) return `./${roomOf(group.path)}.ts`
  const path = declaring(name, sources)
  if (path === undefined) throw new Error(`no file of src/ exports the type ${name}`)
  return relative(FOLDER, path).replaceAll('\\', '/')
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
  return `${isPlain ? '' : `${interfaceText(own, [base, ...parts], rest, known, source)}\n`}${comment}
export const ${name}: (${all}) => Promise<${answerType(path, source)}> = functionOf(${verbName(verb)})
`
}

/** The type of the answer, as `answer` or `run` declares it. */
function answerType(path: string, source: string): string {
  const [, answer] = /\n {2}answer\b[^;]*?\): ([^\n]+?) (?:=>|\{\n)/.exec(source) ?? []
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

function roomOf(path: string): string {
  return path.split('/')[1] ?? ''
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
