// Who signs the statements of a command: a key, or an identity, about which a person is asked before it becomes public.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { signerCalled } from '../sign/signing-options.ts'
import { type Attesting, attestingByIdentity, attestingByKey } from './attest.ts'
import type { SignerArgs } from './options.ts'

/**
 * Reads the key, which may ask for its passphrase. A token is looked for with the first statement.
 * @returns undefined without a signer
 */
export async function attestingIn(args: SignerArgs & GlobalArgs, io: Io): Promise<Attesting | undefined> {
  if (!args.keyless)
    return args.key === undefined ? undefined : attestingByKey(await signerCalled(args.key, io))
  const { askToPublish, keylessIn } = await import('../sign/ask-keyless.ts')
  const keyless = await keylessIn(args, io)
  return attestingByIdentity(keyless, async ({ label, type, identity }) => {
    const token = await keyless.claimed(`attest "${label}"`)
    await askToPublish({ label, report: { identity }, states: type }, token, args, io)
  })
}
