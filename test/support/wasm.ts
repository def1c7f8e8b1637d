// A tiny assembler: WebAssembly modules for tests, section by section, right or wrong on purpose.

export const MAGIC: readonly number[] = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]

/** Unsigned LEB128. `pad` writes zeros in more bytes than the number needs, as linkers do. */
export function leb(value: number, pad = 1): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push(rest % 128)
    rest = Math.floor(rest / 128)
  } while (rest > 0)
  while (bytes.length < pad) bytes.push(0)
  return bytes.map((byte, index) => (index < bytes.length - 1 ? byte | 0x80 : byte))
}

/** Bytes with their length before them; strings as UTF-8. */
export function sized(content: string | readonly number[]): number[] {
  const bytes = typeof content === 'string' ? [...new TextEncoder().encode(content)] : content
  return [...leb(bytes.length), ...bytes]
}

export function vec(items: readonly (readonly number[])[]): number[] {
  return [...leb(items.length), ...items.flat()]
}

export function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)]
}

export function custom(name: string, content: readonly number[] = []): number[] {
  return section(0, [...sized(name), ...content])
}

export const I32 = 0x7f
export const I64 = 0x7e

/** A function type, by its parameters and results. */
export function type(params: readonly number[], results: readonly number[]): number[] {
  return [0x60, ...sized(params), ...sized(results)]
}

/** What an import is of, after its two names. */
export const IMPORT_TYPES = {
  function: (index = 0) => [0x00, ...leb(index)],
  table: [0x01, 0x70, 0x01, 0x01, 0x0a],
  memory: [0x02, 0x00, 0x01],
  global: [0x03, I32, 0x00],
  tag: [0x04, 0x00, 0x00],
} as const

export function importOf(
  module: string,
  name: string,
  what: readonly number[] = IMPORT_TYPES.function(),
): number[] {
  return [...sized(module), ...sized(name), ...what]
}

export const KIND = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const

export function exportOf(name: string, kind: keyof typeof KIND, index = 0): number[] {
  return [...sized(name), KIND[kind], ...leb(index)]
}

/** A body without locals; `end` is added. */
export function body(...code: readonly number[]): number[] {
  return sized([0x00, ...code, 0x0b])
}

/** All bytes after magic and version as they are given. */
export function rawModule(...sections: readonly (readonly number[])[]): Uint8Array {
  return Uint8Array.from([...MAGIC, ...sections.flat()])
}

export interface ModuleFacts {
  /** `module.name`, functions without parameters unless `types` says otherwise, by index into `types`. */
  readonly imports?: readonly (readonly [module: string, name: string, type?: number])[]
  /** Type 0 is the entry's; it takes nothing and gives nothing. */
  readonly types?: readonly (readonly number[])[]
  /** Exports beside `memory`; index 0 of functions is the only own one. Defaults to `_start`. */
  readonly entry?: string
  readonly exportsMemory?: boolean
  readonly code?: readonly number[]
  /** Placed at address 0. */
  readonly data?: string
  readonly customSections?: readonly (readonly number[])[]
}

/** A module as a toolchain makes one: imports, one function, one memory, exports, data. */
export function moduleOf(facts: ModuleFacts = {}): Uint8Array {
  const { imports = [], types = [], entry = '_start', exportsMemory = true, code = [], data } = facts
  const exports = [
    ...(exportsMemory ? [exportOf('memory', 'memory')] : []),
    exportOf(entry, 'function', imports.length),
  ]
  return rawModule(
    section(1, vec([type([], []), ...types])),
    section(2, vec(imports.map(([module, name, at = 0]) => importOf(module, name, [0, ...leb(at)])))),
    section(3, vec([[0]])),
    section(5, vec([[0x00, 0x01]])),
    section(7, vec(exports)),
    section(10, vec([body(...code)])),
    section(11, vec(data === undefined ? [] : [[0x00, 0x41, 0x00, 0x0b, ...sized(data)]])),
    ...(facts.customSections ?? []),
  )
}

/** A component that holds one core module. */
export function componentOf(core: Uint8Array): Uint8Array {
  return Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00, ...section(1, [...core])])
}
