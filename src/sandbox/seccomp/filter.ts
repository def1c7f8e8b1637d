// The denied calls → a filter of the kernel: classic BPF over `struct seccomp_data` (Linux, Documentation/userspace-api/seccomp_filter.rst).
import { type ArgumentTest, DENIED_CALLS, type DeniedCall, type Processor, YOUNGEST } from './calls.ts'

/** One instruction. Jumps count from the next one. */
export interface Instruction {
  readonly code: number
  readonly jt: number
  readonly jf: number
  readonly k: number
}

/** Codes of the instructions that a filter needs. */
export const BPF = { load: 0x20, and: 0x54, equals: 0x15, atLeast: 0x35, bits: 0x45, answer: 0x06 } as const

export const ANSWER = {
  allow: 0x7fff_0000,
  kill: 0x8000_0000,
  EPERM: 0x0005_0001,
  ENOSYS: 0x0005_0026,
} as const

/** `AUDIT_ARCH_…`: a program of another one would have other numbers. */
export const ARCHITECTURE: { readonly [P in Processor]: number } = { x64: 0xc000_003e, arm64: 0xc000_00b7 }

/** Offsets in `struct seccomp_data`, little-endian. */
const NUMBER = 0
const ARCH = 4
const ARGUMENTS = 16

/** The first number of the x32 ABI, which has the architecture of x86_64. */
const X32 = 0x4000_0000

/** The filter as the kernel reads it: 8 bytes an instruction. */
export function filterBytes(processor: Processor): Uint8Array {
  const program = filterFor(processor)
  const bytes = Buffer.alloc(program.length * 8)
  for (const [at, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(jt, at * 8 + 2)
    bytes.writeUInt8(jf, at * 8 + 3)
    bytes.writeUInt32LE(k, at * 8 + 4)
  }
  return bytes
}

export function filterFor(processor: Processor): readonly Instruction[] {
  return [
    load(ARCH),
    ...unless('equals', ARCHITECTURE[processor], [answer('kill')]),
    load(NUMBER),
    ...(processor === 'x64' ? when('atLeast', X32, [answer('kill')]) : []),
    ...when('atLeast', YOUNGEST + 1, [answer('ENOSYS')]),
    ...DENIED_CALLS.flatMap(call => blockOf(call, processor)),
    answer('allow'),
  ]
}

function blockOf({ numbers, answer: says, when: lists }: DeniedCall, processor: Processor): Instruction[] {
  const number = numbers[processor]
  if (number === undefined) return []
  if (lists === undefined) return when('equals', number, [answer(says)])
  // The number is no longer loaded after a test, so the block ends with an answer.
  const tests = lists.flatMap(list => tested(list, [answer(says)]))
  return when('equals', number, [...tests, answer('allow')])
}

/** `then` if all tests hold; else what follows it. */
function tested([first, ...others]: readonly ArgumentTest[], then: readonly Instruction[]): Instruction[] {
  if (first === undefined) return [...then]
  const inner = tested(others, then)
  const { argument, mask, is, others: isOthers } = first
  const loaded = load(ARGUMENTS + 8 * argument)
  if (is === 'bits') return [loaded, ...when('bits', mask, inner)]
  const compared = is.map((value, at): Instruction => {
    const left = is.length - at - 1
    // To `inner`, or over it.
    const hit = isOthers ? left + inner.length : left
    const miss = left > 0 ? 0 : isOthers ? 0 : inner.length
    return { code: BPF.equals, jt: short(hit), jf: short(miss), k: value }
  })
  return [loaded, { code: BPF.and, jt: 0, jf: 0, k: mask }, ...compared, ...inner]
}

function load(offset: number): Instruction {
  return { code: BPF.load, jt: 0, jf: 0, k: offset }
}

function answer(which: keyof typeof ANSWER): Instruction {
  return { code: BPF.answer, jt: 0, jf: 0, k: ANSWER[which] }
}

type Comparison = 'equals' | 'atLeast' | 'bits'

function when(how: Comparison, k: number, then: readonly Instruction[]): Instruction[] {
  return [{ code: BPF[how], jt: 0, jf: short(then.length), k }, ...then]
}

function unless(how: Comparison, k: number, then: readonly Instruction[]): Instruction[] {
  return [{ code: BPF[how], jt: short(then.length), jf: 0, k }, ...then]
}

/** A jump has 8 bits. */
function short(distance: number): number {
  if (distance > 0xff) throw new TypeError('a block of the filter is too long to jump over')
  return distance
}
