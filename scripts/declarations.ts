// Reads what a file of src/ exports, with the comments, from its text: biome has formatted it, so that a statement begins in the first column,
// and a member of an interface after two spaces. It takes no compiler, which needs seconds for the same.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A declaration with the comment above it. */
export interface Declaration {
  readonly name: string
  readonly kind: 'interface' | 'type' | 'class' | 'function' | 'const'
  /** The file, below the root of the repository. */
  readonly path: string
  /** Without comment and `export`. */
  readonly code: string
  readonly comment: Comment
}

/** A comment in TSDoc. */
export interface Comment {
  readonly text: string
  readonly tags: readonly { readonly tag: string; readonly text: string }[]
}

/** A member of an interface or a class. */
export interface Member {
  readonly name: string
  readonly isOptional: boolean
  readonly isMethod: boolean
  /** On one line. Of a method its parameters and what it returns. */
  readonly type: string
  readonly comment: Comment
}

/** What a name of an entry leads to. */
export interface Exported {
  readonly name: string
  readonly declarations: readonly Declaration[]
  /** Of a namespace, which has no declarations, the comment at the top of its file. */
  readonly header?: string
}

interface SourceFile {
  /** The comment at the top of the file. */
  readonly header: string
  readonly own: ReadonlyMap<string, readonly Declaration[]>
  /** Names of other files, by the name here. */
  readonly imported: ReadonlyMap<string, Place>
  readonly exported: ReadonlyMap<string, Place>
  readonly all: readonly string[]
}

interface Place {
  readonly path: string
  /** `*` for all that the file exports. */
  readonly name: string
}

const DECLARED =
  /^(?:export )?(?:declare )?(?:abstract )?(?:async )?(interface|type|class|function|const)\*? ([\w$]+)/
const NAMES = /^(import|export) (?:type )?(\*(?: as [\w$]+)?|\{[^}]*\})(?: from '([^']+)')?/

/** The declarations of src/, file by file. */
export class Declarations {
  readonly #files = new Map<string, SourceFile>()
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  /** Every name that a file exports, sorted. */
  exportsOf(path: string): Exported[] {
    const { own, exported, all } = this.#file(path)
    const isExported = ({ code }: Declaration) => code.startsWith('export ')
    const names = [...own].flatMap(([name, found]) => (found.some(isExported) ? [name] : []))
    const given = [...names, ...exported.keys()].map(name => this.#exported(path, name))
    return [...given, ...all.flatMap(one => this.exportsOf(one))].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** The declarations of a name as a file knows it; none for what packages and the language declare. */
  find(path: string, name: string): readonly Declaration[] {
    const { own, imported, exported, all } = this.#file(path)
    const here = own.get(name)
    if (here !== undefined) return here
    const place = imported.get(name) ?? exported.get(name)
    if (place !== undefined) return place.name === '*' ? [] : this.find(place.path, place.name)
    for (const one of all) {
      const found = this.find(one, name)
      if (found.length > 0) return found
    }
    return []
  }

  /** The file that a name of a value comes from. */
  fileOf(path: string, name: string): string | undefined {
    return this.#file(path).imported.get(name)?.path
  }

  #exported(path: string, name: string): Exported {
    const place = this.#file(path).exported.get(name)
    if (place?.name === '*') return { name, declarations: [], header: this.#file(place.path).header }
    return { name, declarations: this.find(path, name) }
  }

  #file(path: string): SourceFile {
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const file = readSource(this.#root, path)
    this.#files.set(path, file)
    return file
  }
}

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  const own = new Map<string, Declaration[]>()
  const imported = new Map<string, Place>()
  const exported = new Map<string, Place>()
  const all: string[] = []
  for (const { code, comment } of statementsOf(text)) {
    const [, kind, name] = DECLARED.exec(code) ?? []
    if (kind !== undefined && name !== undefined) {
      const declaration = { name, kind: kind as Declaration['kind'], path, code, comment }
      own.set(name, [...(own.get(name) ?? []), declaration])
      continue
    }
    const [, verb, names = '', from] = NAMES.exec(code) ?? []
    if (verb === undefined || (from !== undefined && !from.startsWith('.'))) continue
    const file = from === undefined ? path : join(dirname(path), from)
    const [, space] = /^\* as ([\w$]+)/.exec(names) ?? []
    const known = verb === 'import' ? imported : exported
    if (space !== undefined) known.set(space, { path: file, name: '*' })
    else if (names === '*') all.push(file)
    for (const item of names.startsWith('{') ? names.slice(1, -1).split(',') : []) {
      const [, one = '', as = one] = /^\s*(?:type )?([\w$]+)(?: as ([\w$]+))?\s*$/.exec(item) ?? []
      if (one !== '') known.set(as, { path: file, name: one })
    }
  }
  const [, header = ''] = /^((?:\/\/.*\n)+)/.exec(text) ?? []
  return { header: header.replace(/^\/\/ ?/gm, '').trim(), own, imported, exported, all }
}

interface Statement {
  readonly code: string
  readonly comment: Comment
}

/** Each with the comment directly above it. */
function statementsOf(text: string): Statement[] {
  const statements: { lines: string[]; comment: Comment }[] = []
  let comment: string[] = []
  for (const line of text.split('\n')) {
    if (/^(?:\/\*\*| \*)/.test(line)) {
      if (line.startsWith('/**')) comment = []
      comment.push(line)
    } else if (/^[A-Za-z]/.test(line)) {
      statements.push({ lines: [line], comment: readComment(comment.join('\n')) })
      comment = []
    } else if (line !== '' && !line.startsWith('//')) statements.at(-1)?.lines.push(line)
    else if (line === '') statements.at(-1)?.lines.push('')
  }
  return statements.map(({ lines, comment }) => ({ code: lines.join('\n').trimEnd(), comment }))
}

/** Takes the marks off a comment, and its tags apart. */
function readComment(raw: string): Comment {
  const text = raw
    .replace(/^\s*\/\*\*\s?|\s*\*\/\s*$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .trim()
  const [before = '', ...tags] = text.split(/^@(?=[a-z]+\b)/im)
  return {
    text: before.trim(),
    tags: tags.map(one => {
      const [, tag = '', said = ''] = /^([a-z]+)\s?([\s\S]*)$/i.exec(one) ?? []
      return { tag, text: said.trimEnd() }
    }),
  }
}

/** The signature of a function, without its body, under the name that it is exported by. */
export function signatureOf({ kind, code, name }: Declaration, as: string): string {
  const text = code.replace(/^export (?:async )?/, '')
  if (kind === 'const') {
    const [, type = ''] = /^const [\w$]+: ([\s\S]*?) =\s/.exec(text) ?? []
    const end = closing(type)
    return `${as}${type.slice(0, end)}${type.slice(end).replace(/^\s*=> /, ': ')}`
  }
  const lines = text.split('\n')
  const last = lines.findIndex(line => /^\S.*\).* \{$|^\).* \{$/.test(line))
  const head =
    last === -1
      ? text
      : lines
          .slice(0, last + 1)
          .join('\n')
          .replace(/ \{$/, '')
  return head.replace(`function ${name}`, as).replace(/: ([^:=,]+) = (?:\{\}|\[\])(?=[,)])/g, '?: $1')
}

/** Whether a constant is a function: its type says so. */
export function isFunction({ kind, code }: Declaration): boolean {
  return (
    kind === 'function' || (kind === 'const' && /^export const [\w$]+: (?:\{\s*)?(?:<[^>]*>)?\(/.test(code))
  )
}

/** The place behind the bracket that closes the first one. */
function closing(text: string): number {
  let depth = 0
  for (let at = text.indexOf('('); at < text.length; at++) {
    if ('([{'.includes(text[at] ?? '')) depth++
    if (')]}'.includes(text[at] ?? '') && --depth === 0) return at + 1
  }
  return text.length
}

const MEMBER = /^(?:readonly )?([\w$]+|\[[^\]]+\])(\??)(: |(?=\())([\s\S]*)$/
/** What a class has beside its own public fields. */
const OTHER_MEMBER = /^(?:private|static|get|set|override|#|constructor)\b/

/** The members of an interface, or the public fields of a class. */
export function membersOf({ code }: Declaration): Member[] {
  const members: { comment: string[]; lines: string[] }[] = []
  for (const line of code.split('\n').slice(1)) {
    const last = members.at(-1)
    if (/^ {2}(?:\/\*\*| \*)/.test(line)) {
      if (last === undefined || last.lines.length > 0) members.push({ comment: [line], lines: [] })
      else last.comment.push(line)
    } else if (/^ {2}[[\w#]/.test(line)) {
      if (last === undefined || last.lines.length > 0) members.push({ comment: [], lines: [line] })
      else last.lines.push(line)
    } else if (/^ {2}/.test(line)) last?.lines.push(line)
  }
  return members.flatMap(({ comment, lines }) => {
    const text = lines.join('\n').trim()
    const [, name, mark, colon, type = ''] = OTHER_MEMBER.test(text) ? [] : (MEMBER.exec(text) ?? [])
    if (name === undefined) return []
    const isOptional = mark === '?'
    // That of an option also says undefined, for a caller who does.
    const given = isOptional
      ? type.replace(/ \| undefined$/, '').replace(/^\((\(.*\) => .*)\)$/s, '$1')
      : type
    if (given === 'undefined') return []
    const isMethod = colon === ''
    return [{ name, isOptional, isMethod, type: onOneLine(given), comment: readComment(comment.join('\n')) }]
  })
}

function onOneLine(type: string): string {
  return type
    .replace(/\/\*\*[\s\S]*?\*\/\s*/g, '')
    .replace(/,\n\s*(?=[)\]}>])/g, '')
    .replace(/,\n\s*/g, ', ')
    .replace(/([([<])\n\s*/g, '$1')
    .replace(/\n\s*([)\]>])/g, '$1')
    .replace(/([{|&=>:?])\n\s*/g, '$1 ')
    .replace(/\n\s*([}|&?:])/g, ' $1')
    .replace(/\n\s*/g, '; ')
    .replace(/^\| /, '')
}

/** The words of a type that is made of a constant: `(typeof WORDS)[number]`, `keyof typeof TABLE`. */
export function wordsOf(type: Declaration, sources: Declarations): string[] {
  const [, list, table] = /= \(typeof (\w+)\)\[number\]$|= keyof typeof (\w+)$/.exec(type.code) ?? []
  const [constant] = sources.find(type.path, list ?? table ?? '')
  if (constant === undefined) return []
  const [, inside = ''] = /=\s*(?:frozen\()?[[{]([\s\S]*)[\]}]/.exec(constant.code) ?? []
  const words = list === undefined ? /^ {2}'?([\w./:-]+)'?:/gm : /'([^']*)'/g
  return [...inside.matchAll(words)].map(([, word = '']) => word)
}

/** What an interface or a class extends, each as it is written. */
export function basesOf({ kind, code }: Declaration): string[] {
  if (kind !== 'interface' && kind !== 'class') return []
  const [, list = ''] = /^[^{]*? extends ([\s\S]*?) \{/.exec(code) ?? []
  return list.split(/,\s*(?![^<]*>)/).flatMap(one => (one.trim() === '' ? [] : [one.trim()]))
}
