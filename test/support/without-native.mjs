// For `node --import`: a machine on which the native BLAKE3 package is not installed.
import Module, * as hooks from 'node:module'

const PACKAGE = '@napi-rs/blake-hash'
const resolve = Module._resolveFilename

Module._resolveFilename = function (request, ...rest) {
  if (String(request).startsWith(PACKAGE)) throw missing(request)
  return resolve.call(this, request, ...rest)
}

// Newer versions of Node have hooks that run here; the older way is on its way out.
if (hooks.registerHooks !== undefined) {
  hooks.registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith(PACKAGE)) throw missing(specifier)
      return next(specifier, context)
    },
  })
} else {
  const code = `export async function resolve(specifier, context, next) {
    if (specifier.startsWith(${JSON.stringify(PACKAGE)})) throw new Error('not installed: ' + specifier)
    return next(specifier, context)
  }`
  hooks.register(`data:text/javascript,${encodeURIComponent(code)}`)
}

function missing(request) {
  return Object.assign(new Error(`not installed: ${request}`), { code: 'MODULE_NOT_FOUND' })
}
