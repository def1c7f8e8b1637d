// The kernel's reading of a filter of system calls (Linux, net/core/filter.c), for the few instructions that ours has.
import { BPF, type Instruction } from '../../src/sandbox/seccomp.ts'

export interface AskedCall {
  readonly arch: number
  readonly number: number
  /** Up to six, of 64 bits. */
  readonly args?: readonly bigint[]
}

/** The answer of a filter. @throws Error for what the kernel would not load */
export function answerOf(program: readonly Instruction[], { arch, number, args = [] }: AskedCall): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(arch >>> 0, 4)
  for (const [at, value] of args.entries()) data.writeBigUInt64LE(BigInt.asUintN(64, value), 16 + 8 * at)
  let a = 0
  for (let at = 0; ; at++) {
    const instruction = program[at]
    if (instruction === undefined) throw new Error('it runs over its end')
    const { code, jt, jf, k } = instruction
    if (code === BPF.load) {
      if (k % 4 !== 0 || k > 60) throw new Error(`it reads at ${k}`)
      a = data.readUInt32LE(k)
    } else if (code === BPF.and) a = (a & k) >>> 0
    else if (code === BPF.answer) return k
    else if (code === BPF.equals) at += a === k >>> 0 ? jt : jf
    else if (code === BPF.atLeast) at += a >= k >>> 0 ? jt : jf
    else if (code === BPF.bits) at += (a & k) !== 0 ? jt : jf
    else throw new Error(`it has the instruction ${code}`)
  }
}
