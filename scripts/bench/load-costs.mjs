// What a warm load costs that does not depend on how busy a machine is: bytes allocated, calls of node:fs, and page faults. Prints JSON. Loads a
// build as it is published, in a process without a loader of TypeScript; test/verify/load-costs.test.ts holds the first two to limits.
//
// node <flags> load-costs.mjs <library> <folder> <loads before> <loads>: the folder holds `home` and `<name>.agent.bundle` for each agent.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [library, folder, before, loads] = process.argv.slice(2)
process.env.RUNLOOP_HOME = join(folder, 'home')

let calls = 0
let isCounting = false
for (const object of [fs, fs.promises]) {
  for (const name of Object.keys(object)) {
    const call = object[name]
    if (typeof call !== 'function' || /^[A-Z_]/.test(name)) continue
    object[name] = function (...given) {
      if (isCounting) calls++
      return Reflect.apply(call, this, given)
    }
  }
}
syncBuiltinESMExports()

const { loadBundle } = await import(pathToFileURL(library).href)
const bundles = fs
  .readdirSync(folder)
  .filter(name => name.endsWith('.agent.bundle'))
  .map(name => ({
    expect: name.slice(0, -'.agent.bundle'.length),
    bytes: new Uint8Array(fs.readFileSync(join(folder, name))),
  }))
let next = 0
const load = () => {
  const { bytes, expect } = bundles[next++ % bundles.length]
  return loadBundle(bytes, { expect })
}

for (let count = 0; count < Number(before); count++) await load()
isCounting = true
await load()
isCounting = false
const used = () => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
const faults = process.resourceUsage().minorPageFault
const allocated = []
for (let count = 0; count < Number(loads); count++) {
  const start = used()
  await load()
  allocated.push(used() - start)
}
process.stdout.write(
  JSON.stringify({
    // The median, because the engine may collect in one of them.
    bytes: allocated.sort((one, other) => one - other)[allocated.length >> 1],
    faults: Math.round((process.resourceUsage().minorPageFault - faults) / Number(loads)),
    calls,
  }),
)
