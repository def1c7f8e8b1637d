// Writes docs/library/<entry>.md, a page for each entry of the library, from what its sources declare, as `npm run docs`. A test compares.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { REGISTRY } from '../src/cli/commands.ts'
import { ROOT } from '../test/support/lint-fixtures.ts'
import {
  basesOf,
  type Comment,
  type Declaration,
  Declarations,
  type Exported,
  isFunction,
  membersOf,
  signatureOf,
  wordsOf,
} from './declarations.ts'
import { ENTRIES, type EntryName } from './entries.ts'
import { writeGenerated } from './generated-file.ts'
import { fence, filled, item } from './markdown.ts'

/** What each entry has, for the head of its page. */
const HAS: Readonly<Record<EntryName, string>> = {
  index: 'what most programs need',
  contract: 'the [tool contract](../contract.md), for tools and for programs that call them',
  convert: 'tools of other systems',
  evidence: 'signed statements about bundles',
  lock: 'locks',
  registry: 'more about stored bundles',
  trust: 'trust policies, trust channels and keys',
  verify: 'verification and loading alone, for programs that are bundled into few files',
}

/** The entries of the library, each with its page. */
export const LIBRARY_ENTRIES = Object.entries(ENTRIES).map(([page, source]) => ({
  name: page === 'index' ? 'rlp-bundle' : `rlp-bundle/${page}`,
  source,
  page,
  has: HAS[page as EntryName],
}))

type Entry = (typeof LIBRARY_ENTRIES)[number]

const FOLDER = 'docs/library'

const MADE =
  '<!-- Made by npm run docs from the declarations of the library. Change those and run it again. -->\n'

/** Options of nearly every function: they are listed among the types, and not with each function. */
const OF_ALL = new Set(['CallerOptions', 'LongOptions'])

/** The text of each page, by its path. */
export function libraryDocs(): Map<string, string> {
  const sources = new Declarations(ROOT)
  return new Map(
    LIBRARY_ENTRIES.map(entry => [`${FOLDER}/${entry.page}.md`, new Page(entry, sources).text()]),
  )
}

class Page {
  readonly #entry: Entry
  readonly #sources: Declarations
  readonly #functions: readonly Exported[]
  readonly #classes: readonly Exported[]
  readonly #others: readonly Exported[]
  /** The function with which an interface of options is listed, by the name of the interface. */
  readonly #optionsOf = new Map<string, string>()
  /** Types that the functions lead to, by the name that their file gives them. */
  readonly #types = new Map<string, Declaration>()
  /** The names by which the entry exports types that have another name in their file. */
  readonly #aliases = new Map<string, string>()

  constructor(entry: Entry, sources: Declarations) {
    this.#entry = entry
    this.#sources = sources
    const exported = sources.exportsOf(entry.source)
    const first = ({ declarations: [declaration] }: Exported) => declaration
    this.#functions = exported.filter(({ declarations }) => declarations.some(isFunction))
    this.#classes = exported.filter(one => first(one)?.kind === 'class')
    this.#others = exported.filter(one => {
      const declaration = first(one)
      return declaration === undefined || (declaration.kind === 'const' && !isFunction(declaration))
    })
    for (const { name, declarations } of this.#functions)
      for (const one of declarations) {
        const options = this.#options(one)
        if (options !== undefined) this.#optionsOf.set(options.name, name)
      }
    for (const { declarations } of [...this.#functions, ...this.#classes])
      declarations.forEach(this.#reach, this)
    for (const one of exported) {
      const declaration = first(one)
      if (declaration?.kind !== 'interface' && declaration?.kind !== 'type') continue
      if (one.name !== declaration.name) this.#aliases.set(declaration.name, one.name)
      this.#reached(declaration)
    }
  }

  text(): string {
    const { name, has } = this.#entry
    const about = `You call the library from a program, and want to know what a function takes, what it answers and what it throws. \`${name}\` has ${has}. How to load it, and what all functions share, is on [another page](../library.md): common options, errors and aborting.`
    const types = [...this.#types.values()].filter(({ name }) => !this.#optionsOf.has(name))
    return [
      MADE,
      `# ${name}\n`,
      `${filled(about)}\n`,
      this.#index(),
      ...this.#functions.map(this.#function, this),
      ...under('Errors', this.#classes.map(this.#class, this)),
      ...under(
        'Constants',
        this.#others.length === 0 ? [] : [`${this.#others.map(this.#other, this).join('\n')}\n`],
      ),
      ...under(
        'Types',
        types.sort((a, b) => (this.#nameOf(a) < this.#nameOf(b) ? -1 : 1)).map(this.#type, this),
      ),
    ].join('\n')
  }

  #index(): string {
    const rows = this.#functions.map(({ name, declarations }) => {
      const said = declarations.find(({ comment }) => comment.text !== '')?.comment.text ?? ''
      const [first = ''] = said.split(/(?<=\.)\s/)
      const command = declarations.map(this.#commandOf, this).find(one => one !== undefined)
      return [this.#link(name), this.#inline(first).replaceAll('|', '\\|'), command ?? '']
    })
    const hasCommands = rows.some(([, , command]) => command !== '')
    const head = ['function', 'what it does', 'command']
    const lines = [head, head.map(() => '---'), ...rows].map(cells => cells.slice(0, hasCommands ? 3 : 2))
    return lines.map(cells => `| ${cells.join(' | ')} |\n`).join('')
  }

  /** A link to the command that does the same. */
  #commandOf({ code, path }: Declaration): string | undefined {
    const [, verb = ''] = /=\s+functionOf\((\w+)\)$/.exec(code) ?? []
    const file = this.#sources.fileOf(path, verb)
    if (file === undefined) return undefined
    const source = readFileSync(join(ROOT, file), 'utf8')
    const [, name = ''] = /^export const verb = .*\(\{\n {2}name: '([^']+)'/m.exec(source) ?? []
    const isCommand = REGISTRY.commands.some(one => one.name === name)
    return isCommand ? `[\`rlp ${name}\`](../commands.md#rlp-${name.replaceAll(' ', '-')})` : undefined
  }

  #function({ name, declarations }: Exported): string {
    // The last declaration of an overloaded function has its body, and callers do not see it.
    const heads = declarations.length > 1 ? declarations.slice(0, -1) : declarations
    const parts: Declaration[][] = []
    for (const head of heads) {
      if (parts.length === 0 || head.comment.text !== '') parts.push([head])
      else parts.at(-1)?.push(head)
    }
    return [`## ${name}\n`, ...parts.map(part => this.#part(name, part))].join('\n')
  }

  /** The declarations of a function that one comment is about. */
  #part(name: string, part: readonly Declaration[]): string {
    const comment = part[0]?.comment ?? { text: '', tags: [] }
    const signatures = part.map(one => signatureOf(one, name))
    const params = tagged(comment, 'param').map(text => {
      const [word = '', ...said] = text.split(/\s/)
      return item(`\`${word}\`: ${this.#inline(said.join(' '))}`)
    })
    const options = part.map(this.#options, this).find(one => one !== undefined)
    const types = signatures.flatMap(text => text.match(/\b[A-Z]\w*/g) ?? [])
    const known = [...new Set(types)].filter(one => this.#types.has(one) && !this.#optionsOf.has(one))
    return paragraphs([
      fence('ts', signatures.join('\n')),
      ...this.#prose(comment.text),
      params.join('\n'),
      ...(options === undefined ? [] : this.#optionParagraphs(options)),
      ...tagged(comment, 'returns').map(text => filled(`Returns ${this.#inline(text)}`)),
      ...tagged(comment, 'example').map(code => fence('ts', code)),
      ...tagged(comment, 'throws').map(text => filled(`Throws ${this.#inline(text)}`)),
      known.length === 0 ? '' : filled(`Types: ${known.map(this.#link, this).join(', ')}`),
    ])
  }

  /** The interface of the options that only this function has. */
  #options(declaration: Declaration): Declaration | undefined {
    if (!isFunction(declaration)) return undefined
    const [, name = ''] = /\boptions\??: (\w+Options)\b/.exec(signatureOf(declaration, '')) ?? []
    const [found] = this.#sources.find(declaration.path, name)
    return found?.kind === 'interface' && !OF_ALL.has(name) ? found : undefined
  }

  #optionParagraphs(options: Declaration): string[] {
    const members = this.#members(options)
    const bases = this.#bases(options)
    if (members === '') return bases === '' ? [] : [filled(`Options: those of ${bases}.`)]
    return ['Options:', members, bases === '' ? '' : filled(`And those of ${bases}.`)]
  }

  #members(declaration: Declaration): string {
    const items = membersOf(declaration).map(({ name, isOptional, isMethod, type, comment }) => {
      const written = this.#resolved(type, declaration.path)
      const label = isMethod ? `${name}${written}` : `${name}${isOptional ? '?' : ''}: ${written}`
      const throwing = tagged(comment, 'throws').map(text => `Throws ${text}.`)
      const said = [comment.text, ...throwing].join(' ').trim()
      return item(`\`${label}\`${said === '' ? '' : `: ${this.#inline(said)}`}`)
    })
    return items.join('\n')
  }

  #bases(declaration: Declaration): string {
    const bases = basesOf(declaration).map(base => this.#link(base))
    return bases.length < 2 ? bases.join('') : `${bases.slice(0, -1).join(', ')} and ${bases.at(-1)}`
  }

  #class({ name, declarations: [declaration] }: Exported): string {
    if (declaration === undefined) return ''
    return paragraphs([
      `### ${name}`,
      ...this.#prose(declaration.comment.text),
      `Extends ${this.#bases(declaration)}.`,
      this.#members(declaration),
      ...tagged(declaration.comment, 'example').map(code => fence('ts', code)),
    ])
  }

  /** A constant, or a namespace. */
  #other({ name, declarations: [declaration], header }: Exported): string {
    const said = declaration?.comment.text ?? header ?? ''
    return item(`\`${name}\`${said === '' ? '' : `: ${this.#inline(said)}`}`)
  }

  #type(declaration: Declaration): string {
    const words = wordsOf(declaration, this.#sources)
    const code = declaration.code.replace(/^export /, '')
    const bases = this.#bases(declaration)
    return paragraphs([
      `### type ${this.#nameOf(declaration)}`,
      ...this.#prose(declaration.comment.text),
      ...(declaration.kind !== 'type'
        ? [this.#members(declaration), bases === '' ? '' : filled(`And the members of ${bases}.`)]
        : [words.length === 0 ? fence('ts', code) : filled(words.map(word => `\`${word}\``).join(', '))]),
    ])
  }

  /** Keeps the types that a declaration names, and those that they name. */
  #reach(declaration: Declaration): void {
    for (const name of new Set(this.#shape(declaration).match(/\b[A-Z]\w*/g))) {
      const [found] = this.#sources.find(declaration.path, name)
      if (found?.kind === 'interface' || found?.kind === 'type') this.#reached(found)
    }
  }

  #reached(declaration: Declaration): void {
    const known = this.#types.get(declaration.name)
    if (known !== undefined && known.path !== declaration.path)
      throw new Error(`two types are called ${declaration.name}: in ${known.path} and ${declaration.path}`)
    if (known !== undefined) return
    this.#types.set(declaration.name, declaration)
    this.#reach(declaration)
  }

  /** What a declaration says of types. */
  #shape(declaration: Declaration): string {
    const { kind, code, path } = declaration
    if (kind === 'function' || kind === 'const')
      return isFunction(declaration) ? signatureOf(declaration, '') : ''
    if (kind === 'type') return this.#resolved(code, path)
    const types = membersOf(declaration).map(({ type }) => this.#resolved(type, path))
    return [...basesOf(declaration), ...types].join('\n')
  }

  /** A type with that of a member in place of `Call['id']`. */
  #resolved(type: string, path: string): string {
    return type.replace(/\b([A-Z]\w*)\['(\w+)'\]/g, (written, name: string, member: string) => {
      const [found] = this.#sources.find(path, name)
      const of = found === undefined ? undefined : membersOf(found).find(one => one.name === member)
      return of === undefined || of.isMethod || /[ (]/.test(of.type) ? written : of.type
    })
  }

  #prose(text: string): string[] {
    return text.split(/\n\s*\n/).map(one => filled(this.#inline(one)))
  }

  /** Text of a comment, which is Markdown, on one line: names of declarations and of pages are links. */
  #inline(text: string): string {
    return text
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/\{@link (\w+)\}/g, (_, name: string) => this.#link(name))
      .replace(
        /(`[^`]*`)|\bdocs\/([a-z/-]+\.md)(#[a-z-]+)?|</g,
        (_, code?: string, page?: string, anchor = '') => {
          if (code !== undefined) return code
          return page === undefined ? '\\<' : `[${page}](${relative(FOLDER, `docs/${page}`)}${anchor})`
        },
      )
  }

  #link(name: string): string {
    const fn = this.#functions.find(one => one.name === name || one.declarations[0]?.name === name)
    if (fn !== undefined) return `[\`${fn.name}\`](#${fn.name.toLowerCase()})`
    if (this.#classes.some(one => one.name === name)) return `[\`${name}\`](#${name.toLowerCase()})`
    const options = this.#optionsOf.get(name)
    if (options !== undefined) return `[\`${name}\`](#${options.toLowerCase()})`
    const type = this.#types.get(name)
    if (type === undefined) return `\`${name}\``
    return `[\`${this.#nameOf(type)}\`](#type-${this.#nameOf(type).toLowerCase()})`
  }

  #nameOf({ name }: Declaration): string {
    return this.#aliases.get(name) ?? name
  }
}

function tagged({ tags }: Comment, wanted: string): string[] {
  return tags.filter(({ tag }) => tag === wanted).map(({ text }) => text)
}

function under(heading: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`## ${heading}\n`, ...texts]
}

function paragraphs(texts: readonly string[]): string {
  return `${texts.filter(text => text !== '').join('\n\n')}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of libraryDocs()) writeGenerated(join(ROOT, path), text)
