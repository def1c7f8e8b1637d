// One question of ours to the ssh agent at SSH_AUTH_SOCK → its answer, or an error that says what was seen there.

import { refuseIfAborted } from '../../io/write/write-atomic.ts'
import { own } from '../../model/own.ts'
import { type AgentSaid, askAgent } from '../../net/ask-agent.ts'
import {
  type AgentAnswer,
  type AgentIdentity,
  listRequest,
  MOST_AGENT_BYTES,
  readIdentities,
} from '../../signature/ssh.ts'
import { quoted } from '../../text/printable.ts'
import { keyRefused } from './key-refused.ts'
import type { KeyQuery } from './kind.ts'

export async function identities(query: KeyQuery, mostMs: number): Promise<readonly AgentIdentity[]> {
  const answer = readIdentities(await ask(query, listRequest(), mostMs))
  // Agents list a certificate beside its key, under the same comment. It is no key of its own.
  return answered(answer, query.which).filter(({ type }) => !/-cert-v[0-9]+@/.test(type))
}

export function answered<T>(answer: AgentAnswer<T>, which: string): T {
  if (answer.is === 'answered') return answer.value
  const seen = answer.is === 'refused' ? 'the agent refuses to list its keys' : NONSENSE
  throw keyRefused(which, 'SIGNER', seen, CHECK)
}

const NONSENSE = 'what is at SSH_AUTH_SOCK does not answer as an ssh agent'
const CHECK = 'Check with ssh-add -l that SSH_AUTH_SOCK leads to the agent'

export async function ask(
  { which, env, signal }: KeyQuery,
  request: Uint8Array,
  mostMs: number,
): Promise<Uint8Array> {
  const path = own(env, 'SSH_AUTH_SOCK')
  if (!path) {
    const seen = 'there is no agent, because SSH_AUTH_SOCK is not set'
    throw keyRefused(
      which,
      'NOT_FOUND',
      seen,
      'Start one: eval "$(ssh-agent)". Then add the key with ssh-add FILE',
    )
  }
  const limits = { mostBytes: MOST_AGENT_BYTES, mostMs, signal: signal ?? new AbortController().signal }
  const said = await askAgent({ path, request, ...limits })
  refuseIfAborted(signal)
  if ('answer' in said) return said.answer
  throw silent(said, path, which, mostMs)
}

function silent(
  said: Exclude<AgentSaid, { answer: Uint8Array }>,
  path: string,
  which: string,
  mostMs: number,
) {
  if (said.problem === 'late') {
    const seen = `the agent did not answer within ${mostMs / 1000} s`
    return keyRefused(which, 'SIGNER', seen, 'Confirm the signature in time, or start the agent again')
  }
  if (said.problem !== 'no-connection') return keyRefused(which, 'SIGNER', NONSENSE, CHECK)
  const { code } = said
  if (code === 'EACCES' || code === 'EPERM') {
    const seen = `this user may not reach the agent at ${quoted(path)}`
    return keyRefused(which, 'NO_PERMISSION', seen, 'Use an agent of your own: eval "$(ssh-agent)"')
  }
  const seen = `no agent answers at ${quoted(path)} (${code ?? 'closed'})`
  return keyRefused(
    which,
    'UNREACHABLE',
    seen,
    'Start one: eval "$(ssh-agent)". Then add the key with ssh-add FILE',
  )
}
