// The registry of methods of the MCP server: one file and one line each.
import type { Method } from './method.ts'
import { toolsCall } from './tools-call.ts'
import { toolsList } from './tools-list.ts'

export const METHODS = [toolsList, toolsCall] as const satisfies readonly Method[]

export type MethodName = (typeof METHODS)[number]['name']
