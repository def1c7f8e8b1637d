// The registry of import formats: one file and one line each.
import { agentTool } from './agent-tool.ts'
import { agentcli } from './agentcli.ts'
import { anthropic } from './anthropic.ts'
import { gemini } from './gemini.ts'
import type { Importer } from './importer.ts'
import { mcp } from './mcp.ts'
import { openai } from './openai.ts'

export const IMPORTERS: readonly Importer[] = [agentcli, openai, mcp, agentTool, anthropic, gemini]
