// An answer that refuses what was asked → the error, with what the registry says in it.
import { RlpError } from '../../model/error.ts'
import { readSmall } from './body.ts'
import type { Client } from './client.ts'
import { isBroken, refusedStatus } from './words.ts'

const ERROR_BYTES = 16 * 1024

export async function refusedAnswer(
  client: Client,
  answer: Parameters<typeof readSmall>[0],
  doing: string,
): Promise<RlpError> {
  const body = await readSmall(answer, ERROR_BYTES, doing, client.deadline).catch(error => {
    // The status says enough.
    if (error instanceof RlpError || isBroken(error) || client.deadline.over !== undefined)
      return new Uint8Array()
    throw error
  })
  return refusedStatus(doing, client.host, answer.statusCode ?? 0, Buffer.from(body).toString('latin1'))
}
