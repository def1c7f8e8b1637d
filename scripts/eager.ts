// Functions that nearly every start calls → function expressions in parentheses, which tell the engine to compile them when it reads the
// file. Otherwise it would skip them, and read them once more when they are called (docs/performance.md).
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import {
  type ArrowFunctionExpression,
  type FunctionExpression,
  type Identifier,
  type Node,
  type Property,
  parse,
} from 'acorn'
import { type Plugin, transformSync } from 'esbuild'
import { childrenOf } from './syntax-tree.ts'

/** The names of functions, by their module's path from the root (scripts/starts.json). */
export type Called = Readonly<Record<string, readonly string[]>>

/** @param added statements that come after those of some modules: the bundler asks one plugin for a module, the first that answers */
export function compileEagerly(called: Called, added: (data: unknown) => string): Plugin {
  return {
    name: 'compile-eagerly',
    setup(build) {
      build.onLoad({ filter: /\.[jt]s$/ }, ({ path, pluginData }) => {
        const { contents, loader } = eagerly(path, called)
        return { contents: `${contents}\n${added(pluginData)}`, loader }
      })
    },
  }
}

function eagerly(path: string, called: Called): { contents: string; loader: 'js' | 'ts' } {
  const source = readFileSync(path, 'utf8')
  const loader = path.endsWith('.ts') ? 'ts' : 'js'
  const names = called[relative('', path).replaceAll('\\', '/')]
  if (names === undefined) return { contents: source, loader }
  const { code } = transformSync(source, { loader, target: 'node20.19' })
  return { contents: inParentheses(code, new Set(names)), loader: 'js' }
}

/**
 * A module → the same, with the functions of these names as expressions in parentheses: those that were declared before all else, where
 * declarations count from; arrow functions and methods of objects as functions, because older engines take the hint for nothing else.
 */
export function inParentheses(code: string, names: ReadonlySet<string>): string {
  const declared: string[] = []
  let rest = ''
  let at = 0
  for (const statement of parse(code, { ecmaVersion: 'latest', sourceType: 'module' }).body) {
    rest += code.slice(at, statement.start)
    at = statement.end
    const isExported = statement.type === 'ExportNamedDeclaration'
    const inner = isExported ? statement.declaration : statement
    const text = rewritten(code, inner ?? statement, names)
    if (inner?.type === 'FunctionDeclaration' && names.has(inner.id?.name ?? ''))
      declared.push(`${isExported ? 'export ' : ''}const ${inner.id?.name} = (${text});\n`)
    else rest += `${isExported && inner ? 'export ' : ''}${text}`
  }
  return declared.join('') + rest + code.slice(at)
}

function rewritten(code: string, node: Node, names: ReadonlySet<string>): string {
  let text = ''
  let at = node.start
  for (const child of childrenOf(node)) {
    text += code.slice(at, child.start)
    if (isArrow(child) && isCalled(nameIn(node), names) && !takes(FROM_AROUND, child))
      text += asFunction(code, child, names)
    else if (isMethod(child) && isCalled(child.key.name, names) && !takes(FROM_OBJECT, child.value))
      text += `${child.key.name}: (${headOf(child.value)}${rewritten(code, child.value, names)})`
    else text += rewritten(code, child, names)
    at = child.end
  }
  return text + code.slice(at, node.end)
}

/** Of what has no name, most is called by what has one. */
function isCalled(name: string | undefined, names: ReadonlySet<string>): boolean {
  return name === undefined || names.has(name)
}

/** What an arrow function is called after. */
function nameIn(parent: Node): string | undefined {
  const { type, key, id } = parent as Node & { key?: { name?: string }; id?: { name?: string } }
  return type === 'Property' ? key?.name : type === 'VariableDeclarator' ? id?.name : undefined
}

function asFunction(code: string, arrow: ArrowFunctionExpression, names: ReadonlySet<string>): string {
  const params = arrow.params.map(param => rewritten(code, param, names)).join(', ')
  const body = rewritten(code, arrow.body, names)
  return `(${headOf(arrow)}(${params}) ${arrow.expression ? `{ return ${body} }` : body})`
}

function headOf({ async, generator }: { async: boolean; generator: boolean }): string {
  return `${async ? 'async ' : ''}function${generator ? '*' : ''} `
}

/** What an arrow function takes from around it, and a function has of its own. */
const FROM_AROUND = new Set(['ThisExpression', 'Super', 'MetaProperty', 'arguments'])
/** What only a method can say. */
const FROM_OBJECT = new Set(['Super'])

function takes(what: ReadonlySet<string>, node: Node): boolean {
  return childrenOf(node).some(child => {
    if (child.type === 'FunctionExpression' || child.type === 'FunctionDeclaration') return false
    return (
      what.has(child.type === 'Identifier' ? (child as Identifier).name : child.type) || takes(what, child)
    )
  })
}

function isArrow(node: Node): node is ArrowFunctionExpression {
  return node.type === 'ArrowFunctionExpression'
}

type Method = Property & { key: Identifier; value: FunctionExpression }

function isMethod(node: Node): node is Method {
  const { type, method, computed, key } = node as Property
  return type === 'Property' && method && !computed && key.type === 'Identifier'
}
