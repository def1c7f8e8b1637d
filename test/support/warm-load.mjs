// Loads a small bundle again and again, and prints what a warm load costs: its calls of node:fs by name, and the bytes that it allocates.
// Started by test/support/kept-numbers.ts without the optimizing compilers and with generations so large that nothing is collected.
import fs from 'node:fs'
import Module, { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [library, folder, what] = process.argv.slice(2)
const LOADS = 40

// Without the native BLAKE3, which is not everywhere.
const resolveFilename = Module._resolveFilename
Module._resolveFilename = function (request, ...rest) {
  if (String(request).startsWith('@napi-rs/blake-hash')) throw new Error('not installed')
  return resolveFilename.call(this, request, ...rest)
}

let calls = {}
/** A path elsewhere is one of the folders above these files, and their number depends on the machine. */
const isCounted = path =>
  typeof path !== 'string' || path.startsWith(folder) || path.startsWith('/etc/runloop')

/** Of `fs` and of `fs.promises`, under their names. */
function count(object, before) {
  for (const name of Object.keys(object)) {
    const call = object[name]
    if (typeof call !== 'function' || /^[A-Z_]/.test(name)) continue
    object[name] = function (...given) {
      if (isCounted(given[0])) calls[before + name] = (calls[before + name] ?? 0) + 1
      return Reflect.apply(call, this, given)
    }
  }
}
const isCounting = what === 'calls'
if (isCounting) {
  count(fs, '')
  count(fs.promises, 'promises.')
  syncBuiltinESMExports()
}

const { loadBundle } = await import(pathToFileURL(library).href)
const policy = join(folder, 'trust-policy.toml')
const once = () =>
  loadBundle(join(folder, 'mini-1.0.0.agent.bundle'), { expect: 'mini', trustPolicy: policy, home: false })

for (let warm = 0; warm < 10; warm++) await once()
calls = {}
if (isCounting) {
  await once()
  process.stdout.write(JSON.stringify({ calls }))
} else {
  const used = () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = used()
  for (let load = 0; load < LOADS; load++) await once()
  process.stdout.write(JSON.stringify({ bytes: Math.round((used() - before) / LOADS) }))
}
