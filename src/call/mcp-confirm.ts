// One question of a server → what the client's user says: in the next request of a client of 2026-07-28, at once of an earlier one.
import { ASKED_SECONDS, type AskedState, wasAsked } from './asked-calls.ts'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputResponse,
  type Server,
  type ServerContext,
} from './mcp-library.ts'
import { AskFirst } from './served.ts'

/** The name of the one question that is asked. */
export const ASKED = 'run'

/** What a client of 2026-07-28 has brought along. @throws AskFirst */
export function broughtAlong(
  { envelope, inputResponses }: ServerContext['mcpReq'],
  state: AskedState | undefined,
  question: string,
): boolean | undefined {
  // The package has checked it; its types do not say so.
  const said = envelope as Readonly<Record<string, unknown>> | undefined
  if (!canAsk(said?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined)) return undefined
  const answer = inputResponse(inputResponses, ASKED)
  if (state === undefined || !wasAsked(state, question) || answer.kind !== 'elicit')
    throw new AskFirst(question)
  return isYes(answer)
}

/** Asks a client of an earlier revision, while its call waits. One that comes over HTTP has nothing that it could be asked on. */
export async function elicited(
  server: Server,
  question: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (!canAsk(server.getClientCapabilities())) return undefined
  try {
    return isYes(await server.elicitInput(confirmForm(question), { signal, timeout: ASKED_SECONDS * 1000 }))
  } catch {
    // Anything but a clear yes counts as no.
    return undefined
  }
}

function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation
  // One that names no mode has forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

function isYes({ action, content }: { readonly action: string; readonly content?: unknown }): boolean {
  return action === 'accept' && (content as Readonly<Record<string, unknown>> | undefined)?.['run'] === true
}

export function confirmForm(message: string) {
  return {
    mode: 'form' as const,
    message,
    requestedSchema: {
      type: 'object' as const,
      properties: { run: { type: 'boolean' as const, title: 'Run this tool', default: false } },
      required: ['run'],
    },
  }
}
