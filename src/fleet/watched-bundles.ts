// A folder of bundles → those of them that may be used, kept up to date: by changes of the folder, by new policies, and by the clock.

import { join } from 'node:path'
import { anySignal } from '../io/wait/any-signal.ts'
import { stampFiles } from '../io/watch/stamps.ts'
import { changesIn } from '../io/watch/watch-folder.ts'
import { RlpError } from '../model/error.ts'
import { FixedMap } from '../model/frozen.ts'
import type { LoadedBundle } from '../verify/load.ts'
import type { WatchEvent } from './watch-event.ts'

/** A bundle that was read, and its judgement of the moment. */
export interface WatchedBundle {
  readonly bundle: LoadedBundle
  /** The same bytes by what counts now. @throws RlpError if they may not be used any more */
  again(): Promise<WatchedBundle>
}

export interface WatchJob {
  /** Absolute. */
  readonly folder: string
  /** Reads and judges one file. @throws RlpError if it may not be used */
  open(path: string, signal: AbortSignal): Promise<WatchedBundle>
  readonly onEvent: (event: WatchEvent) => void
  /** Milliseconds after which every bundle is judged again. */
  readonly judgeEveryMs: number
  readonly signal: AbortSignal
}

/** A bundle, and what others state about it, which is beside it. */
const FILE = /^(.*\.agent\.bundle(?:\.gz)?)(?:\.intoto\.jsonl)?$/

const counts = (name: string) => FILE.test(name)

/** The bundles of a folder that may be used now, by the names of their files. */
export class WatchedBundles {
  readonly #job: WatchJob
  readonly #stop = new AbortController()
  readonly #kept = new Map<string, WatchedBundle>()
  readonly #signal: AbortSignal
  readonly #changes: AsyncGenerator<readonly string[]>
  #following: Promise<void> = Promise.resolve()

  constructor(job: WatchJob) {
    this.#job = job
    this.#signal = anySignal(job.signal, this.#stop.signal)
    this.#changes = changesIn(job.folder, folder => stampFiles(folder, counts), this.#signal)
  }

  get bundles(): ReadonlyMap<string, LoadedBundle> {
    return new FixedMap([...this.#kept].map(([file, { bundle }]) => [file, bundle] as const))
  }

  /** Settles when each file was judged. @param names of what is there, asked when changes are seen already: no file can come in between */
  async begin(names: () => readonly string[]): Promise<void> {
    await this.#changes.next()
    for (const file of bundlesAmong(names())) await this.#look(file)
    this.#following = this.#follow()
    void Promise.allSettled([this.#following])
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#following
    await this.#changes.return(undefined)
  }

  /** One after the other: of two events about a file, the later one counts. */
  async #follow(): Promise<void> {
    const { judgeEveryMs } = this.#job
    const signal = this.#signal
    let change = this.#changes.next()
    while (!signal.aborted) {
      let timer: NodeJS.Timeout | undefined
      const due = new Promise<'due'>(resolve => {
        timer = setTimeout(() => resolve('due'), judgeEveryMs)
      })
      const next = await Promise.race([change, due])
      clearTimeout(timer)
      if (signal.aborted) return
      if (next === 'due') {
        await this.#judgeAll()
        continue
      }
      if (next.done === true) return
      for (const file of bundlesAmong(next.value)) await this.#look(file)
      change = this.#changes.next()
    }
  }

  async #look(path: string): Promise<void> {
    try {
      const judged = await this.#job.open(join(this.#job.folder, path), this.#signal)
      this.#kept.set(path, judged)
      this.#tell({ is: 'loaded', file: path, bundle: judged.bundle })
    } catch (error) {
      if (this.#signal.aborted) return
      if (!(error instanceof RlpError)) throw error
      if (error.code === 'NOT_FOUND') {
        if (this.#kept.delete(path)) this.#tell({ is: 'gone', file: path })
        return
      }
      // What was good stays in use while a broken file is in its place, if it is good by what counts now.
      await this.#judge(path)
      this.#tell({ is: 'refused', file: path, error, kept: this.#kept.get(path)?.bundle })
    }
  }

  async #judgeAll(): Promise<void> {
    for (const file of [...this.#kept.keys()]) if (!this.#signal.aborted) await this.#judge(file)
  }

  async #judge(file: string): Promise<void> {
    const before = this.#kept.get(file)
    if (before === undefined) return
    try {
      const now = await before.again()
      if (isSame(before.bundle, now.bundle)) return
      this.#kept.set(file, now)
      this.#tell({ is: 'loaded', file, bundle: now.bundle })
    } catch (error) {
      if (this.#signal.aborted) return
      if (!(error instanceof RlpError)) throw error
      this.#kept.delete(file)
      this.#tell({ is: 'ended', file, error })
    }
  }

  #tell(event: WatchEvent): void {
    if (!this.#signal.aborted) this.#job.onEvent(event)
  }
}

function bundlesAmong(files: readonly string[]): string[] {
  return [...new Set(files.flatMap(file => FILE.exec(file)?.[1] ?? []))]
}

/** Whether a new judgement of the same bytes allows the same. */
function isSame(one: LoadedBundle, other: LoadedBundle): boolean {
  const facts = ({ report, tools, denied, policy }: LoadedBundle) =>
    JSON.stringify([
      report.verdict,
      report.policies,
      report.warnings,
      tools.map(({ id }) => id),
      denied,
      policy,
    ])
  return facts(one) === facts(other)
}
