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

// The checker's part in JavaScript alone, which its package describes under its main name only.
declare module 'recheck/lib/browser.js' {
  type Whole = Pick<typeof import('recheck'), 'checkSync'>
  // Bundled it is the default, and loaded from sources it is the module beside it.
  const whole: Whole | undefined
  export default whole
  export const checkSync: Whole['checkSync'] | undefined
}
