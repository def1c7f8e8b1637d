// What the entry for other systems has beside its functions.
export * as AgentTool from '../agent-tool/index.ts'
export { type ToolEnd, toAgentcliContent } from '../agentcli/answer.ts'
export type { AgentcliTimeouts, AgentcliTool } from '../agentcli/load.ts'
export type { OpenAiTool } from '../agentcli/openai.ts'
export {
  AgentcliLoadError,
  type AgentcliSource,
  type AgentcliTools,
  loadAgentcliTools,
} from '../convert/load-agentcli.ts'
