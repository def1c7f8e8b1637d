// What every Node has and its types leave to the browser's library.

type BufferSource = ArrayBufferView | ArrayBuffer

declare namespace WebAssembly {
  type ImportExportKind = 'function' | 'global' | 'memory' | 'table' | 'tag'
  interface ModuleExportDescriptor {
    kind: ImportExportKind
    name: string
  }
  interface ModuleImportDescriptor extends ModuleExportDescriptor {
    module: string
  }
  type Exports = Record<string, unknown>
  class Module {
    constructor(bytes: BufferSource)
    static exports(module: Module): ModuleExportDescriptor[]
    static imports(module: Module): ModuleImportDescriptor[]
    static customSections(module: Module, name: string): ArrayBuffer[]
  }
  class Instance {
    constructor(module: Module, imports?: object)
    readonly exports: Exports
  }
  class CompileError extends Error {}
  function validate(bytes: BufferSource): boolean
  function compile(bytes: BufferSource): Promise<Module>
  function instantiate(module: Module, imports?: object): Promise<Instance>
}
