// What the build asks of a module's syntax.
import type {
  CallExpression,
  Identifier,
  MemberExpression,
  NewExpression,
  Node,
  Property,
  PropertyDefinition,
} from 'acorn'

/** In the order of the text, none within another: what `{ a }` and `{ a = 1 }` name is key and value. */
export function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof (value as Node | null)?.type === 'string')
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((child, index, all) => child.start !== all[index - 1]?.start)
}

function isFunction({ type }: Node): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

/** Its value is the same whenever it is made. */
export function isInert(node: Node): boolean {
  if (isFunction(node)) return true
  switch (node.type) {
    case 'Literal':
    case 'Identifier':
    case 'TemplateElement':
      return true
    case 'NewExpression': {
      const { callee } = node as NewExpression
      return (
        callee.type === 'Identifier' &&
        ['Set', 'Map'].includes(callee.name) &&
        childrenOf(node).every(isInert)
      )
    }
    case 'PropertyDefinition': {
      const { computed, static: isStatic } = node as PropertyDefinition
      return !computed && !isStatic
    }
    case 'ArrayExpression':
    case 'BinaryExpression':
    case 'ClassBody':
    case 'ClassDeclaration':
    case 'ClassExpression':
    case 'MethodDefinition':
    case 'ObjectExpression':
    case 'PrivateIdentifier':
    case 'Property':
    case 'TemplateLiteral':
    case 'UnaryExpression':
      return childrenOf(node).every(isInert)
    default:
      return false
  }
}

/** Names that are read while the module is loaded, and some that are not. */
export function usedAtOnce(node: Node): string[] {
  const used = readIn(node).map(child => {
    if (!isFunction(child)) return usedAtOnce(child)
    return child === (node as Partial<CallExpression>).callee ? namesIn(child) : []
  })
  return [...nameOf(node), ...used.flat()]
}

/** Names that are read and not called, and some of neither kind. */
export function passedOn(node: Node): string[] {
  const { callee } = node as Partial<CallExpression>
  const passed = readIn(node).filter(child => child !== callee || child.type !== 'Identifier')
  return [...nameOf(node), ...passed.flatMap(passedOn)]
}

export function namesIn(node: Node): string[] {
  return [...nameOf(node), ...readIn(node).flatMap(namesIn)]
}

function nameOf(node: Node): string[] {
  return node.type === 'Identifier' ? [(node as Identifier).name] : []
}

/** Children without the names of members, which name nothing that is declared. */
function readIn(node: Node): Node[] {
  const { computed, shorthand, key, property } = node as Partial<Property & MemberExpression>
  const name = computed || shorthand ? undefined : (key ?? property)
  return childrenOf(node).filter(child => child !== name)
}

/** Names that are given a value, wherever they are declared. */
export function assignedIn(node: Node): string[] {
  const { left, argument } = node as Node & { left?: Node; argument?: Node }
  const target =
    node.type === 'UpdateExpression'
      ? argument
      : /^(?:AssignmentExpression|For(?:In|Of))/.test(node.type)
        ? left
        : undefined
  return [...(target === undefined ? [] : namesIn(target)), ...childrenOf(node).flatMap(assignedIn)]
}
