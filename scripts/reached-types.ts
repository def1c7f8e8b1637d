// Removes from a folder of declarations what no exported type leads to. The compiler writes a declaration for everything that a source exports,
// so one internal function in a file brings its types, and theirs, into the package. Works on the text that the compiler writes: each
// declaration begins in the first column, and its other lines do not.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A name in a file; `*` for all that the file exports. */
interface Name {
  readonly path: string
  readonly name: string
}

/** One declaration, with the comment above it. */
interface Declaration {
  readonly text: string
  /** Without comments. */
  readonly code: string
  /** Undefined for what has none: `export … from`, `declare global`. */
  readonly name: string | undefined
}

interface DeclarationFile {
  readonly declarations: readonly Declaration[]
  /** By the name here. */
  readonly imported: ReadonlyMap<string, Name & { readonly specifier: string; readonly written: string }>
  /** Imports of packages. */
  readonly foreign: readonly string[]
  readonly kept: Set<Declaration>
  readonly used: Set<string>
}

/** @param entries files of which every declaration stays, from the folder */
export function keepReached(folder: string, entries: readonly string[]): void {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.d.ts'),
  )
  const files = new Map(paths.map(name => [join(folder, name), readDeclarations(join(folder, name))]))
  const pending: Name[] = entries.map(entry => ({ path: join(folder, entry), name: '*' }))
  const done = new Set<string>()
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, name } = next
    const file = files.get(path)
    if (file === undefined || done.has(`${path} ${name}`)) continue
    done.add(`${path} ${name}`)
    const from = file.imported.get(name)
    if (from !== undefined) {
      file.used.add(name)
      pending.push(from)
    }
    for (const declaration of file.declarations) {
      const isIt = declaration.name === name || name === '*' || handsOn(declaration, name, path)
      if (!isIt || file.kept.has(declaration)) continue
      file.kept.add(declaration)
      pending.push(...namesIn(declaration, path))
    }
  }
  for (const [path, file] of files) {
    if (file.kept.size === 0) rmSync(path)
    else writeFileSync(path, textOf(file))
  }
}

const BEGINS = /^(?:export|declare|import|interface|type|const|let|function|class|abstract|enum|namespace) ?/
const NAMED =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const|let|enum|namespace) ([A-Za-z_$][\w$]*)/
const IMPORT = /^import (?:type )?\{([^}]*)\} from '(\.[^']+)\.ts';$/
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

function readDeclarations(path: string): DeclarationFile {
  const declarations: Declaration[] = []
  const imported = new Map<string, Name & { specifier: string; written: string }>()
  const foreign: string[] = []
  for (const text of piecesOf(readFileSync(path, 'utf8'))) {
    const code = text.replace(COMMENT, '').trim()
    const [, names = '', specifier = ''] = IMPORT.exec(code) ?? []
    if (specifier !== '')
      for (const written of names.split(',').map(one => one.trim())) {
        const [name = '', local = name] = written.replace(/^type /, '').split(' as ')
        imported.set(local, { path: targetOf(path, specifier), name, specifier, written })
      }
    else if (code.startsWith('import ')) foreign.push(code)
    else if (code !== '' && code !== 'export {};')
      declarations.push({ text, code, name: NAMED.exec(code)?.[1] })
  }
  return { declarations, imported, foreign, kept: new Set(), used: new Set() }
}

/** Each with the comments above it. A comment may also be inside of one, behind an equals sign or between alternatives. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  let comments = ''
  for (const line of text.split('\n')) {
    const isComment = /^(?:\/\*| \*|\/\/)/.test(line)
    if (isComment) comments += `${line}\n`
    else if (BEGINS.test(line)) pieces.push(`${comments}${line}`)
    else pieces.push(`${pieces.pop() ?? ''}\n${comments}${line}`)
    if (!isComment) comments = ''
  }
  return pieces
}

function targetOf(path: string, specifier: string): string {
  return join(dirname(path), `${specifier}.d.ts`)
}

const FROM = /^export (?:type )?(?:\*|(\* as [\w$]+)|\{([^}]*)\}) from '(\.[^']+)\.ts';$/

/** The names that a declaration exports from another file; undefined if it exports its own. */
function handedOn(
  code: string,
  path: string,
): { target: string; names: [string, string][] | '*' } | undefined {
  const [whole, all, names = all, specifier = ''] = FROM.exec(code) ?? []
  if (whole === undefined) return undefined
  return { target: targetOf(path, specifier), names: names === undefined ? '*' : exportedIn(names) }
}

/** Whether a declaration may export this name from another file. One that is not `export … from` and has no name always stays. */
function handsOn({ code, name }: Declaration, wanted: string, path: string): boolean {
  const handed = handedOn(code, path)
  if (handed === undefined) return name === undefined
  return handed.names === '*' || handed.names.some(([, as]) => as === wanted)
}

function exportedIn(names: string): [name: string, as: string][] {
  return names
    .split(',')
    .map(one => one.trim().replace(/^type /, ''))
    .filter(one => one !== '')
    .map(one => {
      const [name = '', as = name] = one.split(' as ')
      return [name, as]
    })
}

/** Every name in a declaration. A member may be called like a type: then the type stays too. */
function namesIn({ code }: Declaration, path: string): Name[] {
  const handed = handedOn(code, path)
  if (handed !== undefined) {
    const names = handed.names === '*' ? ['*'] : handed.names.map(([name]) => name)
    return names.map(name => ({ path: handed.target, name }))
  }
  const inline = [...code.matchAll(/import\('(\.[^']+)\.ts'\)(?:\.([A-Za-z_$][\w$]*))?/g)]
  return [
    ...(code.match(/[A-Za-z_$][\w$]*/g) ?? []).map(name => ({ path, name })),
    ...inline.map(([, target = '', name = '*']) => ({ path: targetOf(path, target), name })),
  ]
}

function textOf({ declarations, imported, foreign, kept, used }: DeclarationFile): string {
  const bySpecifier = new Map<string, string[]>()
  for (const [local, { specifier, written }] of imported)
    if (used.has(local)) bySpecifier.set(specifier, [...(bySpecifier.get(specifier) ?? []), written])
  const imports = [...bySpecifier].map(
    ([specifier, written]) => `import { ${written.join(', ')} } from '${specifier}.ts';`,
  )
  const texts = declarations.filter(declaration => kept.has(declaration)).map(({ text }) => text.trim())
  return `${[...foreign, ...imports, ...texts].join('\n')}\n`
}
