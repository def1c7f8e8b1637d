// A name and a password → whether a registry takes them.
import type { TimedReach } from '../../io/wait/reach.ts'
import type { RegistryPlace } from '../../model/oci.ts'
import { Client } from './client.ts'
import { refusedAnswer } from './refused-answer.ts'

/**
 * Asks for the entrance of the registry's API.
 * @returns false for a registry that did not ask who we are: nothing was told to it
 * @throws RlpError NO_PERMISSION where it refuses them; UNREACHABLE, TIMED_OUT, STORE, CANCELLED
 */
export async function checkLogin(
  place: Pick<RegistryPlace, 'host' | 'port'>,
  reach: TimedReach,
): Promise<boolean> {
  const client = Client.open({ ...place, in: 'registry', repository: '' }, reach, { writes: false })
  try {
    const doing = `log in at ${client.host}`
    const { answer } = await client.ask({ method: 'GET', to: '', doing })
    if (answer.statusCode !== 200) throw await refusedAnswer(client, answer, doing)
    await client.skip(answer)
    return client.hasToldLogin
  } finally {
    client.close()
  }
}
