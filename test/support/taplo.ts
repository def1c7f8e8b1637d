// The language server of Taplo, in this process: a folder with its .taplo.toml → what an editor shows of a file.
import { existsSync, promises } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import type { RpcMessage } from '@taplo/lsp'

// Node compiles each function once and quickly; by default it compiles again, and well, what runs for a second here.
setFlagsFromString('--liftoff-only')

// 35 MB in one file: imported, Node would search it for names of exports.
const lsp: typeof import('@taplo/lsp') = createRequire(import.meta.url)('@taplo/lsp')

export interface Diagnostic {
  readonly range: { readonly start: { readonly line: number; readonly character: number } }
  readonly message: string
}

/** What an editor asks about a file that is open in it. */
export interface OpenFile {
  /** What it shows once the schema has been read. */
  readonly diagnostics: readonly Diagnostic[]
  /** The labels that it offers. Lines and characters count from 0. */
  complete(line: number, character: number): Promise<string[]>
  hover(line: number, character: number): Promise<string>
}

const TAPLO_FILES = ['.taplo.toml', 'taplo.toml']

/** @param folder what the editor opens. Nothing but its files is read. It asks for a catalogue of other schemas, and goes on without. */
export async function startTaplo(folder: string) {
  const answers = new Map<RpcMessage['id'], (result: unknown) => void>()
  const shown = new Map<string, (diagnostics: readonly Diagnostic[]) => void>()
  const server = await lsp.TaploLsp.initialize(
    {
      now: () => new Date(),
      envVar: () => undefined,
      envVars: () => [],
      stdErrAtty: () => false,
      stdin: async () => new Uint8Array(),
      stdout: async bytes => bytes.length,
      stderr: async bytes => bytes.length,
      glob: () => [],
      readFile: path => promises.readFile(path),
      writeFile: path => Promise.reject(new Error(`a test writes nothing: ${path}`)),
      urlToFilePath: url => (url.startsWith('file:') ? fileURLToPath(url) : url),
      isAbsolute,
      cwd: () => folder,
      findConfigFile: from => TAPLO_FILES.map(name => join(from, name)).find(existsSync),
    },
    {
      onMessage: ({ id, method, params, result }) => {
        if (method === undefined) answers.get(id)?.(result)
        else if (method === 'textDocument/publishDiagnostics') shown.get(params.uri)?.(params.diagnostics)
        else if (method === 'workspace/configuration')
          server.send({
            jsonrpc: '2.0',
            id,
            result: [{ schema: { enabled: true, catalogs: [] } }],
          } as RpcMessage)
      },
    },
  )
  let last = 0
  const ask = (method: string, params: unknown): Promise<unknown> => {
    const id = ++last
    return new Promise(resolve => {
      answers.set(id, resolve)
      server.send({ jsonrpc: '2.0', id, method, params })
    })
  }
  const uri = pathToFileURL(folder).href
  await ask('initialize', {
    processId: null,
    rootUri: uri,
    workspaceFolders: [{ uri, name: 'project' }],
    capabilities: { workspace: { configuration: true } },
  })
  server.send({ jsonrpc: '2.0', method: 'initialized', params: {} })

  return {
    /** @param isShown whether these diagnostics are the last, because they come before the schema is read too */
    async open(
      path: string,
      text: string,
      isShown: (diagnostics: readonly Diagnostic[]) => boolean,
    ): Promise<OpenFile> {
      const textDocument = { uri: pathToFileURL(join(folder, path)).href }
      const diagnostics = await new Promise<readonly Diagnostic[]>(resolve => {
        shown.set(textDocument.uri, found => {
          if (isShown(found)) resolve(found)
        })
        const document = { ...textDocument, languageId: 'toml', version: 1, text }
        server.send({ jsonrpc: '2.0', method: 'textDocument/didOpen', params: { textDocument: document } })
      })
      const at = (line: number, character: number) => ({ textDocument, position: { line, character } })
      return {
        diagnostics,
        complete: async (line, character) => {
          const items = (await ask('textDocument/completion', at(line, character))) as
            | { label: string }[]
            | null
          return (items ?? []).map(({ label }) => label)
        },
        hover: async (line, character) =>
          JSON.stringify(await ask('textDocument/hover', at(line, character))),
      }
    },
    stop: () => server.dispose(),
  }
}
