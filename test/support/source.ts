// src/**/*.ts as the compiler reads it: syntax trees, imports, and what is wrong with a file's types.
import { dirname, join, relative, sep } from 'node:path'
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isStringLiteral,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'
import { ROOT } from './lint-fixtures.ts'

/** One `import … from`, `export … from`, `import('…')` or `typeof import('…')`. */
export interface Import {
  readonly specifier: string
  /** For a relative specifier: the path below the root of the repository, with `/`. */
  readonly target: string | undefined
  /** `import('…')`: loaded when the call is reached. */
  readonly onDemand: boolean
  /** Only types: nothing is loaded. */
  readonly isType: boolean
}

export interface SourceModule {
  /** Below the root of the repository, with `/`. */
  readonly path: string
  readonly tree: SourceFile
  readonly imports: readonly Import[]
}

export interface Sources {
  readonly modules: readonly SourceModule[]
  /** What the compiler calls the type of a node. */
  typeOf(node: Node): string
  /** Errors of one file, as `line: text`; `path` is below the root. */
  typeErrors(path: string): string[]
  close(): void
}

/** Everything in src/ but declarations and what is generated. */
export function readSources(): Sources {
  const api = new API({ cwd: ROOT })
  const config = join(ROOT, 'tsconfig.json')
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (project === undefined) throw new Error('the compiler did not open tsconfig.json')
  const { checker, program, rootFiles } = project
  const modules = rootFiles
    .map(file => relative(ROOT, file).split(sep).join('/'))
    .filter(path => /^src\/(?!format\/generated\/)/.test(path) && !path.endsWith('.d.ts'))
    .sort()
    .map(path => {
      const tree = program.getSourceFile(join(ROOT, path))
      if (tree === undefined) throw new Error(`the compiler did not read ${path}`)
      return { path, tree, imports: [...importsOf(path, tree)] }
    })
  return {
    modules,
    typeErrors: path => {
      const file = join(ROOT, path)
      const text = program.getSourceFile(file)?.text
      if (text === undefined) throw new Error(`tsconfig.json does not include ${path}`)
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
        ({ pos, text: message }) => `${lineAt(text, pos)}: ${message}`,
      )
    },
    typeOf: node => {
      const type = checker.getTypeAtLocation(node)
      return type === undefined ? 'unknown' : checker.typeToString(type)
    },
    close: () => api.close(),
  }
}

/** The text of whole files: getting it from the compiler takes longer than any question about it. */
const known = new WeakMap<Node, readonly Node[]>()

/** A node and everything below it. */
export function nodesIn(root: Node): readonly Node[] {
  const before = known.get(root)
  if (before !== undefined) return before
  const all: Node[] = []
  const pending = [root]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    all.push(node)
    node.forEachChild(child => void pending.push(child))
  }
  if (root.kind === SyntaxKind.SourceFile) known.set(root, all)
  return all
}

/** `path:line` of a node, for messages. */
export function placeOf({ path, tree }: SourceModule, node: Node): string {
  return `${path}:${lineAt(tree.text, node.getStart(tree))}`
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function* importsOf(path: string, tree: SourceFile): Generator<Import> {
  for (const node of nodesIn(tree)) {
    const found = importAt(path, tree, node)
    if (found !== undefined) yield found
  }
}

/** What a node imports, if it is an import. */
export function importAt(path: string, tree: SourceFile, node: Node): Import | undefined {
  const specifier = specifierOf(node)
  if (specifier === undefined) return undefined
  if (!isStringLiteral(specifier)) throw new Error(`${path}: an import whose name is computed`)
  const isRelative = specifier.text.startsWith('.')
  const target = isRelative ? join(dirname(path), specifier.text).split(sep).join('/') : undefined
  const isType = isImportTypeNode(node) || /^(?:import|export) type\b/.test(node.getText(tree))
  return { specifier: specifier.text, target, onDemand: isCallExpression(node), isType }
}

function specifierOf(node: Node): Node | undefined {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return node.moduleSpecifier
  if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) return node.arguments[0]
  if (isImportTypeNode(node)) return isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument
  return undefined
}
