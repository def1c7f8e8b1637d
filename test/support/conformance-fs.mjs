// The conformance suite of MCP imports a function of `node:fs` that Node 20 lacks, and that no scenario about a server uses.
import { register } from 'node:module'

const FS = `export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => []`
const HOOK = `export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(FS)}`)}, shortCircuit: true }
    : next(name, context)`
register(`data:text/javascript,${encodeURIComponent(HOOK)}`)
