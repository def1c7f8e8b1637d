// Where a gate listens, who may ask and what may be asked → it answers until it is told to stop.
import { resolve } from 'node:path'
import { hostHeader, type ListenAddress } from '../../net/serve/listen-address.ts'
import { listenAt } from '../../net/serve/listen-at.ts'
import type { GateQuestion } from '../gate-question.ts'
import type { Answered, Recording } from '../gate-recorded.ts'
import type { ServedPlaces } from './may-be-asked.ts'
import { GateService } from './service.ts'

export interface ServiceRun extends Recording {
  readonly address: ListenAddress
  readonly cwd: string
  /** SHA-256 of the token, for a port. */
  readonly token: Uint8Array | undefined
  readonly served: ServedPlaces
  judge(question: GateQuestion): Promise<Answered>
  onDefect(error: unknown): void
  /** @param where as an asker calls it */
  onListening(where: string): void
  /** Ends it: questions under way are answered. */
  readonly signal: AbortSignal
}

/** @throws RlpError as {@link listenAt} */
export async function runService(run: ServiceRun): Promise<void> {
  const { cwd, token, signal } = run
  const address =
    run.address.is === 'unix' ? { ...run.address, path: resolve(cwd, run.address.path) } : run.address
  const service = new GateService(run)
  const port = await listenAt(service.server, address)
  const host = hostHeader(address, port)
  service.open({ host, token })
  run.onListening(address.is === 'unix' ? `unix:${address.path}` : host)
  if (!signal.aborted)
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
  await service.stop()
}
