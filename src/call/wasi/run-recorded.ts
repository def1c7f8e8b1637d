// One run of a module, with the caller's ends of its streams → how it ended, recorded.
import { anySignal } from '../../io/wait/any-signal.ts'
import { RlpError } from '../../model/error.ts'
import type { RunLog } from './run-log.ts'
import { type ModuleHost, type ModuleRun, type RanModule, runModule } from './run-module.ts'
import type { RunnableAgent } from './runnable.ts'

const NO_GROUPS = 'modules are run on systems with process groups only: Linux, macOS and their like'

/** @throws what the input or the one who takes the output throws: it ends the module. Else as {@link runModule} */
export async function runRecorded(
  agent: RunnableAgent,
  run: ModuleRun,
  log: RunLog,
  host: ModuleHost,
): Promise<RanModule> {
  if (process.platform === 'win32') throw new RlpError('IO', `Cannot run "${agent.label}": ${NO_GROUPS}`)
  const lost = new AbortController()
  const onLost = (error: unknown) => lost.abort(error)
  const streams: Pick<ModuleRun, 'input' | 'take'> = {
    input: run.input && untilLost(run.input, onLost),
    take: (...taken) => run.take(...taken).catch(onLost),
  }
  const signal = anySignal(host.signal, lost.signal)
  const ran = await runModule(agent, { ...run, ...streams }, { ...host, signal }).catch(error => {
    if (error instanceof RlpError) log.failed(error.message)
    throw error
  })
  log.ended(ran)
  lost.signal.throwIfAborted()
  return ran
}

/** An input that breaks off has no end: the module must not take it for whole. */
async function* untilLost(
  input: AsyncIterable<Uint8Array>,
  onLost: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* input
  } catch (error) {
    onLost(error)
    await new Promise(() => {})
  }
}
