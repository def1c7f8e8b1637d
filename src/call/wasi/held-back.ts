// What a program writes, from its own beginning on → who takes it.
import type { TakeOutput } from '../../io/process/pass-output.ts'
import type { Held } from '../../sandbox/kinds/kind.ts'

/** What is on standard error before the program has begun is of the sandbox, and is no output of the module. */
export function heldBack(
  { begun }: Held,
  take: TakeOutput,
): { readonly take: TakeOutput; rest(): Promise<void> } {
  let early: Uint8Array[] = []
  const rest = async () => {
    const bytes = Buffer.concat(early)
    early = []
    if (bytes.length > 0) await take('stderr', bytes)
  }
  return {
    rest,
    async take(stream, bytes) {
      if (stream === 'stderr' && !begun()) return void early.push(bytes)
      await rest()
      await take(stream, bytes)
    },
  }
}
