// Step "signature": who vouches for the manifest's bytes. Nothing under SIGNATURES/ is the only way to be unsigned.
import { type Agent, SIGNATURE_FILE } from '../model/agent.ts'
import type { Protocol } from './protocol.ts'

export function checkSignature(agent: Agent, protocol: Protocol): void {
  const [code, message] = agent.files.get(SIGNATURE_FILE)
    ? ([
        'signature_unsupported',
        'The bundle is signed, and this build does not check signatures yet',
      ] as const)
    : (['no_signature', 'Nothing under SIGNATURES/'] as const)
  protocol.fail('signature', code === 'no_signature' ? 'unsigned' : 'indeterminate', [{ code, message }])
}
