// Turns what others answer or throw into envelopes of the contract: tools of agentcli and MCP, and any error of a tool's body.
import { ERRORS, type ErrorCode, type FailureKind } from '../model/error.ts'
import { own } from '../model/own.ts'
import { type Detected, detect } from './detect.ts'
import {
  type Envelope,
  type Failure,
  type FailureDetails,
  failure,
  success,
  textSuccess,
} from './envelope.ts'
import { isFields, member } from './json-text.ts'
import { REGISTRY_CODES, ToolError } from './tool-error.ts'

/** An MCP server's answer to tools/call; only these members are used. */
export interface McpResult {
  readonly content?: readonly unknown[] | null
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

/**
 * A tool message of agentcli: `{"error":"…"}` alone is a failure, whose text tells what kind of, and an envelope is what it says. Everything
 * else is a success, as JSON where it is some, else as text.
 *
 * @example
 * fromAgentcli('{"error":"tool timed out"}', 'fetch') // kind timeout
 */
export function fromAgentcli(content: string, tool?: string): Envelope {
  const found = detect(content)
  const spoken = envelopeOf(found, tool)
  if (spoken !== undefined) return spoken
  if (found.is !== 'neither' || !found.json) return textSuccess(tool, content)
  const { value = null } = found
  const message = isFields(value) && Object.keys(value).length === 1 ? member(value, 'error') : undefined
  return typeof message === 'string'
    ? failure({ kind: kindOf(message), message, tool })
    : success(tool, value)
}

function kindOf(error: string): FailureKind {
  if (error === 'tool timed out') return 'timeout'
  return error.startsWith('unknown tool: ') ? 'tool_not_found' : 'execution_error'
}

/**
 * A result of MCP: `isError` is an execution_error, unless its text is an envelope itself. A success is its structured content, else the
 * envelope or the text in its one item of text, else the items.
 *
 * @example
 * fromMcp({ content: [{ type: 'text', text: 'disk full' }], isError: true }, 'save')
 */
export function fromMcp({ content: given, structuredContent, isError }: McpResult, tool?: string): Envelope {
  const content = given ?? []
  const texts = content.flatMap(item => {
    const text = isFields(item) && item['type'] === 'text' ? member(item, 'text') : undefined
    return typeof text === 'string' ? [text] : []
  })
  const [only] = texts
  const spoken = texts.length === 1 && only !== undefined ? envelopeOf(detect(only), tool) : undefined
  if (isError === true) {
    if (spoken?.ok === false) return spoken
    return failure({ kind: 'execution_error', message: texts.join('\n'), tool })
  }
  if (structuredContent !== undefined) return success(tool, structuredContent)
  if (spoken?.ok === true) return spoken
  return texts.length === content.length ? textSuccess(tool, texts.join('\n')) : success(tool, { content })
}

/** Accepts only a whole envelope: a success of another system may mention failures. */
function envelopeOf(found: Detected, tool: string | undefined): Envelope | undefined {
  if (found.is === 'neither' || found.form !== 'envelope') return undefined
  if (found.is === 'success') return success(tool, member(found.fields, 'result') ?? null)
  return { ...found.failure, ...(tool !== undefined && { tool }) }
}

/** Reads the errors of one source; undefined for all others. */
export type ErrorReader = (error: object) => Omit<FailureDetails, 'tool'> | undefined

/**
 * Anything thrown as a failure: {@link ToolError}, registry errors (`domain` "ToolRegistry"), {@link RlpError}, aborted and timed-out
 * signals, the errors of Node's file system and network by their code, and everything else as `execution_error` with its message.
 * Never with a stack.
 *
 * @param readers for errors of your own; asked first
 *
 * @example
 * try {
 *   throw new ToolError('folder.pathOutsideRoot', { path: '../etc/passwd' })
 * } catch (error) {
 *   console.log(serialize(fromError(error, 'file_read')))
 * }
 */
export function fromError(error: unknown, tool?: string, readers: readonly ErrorReader[] = []): Failure {
  if (typeof error === 'object' && error !== null) {
    for (const read of [...readers, ...READERS]) {
      const details = read(error)
      if (details !== undefined) return failure({ ...details, tool })
    }
  }
  return failure({ kind: 'execution_error', message: wordsOf(error), tool })
}

const READERS: readonly ErrorReader[] = [fromToolError, fromRegistry, fromRlp, fromSignal, fromNode]

function fromToolError(error: object): Omit<FailureDetails, 'tool'> | undefined {
  if (!(error instanceof ToolError)) return undefined
  const { kind, message, retryable, field, expected } = error.failure
  return { kind, message, retryable, field, expected }
}

function fromRegistry(error: object): Omit<FailureDetails, 'tool'> | undefined {
  const { domain, code } = error as { readonly domain?: unknown; readonly code?: unknown }
  const source = domain === 'ToolRegistry' && typeof code === 'number' ? REGISTRY_CODES[code] : undefined
  return source && fromToolError(new ToolError(source, { message: wordsOf(error) }))
}

/**
 * Recognised by name: the library and this contract are two files of the package, each with its own copy of
 * the class.
 */
function fromRlp(error: object): Omit<FailureDetails, 'tool'> | undefined {
  const { name, code, hint } = error as {
    readonly name?: unknown
    readonly code?: unknown
    readonly hint?: unknown
  }
  if (name !== 'RlpError' || typeof code !== 'string' || !Object.hasOwn(ERRORS, code)) return undefined
  return { kind: ERRORS[code as ErrorCode].kind, message: wordsOf(error), extra: { code, hint } }
}

/** `AbortSignal.timeout` and `AbortController.abort`. */
function fromSignal(error: object): Omit<FailureDetails, 'tool'> | undefined {
  const { name } = error as { readonly name?: unknown }
  if (name === 'TimeoutError') return { kind: 'timeout', message: wordsOf(error) }
  return name === 'AbortError'
    ? { kind: 'execution_error', message: 'The call was cancelled.', retryable: false }
    : undefined
}

type Meaning = readonly [kind: FailureKind, retryable: boolean]
const MISSING: Meaning = ['not_found', false]
const FORBIDDEN: Meaning = ['unavailable', false]
const UNREACHABLE: Meaning = ['unavailable', true]
const LATE: Meaning = ['timeout', true]
const FINAL: Meaning = ['execution_error', false]

/** Codes of Node's system errors that say more than *failed*. */
const CODES: Readonly<Record<string, Meaning>> = {
  ENOENT: MISSING,
  ENOTDIR: MISSING,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: FORBIDDEN,
  EEXIST: FINAL,
  EISDIR: FINAL,
  ENOTEMPTY: FINAL,
  ETIMEDOUT: LATE,
  UND_ERR_CONNECT_TIMEOUT: LATE,
  UND_ERR_HEADERS_TIMEOUT: LATE,
  UND_ERR_BODY_TIMEOUT: LATE,
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENOTFOUND: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  EPIPE: UNREACHABLE,
}

/** `fetch` hides the system's error in its cause. */
function fromNode(error: object): Omit<FailureDetails, 'tool'> | undefined {
  const own = meaningOf(error)
  if (own !== undefined) return { kind: own[0], retryable: own[1], message: wordsOf(error) }
  const { cause } = error as { readonly cause?: unknown }
  const inner = typeof cause === 'object' && cause !== null ? meaningOf(cause) : undefined
  if (inner === undefined) return undefined
  return { kind: inner[0], retryable: inner[1], message: `${wordsOf(error)}: ${wordsOf(cause)}` }
}

function meaningOf(error: object): Meaning | undefined {
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown }
  if (typeof code !== 'string' || !Object.hasOwn(CODES, code)) return undefined
  // The missing file is the program, not one that the call named.
  return code === 'ENOENT' && typeof syscall === 'string' && syscall.startsWith('spawn')
    ? FORBIDDEN
    : own(CODES, code)
}

function wordsOf(error: unknown): string {
  if (typeof error === 'string' && error !== '') return error
  const { message, name } = (error ?? {}) as { readonly message?: unknown; readonly name?: unknown }
  if (typeof message === 'string' && message !== '') return message
  return typeof name === 'string' && name !== '' ? name : 'The tool failed without saying why.'
}
