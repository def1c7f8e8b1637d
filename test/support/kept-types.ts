// The types that the package offers, without comments, and without the files that declare them: a type may move to another file.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './lint-fixtures.ts'

/** The contents of one file of declarations. */
interface Module {
  /** Declarations, by name: an overloaded function has several. */
  readonly own: ReadonlyMap<string, readonly string[]>
  /** Imported and handed-on names, by the name that they have here. */
  readonly imported: ReadonlyMap<string, Target>
  readonly exported: ReadonlyMap<string, Target>
}

interface Target {
  readonly path: string
  /** `*` for everything that the file exports. */
  readonly name: string
}

const DECLARED =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:interface|type|const|let|function\*?|class|enum|namespace) (\w+)/

export interface Declared {
  /** One line for each name that the entry exports. */
  readonly exports: readonly string[]
  /** Those of them that the code has when it runs, too: functions, constants, classes and namespaces. */
  readonly values: readonly string[]
  /** The declarations that these names lead to. */
  readonly declarations: readonly string[]
}

/** @param entry below the root of the repository */
export function declaredBy(entry: string): Declared {
  const modules = new Map<string, Module>()
  const moduleAt = (path: string): Module => {
    const known = modules.get(path)
    if (known !== undefined) return known
    const module = readModule(path)
    modules.set(path, module)
    return module
  }
  const seen = new Set<string>()
  const declarations = new Set<string>()
  /** @param as the name that the entry gives it: that in the source is no part of the library */
  const visit = (path: string, name: string, as = name): void => {
    if (seen.has(`${path} ${name}`)) return
    seen.add(`${path} ${name}`)
    const { own, imported, exported } = moduleAt(path)
    if (name === '*') for (const one of namesOf(moduleAt(path))) visit(path, one)
    const texts = own.get(name) ?? []
    for (const text of texts) {
      const named = text.replace(new RegExp(`^(.*?\\b(?:function|const) )${name}\\b`), `$1${as}`)
      declarations.add(named.replaceAll(/\bimport\("\.[^"]+"\)\./g, ''))
      for (const [, from = '', one = ''] of text.matchAll(/\bimport\("([^"]+)"\)\.(\w+)/g))
        if (from.startsWith('.')) visit(resolved(path, from), one)
      for (const [word] of text.matchAll(/\b[A-Za-z_]\w*\b/g)) {
        const target = imported.get(word)
        if (target !== undefined) visit(target.path, target.name)
        else if (own.has(word)) visit(path, word)
      }
    }
    if (texts.length > 0) return
    const target = exported.get(name) ?? imported.get(name)
    if (target !== undefined) visit(target.path, target.name, as)
  }
  const { exported } = moduleAt(entry)
  const names = namesOf(moduleAt(entry)).sort()
  for (const name of names) visit(entry, name)
  const exports = names.flatMap(name => {
    const target = exported.get(name)
    if (target?.name !== '*') return [name]
    return namesOf(moduleAt(target.path))
      .sort()
      .map(inner => `${name}.${inner}`)
  })
  const isValue = (path: string, name: string): boolean => {
    const { own, exported } = moduleAt(path)
    const texts = own.get(name)
    if (texts !== undefined) return texts.some(text => VALUE.test(text))
    const target = exported.get(name)
    return target !== undefined && (target.name === '*' || isValue(target.path, target.name))
  }
  return {
    exports,
    values: names.filter(name => isValue(entry, name)),
    declarations: [...declarations].sort(),
  }
}

const VALUE =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:const|let|function\*?|class|enum|namespace) /

function namesOf({ own, exported }: Module): string[] {
  return [...own.keys(), ...exported.keys()]
}

function readModule(path: string): Module {
  const own = new Map<string, string[]>()
  const imported = new Map<string, Target>()
  const exported = new Map<string, Target>()
  for (const statement of statementsOf(readFileSync(join(ROOT, path), 'utf8'))) {
    const name = DECLARED.exec(statement)?.[1]
    if (name !== undefined) {
      own.set(name, [...(own.get(name) ?? []), statement])
      continue
    }
    const star = /^export \* as (\w+) from ['"](\..*?)['"]/.exec(statement)
    if (star !== null) exported.set(star[1] ?? '', { path: resolved(path, star[2] ?? ''), name: '*' })
    const [, all] = /^export \* from ['"](\..*?)['"]/.exec(statement) ?? []
    if (all !== undefined)
      for (const name of namesOf(readModule(resolved(path, all))))
        exported.set(name, { path: resolved(path, all), name })
    const [, verb, list = '', from] =
      /^(import|export) (?:type )?\{([^}]*)\}(?: from ['"](.*?)['"])?/.exec(statement) ?? []
    const names = verb === 'import' ? imported : exported
    for (const item of list.split(',').filter(item => item.trim() !== '')) {
      const [, one = '', as = one] = /^\s*(?:type )?(\w+)(?: as (\w+))?\s*$/.exec(item) ?? []
      if (from === undefined) exported.set(as, imported.get(one) ?? { path, name: one })
      else if (from.startsWith('.')) names.set(as, { path: resolved(path, from), name: one })
    }
    if (!/^(?:import\b|export \{|export type \{|export \* )/.test(statement))
      throw new Error(`${path} has a statement that is not understood: ${statement}`)
  }
  for (const [name, target] of exported) if (own.has(name) && target.path === path) exported.delete(name)
  return { own, imported, exported }
}

/** Without comments: a statement begins at the start of a line, and what belongs to it is indented or closes it. */
function statementsOf(text: string): string[] {
  const statements: string[] = []
  let isComment = false
  for (const line of text.split('\n')) {
    if (/^\s*\/\*/.test(line)) isComment = true
    const isSkipped = isComment || line.trim() === '' || /^\s*\/\//.test(line)
    if (/\*\/\s*$/.test(line)) isComment = false
    if (isSkipped) continue
    if (/^[A-Za-z]/.test(line)) statements.push(line)
    else statements[statements.length - 1] += `\n${line}`
  }
  return statements
}

function resolved(path: string, specifier: string): string {
  return join(dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts'))
}
