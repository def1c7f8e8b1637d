// Which declarations a set of entries reaches, types included: from a declaration to the names that it mentions, and on.
import {
  isArrowFunction,
  isAwaitExpression,
  isBindingElement,
  isCallExpression,
  isClassDeclaration,
  isExportDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isImportDeclaration,
  isInterfaceDeclaration,
  isNamedExports,
  isNamedImports,
  isNamespaceExport,
  isNamespaceImport,
  isObjectBindingPattern,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isTypeAliasDeclaration,
  isVariableDeclaration,
  isVariableStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { importAt, nodesIn, placeOf, type SourceModule } from './source.ts'

/** A name that another module exports; undefined for all of them. */
interface Wanted {
  readonly target: string
  readonly name: string | undefined
}

/** A module as names see it. */
interface Names {
  readonly module: SourceModule
  /** What declares each name at the top of the module. */
  readonly declared: ReadonlyMap<string, readonly Node[]>
  readonly imported: ReadonlyMap<string, Wanted>
  /** `export { name } from`, and what is exported under another name. */
  readonly handedOn: ReadonlyMap<string, Wanted>
  /** Run when the module is loaded. */
  readonly effects: readonly Node[]
}

/** What the list of commands takes of each file that it loads. */
const TAKEN: Readonly<Record<string, readonly string[]>> = { 'src/cli/generated/commands.ts': ['command'] }

/** `path:line name` of each declaration that no entry leads to. */
export function unreached(modules: readonly SourceModule[], entries: readonly string[]): string[] {
  const names = new Map(modules.map(module => [module.path, namesOf(module)]))
  const reached = new Set<Node>()
  const seen = new Set<string>()
  const pending: Wanted[] = entries.map(target => ({ target, name: undefined }))
  for (let wanted = pending.pop(); wanted !== undefined; wanted = pending.pop()) {
    const of = names.get(wanted.target)
    const key = `${wanted.target} ${wanted.name}`
    // Generated files, and package.json.
    if (of === undefined || seen.has(key)) continue
    seen.add(key)
    for (const node of nodesFor(of, wanted.name)) {
      if (reached.has(node)) continue
      reached.add(node)
      pending.push(...mentioned(of, node))
    }
    pending.push(...passedOn(of, wanted.name))
  }
  return [...names.values()].flatMap(({ module, declared }) =>
    [...declared].flatMap(([name, nodes]) =>
      nodes.filter(node => !reached.has(node)).map(node => `${placeOf(module, node)} ${name}`),
    ),
  )
}

/** Begins what `export * from` hands on. */
const WHOLE = '* of '

function nodesFor({ module, declared, effects }: Names, name: string | undefined): readonly Node[] {
  const wanted =
    name === undefined
      ? [...declared.values()].flat().filter(node => isExported(node, module.tree))
      : declared.get(name)
  return [...effects, ...(wanted ?? [])]
}

function passedOn({ handedOn }: Names, name: string | undefined): Wanted[] {
  if (name === undefined) return [...handedOn.values()]
  const wanted = handedOn.get(name)
  if (wanted !== undefined) return [wanted]
  // A module that is handed on whole may declare it.
  return [...handedOn].flatMap(([of, { target }]) => (of.startsWith(WHOLE) ? [{ target, name }] : []))
}

/** What a declaration needs: each name in it that the module declares or imports, whatever hides it. */
function* mentioned({ module, declared, imported }: Names, node: Node): Generator<Wanted> {
  for (const inner of nodesIn(node)) {
    const dynamic = importAt(module.path, module.tree, inner)
    if (dynamic?.target !== undefined) {
      const taken = TAKEN[module.path] ?? takenOf(inner, module.tree)
      if (taken === undefined) yield { target: dynamic.target, name: undefined }
      else for (const name of taken) yield { target: dynamic.target, name }
    }
    if (!isIdentifier(inner) || isMember(inner)) continue
    const name = inner.text
    const wanted = imported.get(name)
    if (wanted !== undefined) yield wanted
    else if (declared.has(name)) yield { target: module.path, name }
  }
}

/** A name of a member is no name of the module. */
function isMember(node: Node): boolean {
  const { parent } = node
  if (isBindingElement(parent)) return parent.propertyName === node
  return MEMBERS.has(parent.kind) && 'name' in parent && parent.name === node
}

const MEMBERS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.PropertyAccessExpression,
  SyntaxKind.PropertyAssignment,
  SyntaxKind.PropertySignature,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.MethodDeclaration,
])

/** What is taken of a module that is imported on demand; undefined if that is not said beside it. */
function takenOf(call: Node, tree: SourceFile): readonly string[] | undefined {
  let { parent } = call
  while (isAwaitExpression(parent) || isParenthesizedExpression(parent)) parent = parent.parent
  if (isVariableDeclaration(parent)) return boundIn(parent.name, tree)
  if (!isPropertyAccessExpression(parent)) return undefined
  const name = parent.name.text
  if (name !== 'then') return [name]
  const handler = isCallExpression(parent.parent) ? parent.parent.arguments[0] : undefined
  const parameter = handler !== undefined && isArrowFunction(handler) ? handler.parameters[0] : undefined
  return parameter === undefined ? undefined : boundIn(parameter.name, tree)
}

function boundIn(name: Node, tree: SourceFile): readonly string[] | undefined {
  if (!isObjectBindingPattern(name)) return undefined
  return name.elements.map(element => (element.propertyName ?? element.name)?.getText(tree) ?? '')
}

function namesOf(module: SourceModule): Names {
  const declared = new Map<string, Node[]>()
  const imported = new Map<string, Wanted>()
  const handedOn = new Map<string, Wanted>()
  const effects: Node[] = []
  const { path, tree } = module
  for (const node of tree.statements) {
    const target = importAt(path, tree, node)?.target
    if (isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings
      if (target === undefined) continue
      if (bindings === undefined) effects.push(node)
      else if (isNamespaceImport(bindings)) imported.set(bindings.name.text, { target, name: undefined })
      else if (isNamedImports(bindings))
        for (const { name, propertyName } of bindings.elements)
          imported.set(name.text, { target, name: (propertyName ?? name).text })
    } else if (isExportDeclaration(node)) {
      const clause = node.exportClause
      if (clause !== undefined && isNamespaceExport(clause) && target !== undefined) {
        handedOn.set(clause.name.text, { target, name: undefined })
        continue
      }
      if (clause === undefined && target !== undefined) {
        handedOn.set(`${WHOLE}${target}`, { target, name: undefined })
        continue
      }
      if (clause === undefined || !isNamedExports(clause))
        throw new Error(`${placeOf(module, node)} names nothing that it exports`)
      for (const { name, propertyName } of clause.elements)
        handedOn.set(name.text, { target: target ?? path, name: (propertyName ?? name).text })
    } else {
      const names = declaredBy(node)
      if (names.length === 0) effects.push(node)
      for (const name of names) declared.set(name, [...(declared.get(name) ?? []), node])
    }
  }
  return { module, declared, imported, handedOn, effects }
}

/** The names that a statement declares; none for one that only does something. */
function declaredBy(node: Node): readonly string[] {
  if (isVariableStatement(node))
    return node.declarationList.declarations.flatMap(({ name }) =>
      isIdentifier(name)
        ? [name.text]
        : nodesIn(name)
            .filter(isIdentifier)
            .map(({ text }) => text),
    )
  const isNamed =
    isFunctionDeclaration(node) ||
    isClassDeclaration(node) ||
    isInterfaceDeclaration(node) ||
    isTypeAliasDeclaration(node)
  return isNamed && node.name !== undefined ? [node.name.text] : []
}

function isExported(node: Node, tree: SourceFile): boolean {
  return /^export\b/.test(node.getText(tree))
}
