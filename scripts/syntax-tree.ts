// What the build asks of a module's syntax.
import type { Node } from 'acorn'

/** In the order of the text, none within another: what `{ a }` and `{ a = 1 }` name is key and value. */
export function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof (value as Node | null)?.type === 'string')
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((child, index, all) => child.start !== all[index - 1]?.start)
}

export function isFunction({ type }: Node): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}
