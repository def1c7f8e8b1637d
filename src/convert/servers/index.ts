// The registry of formats that say how a server is started: one file and one line each.
import type { ServerFormat } from './server-format.ts'
import { serverJson } from './server-json.ts'
import { vscodeMcp } from './vscode-mcp.ts'

export const SERVER_FORMATS: readonly ServerFormat[] = [serverJson, vscodeMcp]
