// Keys in the ssh agent at SSH_AUTH_SOCK, called `ssh-agent:` and a fingerprint or a comment. The key stays there: the agent signs.

import { refuseIfAborted } from '../../io/write/write-atomic.ts'
import type { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import type { Signer } from '../../model/signer.ts'
import { type AgentSaid, askAgent } from '../../net/ask-agent.ts'
import { publicKey } from '../../signature/ed25519.ts'
import {
  type AgentAnswer,
  type AgentIdentity,
  listRequest,
  MOST_AGENT_BYTES,
  readAgentSignature,
  readIdentities,
  SSH_ED25519,
  signRequest,
} from '../../signature/ssh.ts'
import { quoted } from '../../text/printable.ts'
import { type KeyQuery, keyRefused, type SignerKind } from './kind.ts'

const PREFIX = 'ssh-agent:'

/** How long an agent may take: signing waits for a person who is asked to confirm. */
interface AgentPatience {
  readonly listMs: number
  readonly signMs: number
}

const PATIENCE: AgentPatience = { listMs: 10_000, signMs: 60_000 }

export const sshAgent: SignerKind = {
  open: query => agentSigner(query),
  publicKey: async query => publicKey((await keyCalled(query, PATIENCE)).bytes),
  privateKey: async ({ which }) => {
    throw keyRefused(which, 'USAGE', 'it cannot be taken out of the agent', 'Sign with it where it is')
  },
}

export async function agentSigner(query: KeyQuery, patience: AgentPatience = PATIENCE): Promise<Signer> {
  const { bytes, blob } = await keyCalled(query, patience)
  return {
    key: { kind: 'ed25519', bytes },
    async sign(message) {
      const answer = readAgentSignature(await ask(query, signRequest(blob, message), patience.signMs))
      if (answer.is === 'refused') throw await whyRefused(query, blob, patience)
      return answered(answer, query.which)
    },
  }
}

/** An agent does not say why. What it lists afterwards does. */
async function whyRefused(query: KeyQuery, blob: Uint8Array, { listMs }: AgentPatience): Promise<RlpError> {
  const { which } = query
  const left = await identities(query, listMs)
  if (left.length === 0)
    return keyRefused(which, 'SIGNER', 'the agent refused, because it is locked now', UNLOCK)
  if (!left.some(one => Buffer.compare(one.blob, blob) === 0))
    return keyRefused(which, 'SIGNER', 'the agent refused, because the key was removed meanwhile', ADD)
  const seen = 'the agent refused: a person did not confirm the signature, or could not be asked'
  return keyRefused(
    which,
    'SIGNER',
    seen,
    'Sign again and confirm, or set SSH_ASKPASS to a program that asks',
  )
}

const UNLOCK = 'Unlock it with ssh-add -X'
const ADD = 'Add the key with ssh-add FILE'

async function keyCalled(query: KeyQuery, { listMs }: AgentPatience) {
  const { which } = query
  const name = which.slice(PREFIX.length)
  if (name === '') throw keyRefused(which, 'USAGE', 'it names no key', LIST)
  const all = await identities(query, listMs)
  if (all.length === 0) {
    const seen = 'the agent shows no keys: it is locked, or it has none'
    throw keyRefused(which, 'NOT_FOUND', seen, `${UNLOCK}, or add the key with ssh-add FILE`)
  }
  // A comment is any text. One that looks like a fingerprint must not take the place of one.
  const isPrint = name.startsWith('SHA256:')
  const [found, ...others] = all.filter(
    ({ fingerprint, comment }) => name === (isPrint ? fingerprint : comment),
  )
  if (found === undefined) throw keyRefused(which, 'NOT_FOUND', 'the agent has no such key', LIST)
  if (others.length > 0) {
    const seen = `${others.length + 1} keys of the agent have this comment`
    throw keyRefused(which, 'USAGE', seen, 'Name one by its fingerprint, which ssh-add -l prints')
  }
  const { type, blob, ed25519: bytes } = found
  if (bytes !== undefined) return { blob, bytes }
  const seen = type === SSH_ED25519 ? 'its key is damaged' : `it is a key of the type ${quoted(type, 60)}`
  throw keyRefused(
    which,
    'WRONG_FILE_TYPE',
    seen,
    'Only ssh-ed25519 signs bundles: ssh-keygen -t ed25519 makes one',
  )
}

const LIST = 'Name a key by its fingerprint or its comment: ssh-add -l lists them'

async function identities(query: KeyQuery, mostMs: number): Promise<readonly AgentIdentity[]> {
  const answer = readIdentities(await ask(query, listRequest(), mostMs))
  // Agents list a certificate beside its key, under the same comment. It is no key of its own.
  return answered(answer, query.which).filter(({ type }) => !/-cert-v[0-9]+@/.test(type))
}

function answered<T>(answer: AgentAnswer<T>, which: string): T {
  if (answer.is === 'answered') return answer.value
  const seen = answer.is === 'refused' ? 'the agent refuses to list its keys' : NONSENSE
  throw keyRefused(which, 'SIGNER', seen, CHECK)
}

const NONSENSE = 'what is at SSH_AUTH_SOCK does not answer as an ssh agent'
const CHECK = 'Check with ssh-add -l that SSH_AUTH_SOCK leads to the agent'

async function ask(
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
