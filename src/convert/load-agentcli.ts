// A tools.json of agentcli → its tools, or the error that agentcli itself reports. Public; prints nothing and runs nothing.
import { dirname, posix, resolve, win32 } from 'node:path'
import { TOO_LARGE } from '../agentcli/decode.ts'
import {
  type AgentcliTimeouts,
  type AgentcliTool,
  defaultTimeout,
  effectiveTimeout,
  type LoadFailure,
  readAgentcliTools as load,
  type Platform,
  unreadableAgentcli,
} from '../agentcli/load.ts'
import { type OpenAiTool, toOpenAi, toOpenAiJson } from '../agentcli/openai.ts'
import { readFile } from '../io/read/read-file.ts'
import { RlpError } from '../model/error.ts'
import { frozen } from '../model/frozen.ts'
import { MAX_TEXT_BYTES } from '../text/decode.ts'

/** A path, or the document itself and its folder. */
export type AgentcliSource =
  | string
  | {
      readonly text: string | Uint8Array
      /** Absolute. Programs written as `./tools/bin/…` are below it. */
      readonly directory: string
      /** The platform whose path rules apply; this machine's by default. */
      readonly platform?: Platform
    }

/** The tools of one document, in its order. */
export interface AgentcliTools {
  readonly tools: readonly AgentcliTool[]
  /** The same as OpenAI's list of functions. Computed on demand. */
  readonly openAi: readonly OpenAiTool[]
  /** The list as JSON, byte for byte as agentcli sends it. Computed on demand. */
  readonly openAiJson: string
  /** Seconds that a call of one of the tools may take: its `timeoutSec`, else `-tool-timeout`, else `-timeout`, else 30. */
  secondsOf(tool: AgentcliTool, flags?: AgentcliTimeouts): number
}

/** A document that agentcli does not load. Like agentcli, it reports the first problem. */
export class AgentcliLoadError extends RlpError {
  override readonly name = 'AgentcliLoadError'
  /** agentcli's own message: `tool[0] "clock": duplicate name`. */
  readonly reason: string
  /** Keys and indexes from the root to the problem; undefined if it is the document as a whole, or text that is not JSON. */
  readonly at: LoadFailure['at']

  constructor(label: string, { error, at }: LoadFailure, cause?: RlpError) {
    super(cause?.code ?? 'LINT_FAILED', `Cannot load "${label}": ${error}`, {
      hint: cause?.hint,
      cause,
    })
    this.reason = error
    this.at = frozen(at)
  }
}

/**
 * Loads a tools.json of agentcli with agentcli's checks, in its order and words. Resolves the paths of programs without looking for the
 * files.
 * @example const { tools, openAi } = await loadAgentcliTools('tools.json')
 * @throws {@link AgentcliLoadError} if agentcli would not load it; RlpError USAGE for a folder that is not absolute
 */
export async function loadAgentcliTools(source: AgentcliSource): Promise<AgentcliTools> {
  const label = typeof source === 'string' ? source : 'tools.json'
  const { text, directory, platform = HERE } = typeof source === 'string' ? await readSource(source) : source
  if (!(platform === 'win32' ? win32 : posix).isAbsolute(directory))
    throw new RlpError('USAGE', `Cannot load "${label}": the folder "${directory}" is not absolute`, {
      hint: 'Give the absolute path of the document’s folder',
    })
  const loaded = load(text, { manifestDir: directory, platform })
  if (!loaded.ok) throw new AgentcliLoadError(label, loaded)
  return frozen(new LoadedTools(loaded.tools))
}

class LoadedTools implements AgentcliTools {
  readonly tools: readonly AgentcliTool[]
  constructor(tools: readonly AgentcliTool[]) {
    this.tools = tools
  }
  get openAi() {
    return frozen(toOpenAi(this.tools))
  }
  get openAiJson() {
    return toOpenAiJson(this.tools)
  }
  secondsOf({ timeoutSec }: AgentcliTool, flags: AgentcliTimeouts = {}): number {
    return effectiveTimeout(timeoutSec, defaultTimeout(flags))
  }
}

const HERE: Platform = process.platform === 'win32' ? 'win32' : 'posix'

async function readSource(path: string) {
  const place = { directory: dirname(resolve(path)), platform: HERE }
  const larger = () => {
    throw new AgentcliLoadError(path, { ok: false, error: `parse manifest: ${TOO_LARGE}` })
  }
  try {
    return { ...place, text: await readFile(path, { follow: true, most: MAX_TEXT_BYTES, larger }) }
  } catch (error) {
    if (!(error instanceof RlpError) || error instanceof AgentcliLoadError) throw error
    throw new AgentcliLoadError(path, unreadableAgentcli(error.message), error)
  }
}
