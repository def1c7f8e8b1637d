// Functions that a command hardly ever calls → a file beside its own, loaded when one of them is first called: the engine reads over
// everything in a file that it loads (docs/performance.md). Those that are called are known by what scripts/eager.ts made of them.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import {
  type ExportNamedDeclaration,
  type FunctionDeclaration,
  type Identifier,
  type ImportDeclaration,
  type ImportSpecifier,
  type Node,
  type Program,
  parse,
} from 'acorn'
import { assignedIn, isInert, namesIn, passedOn, usedAtOnce } from './syntax-tree.ts'

type Statement = Program['body'][number]

/**
 * Splits one output of the bundler.
 *
 * @returns the path of the file that was made beside it
 */
export function setAside(path: string): string {
  const name = `${basename(path, '.js')}-rest`
  const rest = path.replace(/\.js$/, '-rest.js')
  const ways = { kept: `./${basename(path)}`, rest: `later:${name}` }
  const halves = inHalves(readFileSync(path, 'utf8'), ways)
  writeFileSync(path, halves.kept)
  writeFileSync(rest, halves.rest)
  return rest
}

/**
 * A bundled module → two that import each other, and together are the same: all that happens when it is loaded, and the functions
 * that are declared and not needed for that, with the constants that only they use.
 *
 * @param ways how each is imported by the other
 */
export function inHalves(
  code: string,
  ways: { readonly kept: string; readonly rest: string },
): { kept: string; rest: string } {
  const { body } = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
  const imports = body.filter(isImport)
  const exported = body.filter(isExport).flatMap(exportsOf)
  const own = body.filter(statement => !isImport(statement) && !isExport(statement))
  const aside = declaredAside(own, new Set(exported.map(({ name }) => name)))
  const kept = own.filter(statement => !aside.has(statement))
  const rest = own.filter(statement => aside.has(statement))

  const text = (statements: readonly Node[]) => statements.map(it => code.slice(it.start, it.end)).join('\n')
  // Words and not names: what imports too much works, what imports too little does not.
  const keptUses = new Set([...wordsIn(text(kept)), ...exported.map(({ name }) => name)])
  const restUses = wordsIn(text(rest))
  const keptForRest = kept.flatMap(declaredBy).filter(name => restUses.has(name))
  const restForKept = rest.flatMap(declaredBy).filter(name => keptUses.has(name))
  const added = keptForRest.filter(name => !exported.some(it => it.as === name && it.name === name))
  const clash = added.find(name => exported.some(it => it.as === name))
  if (clash !== undefined) throw new Error(`${ways.kept} exports something else as ${clash}`)

  return {
    kept: [
      importsOf(imports, keptUses, code),
      `import { ${restForKept.join(', ')} } from ${JSON.stringify(ways.rest)};`,
      text(kept),
      `export { ${[...exported.map(({ name, as }) => `${name} as ${as}`), ...added].join(', ')} };\n`,
    ].join('\n'),
    rest: [
      importsOf(
        imports.filter(({ specifiers }) => specifiers.length > 0),
        restUses,
        code,
      ),
      `import { ${keptForRest.join(', ')} } from ${JSON.stringify(ways.kept)};`,
      text(rest),
      `export { ${restForKept.join(', ')} };\n`,
    ].join('\n'),
  }
}

function wordsIn(text: string): Set<string> {
  return new Set(text.match(/[\w$]+/g))
}

/** As much as can be: what has to stay is taken away until the rest does without. */
function declaredAside(own: readonly Statement[], exported: ReadonlySet<string>): Set<Statement> {
  const changed = new Set(own.flatMap(assignedIn))
  const isSoonOrLate = (statement: Statement) =>
    isConstant(statement) &&
    usedAtOnce(statement).every(name => !changed.has(name) || declaredBy(statement).includes(name))
  const aside = new Set(own.filter(statement => isDeclaredFunction(statement) || isSoonOrLate(statement)))
  const variables = new Set(own.filter(({ type }) => type === 'VariableDeclaration').flatMap(declaredBy))
  for (let before = -1; before !== aside.size; ) {
    before = aside.size
    const kept = own.filter(statement => !aside.has(statement))
    const [used, atOnce] = [new Set(kept.flatMap(namesIn)), new Set(kept.flatMap(usedAtOnce))]
    // `list.sort(compare)` asks for the function, be the list empty or not.
    const passed = new Set(kept.flatMap(passedOn))
    const keptVariables = new Set(kept.flatMap(declaredBy).filter(name => variables.has(name)))
    for (const statement of aside) {
      const names = declaredBy(statement)
      const isNeeded = isDeclaredFunction(statement)
        ? names.some(name => passed.has(name) || atOnce.has(name)) ||
          // What is imported cannot be given another value.
          assignedIn(statement).some(name => keptVariables.has(name))
        : names.some(name => used.has(name) || exported.has(name))
      if (isNeeded) aside.delete(statement)
    }
  }
  return aside
}

/** `function a() {}`, and `const a = () => {}`. Functions that are called early are neither any more. */
function isDeclaredFunction(statement: Statement): boolean {
  if (statement.type === 'FunctionDeclaration') return true
  return (
    statement.type === 'VariableDeclaration' &&
    statement.declarations.every(({ init }) => init?.type === 'ArrowFunctionExpression')
  )
}

/** Its first value is the same whenever it is made. */
function isConstant(statement: Statement): boolean {
  if (statement.type === 'ClassDeclaration') return isInert(statement)
  return (
    statement.type === 'VariableDeclaration' &&
    statement.declarations.every(({ id, init }) => id.type === 'Identifier' && (!init || isInert(init)))
  )
}

function declaredBy(statement: Statement): string[] {
  if (statement.type === 'VariableDeclaration') return statement.declarations.flatMap(({ id }) => namesIn(id))
  const { id } = statement as FunctionDeclaration
  return id ? [id.name] : []
}

function isImport(statement: Statement): statement is ImportDeclaration {
  return statement.type === 'ImportDeclaration'
}

/** The bundler writes one list of names, at the end. */
function isExport(statement: Statement): statement is ExportNamedDeclaration {
  return statement.type.startsWith('Export')
}

function exportsOf(statement: ExportNamedDeclaration): { name: string; as: string }[] {
  if (statement.source || statement.declaration || statement.specifiers === undefined)
    throw new Error('the bundler exports in a way that is not known')
  return statement.specifiers.map(({ local, exported }) => ({
    name: (local as Identifier).name,
    as: (exported as Identifier).name,
  }))
}

/** Imports without those of no use; one that names nothing stays. */
function importsOf(imports: readonly ImportDeclaration[], used: ReadonlySet<string>, code: string): string {
  return imports
    .map(statement => {
      const specifiers = statement.specifiers.filter(({ local }) => used.has(local.name))
      const { raw } = statement.source
      if (statement.specifiers.length === 0) return `import ${raw};`
      if (specifiers.length === 0) return ''
      const named = specifiers.filter((it): it is ImportSpecifier => it.type === 'ImportSpecifier')
      if (named.length < specifiers.length) return code.slice(statement.start, statement.end)
      return `import { ${named.map(it => code.slice(it.start, it.end)).join(', ')} } from ${raw};`
    })
    .filter(line => line !== '')
    .join('\n')
}
