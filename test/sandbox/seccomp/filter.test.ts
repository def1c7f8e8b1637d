// The filter of system calls, run through an interpreter for both processors: every row of the table, its neighbours and its edges.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  ANSWER,
  ARCHITECTURE,
  type ArgumentTest,
  BPF,
  DENIED_CALLS,
  type DeniedCall,
  filterBytes,
  filterFor,
  type Processor,
  YOUNGEST,
} from '../../../src/sandbox/seccomp.ts'
import { answerOf } from '../../support/bpf.ts'
import { runs } from '../../support/runs.ts'

const PROCESSORS: readonly Processor[] = ['x64', 'arm64']
const MOST = 0xffff_ffffn

for (const processor of PROCESSORS)
  describe(processor, () => {
    const program = filterFor(processor)
    const arch = ARCHITECTURE[processor]
    const ask = (number: number, ...args: readonly bigint[]) => answerOf(program, { arch, number, args })
    const number = (name: string): number => {
      const found = DENIED_CALLS.find(call => call.name === name)?.numbers[processor]
      assert.ok(found !== undefined, name)
      return found
    }

    test('the kernel would load it', () => {
      assert.ok(program.length < 4096)
      assert.equal(filterBytes(processor).length, program.length * 8)
      assert.equal(program.at(-1)?.code, BPF.answer)
      for (const [at, { jt, jf }] of program.slice(0, -1).entries())
        assert.ok(at + 1 + Math.max(jt, jf) < program.length, `the jump at ${at} leaves it`)
    })

    for (const { name, numbers, answer, when } of DENIED_CALLS) {
      const own = numbers[processor]
      if (own === undefined) continue
      test(name, () => {
        if (when === undefined) assert.equal(ask(own, MOST, MOST, MOST), ANSWER[answer])
        else assert.equal(ask(own, 0n, 0n, 0n, 0n) === ANSWER[answer], OF_FEW.has(name))
      })
    }

    test('another architecture, and on x86_64 the numbers of x32, end the program', () => {
      for (const other of [0, 0x4000_0003, ARCHITECTURE.x64 ^ ARCHITECTURE.arm64 ^ arch, arch ^ 0x8000_0000])
        assert.equal(answerOf(program, { arch: other, number: 39 }), ANSWER.kill)
      for (const asked of [0x4000_0000, 0x4000_0027, 0x7fff_ffff, 0xffff_ffff])
        assert.equal(ask(asked), processor === 'x64' ? ANSWER.kill : ANSWER.ENOSYS)
    })

    test('what is younger than the table is not there', () => {
      assert.equal(ask(YOUNGEST), ANSWER.allow)
      for (const asked of [YOUNGEST + 1, 1000, 0x3fff_ffff]) assert.equal(ask(asked), ANSWER.ENOSYS)
    })

    test('sockets: IPv4 and IPv6, in the 32 bits that the kernel reads', () => {
      for (const domain of [2n, 10n, 0x1_0000_0002n])
        assert.equal(ask(number('socket'), domain), ANSWER.allow, String(domain))
      for (const domain of [0n, 1n, 3n, 9n, 11n, 16n, 17n, 0x1_0000_0001n, MOST])
        assert.equal(ask(number('socket'), domain), ANSWER.EPERM, String(domain))
    })

    test('pairs of sockets: streams of this host alone, with their flags', () => {
      const pair = (domain: bigint, type: bigint) => ask(number('socketpair'), domain, type, 0n, 0n)
      const [unix, stream] = [1n, 1n]
      const flags = [0n, 0o4000n, 0o2000000n, 0o2004000n, 0x1_0000_0000n]
      for (const flag of flags) assert.equal(pair(unix, stream | flag), ANSWER.allow, String(flag))
      assert.equal(pair(0x1_0000_0001n, stream), ANSWER.allow)
      // Datagrams, raw sockets, packets with a type of their own, and what is no type or no flag.
      for (const type of [0n, 2n, 3n, 4n, 5n, 6n, 10n, 15n, 0x11n, 0x8000_0001n, MOST])
        for (const flag of flags) assert.equal(pair(unix, type | flag), ANSWER.EPERM, `${type} with ${flag}`)
      for (const domain of [0n, 2n, 10n, 16n, 30n, MOST])
        assert.equal(pair(domain, stream), ANSWER.EPERM, String(domain))
    })

    test('modes: neither of the two bits that lend', () => {
      for (const [name, at] of [
        ['fchmod', 1],
        ['fchmodat', 2],
        ['fchmodat2', 2],
        ['mknodat', 2],
        ['mkdirat', 2],
      ] as const) {
        const ofMode = (mode: bigint) => {
          const args = [0n, 0n, 0n]
          args[at] = mode
          return ask(number(name), ...args)
        }
        for (const mode of [0o755n, 0o1777n, 0o100644n]) assert.equal(ofMode(mode), ANSWER.allow, name)
        for (const mode of [0o4755n, 0o2755n, 0o6000n]) assert.equal(ofMode(mode), ANSWER.EPERM, name)
      }
    })

    test('the mode of a file counts only where it is made', () => {
      const asked = (flags: bigint, mode: bigint) => ask(number('openat'), 0n, 0n, flags, mode)
      const [create, temporary] = [0o100n, 0o20000000n]
      assert.equal(asked(2n, 0o4755n), ANSWER.allow)
      for (const flags of [create, temporary, create | 1n]) {
        assert.equal(asked(flags, 0o644n), ANSWER.allow)
        assert.equal(asked(flags, 0o4644n), ANSWER.EPERM)
        assert.equal(asked(flags, 0o2644n), ANSWER.EPERM)
      }
    })

    test('processes and threads are made, namespaces are not', () => {
      // SIGCHLD; the flags of a thread; and a new clock, whose bit is that of a signal.
      for (const flags of [17n, 0x3d0f00n, 0x80n | 17n])
        assert.equal(ask(number('clone'), flags), ANSWER.allow)
      for (const flag of [
        0x20000n,
        0x2000000n,
        0x4000000n,
        0x8000000n,
        0x10000000n,
        0x20000000n,
        0x40000000n,
      ])
        assert.equal(ask(number('clone'), flag | 17n), ANSWER.EPERM, flag.toString(16))
    })

    test('memory of one process: private, or of a file', () => {
      const asked = (flags: bigint) => ask(number('mmap'), 0n, 4096n, 3n, flags, MOST, 0n)
      for (const flags of [0x22n, 0x1n, 0x3n, 0x2n, 0x20022n])
        assert.equal(asked(flags), ANSWER.allow, flags.toString(16))
      for (const flags of [0x21n, 0x23n, 0x122n, 0x102n])
        assert.equal(asked(flags), ANSWER.EPERM, flags.toString(16))
    })

    test('a terminal is not typed into', () => {
      for (const [request, says] of [
        [0x5412n, ANSWER.EPERM],
        [0x541cn, ANSWER.EPERM],
        [0x1_0000_5412n, ANSWER.EPERM],
        [0x5413n, ANSWER.allow],
        [0x5401n, ANSWER.allow],
      ] as const)
        assert.equal(ask(number('ioctl'), 0n, request), says)
    })

    test('every call and every argument: as the table says', () => {
      const arg = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constantFrom(...INTERESTING))
      fc.assert(
        fc.property(
          fc.oneof(fc.nat(YOUNGEST + 5), fc.constantFrom(...numbersOf(processor))),
          fc.array(arg, { minLength: 6, maxLength: 6 }),
          (asked, args) => {
            assert.equal(ask(asked, ...args), ANSWER[byTable(processor, asked, args)])
          },
        ),
        { numRuns: runs(20_000), seed: 1 },
      )
    })
  })

/** Calls that are allowed with the arguments that are listed, and denied with all others. */
const OF_FEW = new Set(['socket', 'socketpair'])

const INTERESTING = [
  0n,
  1n,
  2n,
  3n,
  10n,
  16n,
  0x21n,
  0x22n,
  0x100n,
  0o100n,
  0o4755n,
  0o2000n,
  0x5412n,
  0x541cn,
  0x10000000n,
]

function numbersOf(processor: Processor): number[] {
  return DENIED_CALLS.flatMap(({ numbers }) => numbers[processor] ?? [])
}

/** The table read plainly. */
function byTable(
  processor: Processor,
  asked: number,
  args: readonly bigint[],
): 'allow' | DeniedCall['answer'] {
  if (asked > YOUNGEST) return 'ENOSYS'
  const call = DENIED_CALLS.find(({ numbers }) => numbers[processor] === asked)
  if (call === undefined) return 'allow'
  const holds = ({ argument, mask, is, others }: ArgumentTest) => {
    const value = Number(BigInt.asUintN(32, args[argument] ?? 0n) & BigInt(mask))
    return is === 'bits' ? value !== 0 : is.includes(value) !== (others ?? false)
  }
  return call.when === undefined || call.when.some(list => list.every(holds)) ? call.answer : 'allow'
}

test('no call is in the table twice', () => {
  for (const processor of PROCESSORS) {
    const numbers = numbersOf(processor)
    assert.equal(new Set(numbers).size, numbers.length)
  }
})
