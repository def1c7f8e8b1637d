// Targets: what a signer that is another program answers. What is taken has one spelling, and no answer but the signature itself signs.

import { RlpError } from '../../../src/model/error.ts'
import { withoutCredentials } from '../../../src/secret/credential.ts'
import { signBytes } from '../../../src/sign/sign.ts'
import { readKeyAnswer, readSignatureAnswer } from '../../../src/sign/signers/program.ts'
import { anchorString } from '../../../src/signature/kinds/index.ts'
import { readAgentSignature, readIdentities, SSH_ED25519 } from '../../../src/signature/ssh.ts'
import { signer } from '../../../test/support/signed.ts'
import { framed, sized } from '../../../test/support/ssh-agent.ts'
import { mutateBytes } from '../mutate/bytes.ts'
import { mutateJson } from '../mutate/json.ts'
import { mutateText } from '../mutate/text.ts'
import { demand, type Target } from './target.ts'

const OURS = signer(7)
const MESSAGE = Buffer.from('DSSEv1 4 text 1 x')
const SIGNATURE = OURS.sign(MESSAGE)
const WORDS = [
  'key',
  'sig',
  'error',
  OURS.anchor,
  'ed25519:',
  '\n',
  '\r\n',
  'ghp_',
  '-----BEGIN PRIVATE KEY-----',
]

const blob = Buffer.concat([sized(SSH_ED25519), sized(OURS.key.bytes)])
const listed = framed(
  ...[Buffer.from([12, 0, 0, 0, 2]), sized(blob), sized('ours'), sized(sized('ssh-rsa')), sized('')],
).subarray(4)
const signature = framed(
  ...[Buffer.from([14]), sized(Buffer.concat([sized(SSH_ED25519), sized(SIGNATURE)]))],
).subarray(4)

const SAID = [{ key: OURS.anchor }, { sig: Buffer.from(SIGNATURE).toString('base64') }, { error: 'no token' }]

export const SIGNER_TARGETS: readonly Target[] = [
  {
    name: 'agent-answer',
    share: 300,
    make: random => mutateBytes(random, random.pick([listed, signature])),
    answer: judgeAgent,
  },
  {
    name: 'signer-answer',
    share: 300,
    make(random) {
      const said = random.pick(SAID)
      return random.once(2)
        ? mutateJson(random, said, WORDS)
        : mutateText(random, `${JSON.stringify(said)}\n`)
    },
    answer: judgeProgram,
  },
]

async function judgeAgent(bytes: Uint8Array): Promise<string> {
  const keys = readIdentities(bytes)
  if (keys.is === 'answered') {
    for (const { type, blob, ed25519 } of keys.value) {
      const inside = ed25519 && Buffer.concat([sized(type), sized(ed25519)])
      demand(inside === undefined || inside.equals(blob), 'a key that is not the one in the answer')
      demand(inside === undefined || type === SSH_ED25519, `a key of ${type} is taken for ours`)
    }
    return 'keys'
  }
  const signed = readAgentSignature(bytes)
  if (signed.is !== 'answered') return signed.is
  const spelled = framed(
    ...[Buffer.from([14]), sized(Buffer.concat([sized(SSH_ED25519), sized(signed.value)]))],
  ).subarray(4)
  demand(spelled.equals(bytes), 'another spelling of a signature is taken')
  return onlySignature(signed.value)
}

async function judgeProgram(bytes: Uint8Array): Promise<string> {
  const text = new TextDecoder().decode(bytes)
  const key = readKeyAnswer(text)
  const signed = readSignatureAnswer(text)
  demand(key.is !== 'answered' || signed.is !== 'answered', 'one answer to two questions')
  for (const answer of [key, signed])
    if (answer.is === 'error')
      demand(withoutCredentials(answer.message) === answer.message, 'its word shows a credential')
  if (key.is === 'answered') {
    demand(text.includes(':'), 'a key without its kind')
    anchorString(key.value)
    return 'a key'
  }
  return signed.is === 'answered' ? onlySignature(signed.value) : signed.is
}

/** Of all answers, the one signature is believed. */
async function onlySignature(answer: Uint8Array): Promise<string> {
  try {
    await signBytes(MESSAGE, { key: OURS.key, sign: async () => answer }, 'sign')
  } catch (error) {
    if (error instanceof RlpError && error.code === 'NOT_VERIFIED') return 'a wrong signature'
    throw error
  }
  demand(Buffer.from(answer).equals(SIGNATURE), 'another signature is believed')
  return 'the signature'
}
