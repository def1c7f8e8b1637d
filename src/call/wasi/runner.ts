// run.json and module.wasm beside it → the module, run under WASI preview 1, and in ended.json of the current folder how it ended. The
// first file of a process in the sandbox. All types are inferred, so that Node also runs this source as it is.
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WASI } from 'node:wasi'

const beside = import.meta.dirname
const { args, folders } = JSON.parse(readFileSync(join(beside, 'run.json'), 'utf8'))
// A module may use up all descriptors that there are.
const out = openSync('ended.json', 'wx')

let step = 'compile'
let memory = Object({})
let ended = {}
try {
  const module = new WebAssembly.Module(readFileSync(join(beside, 'module.wasm')))
  step = 'open'
  const wasi = new WASI({ version: 'preview1', args, env: {}, preopens: folders, returnOnExit: true })
  step = 'link'
  const instance = new WebAssembly.Instance(module, wasi.getImportObject())
  memory = Object(instance.exports['memory'])
  step = 'run'
  ended = { is: 'exited', code: wasi.start(instance) }
} catch (error) {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
  // A start function runs while the module is linked.
  const isTrap = step === 'run' || name === 'RuntimeError'
  ended = { is: isTrap ? 'trapped' : 'refused', step, name, message }
}
const memoryBytes = memory.buffer?.byteLength ?? 0
writeFileSync(out, JSON.stringify({ ...ended, memoryBytes }))
