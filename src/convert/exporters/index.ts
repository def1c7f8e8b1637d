// The registry of export formats: one file and one line each.
import { agentTool } from './agent-tool.ts'
import { agentcli } from './agentcli.ts'
import type { Exporter } from './exporter.ts'
import { mcp } from './mcp.ts'
import { openai } from './openai.ts'

export const EXPORTERS: readonly Exporter[] = [openai, mcp, agentTool, agentcli]
