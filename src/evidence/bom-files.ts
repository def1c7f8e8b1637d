// The files of a bundle as components of CycloneDX, each with both digests; of a wasm module also what it imports.
import { hash } from 'node:crypto'
import type { Agent } from '../model/agent.ts'
import type { FileEntry } from '../model/files.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { readWasm, WASM_MAGIC, type WasmModule } from '../wasm/read.ts'
import { type BomPart, bomFact, inOrder } from './bom-words.ts'

/** More imports are counted, and not listed. */
const MOST_IMPORTS = 10_000

export function fileComponents({ files, manifest }: Agent): BomPart[] {
  const roles = new Map(manifest?.entries.map(({ path, role }) => [path, role]))
  return files.list.map(file => {
    const { path, size, digest, content } = file
    if (content === undefined || digest === undefined)
      throw new TypeError('the content of this entry was not kept')
    const role = roles.get(path)
    const properties = [
      bomFact('bytes', String(size)),
      ...(role === undefined ? [] : [bomFact('role', role)]),
      ...wasmProperties(file, content),
    ]
    return {
      type: 'file',
      ...(isWasm(content) && { 'mime-type': 'application/wasm' }),
      'bom-ref': `file:${path}`,
      name: path,
      hashes: [
        { alg: 'SHA-256', content: hash('sha256', content, 'hex') },
        { alg: 'BLAKE3', content: digest },
      ],
      properties,
    }
  })
}

function wasmProperties({ size }: FileEntry, content: Uint8Array) {
  if (!isWasm(content)) return []
  if (size > PARSE_LIMITS.wasmBytes)
    return [bomFact('wasm:not-read', 'it is larger than what is looked into')]
  const read = readWasm(content)
  if (!read.ok) return [bomFact('wasm:not-read', read.reason)]
  if (read.module.isComponent) return [bomFact('wasm:not-read', 'it is a component')]
  return importProperties(read.module)
}

function importProperties({ imports, hasStart }: WasmModule) {
  const names = inOrder(imports.map(({ module, name, kind }) => `${module} ${name} (${kind})`))
  return [
    ...(names.length > MOST_IMPORTS
      ? [bomFact('wasm:not-listed', `${names.length} imports`)]
      : names.map(text => bomFact('wasm:import', text))),
    ...(hasStart ? [bomFact('wasm:start', 'a function runs before any export is called')] : []),
  ]
}

function isWasm(content: Uint8Array): boolean {
  return WASM_MAGIC.slice(0, 4).every((byte, index) => content[index] === byte)
}
